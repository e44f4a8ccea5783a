"""Documents of a test set: `corpus.jsonl`, and the files that the ordinary ingest reads of it.

Such a file has one line of JSON with id and title, then the text. The text is plain text, so that `#`, indentation and
underscores of code mean nothing. A file is named by the hash of its document's id, which may be any text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    Extractor,
    InvalidInputError,
    MediaType,
    Message,
    ParserVersion,
    Remedy,
    hash_bytes,
)

from kebab_eval.json_lines import read_id, read_json_lines, read_text_field

CORPUS_FILE = "corpus.jsonl"
PASSAGE_VERSION = ParserVersion("passage-v1")
_NAME_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Passage:
    """One document of a set."""

    doc_id: str
    """In NFC."""
    title: str
    """Empty where it has none."""
    text: str


def read_passages(folder: Path) -> Iterator[Passage]:
    """Yield the documents of a set, in the order of the file; one is held at a time.

    Args:
        folder: Holds `corpus.jsonl`, each line with `_id`, `text` and perhaps `title`.

    Yields:
        The documents.

    Raises:
        InvalidInputError: The file cannot be read, or a line has no `_id`.
    """
    path = folder / CORPUS_FILE
    for line, fields in read_json_lines(path):
        yield Passage(
            doc_id=read_id(fields, path=path, line=line),
            title=read_text_field(fields, "title", path=path, line=line, needed=False),
            text=read_text_field(fields, "text", path=path, line=line, needed=False),
        )


def write_passages(passages: Iterable[Passage], folder: Path) -> Iterator[str]:
    """Write each document as a file, one at a time.

    Args:
        passages: The documents.
        folder: Parent of the files; exists.

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
                "two different documents of the set have the id {doc_id!r}",
                remedy=Remedy(advice=Message("give every {name} an id of its own", name="document")),
                doc_id=passage.doc_id,
            )
        yield passage.doc_id


def read_passage_id(path: Path) -> str:
    """Return the id of the document in a file of `write_passages`."""
    with path.open("rb") as file:
        return str(json.loads(file.readline())["id"])


class PassageExtractor:
    """Extractor of these files: the text as plain text, under the given title.

    A document without a title is titled by its first line, as any text file is.

    Args:
        text: Extractor of plain text.
    """

    def __init__(self, text: Extractor) -> None:
        self._text = text

    def supports(self, media_type: MediaType) -> bool:
        """Return True for plain text."""
        return self._text.supports(media_type)

    def parser_version(self) -> ParserVersion:
        """Return `passage-v1`."""
        return PASSAGE_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file; lines are counted from the line of id and title.

        Returns:
            The document.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        head, _, text = content.partition(b"\n")
        document = self._text.extract(context, b"\n" + text)
        title = str(json.loads(head)["title"]).strip()
        update = {"parser_version": PASSAGE_VERSION}
        return document.model_copy(update={**update, "title": title} if title else update)


def _encode(text: str) -> bytes:
    """Encode as UTF-8; lone surrogates, which JSON can write and UTF-8 cannot, become question marks."""
    return text.encode("utf-8", "replace")
