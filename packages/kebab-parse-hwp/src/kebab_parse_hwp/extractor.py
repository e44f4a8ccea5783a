"""The extractor `hwp-v2`: from the bytes of an HWPX or HWP 5 file to a document."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    ExtractContext,
    ExtractorServices,
    Message,
    Model,
    ParserVersion,
    Remedy,
    UnsupportedMediaError,
)
from kebab_parse import COMPOUND_FILE, NO_TEXT, IsolatedExtractor, TextWriter, read_given_title

from kebab_parse_hwp.content_writer import ContentWriter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from kebab_parse_hwp.hwp5 import Hwp5Document
    from kebab_parse_hwp.hwpx import HwpxDocument

HWP_VERSION = ParserVersion("hwp-v2")
_ZIP, _OLD = b"PK", b"HWP Document File V"
_SEPARATORS = re.compile(r"[,;\n]+")
_PRIVATE = re.compile(r"[\ue000-\uf8ff]")


class HwpExtractor(IsolatedExtractor):
    """Extractor of Hangul documents: HWPX (KS X 6101) and HWP 5.

    `detector` detects the language.
    """

    kind = "hwp"
    version = HWP_VERSION
    agent = "kebab-parse-hwp"

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file, whichever of the two formats its name says. Spans are lines of the text of the document.

        Returns:
            The document. Warnings name parts that are damaged or missing, a document without text, and characters that only fonts of Hancom know.

        Raises:
            UnsupportedMediaError: The file is of version 3, or no Hangul document.
            DocumentDamagedError: Nothing of it can be read, or it is nested deeper than any document.
            DocumentTooLargeError: It unpacks to more than is read.
            DocumentEncryptedError: It is protected by a password, a certificate, or as a distribution document.
        """
        source = _open(content)
        writer = TextWriter(self._identify(context))
        try:
            ContentWriter(writer).write_document(source.content())
            values = _values(source.facts())
        except RecursionError as error:
            raise DocumentDamagedError("it is nested too deep") from error
        if not writer.blocks and source.warnings:
            raise DocumentDamagedError("nothing of it can be read: {reason}", _reason=source.warnings[0])
        text = writer.finish()
        return self._build(
            context,
            writer.blocks,
            text,
            values=values,
            warnings=(
                *source.warnings,
                None if writer.blocks else NO_TEXT,
                _private_characters(text.text),
            ),
        )


def build_hwp_extractor(_settings: Model | None, services: ExtractorServices) -> HwpExtractor:
    """Build the extractor of Hangul documents. Implements `ExtractorFactory`; there are no settings."""
    return HwpExtractor(services.detector)


def _open(content: bytes) -> HwpxDocument | Hwp5Document:
    if content.startswith(_ZIP):
        from kebab_parse_hwp.hwpx import HwpxDocument

        return HwpxDocument(content)
    if content.startswith(COMPOUND_FILE):
        from kebab_parse_hwp.hwp5 import Hwp5Document

        return Hwp5Document(content)
    if content.startswith(_OLD):
        raise UnsupportedMediaError(
            "this is a document of Hangul 97 or older (HWP 3)",
            remedy=Remedy(advice=Message("open it in its own program and save it as {name}", name="HWPX")),
        )
    raise UnsupportedMediaError(
        "this is neither HWPX nor HWP 5", remedy=Remedy(advice=Message("check what is in the file"))
    )


def _values(facts: Mapping[str, str]) -> dict[str, JsonValue]:
    """Return the facts of the summary under the keys of front matter."""
    values: dict[str, JsonValue] = {**facts, "title": read_given_title(facts.get("title", ""))}
    keywords = str(values.pop("keywords", ""))
    tags = [" ".join(tag.split()).lstrip("#") for tag in _SEPARATORS.split(keywords)]
    return {**values, "tags": [tag for tag in tags if tag]}


def _private_characters(text: str) -> Message | None:
    count = len(_PRIVATE.findall(text))
    if not count:
        return None
    return Message(
        "{count:,} character that only fonts of Hancom know, such as old Hangul, cannot be found by search",
        plural="{count:,} characters that only fonts of Hancom know, such as old Hangul, cannot be found by search",
        count=count,
    )
