"""Documents of Word and presentations of PowerPoint before 2007 (`.doc`, `.ppt`), decoded by office-oxide."""

from __future__ import annotations

import codecs
import io
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from kebab_core import (
    DependencyMissingError,
    DocumentDamagedError,
    DocumentEncryptedError,
    Message,
    Remedy,
)

from kebab_parse_office.archive import UNPROTECTED
from kebab_parse_office.rich_text import RichText, clean_text, join_line
from kebab_parse_office.slide_writer import Bullet
from kebab_parse_office.text_document_writer import ListEntry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from kebab_parse_office.slide_writer import SlideWriter
    from kebab_parse_office.text_document_writer import TextDocumentWriter

_LIBRARY = "office_oxide"
_FURTHER = (
    "header",
    "first_page_header",
    "even_page_header",
    "footer",
    "first_page_footer",
    "even_page_footer",
)
"""Parts of a section that are repeated on its pages."""
_UTF_8 = -535
"""Code page of UTF-8 as a signed number, which is how properties hold it."""
_FIRST_YEAR = 1980
"""Before which no file was made: zero is 1601."""
_DAMAGE = (OSError, ValueError, IndexError, TypeError, AttributeError, OverflowError)
"""What olefile raises over damaged files."""


class OlderOfficeFile:
    """A document or presentation.

    Args:
        content: The bytes of the file.
        form: `doc` or `ppt`.

    Raises:
        DependencyMissingError: The library has no build for this platform.
        DocumentEncryptedError: It is locked with a password.
        DocumentDamagedError: It cannot be read.
    """

    def __init__(self, content: bytes, form: Literal["doc", "ppt"]) -> None:
        if find_spec(_LIBRARY) is None:
            raise DependencyMissingError(
                "files of Office before 2007 are read with the package `{package}`",
                remedy=Remedy(
                    kind="install_packages",
                    name="kebab-cli[doc]",
                    otherwise=Remedy(
                        advice=Message(
                            "open it in its own program and save it as {name}", name=f"{form.upper()}X"
                        )
                    ),
                ),
                package="office-oxide",
            )
        from office_oxide import Document, OfficeOxideError

        try:
            self._sections: list[dict[str, Any]] = Document.from_bytes(content, form).to_ir()["sections"]
        except OfficeOxideError as error:
            if "encrypted" in str(error):
                raise DocumentEncryptedError("it is locked with a password", remedy=UNPROTECTED) from error
            raise DocumentDamagedError("it cannot be read: it is damaged, or no file of Office") from error

    def write_text(self, writer: TextDocumentWriter) -> None:
        """Write the blocks of a document; headers and footers at its end, each text once."""
        for section in self._sections:
            for element in section["elements"]:
                match element["type"]:
                    case "heading":
                        writer.heading(element["level"], _words(element["content"]).text)
                    case "list":
                        for level, words in _list_items(element):
                            writer.list_entry(ListEntry(level, "", words))
                        writer.end_list()
                    case "table":
                        headers, *rows = _rows(element) or [[]]
                        writer.table(headers, rows)
                    case _:
                        for words in _paragraphs(element):
                            writer.paragraph(words)
        writer.end_body()
        repeated = (part for section in self._sections for name in _FURTHER if (part := section.get(name)))
        shown = {words.text: words for part in repeated for words in _paragraphs(part)}
        for words in shown.values():
            writer.paragraph(words)

    def write_slides(self, writer: SlideWriter) -> str:
        """Write the slides of a presentation, and return the title of the first that has one."""
        first = ""
        for number, section in enumerate(self._sections, 1):
            writer.start_slide(number)
            for element in section["elements"]:
                match element["type"]:
                    case "heading":
                        title = join_line(_words(element["content"]).text)
                        first = first or title
                        writer.heading(title)
                    case "list":
                        writer.bullets([Bullet(level, "", words) for level, words in _list_items(element)])
                    case "table":
                        writer.table(_rows(element))
                    case _:
                        for words in _paragraphs(element):
                            writer.paragraph(words)
            notes = [words.text for note in section.get("speaker_notes", ()) for words in _paragraphs(note)]
            writer.notes("\n".join(notes))
        return first


def read_older_properties(content: bytes) -> dict[str, JsonValue]:
    """Return what the properties of a file say, under the keys of front matter; empty where they are damaged."""
    import olefile

    try:
        with olefile.OleFileIO(io.BytesIO(content)) as file:
            known = file.get_metadata()
            encoding = _encoding_of(known.codepage)
            texts = {
                "title": known.title,
                "author": known.author,
                "keywords": known.keywords,
                "subject": known.subject,
            }
            values: dict[str, JsonValue] = {
                name: text
                for name, each in texts.items()
                if each and (text := join_line(each.decode(encoding, errors="replace").strip("\0")))
            }
            if known.create_time is not None and known.create_time.year >= _FIRST_YEAR:
                values["created"] = f"{known.create_time.isoformat()}Z"
            return values
    except _DAMAGE:
        return {}


def _encoding_of(code_page: int | None) -> str:
    if code_page == _UTF_8:
        return "utf-8"
    try:
        return codecs.lookup(f"cp{code_page}").name
    except LookupError:
        return "cp1252"


def _words(pieces: Iterable[Mapping[str, Any]]) -> RichText:
    words = RichText()
    for piece in pieces:
        words.add(
            "\n" if piece["type"] == "line_break" else piece.get("text", ""), piece.get("hyperlink") or ""
        )
    return words


def _paragraphs(element: Mapping[str, Any]) -> Iterator[RichText]:
    """Yield the paragraphs in an element in their order, however deep they lie in it."""
    content = element.get("content", element.get("elements", ()))
    if element.get("type") in {"paragraph", "heading"}:
        yield _words(content)
        return
    for inner in (*content, *element.get("items", ()), *element.get("rows", ()), *element.get("cells", ())):
        yield from _paragraphs(inner)


def _list_items(element: Mapping[str, Any], level: int = 0) -> Iterator[tuple[int, RichText]]:
    """Yield the items of a list with their depths. The library does not tell numbers from bullets."""
    for item in element["items"]:
        for inner in item["content"]:
            if inner["type"] == "list":
                yield from _list_items(inner, level + 1)
            else:
                for words in _paragraphs(inner):
                    yield level, words


def _rows(table: Mapping[str, Any]) -> list[list[str]]:
    return [
        [clean_text("\n".join(words.text for words in _paragraphs(cell))) for cell in row["cells"]]
        for row in table["rows"]
    ]
