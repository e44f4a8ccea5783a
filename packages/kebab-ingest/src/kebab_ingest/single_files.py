"""Single files and texts that a user or an agent names: whether they can be ingested, and where they are.

A file inside a source is ingested where it is. Everything else, and a text whose name stands for no medium that is read, is
copied into kebab's own source and then ingested like any file there, so that later runs treat it like any other file.

A copy lies in a folder named by a hash of the path that its file was given by, under the file's own name: the same
path updates it. A copy of a text whose name stands for no medium that is read gets `.txt` after that name.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    SKIP_REASONS,
    DocFilter,
    DocSummary,
    IngestItem,
    IngestReport,
    IngestResult,
    InvalidInputError,
    Message,
    Remedy,
    SourceId,
    StorageError,
    TextMedia,
    UnsupportedMediaError,
    WorkspacePath,
    advise_on_unread,
    hash_bytes,
    media_type_of,
    split_extension,
    writing_mapped,
)

from kebab_ingest.external_documents import (
    AGENT_FOLDER,
    EXTERNAL_FOLDER,
    FILES_FOLDER,
    NOTES_SOURCE,
    Origin,
    make_folders,
    write_file,
)
from kebab_ingest.notes import TrashFolder, clean_name
from kebab_ingest.targets import find_parts

if TYPE_CHECKING:
    from kebab_core import DocumentStore, SourceFileStore

    from kebab_ingest.document_processor import DocumentProcessor
    from kebab_ingest.preparation import ContentFilter
    from kebab_ingest.request import SourceTarget

_FOLDER_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class FileCopies:
    """Copies of files outside every source."""

    source: SourceTarget
    """kebab's own source."""
    trash: TrashFolder
    reads_name: Callable[[str], bool]
    """Whether files of a name are read."""

    def find(self, path: Path, content: bytes, *, by_agent: bool) -> SourceTarget | None:
        """Find the copy of a file: the one made of it, else one of equal content and extension.

        Args:
            path: Absolute path of the file.
            content: Its content.
            by_agent: A program named it; copies of what a user gave count too, but not the other way round.
        """
        place = self._place(path, by_agent=by_agent)
        if (self.source.root / place).is_file():
            return replace(self.source, under=place)
        for origin in (Origin.FILE, Origin.TEXT) if by_agent else (Origin.FILE,):
            if (found := self._find_equal(path, content, origin)) is not None:
                return found
        return None

    def keep(self, path: Path, content: bytes, *, by_agent: bool, at: datetime) -> SourceTarget:
        """Copy a file, in place of an earlier copy of it, which goes to the removed files.

        The caller holds the writer lock. Readers see all of the copy or none, also after a power failure.

        Args:
            path: Absolute path of the file.
            content: Its content.
            by_agent: A program named it.
            at: The time.

        Returns:
            The copy as the target of a run.

        Raises:
            StorageError: It cannot be written.
        """
        found = self.find(path, content, by_agent=by_agent)
        inside = self._place(path, by_agent=by_agent)
        if found is not None and (found.under != inside or found.source.id != self.source.source.id):
            return found
        place = self.source.root / inside
        with writing_mapped(place.parent):
            self.source.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_folders(place.parent, below=self.source.root)
            before = place.read_bytes() if found is not None else None
            if before != content:
                if before is not None:
                    source_id = SourceId(self.source.source.id)
                    self.trash.keep([(source_id, inside, place)], at=at, is_replaced=True)
                write_file(place, content)
        return replace(self.source, under=inside)

    def _find_equal(self, path: Path, content: bytes, origin: Origin) -> SourceTarget | None:
        folder = self.source.root / FILES_FOLDER
        if origin is Origin.TEXT:
            folder /= AGENT_FOLDER
        extension = Path(self._name(path)).suffix
        for copy in sorted(folder.glob(f"{'[0-9a-f]' * _FOLDER_DIGITS}/*{extension}")):
            if (
                copy.suffix == extension
                and copy.is_file()
                and copy.stat().st_size == len(content)
                and copy.read_bytes() == content
            ):
                inside = unicodedata.normalize("NFC", copy.relative_to(self.source.root).as_posix())
                return replace(self.source, under=WorkspacePath(inside))
        return None

    def _place(self, path: Path, *, by_agent: bool) -> WorkspacePath:
        folder = f"{FILES_FOLDER}/{AGENT_FOLDER}" if by_agent else FILES_FOLDER
        name = unicodedata.normalize("NFC", str(path)).encode(errors="surrogateescape")
        return WorkspacePath(f"{folder}/{hash_bytes(name)[:_FOLDER_DIGITS]}/{self._name(path)}")

    def _name(self, path: Path) -> str:
        if not self.reads_name(path.name):
            return f"{clean_name(path.name)}.txt"
        return f"{clean_name(path.stem)}{path.suffix.lower()}"


def is_file_copy(source_id: SourceId, path: WorkspacePath) -> bool:
    """Whether a document is a copy of a file, or another external document that is no note of kebab's own source."""
    folder = FILES_FOLDER if source_id == NOTES_SOURCE else EXTERNAL_FOLDER
    return path.startswith(f"{folder}/")


_BYTES_PER_MB = 1024 * 1024
_MAX_VALUE_CHARS = 4000
"""Of a title or address: the front matter that holds them has a limit too."""
_TEXT_MEDIA = frozenset({"markdown", "text"})
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, kw_only=True)
class SingleFiles:
    """Checks named files, reads them, and copies those that lie outside every source."""

    sources: Sequence[SourceTarget]
    """All sources, each whole."""
    copies: FileCopies
    agent_folders: Sequence[Path] | None
    """Where files may lie, links resolved, that an agent named; None: a user named them, and they may lie anywhere."""
    max_file_mb: int
    processor: DocumentProcessor
    content: ContentFilter
    require_text: Callable[[bytes], object]
    """Raises `UnsupportedMediaError` where the content of a text file is binary."""

    def check(self, paths: Iterable[Path]) -> list[Path]:
        """Require files that a run would ingest, by what they are and not by where.

        Args:
            paths: The files as they were named.

        Returns:
            Their absolute paths; with all links resolved where an agent named them.

        Raises:
            InvalidInputError: There is no such file, or it is a folder or too large, or not where an agent may read.
            UnsupportedMediaError: No parser takes it.
            StorageError: It cannot be read.
        """
        files = [_absolute(path) for path in paths]
        if self.agent_folders is not None:
            files = [_require_inside(path, self.agent_folders) for path in files]
        for path in files:
            require_size(_size_of(path), max_mb=self.max_file_mb, what=repr(str(path)))
            self._require_content(path)
        return files

    def find_targets(self, files: Iterable[Path], *, at: datetime) -> tuple[SourceTarget, ...]:
        """Find files in the sources, and copy the others into kebab's own. The caller holds the writer lock.

        Args:
            files: From `check`.
            at: The time.

        Returns:
            The files as targets of a run, each once.

        Raises:
            StorageError: A file cannot be read, or its copy not be written.
        """
        by_agent = self.agent_folders is not None

        def copy(path: Path) -> SourceTarget:
            return self.copies.keep(path, self._read(path), by_agent=by_agent, at=at)

        def find(path: Path) -> Sequence[SourceTarget]:
            return find_parts(self.sources, path) if self.processor.reads_name(path.name) else ()

        found = [target for path in files for target in find(path) or [copy(path)]]
        return tuple(target for i, target in enumerate(found) if target not in found[:i])

    def _read(self, path: Path) -> bytes:
        try:
            return path.read_bytes() if self.agent_folders is None else _read_resolved_file(path)
        except OSError as error:
            raise StorageError(
                "cannot read {path!r}: {reason}",
                remedy=Remedy(kind="check_permissions", path=str(path)),
                path=str(path),
                _reason=error.strerror,
            ) from error

    def _require_content(self, path: Path) -> None:
        content, media = self._read(path), media_type_of(path.name)
        if not self.processor.supports(media):
            try:
                self.require_text(content)
            except UnsupportedMediaError as error:
                advice = advise_on_unread(split_extension(path.name)[1].lower())
                raise UnsupportedMediaError(
                    "{name!r} is neither text nor of a format that is read",
                    remedy=Remedy(advice=advice) if advice else Remedy(kind="show_media"),
                    media=media.kind,
                    path=str(path),
                    _name=path.name,
                ) from error
            media = TextMedia()
        elif media.kind in _TEXT_MEDIA:
            self.require_text(content)
        reason = self.content.skip_reason(media, content)
        if reason is not None:
            raise UnsupportedMediaError(
                "{name!r} would be skipped: {reason}",
                remedy=Remedy(advice=Message("check what is in the file")),
                media=media.kind,
                path=str(path),
                _name=path.name,
                _reason=SKIP_REASONS[reason],
            )


def require_size(size: int, *, max_mb: int, what: str) -> None:
    """Require a size, in bytes, that a run would not skip.

    Raises:
        InvalidInputError: It is more than `ingest.max_file_mb`.
    """
    if size > max_mb * _BYTES_PER_MB:
        raise InvalidInputError(
            "{what} has more than {max_mb} MB",
            remedy=Remedy(kind="raise_setting", setting="ingest.max_file_mb"),
            bytes=size,
            _what=what,
            _max_mb=max_mb,
        )


def require_line(value: str, *, name: str) -> str:
    """Put a value on one line, with single blanks between its words.

    Raises:
        InvalidInputError: It is empty or too long.
    """
    line = " ".join(value.split())
    if not line or len(line) > _MAX_VALUE_CHARS:
        raise InvalidInputError(
            "`{name}` must have between 1 and {limit} characters",
            remedy=Remedy(kind="ingest_text"),
            _name=name,
            _limit=_MAX_VALUE_CHARS,
        )
    return line


def _absolute(path: Path) -> Path:
    """Make a path absolute.

    Raises:
        InvalidInputError: It names the home of a user who has none.
    """
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError as error:
        refusal = _unreadable(path, Message("there is no such home folder"))
        raise refusal from error


def _require_inside(path: Path, folders: Sequence[Path]) -> Path:
    """Resolve all links in the path of a file, and require that it lies in one of some folders.

    Args:
        path: Its absolute path; nothing needs to be there.
        folders: Where it may lie; links in their paths are resolved too.

    Raises:
        InvalidInputError: It lies in none of them, whether it exists or not.
    """
    try:
        place = Path(os.path.realpath(path))
    except ValueError as error:  # a null character
        refusal = _unreadable(path, str(error))
        raise refusal from error
    if not any(place.is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise InvalidInputError(
            "{path!r} lies, links resolved, outside the folders that agents may ingest from: the "
            "sources and `mcp.ingest_roots`",
            remedy=Remedy(kind="add_to_setting", setting="mcp.ingest_roots", path=str(place.parent)),
            argument="path",
            setting="mcp.ingest_roots",
            _path=str(path),
        )
    return place


def _size_of(path: Path) -> int:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # the second for a null character
        refusal = _unreadable(path, error.strerror if isinstance(error, OSError) else str(error))
        raise refusal from error
    if stat.S_ISDIR(status.st_mode):
        raise InvalidInputError(
            "{path!r} is a folder", remedy=Remedy(kind="add_source", path=str(path)), path=str(path)
        )
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInputError(
            "{path!r} is no regular file", remedy=Remedy(kind="ingest_text"), path=str(path)
        )
    return status.st_size


def _unreadable(path: Path, why: Message | str | None) -> InvalidInputError:
    return InvalidInputError(
        "cannot read {path!r}: {reason}",
        remedy=Remedy(advice=Message("check {path!r}", path=str(path))),
        path=str(path),
        _reason=why,
    )


def _read_resolved_file(path: Path) -> bytes:
    """Read the file at a resolved path; a link that has come there meanwhile is not followed.

    Raises:
        OSError: It cannot be read, or a link is there.
        StorageError: No regular file is there.
    """
    with ExitStack() as opened:
        folder = None
        for name in path.parts[:-1]:
            folder = os.open(name, _FOLDER, dir_fd=folder)
            opened.callback(os.close, folder)
        with os.fdopen(os.open(path.name, _FILE, dir_fd=folder), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise StorageError(
                    "{path!r} is no regular file",
                    remedy=Remedy(kind="check_permissions", path=str(path)),
                    path=str(path),
                )
            return file.read()


def add_unchanged(
    report: IngestReport, targets: Iterable[SourceTarget], source_files: SourceFileStore
) -> IngestReport:
    """Add an item to the report for each unchanged document: the caller wants its id."""
    listed = {(item.source_id, item.doc_path) for item in report.items or ()}
    places = [(SourceId(target.source.id), target.under) for target in targets if target.under is not None]
    tracked = [source_files.tracked_file(*place) for place in places if place not in listed]
    items = [
        IngestItem(
            kind=IngestResult.UNCHANGED,
            source_id=file.source_id,
            doc_path=file.workspace_path,
            doc_id=file.doc_id,
        )
        for file in tracked
        if file is not None
    ]
    return report.model_copy(update={"items": (*(report.items or ()), *items)})


def warn_of_older_copies(
    report: IngestReport, documents: DocumentStore, roots: Mapping[SourceId, Path]
) -> IngestReport:
    """Add a warning to each new copy whose title another copy has, which may be an earlier version.

    Args:
        report: The report of a run over single files.
        documents: All documents.
        roots: Folder of each source.
    """
    items = report.items or ()
    if not any(_is_new_copy(item) for item in items):
        return report
    copies = [
        line
        for line in documents.list_documents(DocFilter())
        if is_file_copy(line.source_id, line.doc_path) and line.source_id in roots
    ]
    return report.model_copy(update={"items": tuple(_warned(item, copies, roots) for item in items)})


def _is_new_copy(item: IngestItem) -> bool:
    return item.kind is IngestResult.NEW and is_file_copy(item.source_id, item.doc_path)


def _warned(item: IngestItem, copies: list[DocSummary], roots: Mapping[SourceId, Path]) -> IngestItem:
    titles = {line.title for line in copies if line.doc_id == item.doc_id}
    older = [line for line in copies if line.title in titles and line.doc_id != item.doc_id]
    if not _is_new_copy(item) or not older:
        return item
    files = ", ".join(str(roots[line.source_id] / line.doc_path) for line in older)
    warning = Message(
        "an older copy with this title stays in the index; to remove it, delete it and ingest: {files}",
        files=files,
    )
    return item.model_copy(update={"warnings": (*item.warnings, warning)})
