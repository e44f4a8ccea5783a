"""Which file somebody means: a path on disk, a path inside a source, or the id of a document."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from kebab_core import (
    DEFAULT_SOURCE_ID,
    ChunkId,
    DocumentId,
    DocumentNotFoundError,
    IndexedDocument,
    InvalidInputError,
    PathVerdict,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceId,
    TrackedFile,
    UnreadableFolder,
    WorkspacePath,
)
from kebab_ingest import SourceTarget

from kebab_app.explanation.near_names import suggest_name
from kebab_app.explanation.past import PastEnd, find_past_end
from kebab_app.explanation.scanned import lies_there, place_of, scan_one
from kebab_app.explanation.unspellable import find_unspellable, is_text, show_name
from kebab_app.external_documents import find_kept
from kebab_app.ingest_targets import find_parts

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase

_ID = re.compile(r"[0-9a-fA-F]{32}")
_BYTES_PER_MB = 1024 * 1024


class NamedFile(NamedTuple):
    """The file that was meant.

    Attributes:
        place: Where it lies, or would.
        target: Its place in a source; None outside of all.
        verdict: What a scan makes of it; None where it is not there, or its source is not.
        tracked: What the index has of it.
        past: How it left the index, where it is neither there nor in it.
        given_as: The path that was named, where the index has a copy of it.
        others: Files of the same path in other sources, as hits show them.
        namesake: What lies where the command is run and has the name that was taken for this file's path in a source.
    """

    place: Path
    target: SourceTarget | None = None
    verdict: PathVerdict | None = None
    tracked: TrackedFile | None = None
    past: PastEnd | None = None
    given_as: Path | None = None
    others: tuple[str, ...] = ()
    namesake: Path | None = None

    @property
    def shown(self) -> str | None:
        """Its path as hits show it; None outside of all sources."""
        if self.target is None or self.target.under is None:
            return None
        source = self.target.source.id
        return str(self.target.under) if source == DEFAULT_SOURCE_ID else f"{source}:{self.target.under}"


def find_named_file(base: KnowledgeBase, name: str) -> NamedFile:
    """Return the file that somebody names.

    Raises:
        InvalidInputError: It is a folder, or there is no such file, neither on disk nor in the index.
        DocumentNotFoundError: It looks like the id of a document, and no document has it.
    """
    if not name.strip():
        raise InvalidInputError("no file is named", hint="kebab why FILE")
    path = Path(os.path.expanduser(name))  # noqa: PTH111 - leaves the name of an unknown user as it is
    is_there = os.path.lexists(path)
    odd = None if is_there and is_text(name) else find_unspellable(base, str(path))
    if odd is not None:
        return NamedFile(*odd)
    if is_there:
        return _of_named(base, path, name)
    found = _of_gone(base, path) if _is_place(name) else _by_id(base, name) or _inside_sources(base, name)
    if found is not None:
        return found
    if _ID.fullmatch(name):
        raise DocumentNotFoundError(f"no document has the id {name}", hint="kebab list docs", doc_id=name)
    raise InvalidInputError(
        f"there is no file {name!r}, neither on disk nor in the index",
        hint=suggest_name(base, name),
        path=name,
    )


def _is_place(name: str) -> bool:
    """Return whether a name says where on disk something lies, so that it is no path as hits show it."""
    return name.startswith(("~", "./", "../")) or Path(name).is_absolute()


def _of_named(base: KnowledgeBase, path: Path, name: str) -> NamedFile:
    """Return what lies at a path, or what a path copied from a hit names that by chance is there too."""
    _refuse_folder(base, path, name)
    there = _of_existing(base, path)
    if there.target or _is_place(name):
        return there
    meant = _inside_sources(base, name)
    return there if meant is None else meant._replace(namesake=path)


def _of_existing(base: KnowledgeBase, path: Path) -> NamedFile:
    found = [_look_up(base, target) for target in find_parts(base, path.absolute())]
    inside = next((one for one in found if one.tracked), found[-1] if found else None)
    if inside is not None:
        return _as_spelled(inside, path)
    return _kept_copy(base, path) or NamedFile(Path(show_name(str(path.absolute()))))


def _as_spelled(inside: NamedFile, path: Path) -> NamedFile:
    """Return the file itself where a scan takes another one in its place, whose name is the same once both are NFC."""
    item = inside.verdict.item if inside.verdict else None
    if not isinstance(item, SourceEntry):
        return inside
    if path.exists() and path.samefile(item.disk_path):
        return inside
    skipped = SkippedPath(item.workspace_path, SkipReason.SPELLED_TWICE)
    return inside._replace(place=path.absolute(), verdict=PathVerdict(skipped), tracked=None)


def _look_up(base: KnowledgeBase, target: SourceTarget) -> NamedFile:
    verdict = scan_one(base, target)
    item = verdict.item if verdict else None
    place = Path(item.disk_path) if isinstance(item, SourceEntry) else place_of(target)
    return NamedFile(place, target, verdict, _tracked(base, target))


def _tracked(base: KnowledgeBase, target: SourceTarget) -> TrackedFile | None:
    if target.under is None or not base.has_database:
        return None
    return base.documents.tracked_file(SourceId(target.source.id), target.under)


def _kept_copy(base: KnowledgeBase, path: Path) -> NamedFile | None:
    """Return the copy that kebab keeps of a file from elsewhere with the same content."""
    source = base.loaded.paths.sources[0]
    limit = base.loaded.settings.ingest.max_file_mb * _BYTES_PER_MB
    try:
        if not path.is_file() or path.stat().st_size > limit:
            return None
        under = find_kept(source.root, path.read_bytes(), extension=path.suffix.lower())
    except OSError:
        return None
    if under is None:
        return None
    target = SourceTarget(source=source.settings, root=source.root, under=under)
    return _look_up(base, target)._replace(given_as=path.absolute())


def _by_id(base: KnowledgeBase, name: str) -> NamedFile | None:
    if not _ID.fullmatch(name) or not base.has_database:
        return None
    document = base.documents.get_indexed_document(DocumentId(name)) or _of_passage(base, name)
    if document is None:
        return None
    tracked = base.documents.tracked_file(document.source_id, document.doc_path)
    for source in base.loaded.paths.sources:
        if source.settings.id == document.source_id:
            return _look_up(
                base, SourceTarget(source=source.settings, root=source.root, under=document.doc_path)
            )
    return None if tracked is None else NamedFile(Path(tracked.disk_path), tracked=tracked)


def _of_passage(base: KnowledgeBase, name: str) -> IndexedDocument | None:
    """Return the document of a passage, whose id looks the same."""
    found = base.documents.get_chunks([ChunkId(name)])
    return found[0].document if found else None


def _inside_sources(base: KnowledgeBase, name: str) -> NamedFile | None:
    """Return what a path inside a source names, as hits print it, place included; or a path on disk of what is gone."""
    before = name.partition("#")[0]
    spellings = dict.fromkeys((name, before, unquote(before)))
    return _known_of(base, [target for spelled in spellings for target in _targets(base, spelled)], name)


def _of_gone(base: KnowledgeBase, path: Path) -> NamedFile | None:
    """Return what the index knows of a path at which nothing can be seen."""
    targets = [target for target in find_parts(base, path.absolute()) if target.under is not None]
    return _known_of(base, targets, str(path))


def _known_of(base: KnowledgeBase, targets: list[SourceTarget], name: str) -> NamedFile | None:
    found = [_look_up(base, target) for target in targets]
    for target in targets:
        _refuse_folder(base, place_of(target), name)
    known = [one for one in found if one.tracked or _is_seen(one)]
    if known:
        meant = next((one for one in known if one.tracked), known[0])
        others = dict.fromkeys(one.shown for one in known if one.shown not in {None, meant.shown})
        return meant._replace(others=tuple(filter(None, others)))
    for one in found:
        past = _past(base, one)
        if past is not None:
            return one._replace(past=past)
    return _of_missing_root(found, name)


def _of_missing_root(found: list[NamedFile], name: str) -> NamedFile | None:
    """Return where a file would lie, None where it could lie in a folder that is there."""
    if any(one.target and os.path.isdir(one.target.root) for one in found):  # noqa: PTH112 - says no where looking is forbidden
        return None
    return next((one for one in found if one.place == Path(name).absolute()), next(iter(found), None))


def _is_seen(one: NamedFile) -> bool:
    if one.verdict is None or one.target is None:
        return False
    item = one.verdict.item
    is_barred = isinstance(item, UnreadableFolder)  # what is below it cannot be seen
    return is_barred or item.workspace_path == one.target.under or lies_there(one.target)


def _past(base: KnowledgeBase, one: NamedFile) -> PastEnd | None:
    if one.target is None or one.target.under is None:
        return None
    return find_past_end(base, SourceId(one.target.source.id), one.target.under)


def _targets(base: KnowledgeBase, name: str) -> Iterator[SourceTarget]:
    if not name.strip():
        return
    source_id, colon, rest = name.partition(":")
    for source in base.loaded.paths.sources:
        inside = rest if colon and source.settings.id == source_id else name
        try:
            under = WorkspacePath(inside)
        except InvalidInputError:
            continue
        yield SourceTarget(source=source.settings, root=source.root, under=under)
    yield from (target for target in find_parts(base, Path(name).absolute()) if target.under is not None)


def _refuse_folder(base: KnowledgeBase, path: Path, name: str) -> None:
    if not os.path.isdir(path):  # noqa: PTH112 - says no where looking is forbidden
        return
    parts = [target.under for target in find_parts(base, path.absolute())]
    below = f' --path-glob "{parts[0]}/**"' if parts and parts[0] else ""
    raise InvalidInputError(
        f"{name!r} is a folder",
        hint=f"name a file in it; `kebab list docs{below}` lists what is indexed of it",
        path=str(path),
    )
