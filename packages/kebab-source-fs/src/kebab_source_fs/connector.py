"""The file system as a source of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from kebab_core import (
    CodeIngestSettings,
    FileUri,
    IgnoreEdit,
    InvalidInputError,
    PathVerdict,
    RawAsset,
    ReferenceStorage,
    ScanItem,
    SourceEntry,
    SourceFile,
    SourceScope,
    asset_id_for,
    hash_bytes,
)

from kebab_source_fs.reading import read_file
from kebab_source_fs.rule_lookup import find_rule
from kebab_source_fs.rules import ScanRules
from kebab_source_fs.walk import Walk


class FilesystemConnector:
    """Walks a folder and reads its files. Keeps no state between calls; may be shared by threads.

    Args:
        code: Which files of source code are left out.
    """

    def __init__(self, code: CodeIngestSettings) -> None:
        self._code = code

    def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
        """Find every file below the root exactly once, in order of path compared component by component.

        Memory is bounded by the listings of the folders between the root and the present place. Files of a medium
        that kebab does not know are entries too (`other`): what can be read is not known here. With `scope.under`,
        the ignore rules of the folders above it hold; if they leave one of those folders out, that folder is the
        only item.

        Args:
            scope: The folder and its rules.

        Returns:
            Entries, skipped files and folders, and folders that could not be listed or whose ignore files could
            not be read, each found when it is asked for.

        Raises:
            StorageError: The root is missing, not a folder or not readable, or there is no `under` in it.
        """
        return Walk(scope, ScanRules(scope, self._code)).items()

    def explain(self, scope: SourceScope, *, edits: Mapping[str, IgnoreEdit] | None = None) -> PathVerdict:
        """The item of a scan for `scope.under`, and the rule that leaves it out.

        Args:
            scope: As for `scan`, with `under`.
            edits: As if these changes were made to ignore files that are there, by their paths inside the source.

        Returns:
            The first item of that scan.

        Raises:
            InvalidInputError: The scope has no `under`, or it is a folder with nothing in it.
            StorageError: The root is missing or not readable, or there is no `under` in it.
        """
        rules = ScanRules(scope, self._code, edits=edits)
        walk = Walk(scope, rules)
        item = next(walk.items(), None) if scope.under else None
        if item is None or walk.last is None:
            raise InvalidInputError("there is no single path to explain", path=scope.under)
        return PathVerdict(item, find_rule(rules, walk.last, item, follows_links=scope.follow_symlinks))

    def read(self, entry: SourceEntry, *, discovered_at: datetime) -> SourceFile:
        """Read one file whole.

        Args:
            entry: As a scan yielded it.
            discovered_at: Stamp for the asset; timezone-aware.

        Returns:
            Bytes, checksum and the stamp of exactly these bytes, which may differ from the entry's if the file
            changed since the scan.

        Raises:
            StorageError: The file is gone or cannot be read, or changed while it was being read.
        """
        content, stamp = read_file(entry.disk_path)
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
