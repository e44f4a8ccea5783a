"""The use cases `ingest_file` and `ingest_text`: runs over files by name, and over text from another program."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import CancelToken, IngestReport, InvalidInputError, Message, Remedy, UnsupportedMediaError
from kebab_ingest import (
    TRASH_FOLDER,
    FileCopies,
    IngestRequest,
    NoteFolder,
    SingleFiles,
    SourceTarget,
    TrashFolder,
    add_unchanged,
    require_line,
    require_size,
    warn_of_older_copies,
)

from kebab_app.content import build_content_filter
from kebab_app.ingest import IngestOptions, run_ingest
from kebab_app.reset import delete_path
from kebab_app.wiring import build_processor

if TYPE_CHECKING:
    from kebab_ingest import DocumentProcessor, EventSink

    from kebab_app.knowledge_base import KnowledgeBase


def ingest_files(
    base: KnowledgeBase,
    paths: Sequence[Path],
    *,
    sink: EventSink | None,
    cancel: CancelToken | None,
    wait: bool,
    embed: bool,
    by_agent: bool,
) -> IngestReport:
    """Ingest single files in one run.

    Every file is checked before anything is written: one that cannot be ingested ends it with nothing done.

    Args:
        base: The knowledge base.
        paths: The files; the same one twice counts once.
        sink: Gets every event.
        cancel: Ends the run after the file in hand.
        wait: Wait for another writer instead of failing.
        embed: Make the vectors of what was read, too.
        by_agent: Whether a program chose the files: they must lie in a source or below `mcp.ingest_roots` then, once
            links are resolved, and their copies are trusted up to `ingest.external.text_trust_level`, unless the user
            gave the same file before.

    Returns:
        The report; unlike that of a whole run it lists unchanged documents too.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: There is no such file, it is a folder or too large, or not where an agent may read.
        UnsupportedMediaError: No parser takes one of the files.
        LockedError: Another process is writing.
        StorageError: A file cannot be read, or its copy not be written.
    """
    base.require_writable()
    if not paths:
        raise InvalidInputError("no file is given", remedy=Remedy(kind="ingest_file"))
    single = _build_single_files(base, by_agent=by_agent)
    files = single.check(paths)
    targets: list[SourceTarget] = []

    def make_request() -> IngestRequest:
        targets.extend(single.find_targets(files, at=base.clock.now()))
        return IngestRequest(targets=tuple(targets), is_single_files=True, reads_all_pictures=True)

    options = IngestOptions(wait=wait, embed=embed)
    report = run_ingest(base, make_request, sink=sink, cancel=cancel or CancelToken(), options=options)
    return _complete(base, report, targets)


def ingest_text(
    base: KnowledgeBase,
    content: bytes | str,
    *,
    title: str,
    source_uri: str | None,
    sink: EventSink | None,
    cancel: CancelToken | None,
    wait: bool,
    embed: bool,
) -> IngestReport:
    """Ingest Markdown or plain text that stands in no file.

    It is kept as a Markdown file in UTF-8 whose front matter holds title and address beside what the text's own
    front matter says, in kebab's own folder or in the first source that may be written. A text with the address of another,
    or without one and with its title, takes its place. It is trusted up to `ingest.external.text_trust_level`, with an address up to `web_trust_level`.

    Args:
        base: The knowledge base.
        content: The text, in any encoding that files may have.
        title: Its title; ranks above one in its front matter.
        source_uri: Where it comes from; stored as `source_uri` in `metadata.user`.
        sink: Gets every event.
        cancel: Ends the run after the file in hand.
        wait: Wait for another writer instead of failing.
        embed: Make the vectors of what was read, too.

    Returns:
        The report, with one item; a doubt about the encoding is its warning.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        InvalidInputError: The text or the title is empty, or something is too long.
        UnsupportedMediaError: The content is binary.
        LockedError: Another process is writing.
        StorageError: The file cannot be written.
    """
    from kebab_parse_md import add_front_matter

    base.require_writable()
    values = {"title": require_line(title, name="title")}
    if source_uri is not None:
        values["source_uri"] = require_line(source_uri, name="source_uri")
    max_mb = base.loaded.settings.ingest.max_file_mb
    require_size(len(content), max_mb=max_mb, what=Message("the text"))
    text, warning = _decode(content)
    document = add_front_matter(text, values).encode()
    require_size(len(document), max_mb=max_mb, what=Message("the text"))
    targets: list[SourceTarget] = []

    def make_request() -> IngestRequest:
        notes = _build_note_folder(base)
        note = notes.put(
            document, title=values["title"], source_uri=values.get("source_uri"), at=base.clock.now()
        )
        targets.append(note)
        for expired in notes.trash.list_expired(now=base.clock.now()):
            delete_path(expired)
        return IngestRequest(targets=tuple(targets), is_single_files=True)

    options = IngestOptions(wait=wait, embed=embed)
    report = run_ingest(base, make_request, sink=sink, cancel=cancel or CancelToken(), options=options)
    report = _complete(base, report, targets)
    return _add_warning(report, warning) if warning else report


def _build_note_folder(base: KnowledgeBase) -> NoteFolder:
    from kebab_parse import decode_text
    from kebab_parse_md import read_front_matter

    copies = build_file_copies(base)
    return NoteFolder(
        source=next((target for target in base.targets if target.source.writable), copies.source),
        trash=copies.trash,
        read_values=lambda content: read_front_matter(decode_text(content).text),
    )


def build_file_copies(base: KnowledgeBase) -> FileCopies:
    """Build the copies of files outside every source."""

    @cache
    def processor() -> DocumentProcessor:
        return build_processor(base.loaded.settings.ingest, analyzer=base.analyzer)

    return FileCopies(
        source=SourceTarget(source=base.notes_source.settings, root=base.notes_source.root),
        trash=TrashFolder(root=base.data_dir / TRASH_FOLDER),
        reads_name=lambda name: processor().reads_name(name),
    )


def _build_single_files(base: KnowledgeBase, *, by_agent: bool) -> SingleFiles:
    from kebab_parse import decode_text

    settings, targets = base.loaded.settings.ingest, base.targets
    agent_folders = (*(target.root for target in targets), *base.loaded.paths.ingest_roots)
    return SingleFiles(
        sources=targets,
        copies=build_file_copies(base),
        agent_folders=agent_folders if by_agent else None,
        max_file_mb=settings.max_file_mb,
        processor=build_processor(settings, analyzer=base.analyzer),
        content=build_content_filter(settings.code),
        require_text=decode_text,
    )


def _decode(content: bytes | str) -> tuple[str, str | None]:
    """Decode a text from another program.

    Returns:
        The text, and a warning about its encoding or None.

    Raises:
        InvalidInputError: There is no text in it below its front matter.
        UnsupportedMediaError: It is binary.
    """
    from kebab_parse import decode_text
    from kebab_parse_md import has_body

    raw = content.encode(errors="replace") if isinstance(content, str) else content
    try:
        decoded = decode_text(raw)
    except UnsupportedMediaError as error:
        raise UnsupportedMediaError(
            "the input is binary, not text", remedy=Remedy(kind="ingest_file")
        ) from error
    if not has_body(decoded.text):
        raise InvalidInputError("there is no text to ingest", remedy=Remedy(kind="ingest_text"))
    return decoded.text, decoded.warning


def _complete(base: KnowledgeBase, report: IngestReport, targets: Sequence[SourceTarget]) -> IngestReport:
    """Add unchanged documents and warnings of older copies to a report."""
    if not report.aborted:
        report = add_unchanged(report, targets, base.index.source_files)
    if not report.items:
        return report
    return warn_of_older_copies(report, base.index.documents, base.source_roots)


def _add_warning(report: IngestReport, warning: str) -> IngestReport:
    items = tuple(
        item.model_copy(update={"warnings": (warning, *item.warnings)}) for item in report.items or ()
    )
    return report.model_copy(update={"items": items})
