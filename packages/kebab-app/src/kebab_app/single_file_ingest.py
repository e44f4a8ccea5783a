"""Single-file ingest: files by name, and text from another program.

A file inside a source is ingested where it is. Everything else is copied into `_external/` of the first source and then
ingested like any file there, so that later runs treat it like any other file of the user.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    DocFilter,
    IngestItem,
    IngestReport,
    IngestResult,
    InvalidInputError,
    Remedy,
    SourceId,
    StorageError,
)
from kebab_ingest import CancelToken, IngestRequest, SourceTarget

from kebab_app.external_documents import EXTERNAL_FOLDER, Origin, find_kept, keep_document
from kebab_app.ingest import run_ingest
from kebab_app.ingest_targets import find_parts
from kebab_app.single_file_checks import (
    decode_input,
    read_file,
    read_resolved_file,
    require_documents,
    require_inside,
    require_line,
    require_size,
)

if TYPE_CHECKING:
    from kebab_core import DocSummary, WorkspacePath
    from kebab_ingest import EventSink

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
        raise InvalidInputError("no file is named", remedy=Remedy(kind="ingest_file"))
    files = [_absolute(path) for path in paths]
    read = read_file
    if by_agent:
        places = base.loaded.paths
        allowed = (*(source.root for source in places.sources), *places.ingest_roots)
        files = [require_inside(path, allowed) for path in files]
        read = read_resolved_file
    require_documents(base, files, read=read)
    cancel = cancel or CancelToken()
    targets: list[SourceTarget] = []

    def make_request() -> IngestRequest:
        found = [
            target
            for path in files
            for target in (find_parts(base, path) or (_copy(base, path, read, by_agent=by_agent),))
        ]
        targets.extend(target for i, target in enumerate(found) if target not in found[:i])
        return IngestRequest(targets=tuple(targets), is_single_files=True)

    report = run_ingest(base, make_request, sink=sink, cancel=cancel, wait=wait, embed=embed)
    return _warn_of_older_copies(base, _with_unchanged(base, report, targets))


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
    front matter says. It is trusted up to `ingest.external.text_trust_level`, with an address up to `web_trust_level`.

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
    require_size(base, len(content), what="the text")
    text, warning = decode_input(content)
    document = add_front_matter(text, values).encode()
    require_size(base, len(document), what="the text")
    cancel = cancel or CancelToken()
    targets: list[SourceTarget] = []
    origin = Origin.TEXT if source_uri is None else Origin.WEB

    def make_request() -> IngestRequest:
        targets.append(_keep(base, document, extension=".md", origin=origin))
        return IngestRequest(targets=tuple(targets), is_single_files=True)

    report = _with_unchanged(
        base, run_ingest(base, make_request, sink=sink, cancel=cancel, wait=wait, embed=embed), targets
    )
    report = _warn_of_older_copies(base, report)
    return _with_warning(report, warning) if warning else report


def _absolute(path: Path) -> Path:
    """Make a path absolute.

    Raises:
        InvalidInputError: It names the home of a user who has none.
    """
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        raise InvalidInputError(
            f"cannot read {str(path)!r}: there is no such home folder",
            remedy=Remedy(kind="check_path", path=str(path)),
            path=str(path),
        ) from error


def _copy(base: KnowledgeBase, path: Path, read: Callable[[Path], bytes], *, by_agent: bool) -> SourceTarget:
    content, extension = read(path), path.suffix.lower()
    source = base.loaded.paths.sources[0]
    kept = find_kept(source.root, content, extension=extension) if by_agent else None
    if kept is not None:
        return SourceTarget(source=source.settings, root=source.root, under=kept)
    return _keep(base, content, extension=extension, origin=Origin.TEXT if by_agent else Origin.FILE)


def _keep(base: KnowledgeBase, content: bytes, *, extension: str, origin: Origin) -> SourceTarget:
    source = base.loaded.paths.sources[0]
    if not source.root.is_dir():
        raise StorageError(
            f"there is no source folder {str(source.root)!r}",
            remedy=Remedy(kind="check_drive", path=str(source.root)),
            path=str(source.root),
        )
    under = keep_document(source.root, content, extension=extension, origin=origin)
    return SourceTarget(source=source.settings, root=source.root, under=under)


def _with_unchanged(
    base: KnowledgeBase, report: IngestReport, targets: Sequence[SourceTarget]
) -> IngestReport:
    """Add an item to the report for each unchanged document: the caller wants its id."""
    if report.aborted:
        return report
    listed = {(item.source_id, item.doc_path) for item in report.items or ()}
    places = [(SourceId(target.source.id), target.under) for target in targets if target.under is not None]
    items = [
        item for place in places if place not in listed and (item := _unchanged(base, *place)) is not None
    ]
    return report.model_copy(update={"items": (*(report.items or ()), *items)})


def _unchanged(base: KnowledgeBase, source_id: SourceId, path: WorkspacePath) -> IngestItem | None:
    tracked = base.source_files.tracked_file(source_id, path)
    if tracked is None:
        return None
    return IngestItem(kind=IngestResult.UNCHANGED, source_id=source_id, doc_path=path, doc_id=tracked.doc_id)


def _with_warning(report: IngestReport, warning: str) -> IngestReport:
    items = tuple(
        item.model_copy(update={"warnings": (warning, *item.warnings)}) for item in report.items or ()
    )
    return report.model_copy(update={"items": items})


def _warn_of_older_copies(base: KnowledgeBase, report: IngestReport) -> IngestReport:
    """Add a warning to each new copy whose title another copy has, which may be an earlier version, with how to remove it."""
    items = report.items or ()
    if not any(_is_new_copy(item) for item in items):
        return report
    copies = [line for line in base.documents.list_documents(DocFilter()) if _is_copy(line.doc_path)]
    return report.model_copy(update={"items": tuple(_warned(base, item, copies) for item in items)})


def _is_copy(path: str) -> bool:
    return path.startswith(f"{EXTERNAL_FOLDER}/")


def _is_new_copy(item: IngestItem) -> bool:
    return item.kind is IngestResult.NEW and _is_copy(item.doc_path)


def _warned(base: KnowledgeBase, item: IngestItem, copies: list[DocSummary]) -> IngestItem:
    titles = {line.title for line in copies if line.doc_id == item.doc_id}
    older = [line for line in copies if line.title in titles and line.doc_id != item.doc_id]
    if not _is_new_copy(item) or not older:
        return item
    root = base.loaded.paths.sources[0].root
    files = ", ".join(str(root / line.doc_path) for line in older)
    warning = f"an older copy with this title stays in the index; to remove it, delete it and ingest: {files}"
    return item.model_copy(update={"warnings": (*item.warnings, warning)})
