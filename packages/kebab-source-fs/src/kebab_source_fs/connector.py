"""The file system as a source of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from kebab_core import (
    CodeIngestSettings,
    FileUri,
    IgnoreEdit,
    InvalidInputError,
    PathVerdict,
    RawAsset,
    ReferenceStorage,
    Repository,
    RuleOrigin,
    ScanItem,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceFile,
    SourceScope,
    WorkspacePath,
    asset_id_for,
    hash_bytes,
    media_type_of,
)

from kebab_source_fs.entry_filter import Child
from kebab_source_fs.folder import find_mark, is_never_content
from kebab_source_fs.ignore import RuleStack
from kebab_source_fs.reading import read_file
from kebab_source_fs.repository import find_repository_around, read_repository
from kebab_source_fs.rules import ScanRules, has_code_limit
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
        return PathVerdict(item, _find_rule(rules, walk.last, item, follows_links=scope.follow_symlinks))

    def read_repository(self, scope: SourceScope, folder: WorkspacePath | None) -> Repository | None:
        """Read the facts of the repository of a folder in a source, or of the one that its root lies in."""
        root = Path(scope.root)
        around = find_repository_around(root) if folder is None else root / folder
        return read_repository(around, folder, scope.source_id) if around else None

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


def _find_rule(rules: ScanRules, child: Child, item: ScanItem, *, follows_links: bool) -> SkipRule | None:
    """The rule by which a path is left out; None for what is not skipped, and where the reason says it all.

    Settings are called by the fields of `SourceScope`, those of source code by the fields of `CodeIngestSettings` after
    `code.`. What is built in is called `name`, or `mark` where something in or beside a folder tells; the pattern is
    then the name, or what tells.
    """
    if not isinstance(item, SkippedPath):
        return None
    rule: SkipRule | None = None
    match item.reason:
        case SkipReason.BUILTIN_BLACKLIST:
            rule = _built_in(child, is_folder=item.is_folder)
        case SkipReason.GITIGNORE:
            rule = _ignore_file(child.folder.gitignore, item, ".gitignore")
        case SkipReason.KEBABIGNORE:
            rule = _ignore_file(child.folder.kebabignore, item, ".kebabignore")
        case SkipReason.CONFIG_EXCLUDE:
            rule = _excluded(rules, child, item, follows_links=follows_links)
        case SkipReason.NOT_INCLUDED:
            rule = SkipRule(RuleOrigin.SETTING, "include")
        case SkipReason.GENERATED:
            rule = SkipRule(RuleOrigin.SETTING, "code.skip_generated", child.shown)
        case SkipReason.SIZE_EXCEEDED:
            rule = _limit(rules, child)
    return rule


def _built_in(child: Child, *, is_folder: bool) -> SkipRule:
    name = child.shown
    if is_never_content(name, is_folder=is_folder):
        return SkipRule(RuleOrigin.BUILT_IN, "name", name)
    return SkipRule(RuleOrigin.BUILT_IN, "mark", find_mark(child.disk_path, name))


def _ignore_file(stack: RuleStack, item: SkippedPath, name: str) -> SkipRule | None:
    deciding = stack.deciding(item.workspace_path, is_folder=item.is_folder)
    if deciding is None:
        return None
    prefix, line = deciding
    return SkipRule(RuleOrigin.IGNORE_FILE, f"{prefix}{name}", line.text, line.number)


def _excluded(rules: ScanRules, child: Child, item: SkippedPath, *, follows_links: bool) -> SkipRule | None:
    line = rules.exclude.deciding(item.workspace_path, is_folder=item.is_folder)
    if line is not None and not line.takes_back:
        return SkipRule(RuleOrigin.SETTING, "exclude", line.text)
    if child.entry.is_symlink() and not follows_links:
        return SkipRule(RuleOrigin.SETTING, "follow_symlinks")
    line = rules.code_glob(item.workspace_path)
    return None if line is None else SkipRule(RuleOrigin.SETTING, "code.extra_skip_globs", line.text)


def _limit(rules: ScanRules, child: Child) -> SkipRule:
    if has_code_limit(media_type_of(child.shown)) and rules.max_code_bytes < rules.max_file_bytes:
        return SkipRule(RuleOrigin.SETTING, "code.max_file_bytes", limit=rules.max_code_bytes)
    return SkipRule(RuleOrigin.SETTING, "max_file_bytes", limit=rules.max_file_bytes)
