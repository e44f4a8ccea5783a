"""The connectors of all sources, each of the kind of its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from kebab_core import (
        CodeIngestSettings,
        IgnoreEdit,
        PathVerdict,
        Repository,
        ScanItem,
        SourceConnector,
        SourceEntry,
        SourceFile,
        SourceId,
        SourceScope,
        SourceSettings,
        WorkspacePath,
    )


class SourceConnectors:
    """The connectors of all sources as one `FolderConnector`, each of the kind of its source.

    Args:
        sources: The sources.
        code: Rules for source code.

    Raises:
        ConfigInvalidError: There is no such kind of source.
        PluginConflictError: Several distributions offer the kind, or the plugin cannot be used.
    """

    def __init__(self, sources: Iterable[SourceSettings], code: CodeIngestSettings) -> None:
        from kebab_source_fs import FilesystemConnector

        self._folders = FilesystemConnector(code)
        self._others = {
            source.id: _build_other_connector(source, code) for source in sources if not source.is_folder
        }

    def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
        """Scan a source. See `SourceConnector`."""
        return self._find(scope.source_id).scan(scope)

    def read(self, entry: SourceEntry, *, discovered_at: datetime) -> SourceFile:
        """Read a file of a source. See `SourceConnector`."""
        return self._find(entry.source_id).read(entry, discovered_at=discovered_at)

    def read_repository(self, scope: SourceScope, folder: WorkspacePath | None) -> Repository | None:
        """Read the repository of a folder. See `FolderConnector`; those of plugins are not known."""
        if scope.source_id in self._others:
            return None
        return self._folders.read_repository(scope, folder)

    def explain(self, scope: SourceScope, *, edits: Mapping[str, IgnoreEdit] | None = None) -> PathVerdict:
        """Explain the verdict of a scan. See `FolderConnector`; the rules of plugins are not known.

        Raises:
            StorageError: The source has nothing at this path.
        """
        from kebab_core import PathVerdict, StorageError

        plugin = self._others.get(scope.source_id)
        if plugin is None:
            return self._folders.explain(scope, edits=edits)
        item = next(iter(plugin.scan(scope)), None)
        if item is None:
            raise StorageError("there is no {path!r} in {root!r}", path=str(scope.under), _root=scope.root)
        return PathVerdict(item)

    def _find(self, source_id: SourceId) -> SourceConnector:
        return self._others.get(source_id, self._folders)


def _build_other_connector(source: SourceSettings, code: CodeIngestSettings) -> SourceConnector:
    from kebab_config import require_plugin
    from kebab_core import BUCKET_SOURCE, FOLDER_SOURCE, SOURCES_GROUP, SourceConnector

    if source.kind == BUCKET_SOURCE:
        from kebab_source_fs import BucketConnector

        return BucketConnector(code)
    built_in = (FOLDER_SOURCE, BUCKET_SOURCE)
    plugin = require_plugin(SOURCES_GROUP, source.kind, key="workspace.sources.kind", built_in=built_in)
    return cast("SourceConnector", plugin.build(source, protocol=SourceConnector))
