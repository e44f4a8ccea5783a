"""The file that a name means: a path on disk, a path inside a source as hits show it, or the id of a document.

`kebab why` and the deletion of stored answers look files up here.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote

from kebab_core import (
    DEFAULT_SOURCE_ID,
    ChunkId,
    DocumentId,
    DocumentNotFoundError,
    IngestResult,
    InvalidInputError,
    Message,
    PathVerdict,
    Remedy,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceId,
    StorageError,
    UnreadableFolder,
    WorkspacePath,
    is_utf8,
)
from kebab_ingest import SourceTarget, find_holder

from kebab_diagnose.access import IndexAccess, SourceAccess
from kebab_diagnose.near_values import find_nearest_name

if TYPE_CHECKING:
    from kebab_core import IgnoreEdit, SourceScope, TrackedFile

_ID = re.compile(r"[0-9a-fA-F]{32}")
_ESCAPED_BYTE = re.compile(rb"\\x([89a-f][0-9a-f])")
"""A byte of a name that is not UTF-8, as reports print it (`caf\\xe9.md`)."""
_BYTES_PER_MB = 1024 * 1024
_SEARCHED_RUNS = 50
"""Ingest runs, newest first, whose reports are searched for a removed file."""
_MOST_SUGGESTED = 3


@dataclass(frozen=True, kw_only=True)
class Removal:
    """How the document of a path left the index."""

    at: datetime
    moved_to: WorkspacePath | None
    """New path of a file that moved; None for one that was removed."""


@dataclass(frozen=True, kw_only=True)
class LocatedFile:
    """A file, on disk, in its source and in the index."""

    path: Path
    """Place on disk, or where the file would lie."""
    location: SourceTarget | None = None
    """None outside of all sources."""
    verdict: PathVerdict | None = None
    """Verdict of a scan; None where the file or its source is not there."""
    tracked: TrackedFile | None = None
    """The file as it was ingested."""
    removal: Removal | None = None
    """For a file that is neither on disk nor in the index."""
    original: Path | None = None
    """The path that was named, where the file is kebab's copy of it."""
    others: tuple[str, ...] = ()
    """Files of the same path in other sources, as hits show them."""
    namesake: Path | None = None
    """A file in the current folder, outside all sources, whose name equals this file's path in its source."""

    @property
    def shown(self) -> str | None:
        """Path as hits show it; None outside of all sources."""
        if self.location is None or self.location.under is None:
            return None
        source, under = self.location.source.id, self.location.under
        return str(under) if source == DEFAULT_SOURCE_ID else f"{source}:{under}"


def judge_file(
    sources: SourceAccess, location: SourceTarget, scope: SourceScope, edits: Mapping[str, IgnoreEdit]
) -> PathVerdict | None:
    """Explain a path with a changed scope, or as if ignore files were edited.

    Returns:
        The verdict on the file, or on the folder above it that is left out or unreadable; None for no file.
    """
    try:
        verdict = sources.connector.explain(scope, edits=edits)
    except (StorageError, InvalidInputError):
        return None
    item = verdict.item
    is_meant = isinstance(item, UnreadableFolder) or item.workspace_path == location.under
    return verdict if is_meant or location.exists else None


def find_file(name: str, *, sources: SourceAccess, index: IndexAccess | None) -> LocatedFile:
    """Find the file that a name means.

    Args:
        name: A path on disk, a path inside a source as hits show it, or the id of a document or passage.
        sources: The sources.
        index: The index; None where nothing was ingested.

    Returns:
        The file; it may be in the index only, or on disk only.

    Raises:
        InvalidInputError: The name is a folder's, or no file has it, neither on disk nor in the index.
        DocumentNotFoundError: The name looks like the id of a document, and no document has it.
    """
    return _FileLookup(sources, index).find(name)


@dataclass(frozen=True)
class _FileLookup:
    sources: SourceAccess
    index: IndexAccess | None

    def find(self, name: str) -> LocatedFile:
        if not name.strip():
            raise InvalidInputError("no file is given", remedy=Remedy(kind="explain_file"))
        if not _is_file_name(name):
            raise self._missing(name)
        path = Path(os.path.expanduser(name))  # noqa: PTH111 - leaves the name of an unknown user as it is
        is_inside = self.sources.files or bool(self.sources.find_parts(path.absolute()))
        if not is_inside and _is_disk_path(name):
            raise InvalidInputError(
                "{path!r} lies outside of all sources", remedy=Remedy(kind="list_documents"), path=name
            )
        exists = is_inside and os.path.lexists(path)
        unspellable = None if exists and is_utf8(name) else find_unspellable(self.sources, str(path))
        if unspellable is not None:
            place, location, verdict = unspellable
            return LocatedFile(path=place, location=location, verdict=verdict)
        if exists:
            return self._of_existing(path, name)
        found = self._of_missing(path) if _is_disk_path(name) else self._by_id(name) or self._in_sources(name)
        if found is not None:
            return found
        if _ID.fullmatch(name):
            raise DocumentNotFoundError(
                "no document has the id {doc_id}", remedy=Remedy(kind="list_documents"), doc_id=name
            )
        raise self._missing(name)

    def _missing(self, name: str) -> InvalidInputError:
        return InvalidInputError(
            "there is no file {path!r}, neither on disk nor in the index",
            remedy=self._suggest(name),
            path=name,
        )

    def _of_existing(self, path: Path, name: str) -> LocatedFile:
        """Look up an existing path, or the path of a hit that by chance exists in the current folder too."""
        self._refuse_folder(path, name)
        here = self._on_disk(path)
        if here.location or _is_disk_path(name):
            return here
        meant = self._in_sources(name)
        return here if meant is None else replace(meant, namesake=path)

    def _on_disk(self, path: Path) -> LocatedFile:
        found = [self._look_up(location) for location in self.sources.find_parts(path.absolute())]
        inside = next((one for one in found if one.tracked), found[-1] if found else None)
        if inside is not None:
            return _as_spelled(inside, path)
        return self._external_copy(path) or LocatedFile(path=Path(escape_name(str(path.absolute()))))

    def _look_up(self, location: SourceTarget) -> LocatedFile:
        verdict = self._judge_attached(location) or judge_file(
            self.sources, location, self.sources.scope_of(location), {}
        )
        item = verdict.item if verdict else None
        path = Path(item.disk_path) if isinstance(item, SourceEntry) else location.path
        return LocatedFile(path=path, location=location, verdict=verdict, tracked=self._tracked(location))

    def _judge_attached(self, location: SourceTarget) -> PathVerdict | None:
        """Return the verdict on the file that holds one which was ingested, failed or was left out; None for any other."""
        under = location.under
        if under is None or self.index is None or not self._was_met(location, under):
            return None
        outer = find_holder(self.index.source_files, SourceId(location.source.id), under)
        if outer is None:
            return None
        holder = replace(location, under=outer.workspace_path)
        verdict = judge_file(self.sources, holder, self.sources.scope_of(holder), {})
        if verdict is None or not isinstance(verdict.item, SourceEntry):
            return verdict
        return PathVerdict(verdict.item._replace(workspace_path=under))

    def _was_met(self, location: SourceTarget, under: WorkspacePath) -> bool:
        if self.index is None or self._tracked(location) is not None:
            return self.index is not None
        files, source_id = self.index.source_files, SourceId(location.source.id)
        failed = {one.workspace_path for one in files.list_failures() if one.source_id == source_id}
        return under in failed or under in {one.workspace_path for one in files.remembered_skips(source_id)}

    def _tracked(self, location: SourceTarget) -> TrackedFile | None:
        if location.under is None or self.index is None:
            return None
        return self.index.source_files.tracked_file(SourceId(location.source.id), location.under)

    def _external_copy(self, path: Path) -> LocatedFile | None:
        """Look up kebab's copy of a file outside all sources, by its content."""
        limit = self.sources.ingest.max_file_mb * _BYTES_PER_MB
        try:
            if not path.is_file() or path.stat().st_size > limit:
                return None
            copy = self.sources.find_external_copy(path.absolute(), path.read_bytes())
        except OSError:
            return None
        return None if copy is None else replace(self._look_up(copy), original=path.absolute())

    def _by_id(self, name: str) -> LocatedFile | None:
        if not _ID.fullmatch(name) or self.index is None:
            return None
        documents = self.index.documents
        document = documents.get_indexed_document(DocumentId(name))
        if document is None:
            chunks = documents.get_chunks([ChunkId(name)])
            if not chunks:
                return None
            document = chunks[0].document
        for source in self.sources.targets:
            if source.source.id == document.source_id:
                return self._look_up(replace(source, under=document.doc_path))
        tracked = self.index.source_files.tracked_file(document.source_id, document.doc_path)
        return None if tracked is None else LocatedFile(path=Path(tracked.disk_path), tracked=tracked)

    def _in_sources(self, name: str) -> LocatedFile | None:
        """Look up a path inside a source, as hits print it, with or without its citation; or the path of a removed file."""
        before = name.partition("#")[0]
        spellings = dict.fromkeys((name, before, unquote(before)))
        return self._known([location for spelled in spellings for location in self._locations(spelled)], name)

    def _of_missing(self, path: Path) -> LocatedFile | None:
        """Look up a path on disk where nothing can be seen."""
        return self._known(self._paths_in_sources(path), str(path))

    def _locations(self, name: str) -> Iterator[SourceTarget]:
        if not name.strip():
            return
        source_id, colon, rest = name.partition(":")
        for source in self.sources.targets:
            inside = rest if colon and source.source.id == source_id else name
            try:
                under = WorkspacePath(inside)
            except InvalidInputError:
                continue
            yield replace(source, under=under)
        yield from self._paths_in_sources(Path(name))

    def _paths_in_sources(self, path: Path) -> list[SourceTarget]:
        found = self.sources.find_parts(path.absolute())
        return [location for location in found if location.under is not None]

    def _known(self, locations: Sequence[SourceTarget], name: str) -> LocatedFile | None:
        found = [self._look_up(location) for location in locations]
        for location in locations:
            self._refuse_folder(location.path, name)
        known = [one for one in found if one.tracked or _is_seen(one)]
        if known:
            meant = next((one for one in known if one.tracked), known[0])
            others = dict.fromkeys(one.shown for one in known if one.shown not in {None, meant.shown})
            return replace(meant, others=tuple(filter(None, others)))
        for one in found:
            if (removal := self._find_removal(one)) is not None:
                return replace(one, removal=removal)
        return _of_missing_root(found, name)

    def _find_removal(self, file: LocatedFile) -> Removal | None:
        """Find the ingest run that removed or moved the document of a path, among the last ones."""
        location = file.location
        if location is None or location.under is None or self.index is None:
            return None
        for run in self.index.jobs.list_runs(limit=_SEARCHED_RUNS):
            for item in (run.report.items if run.report else None) or ():
                if item.source_id != location.source.id or run.report is None:
                    continue
                if item.kind is IngestResult.REMOVED and item.doc_path == location.under:
                    return Removal(at=run.report.finished_at, moved_to=None)
                if item.kind is IngestResult.MOVED and item.moved_from == location.under:
                    return Removal(at=run.report.finished_at, moved_to=item.doc_path)
        return None

    def _refuse_folder(self, path: Path, name: str) -> None:
        if not os.path.isdir(path):  # noqa: PTH112 - does not raise where looking is forbidden
            return
        parts = [location.under for location in self.sources.find_parts(path.absolute())]
        below = next(iter(parts), None)
        raise InvalidInputError(
            "{name!r} is a folder",
            remedy=Remedy(
                kind="list_documents",
                path=f"{below}/**" if below else None,
                then=Remedy(advice=Message("name a file")),
            ),
            path=str(path),
            _name=name,
        )

    def _suggest(self, name: str) -> Remedy:
        """Suggest the files of this name in other folders, else the nearest indexed file, else to list them."""
        if elsewhere := tuple(islice(self._named(PurePosixPath(name).name), _MOST_SUGGESTED)):
            return Remedy(kind="did_you_mean", names=elsewhere)
        if self.index is None:
            return Remedy(advice=Message("check how it is spelled"), otherwise=Remedy(kind="ingest"))
        known = {
            PurePosixPath(path).stem: f"{_prefix(source)}{path}"
            for source in self.sources.targets
            for path in self.index.source_files.file_states(SourceId(source.source.id))
        }
        near = find_nearest_name(PurePosixPath(name).stem, known)
        return Remedy(kind="did_you_mean", names=(known[near],)) if near else Remedy(kind="list_documents")

    def _named(self, name: str) -> Iterator[str]:
        """Find the files of a name on disk, in any folder of a source; one that is left out may be meant most of all.

        Yields:
            Their paths, as hits show them.
        """
        wanted = unicodedata.normalize("NFC", name).casefold()
        for source in self.sources.targets if self.sources.files else ():
            for folder, below, files in os.walk(source.root):
                below.sort()
                for file in sorted(files):
                    if unicodedata.normalize("NFC", file).casefold() == wanted and is_utf8(folder):
                        yield f"{_prefix(source)}{(Path(folder) / file).relative_to(source.root)}"


def _prefix(source: SourceTarget) -> str:
    return "" if source.source.id == DEFAULT_SOURCE_ID else f"{source.source.id}:"


def _is_file_name(name: str) -> bool:
    """Whether a file can have the name: it has no null character and can be encoded."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeEncodeError:
        return False


def _is_disk_path(name: str) -> bool:
    """Whether a name can only be a path on disk, and not one as hits show it."""
    return name.startswith(("~", "./", "../")) or Path(name).is_absolute()


def _as_spelled(inside: LocatedFile, path: Path) -> LocatedFile:
    """Leave out a file where a scan takes another one, or another folder above it, whose name is the same in NFC."""
    item = inside.verdict.item if inside.verdict else None
    if isinstance(item, SourceEntry) and path.exists() and path.samefile(item.disk_path):
        return inside
    if inside.location is None or inside.location.under is None:
        return inside
    parts = inside.location.under.split("/")
    places = (*reversed(path.absolute().parents), path.absolute())
    for count, place in enumerate(places[-len(parts) :], 1):
        if _is_spelled_twice(place):
            shown = WorkspacePath("/".join(parts[:count]))
            skipped = SkippedPath(shown, SkipReason.SPELLED_TWICE, is_folder=count < len(parts))
            return replace(inside, path=path.absolute(), verdict=PathVerdict(skipped), tracked=None)
    return inside


def _is_spelled_twice(path: Path) -> bool:
    """Return True if another name beside this one is the same in NFC and comes first, so that a scan takes it."""
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return False
    composed = unicodedata.normalize("NFC", path.name)
    return any(name < path.name and unicodedata.normalize("NFC", name) == composed for name in names)


def _is_seen(one: LocatedFile) -> bool:
    if one.verdict is None or one.location is None:
        return False
    item = one.verdict.item
    is_barred = isinstance(item, UnreadableFolder)  # what is below it cannot be seen
    return is_barred or item.workspace_path == one.location.under or one.location.exists


def _of_missing_root(found: list[LocatedFile], name: str) -> LocatedFile | None:
    """Choose the location of a file of a missing source; None where any folder it could lie in is there."""
    if any(one.location and one.location.has_root for one in found):
        return None
    return next((one for one in found if one.path == Path(name).absolute()), next(iter(found), None))


def escape_name(name: str) -> str:
    """Replace bytes of a name that are not UTF-8 by escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def find_unspellable(sources: SourceAccess, name: str) -> tuple[Path, SourceTarget, PathVerdict] | None:
    """Find a file in a source whose name, or that of a folder above it, is not UTF-8.

    Returns:
        Its place and its location, both escaped, and the verdict that its name leaves it out.
    """
    raw = os.fsdecode(_ESCAPED_BYTE.sub(lambda match: bytes([int(match[1], 16)]), os.fsencode(name)))
    if is_utf8(raw):
        return None
    for source, place in _candidates(sources, raw):
        inside = place.relative_to(source.root)
        if os.path.lexists(place) and not is_utf8(str(inside)):
            return _exclude(source, inside)
    return None


def _candidates(sources: SourceAccess, raw: str) -> Iterator[tuple[SourceTarget, Path]]:
    here = Path(os.path.normpath(Path(raw).absolute()))
    for source in sources.targets:
        if here.is_relative_to(source.root):
            yield source, here
    for source in sources.targets:
        place = Path(os.path.normpath(source.root / raw.removeprefix(f"{source.source.id}:")))
        if place.is_relative_to(source.root):
            yield source, place


def _exclude(source: SourceTarget, inside: Path) -> tuple[Path, SourceTarget, PathVerdict]:
    parts = [escape_name(part) for part in inside.parts]
    count = next(at for at, part in enumerate(inside.parts, start=1) if not is_utf8(part))
    skipped = SkippedPath(
        WorkspacePath("/".join(parts[:count])), SkipReason.UNUSABLE_NAME, is_folder=count < len(parts)
    )
    location = SourceTarget(source=source.source, root=source.root, under=WorkspacePath("/".join(parts)))
    return location.path, location, PathVerdict(skipped)
