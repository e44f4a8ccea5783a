"""The extractor `enex-v1` of exports of Evernote: each note a section, attached files as documents of their own."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

from kebab_core import (
    AttachedFile,
    CanonicalDocument,
    DocumentDamagedError,
    ExtractContext,
    Message,
    ParserVersion,
)
from kebab_parse import IsolatedExtractor, Item, TextWriter, cut_member
from pydantic import JsonValue

from kebab_parse_html.block_reader import BlockReader
from kebab_parse_html.elements import build_elements
from kebab_parse_html.email_extractor import AttachmentCollector
from kebab_parse_html.html_extractor import AGENT
from kebab_parse_html.page_parser import parse_page

if TYPE_CHECKING:
    from lxml.etree import _Element

EVERNOTE_VERSION = ParserVersion("enex-v1")
MAX_NOTES = 20_000
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")
_PROLOGUE = re.compile(r"\A\s*(?:<\?xml[^>]{0,200}\?>)?\s*(?:<!DOCTYPE[^>\[]{0,300}>)?")
_MEDIA = re.compile(r"<en-media\b[^>]{0,2000}?/?>(?:</en-media>)?")
_TASK = re.compile(r'<en-todo\b(?=[^>]{0,200}\bchecked="true")[^>]{0,200}?/?>|(<en-todo\b[^>]{0,200}?/?>)')


class EvernoteExtractor(IsolatedExtractor):
    """Extractor of exports of Evernote (`.enex`). Implements `AttachmentExtractor`."""

    kind = "structured"
    formats = frozenset({"enex"})
    version = EVERNOTE_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read an export. Spans are `LineSpan`s of the text that is read.

        Raises:
            DocumentDamagedError: It is no export of Evernote.
        """
        return self.extract_attached(context, content, reads=lambda _name: False)[0]

    def extract_attached(
        self, context: ExtractContext, content: bytes, *, reads: Callable[[str], bool]
    ) -> tuple[CanonicalDocument, tuple[AttachedFile, ...]]:
        """Read an export as `extract` does, without the attached files that become documents.

        Its document type is neither loaded nor are its entities replaced.

        Returns:
            The document, and at most as many attached files as a mailbox has.

        Raises:
            DocumentDamagedError: It is no export of Evernote.
        """
        warnings: list[Message] = []
        root = _parse(content, warnings)
        notes = list(islice(root.iter("note"), MAX_NOTES + 1))
        if not notes and root.tag != "en-export":
            raise DocumentDamagedError("it is no export of Evernote")
        if len(notes) > MAX_NOTES:
            warnings.append(Message("only the first {notes:,} notes of the export are read", notes=MAX_NOTES))
        writer = TextWriter(self._identify(context))
        attached = AttachmentCollector(context.asset.workspace_path.name, reads)
        for note in notes[:MAX_NOTES]:
            _write_note(writer, note, attached, warnings)
        warnings += attached.warnings()
        document = self._build(
            context,
            writer.blocks,
            writer.finish(),
            values=_values_of(notes),
            own_title=_text(notes[0], "title") if len(notes) == 1 else "",
            warnings=warnings,
        )
        return document, attached.files


def _parse(content: bytes, warnings: list[Message]) -> _Element:
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=True,  # attached files are texts of many megabytes
        recover=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise DocumentDamagedError("it is no export of Evernote") from error
    if root is None:
        raise DocumentDamagedError("it is no export of Evernote")
    if len(parser.error_log.filter_from_fatals()):
        warnings.append(cut_member("enex"))
    return root


def _text(element: _Element, name: str) -> str:
    found = element.find(name)
    return "" if found is None else " ".join("".join(found.itertext(with_tail=False)).split())


def _write_note(
    writer: TextWriter, note: _Element, attached: AttachmentCollector, warnings: list[Message]
) -> None:
    writer.end_sections()
    writer.heading(1, _text(note, "title"))
    tags = [" ".join((tag.text or "").split()) for tag in note.iter("tag")]
    facts = [
        ("Created", _time_of(note, "created")),
        ("Updated", _time_of(note, "updated")),
        ("Tags", ", ".join(tag for tag in tags if tag)),
        ("Source", _text(note, "note-attributes/source-url")),
    ]
    writer.paragraph("\n".join(f"{name}: {value}" for name, value in facts if value))
    content = note.find("content")
    markup = "" if content is None else "".join(content.itertext(with_tail=False))
    page = _TASK.sub(
        lambda found: "[ ] " if found[1] else "[x] ", _MEDIA.sub("", _PROLOGUE.sub("", markup, count=1))
    )
    body = parse_page(page.replace("<en-note", "<div").replace("</en-note", "</div")).body if page else None
    if body is not None:
        BlockReader(writer, level_offset=1).read(build_elements(body, warnings))
    writer.items([attached.add(file) or Item(file.name) for file in _files_of(note, warnings)])


def _files_of(note: _Element, warnings: list[Message]) -> Iterator[AttachedFile]:
    for number, resource in enumerate(note.iter("resource"), 1):
        kind = _text(resource, "mime").rpartition("/")[2].partition("+")[0].partition(";")[0] or "bin"
        name = _text(resource, "resource-attributes/file-name") or f"{number}.{kind}"
        data = resource.find("data")
        try:
            content = b"" if data is None or not data.text else b64decode(data.text)
        except ValueError:
            warnings.append(cut_member(name))
            continue
        yield AttachedFile(name, content)


def _time_of(note: _Element, name: str) -> str:
    found = _TIME.fullmatch(_text(note, name))
    return f"{found[1]}-{found[2]}-{found[3]}T{found[4]}:{found[5]}:{found[6]}Z" if found else ""


def _values_of(notes: list[_Element]) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {}
    created = sorted(time for note in notes if (time := _time_of(note, "created")))
    updated = sorted(time for note in notes if (time := _time_of(note, "updated")))
    if created:
        values["created"] = created[0]
    if updated or created:
        values["updated"] = (updated or created)[-1]
    tags = dict.fromkeys(
        shown for note in notes for tag in note.iter("tag") if (shown := " ".join((tag.text or "").split()))
    )
    if tags:
        values["tags"] = list[JsonValue](tags)
    return values
