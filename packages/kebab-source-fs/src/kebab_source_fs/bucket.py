"""A bucket as a source of documents: objects by their names, under the rules of folders."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from kebab_core import (
    CodeIngestSettings,
    FileStamp,
    FileUri,
    IgnoreEdit,
    RawAsset,
    ReferenceStorage,
    Remedy,
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceFile,
    SourceScope,
    StorageError,
    WorkspacePath,
    asset_id_for,
    hash_bytes,
    media_type_of,
)
from kebab_runtime import Bucket

from kebab_source_fs.folder import Folder, parse_rules
from kebab_source_fs.rules import ScanRules

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from kebab_runtime import StoredObject

    from kebab_source_fs.ignore import RuleSet

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SCHEME = re.compile(r"^(\w+):/+")
_ETAG_BYTES = 7
"""Of the hash of an ETag; a column of the store has 63 bits."""


class BucketConnector:
    """Lists a bucket and reads its objects. Keeps no state between calls; may be shared by threads.

    Names have the rules of paths, ignore files in the bucket too. What proves that a folder holds no content is not looked for.

    Args:
        code: Which files of source code are left out.
    """

    def __init__(self, code: CodeIngestSettings) -> None:
        self._code = code

    def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
        """Find every object below the root exactly once, in order of path compared component by component.

        The whole list is read first. An object that is new or has other content has another ETag, which is part of its stamp.

        Args:
            scope: The URL and the rules.

        Returns:
            Entries, and skipped objects and folders.

        Raises:
            StorageError: There is no such bucket, it is not readable, there is nothing below a folder of it, or no `under`.
        """
        url = _url_of(scope.root)
        bucket = Bucket(url)
        objects = {each.name: each for each in bucket.list_objects()}
        _, _, name = url.partition("://")
        if not objects and "/" in name:  # a folder of a bucket is there while something is in it
            raise StorageError(
                "there is nothing below {url!r}",
                remedy=Remedy(kind="check_setting", setting="workspace.sources"),
                url=url,
            )
        rules = _BucketRules(scope, self._code, bucket, names=objects.keys())
        items = _Listing(scope, rules, url).items(objects.values())
        return _narrowed(items, scope)

    def read(self, entry: SourceEntry, *, discovered_at: datetime) -> SourceFile:
        """Read one object whole.

        Args:
            entry: As a scan yielded it.
            discovered_at: Stamp for the asset; timezone-aware.

        Returns:
            Bytes, checksum and the stamp of exactly these bytes, which may differ from the entry's if the object changed since the scan.

        Raises:
            StorageError: The object is gone or cannot be read.
        """
        scheme, _, rest = entry.disk_path.partition("://")
        container, _, name = rest.partition("/")
        found = Bucket(f"{scheme}://{container}").read_object(name)
        if found is None:
            raise StorageError("there is no object {path!r}", path=entry.disk_path)
        content, described = found
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
        return SourceFile(asset=asset, content=content, stamp=_stamp_of(described))


class _BucketRules(ScanRules):
    """`ScanRules` with ignore files that are objects of a bucket, which has objects of these names."""

    def __init__(
        self, scope: SourceScope, code: CodeIngestSettings, bucket: Bucket, *, names: AbstractSet[str]
    ) -> None:
        super().__init__(scope, code)
        self._bucket = bucket
        self._names = names

    def _read_rules(self, folder: Folder, name: str, *, edit: IgnoreEdit | None) -> RuleSet | None:
        path = folder.prefix + name
        content = self._bucket.read(path) if path in self._names else None
        return None if content is None else parse_rules(content, edit=edit)


class _Listing:
    """Classifies the objects of one list; its state is the way from the root to where it is."""

    def __init__(self, scope: SourceScope, rules: ScanRules, url: str) -> None:
        self._source_id = scope.source_id
        self._rules = rules
        self._url = url
        self._folders = [rules.enter_root(url, real_path=url)]
        self._names: list[str] = []
        self._left_out = ""
        """The folder that was left out last, with a slash."""

    def items(self, objects: Iterable[StoredObject]) -> Iterator[ScanItem]:
        """Yield an item for each object, or for the folder above it that is left out as a whole."""
        ordered = sorted((_shown(each.name).split("/"), each.name, each) for each in objects)
        folders = {tuple(parts[:end]) for parts, _, _ in ordered for end in range(1, len(parts))}
        seen = set[str]()
        for parts, _, each in ordered:
            path = "/".join(parts)
            is_marker = not each.byte_len and tuple(parts) in folders
            if is_marker or (self._left_out and path.startswith(self._left_out)):
                continue
            if (folder := self._left_out_on_the_way(parts)) is not None:
                yield folder
            elif path in seen:
                yield SkippedPath(WorkspacePath(f"{path}~"), SkipReason.SPELLED_TWICE)
            else:
                seen.add(path)
                yield self._classify(path, parts[-1], each)

    def _left_out_on_the_way(self, parts: list[str]) -> SkippedPath | None:
        """Enter the folders of a path; return the first that is left out."""
        above = parts[:-1]
        while self._names != above[: len(self._names)]:
            self._names.pop()
            self._folders.pop()
        for name in above[len(self._names) :]:
            folder = self._folders[-1]
            if (reason := self._rules.exclusion(folder, name, is_folder=True)) is not None:
                path = folder.prefix + name
                self._left_out = f"{path}/"
                return SkippedPath(WorkspacePath(path), reason, is_folder=True)
            on_disk = f"{self._url}/{folder.prefix}{name}"
            self._folders.append(self._rules.enter(folder, name=name, on_disk=name, real_path=on_disk))
            self._names.append(name)
        return None

    def _classify(self, path: str, name: str, each: StoredObject) -> ScanItem:
        folder, media = self._folders[-1], media_type_of(name)
        reason = self._rules.exclusion(folder, name, is_folder=False) or self._rules.file_exclusion(
            folder, name, media=media, byte_len=each.byte_len
        )
        if reason is not None:
            return SkippedPath(WorkspacePath(path), reason)
        return SourceEntry(
            self._source_id, WorkspacePath(path), f"{self._url}/{each.name}", _stamp_of(each), media
        )


def _narrowed(items: Iterator[ScanItem], scope: SourceScope) -> Iterator[ScanItem]:
    """Yield the items at or below `under`, or the folder above it that is left out.

    Raises:
        StorageError: There are none.
    """
    under, has_any = scope.under, False
    for item in items:
        path = str(item.workspace_path)
        is_left_out = isinstance(item, SkippedPath) and item.is_folder and f"{under}/".startswith(f"{path}/")
        if under is None or is_left_out or f"{path}/".startswith(f"{under}/"):
            has_any = True
            yield item
    if under is not None and not has_any:
        raise StorageError("there is no {path!r} in {root!r}", path=str(under), _root=scope.root)


def _url_of(root: str) -> str:
    """Return the URL of a root, of which a path keeps one slash."""
    return _SCHEME.sub(r"\1://", root).rstrip("/")


def _shown(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _stamp_of(described: StoredObject) -> FileStamp:
    """Return a stamp of an object: some stores tell the time of an object to the second where it is read."""
    digest = blake2b(described.version.strip('"').encode(), digest_size=_ETAG_BYTES).digest()
    return FileStamp(
        byte_len=described.byte_len,
        mtime_ns=(described.modified_at - _EPOCH) // timedelta(seconds=1) * 1_000_000_000,
        inode=0,
        ctime_ns=int.from_bytes(digest, "big"),
    )
