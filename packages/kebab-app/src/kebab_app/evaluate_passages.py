"""Documents of a test set as files that the ordinary ingest reads: a line that says what it is, then the text.

The text is read as plain text, so that `#`, indentation and underscores of code mean nothing; the title is a title.
A file is named by the hash of its document's id, which may be any text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    InvalidInputError,
    LanguageDetector,
    MediaType,
    ParserVersion,
    hash_bytes,
)

if TYPE_CHECKING:
    from kebab_eval import Passage

PASSAGE_VERSION = ParserVersion("passage-v1")
PASSAGE_EXTRACTORS = {
    str(PASSAGE_VERSION): ("kebab_app.evaluate_passages:PassageExtractor", "md-heading-v2"),
}
_NAME_DIGITS = 32


class PassageExtractor:
    """Extractor of such files: what `kebab_parse_md.TextExtractor` makes of the text, under the title that is given.

    A passage without a title is titled as any text file is, by its first line.
    """

    def __init__(self, detector: LanguageDetector) -> None:
        from kebab_parse_md import TextExtractor

        self._text = TextExtractor(detector)

    def supports(self, media_type: MediaType) -> bool:
        """Return whether the medium is plain text."""
        return self._text.supports(media_type)

    def parser_version(self) -> ParserVersion:
        """Return `passage-v1`."""
        return PASSAGE_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file; lines count from that which says what it is.

        Returns:
            The document.

        Raises:
            UnsupportedMediaError: The text is not text.
        """
        head, _, text = content.partition(b"\n")
        document = self._text.extract(context, b"\n" + text)
        title = str(json.loads(head)["title"]).strip()
        update = {"parser_version": PASSAGE_VERSION}
        return document.model_copy(update={**update, "title": title} if title else update)


def write_passages(passages: Iterable[Passage], folder: Path) -> Iterator[str]:
    """Write each document as a file, one at a time.

    Args:
        passages: The documents.
        folder: Where to; exists.

    Yields:
        The id of each document that is written.

    Raises:
        InvalidInputError: Two different documents have the same id; the same one twice counts once.
    """
    made: set[str] = set()
    for passage in passages:
        name = hash_bytes(_encode(passage.doc_id))[:_NAME_DIGITS]
        if name[:2] not in made:
            (folder / name[:2]).mkdir(exist_ok=True)
            made.add(name[:2])
        head = json.dumps({"id": passage.doc_id, "title": passage.title})
        content = head.encode() + b"\n" + _encode(passage.text)
        path = folder / name[:2] / f"{name}.txt"
        if not path.exists():
            path.write_bytes(content)
        elif path.read_bytes() != content:
            raise InvalidInputError(
                f"two different documents of the set have the id {passage.doc_id!r}",
                hint="give every document an id of its own",
                doc_id=passage.doc_id,
            )
        yield passage.doc_id


def read_passage_id(path: Path) -> str:
    """Return the id of the document that a file holds."""
    with path.open("rb") as file:
        return str(json.loads(file.readline())["id"])


def _encode(text: str) -> bytes:
    """Return UTF-8; halves of characters, which JSON can write and UTF-8 cannot, become question marks."""
    return text.encode("utf-8", "replace")
