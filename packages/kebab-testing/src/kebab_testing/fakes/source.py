"""A source of documents in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from kebab_core import (
    FileStamp,
    FileUri,
    MarkdownMedia,
    MediaType,
    Message,
    OtherMedia,
    RawAsset,
    ReferenceStorage,
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceFile,
    SourceScope,
    StorageError,
    TextMedia,
    UnreadableFolder,
    WorkspacePath,
    asset_id_for,
    hash_bytes,
)


class MemorySource:
    """A `SourceConnector` over a mapping, for tests of what consumes scans.

    Files may be added, replaced and removed between scans through `write` and `remove`; every write gives a new
    modification time. Include and exclude patterns of the scope are not interpreted: name what is skipped in
    `skipped`. Media go by `.md` and `.txt`; everything else is `other`.

    Args:
        root: The only root that exists.
        files: Content by path inside the source.
        skipped: Reason by path, for paths that are not in `files`.
        unreadable: Folders that cannot be listed; files below them are not found.
    """

    def __init__(
        self,
        root: str,
        files: Mapping[str, bytes],
        *,
        skipped: Mapping[str, SkipReason] | None = None,
        unreadable: tuple[str, ...] = (),
    ) -> None:
        self.root = root
        self._skipped = {WorkspacePath(path): reason for path, reason in (skipped or {}).items()}
        self._unreadable = [WorkspacePath(path) for path in unreadable]
        self._files: dict[WorkspacePath, tuple[bytes, FileStamp]] = {}
        self._writes = 0
        for path, content in files.items():
            self.write(path, content)

    def write(self, path: str, content: bytes) -> None:
        """Add or replace a file."""
        key = WorkspacePath(path)
        self._writes += 1
        inode = self._files[key][1].inode if key in self._files else self._writes
        stamp = FileStamp(byte_len=len(content), mtime_ns=self._writes, inode=inode, ctime_ns=self._writes)
        self._files[key] = (content, stamp)

    def remove(self, path: str) -> None:
        """Take a file away."""
        del self._files[WorkspacePath(path)]

    def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
        """Yield the files and what was declared skipped or unreadable, in order of path.

        Yields:
            As `SourceConnector.scan`.

        Raises:
            StorageError: The root is another one, or `under` does not exist.
        """
        if scope.root != self.root:
            raise StorageError("there is no {path!r}", path=scope.root)
        items: list[tuple[WorkspacePath, ScanItem]] = [
            (path, self._item(scope, path)) for path in self._files if not self._is_hidden(path)
        ]
        items += [(path, SkippedPath(workspace_path=path, reason=why)) for path, why in self._skipped.items()]
        items += [
            (path, UnreadableFolder(workspace_path=path, message=Message("denied")))
            for path in self._unreadable
        ]
        found = [(path, item) for path, item in items if _is_within(path, scope.under)]
        if scope.under and not found:
            raise StorageError("there is no {path!r}", path=scope.under)
        yield from (item for _, item in sorted(found, key=lambda pair: pair[0].split("/")))

    def read(self, entry: SourceEntry, *, discovered_at: datetime) -> SourceFile:
        """Return the present content of an entry's file.

        Raises:
            StorageError: It was removed.
        """
        if entry.workspace_path not in self._files:
            raise StorageError("{path!r} is gone", path=entry.workspace_path)
        content, stamp = self._files[entry.workspace_path]
        checksum = hash_bytes(content)
        asset = RawAsset(
            asset_id=asset_id_for(checksum),
            source_uri=FileUri(path=entry.disk_path),
            workspace_path=entry.workspace_path,
            media_type=entry.media_type,
            byte_len=len(content),
            checksum=checksum,
            discovered_at=discovered_at,
            stored=ReferenceStorage(path=entry.disk_path, sha=checksum),
        )
        return SourceFile(asset=asset, content=content, stamp=stamp)

    def _item(self, scope: SourceScope, path: WorkspacePath) -> ScanItem:
        _, stamp = self._files[path]
        if stamp.byte_len > scope.max_file_bytes:
            return SkippedPath(workspace_path=path, reason=SkipReason.SIZE_EXCEEDED)
        return SourceEntry(
            source_id=scope.source_id,
            workspace_path=path,
            disk_path=f"{self.root}/{path}",
            stamp=stamp,
            media_type=_media_type_of(path),
        )

    def _is_hidden(self, path: WorkspacePath) -> bool:
        return any(path.startswith(f"{folder}/") for folder in self._unreadable)


def _is_within(path: str, under: str | None) -> bool:
    return under is None or path == under or path.startswith(f"{under}/")


def _media_type_of(path: WorkspacePath) -> MediaType:
    label = path.name.removeprefix(path.stem).removeprefix(".")
    known: dict[str, MediaType] = {"md": MarkdownMedia(), "txt": TextMedia()}
    return known.get(label, OtherMedia(label=label))
