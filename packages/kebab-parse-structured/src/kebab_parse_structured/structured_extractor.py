"""The frame of the extractors of this package: a file that is text with a structure becomes blocks of a text of its own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, ClassVar

from kebab_core import DocumentDamagedError
from kebab_parse import IsolatedExtractor, TextWriter, decode_text, normalize_text

if TYPE_CHECKING:
    from kebab_core import CanonicalDocument, ExtractContext, Message
    from pydantic import JsonValue

    Object = dict[str, JsonValue]
    """An object of JSON."""

AGENT = "kebab-parse-structured"


class StructuredExtractor(IsolatedExtractor):
    """Extractor of one format of the medium `structured`; a subclass adds `formats`, `version` and `_write`."""

    kind: ClassVar[str] = "structured"
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Spans are `LineSpan`s of the text that is read.

        Returns:
            The document. Its warnings name a detected encoding, and what was left out.

        Raises:
            UnsupportedMediaError: The content is not text.
            DocumentDamagedError: It is not of the format that its name says.
        """
        writer = TextWriter(self._identify(context))
        warnings: list[Message] = []
        values = self._write(writer, content, warnings)
        own_title = str(values.pop("own_title", ""))
        return self._build(
            context, writer.blocks, writer.finish(), values=values, own_title=own_title, warnings=warnings
        )

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the blocks of a file.

        Returns:
            What the file says about itself, as `_build` takes it, and under `own_title` a title that stands in its text.
        """
        raise NotImplementedError


def read_text(content: bytes, warnings: list[Message]) -> str:
    r"""Decode a file; lines end with `\n`.

    Raises:
        UnsupportedMediaError: The content is not text.
    """
    decoded = decode_text(content)
    if decoded.warning:
        warnings.append(decoded.warning)
    return normalize_text(decoded.text)


def read_object(content: bytes) -> Object:
    """Read a file that is one JSON object.

    Raises:
        UnsupportedMediaError: The content is not text.
        DocumentDamagedError: It is no JSON object.
    """
    try:
        value = json.loads(decode_text(content).text)
    except (ValueError, RecursionError) as error:
        raise DocumentDamagedError("it is no JSON, or a damaged one") from error
    if not isinstance(value, dict):
        raise DocumentDamagedError("it is no JSON, or a damaged one")
    return value


def objects_in(value: JsonValue) -> list[Object]:
    """Return the objects of a list; none where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text_in(value: JsonValue) -> str:
    """Return a text, and the texts of a list joined; empty for anything else."""
    if isinstance(value, list):
        return "".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""
