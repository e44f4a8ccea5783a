"""Laws of `SourceConnector`, of folders, buckets and the fake one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from kebab_core import (
    CodeIngestSettings,
    FileUri,
    MarkdownMedia,
    ReferenceStorage,
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceConnector,
    SourceEntry,
    SourceId,
    SourceScope,
    StorageError,
    WorkspacePath,
    hash_bytes,
)
from kebab_source_fs import BucketConnector, FilesystemConnector
from kebab_testing.bucket_server import BucketServer
from kebab_testing.fakes.source import MemorySource

_NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
_FILES = {
    "b.md": b"# b",
    "a/z.md": b"zed",
    "a.md": b"",
    "a/회의 #1?.md": "규칙은 하나다".encode(),
    "a/b/c.txt": b"deep",
    "a b/100%.md": b"percent",
}


class SourceConnectorLaws:
    """Subclass, implement the two hooks, and let pytest collect the methods.

    Every test calls `make_source` once.
    """

    def make_source(self, files: Mapping[str, bytes]) -> tuple[SourceConnector, SourceScope]:
        """Return a connector and the default scope of a source that holds exactly these files."""
        raise NotImplementedError

    def remove_file(self, path: str) -> None:
        """Delete one file of the source that `make_source` made last."""
        raise NotImplementedError

    def test_scan_yields_every_file_once_in_order_of_path(self) -> None:
        """Order is by component: a folder stands where its name does."""
        connector, scope = self.make_source(_FILES)
        assert _paths(connector.scan(scope)) == sorted(_FILES, key=lambda path: path.split("/"))

    def test_scan_twice_gives_equal_items(self) -> None:
        """Nothing changed, so nothing is reported otherwise."""
        connector, scope = self.make_source(_FILES)
        assert list(connector.scan(scope)) == list(connector.scan(scope))

    def test_scan_of_no_files_yields_nothing(self) -> None:
        """An empty source is no error."""
        connector, scope = self.make_source({})
        assert list(connector.scan(scope)) == []

    def test_scan_entry_tells_source_size_and_medium(self) -> None:
        """By name and stat only."""
        connector, scope = self.make_source({"a.md": b"four"})
        scope = scope.model_copy(update={"source_id": SourceId("notes")})
        (entry,) = connector.scan(scope)
        assert isinstance(entry, SourceEntry)
        assert (entry.source_id, entry.stamp.byte_len, entry.media_type) == ("notes", 4, MarkdownMedia())

    def test_scan_under_a_folder_yields_only_what_is_below(self) -> None:
        """`a b/` and `a.md` share letters with `a`, not the folder."""
        connector, scope = self.make_source(_FILES)
        narrowed = scope.model_copy(update={"under": WorkspacePath("a")})
        whole = [item for item in connector.scan(scope) if str(item.workspace_path).startswith("a/")]
        assert list(connector.scan(narrowed)) == whole

    def test_scan_under_a_file_yields_that_file(self) -> None:
        """One entry, equal to the one of the whole scan."""
        connector, scope = self.make_source(_FILES)
        narrowed = scope.model_copy(update={"under": WorkspacePath("a/b/c.txt")})
        assert _paths(connector.scan(narrowed)) == ["a/b/c.txt"]

    @pytest.mark.parametrize("under", ["nowhere", "a/nowhere", "a.md/below"])
    def test_scan_under_a_missing_path_raises(self, under: str) -> None:
        """A mistyped path must not look like an empty folder."""
        connector, scope = self.make_source(_FILES)
        with pytest.raises(StorageError):
            list(connector.scan(scope.model_copy(update={"under": WorkspacePath(under)})))

    def test_scan_of_a_missing_root_raises(self) -> None:
        """An unmounted drive must not look like an empty folder."""
        connector, scope = self.make_source(_FILES)
        with pytest.raises(StorageError):
            list(connector.scan(scope.model_copy(update={"root": f"{scope.root}-missing"})))

    def test_scan_skips_files_above_the_limit_of_size(self) -> None:
        """The limit itself is allowed."""
        connector, scope = self.make_source({"a.md": b"1234", "b.md": b"12345"})
        items = list(connector.scan(scope.model_copy(update={"max_file_bytes": 4})))
        assert isinstance(items[0], SourceEntry)
        assert items[1] == SkippedPath(workspace_path=WorkspacePath("b.md"), reason=SkipReason.SIZE_EXCEEDED)

    def test_read_gives_the_bytes_with_checksum_and_stamp(self) -> None:
        """For every entry, the empty file included."""
        connector, scope = self.make_source(_FILES)
        for entry in connector.scan(scope):
            assert isinstance(entry, SourceEntry)
            file = connector.read(entry, discovered_at=_NOON)
            checksum = hash_bytes(_FILES[entry.workspace_path])
            assert file.content == _FILES[entry.workspace_path]
            assert file.stamp == entry.stamp
            assert (file.asset.checksum, file.asset.byte_len) == (checksum, len(file.content))
            assert file.asset.source_uri == FileUri(path=entry.disk_path)
            assert file.asset.stored == ReferenceStorage(path=entry.disk_path, sha=checksum)
            assert file.asset.discovered_at == _NOON

    def test_read_of_equal_content_gives_equal_assets(self) -> None:
        """Assets are keyed by content, not by place."""
        connector, scope = self.make_source({"a.md": b"twin", "b.md": b"twin", "c.md": b"other"})
        entries = [entry for entry in connector.scan(scope) if isinstance(entry, SourceEntry)]
        first, second, third = (
            connector.read(entry, discovered_at=_NOON).asset.asset_id for entry in entries
        )
        assert first == second != third

    def test_read_of_a_removed_file_raises(self) -> None:
        """Between scan and read anything can happen."""
        connector, scope = self.make_source({"a.md": b"here"})
        (entry,) = connector.scan(scope)
        assert isinstance(entry, SourceEntry)
        self.remove_file("a.md")
        with pytest.raises(StorageError):
            connector.read(entry, discovered_at=_NOON)


def _paths(items: Iterable[ScanItem]) -> list[str]:
    return [str(item.workspace_path) for item in items if isinstance(item, SourceEntry)]


class TestFilesystemConnectorLaws(SourceConnectorLaws):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.root = tmp_path / "source"

    def make_source(self, files: Mapping[str, bytes]) -> tuple[SourceConnector, SourceScope]:
        self.root.mkdir()
        for path, content in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(content)
        return FilesystemConnector(CodeIngestSettings()), SourceScope(root=str(self.root))

    def remove_file(self, path: str) -> None:
        (self.root / path).unlink()


class TestMemorySourceLaws(SourceConnectorLaws):
    def make_source(self, files: Mapping[str, bytes]) -> tuple[SourceConnector, SourceScope]:
        self.source = MemorySource("/source", files)
        return self.source, SourceScope(root="/source")

    def remove_file(self, path: str) -> None:
        self.source.remove(path)


@pytest.mark.enable_socket
class TestBucketConnectorLaws(SourceConnectorLaws):
    @pytest.fixture(autouse=True)
    def _bucket(self, server: BucketServer, request: pytest.FixtureRequest) -> None:
        self.server, self.name = server, f"laws-{abs(hash(request.node.name))}"
        server.make_bucket(self.name)

    def make_source(self, files: Mapping[str, bytes]) -> tuple[SourceConnector, SourceScope]:
        for path, content in files.items():
            self.server.put(self.name, path, content)
        return BucketConnector(CodeIngestSettings()), SourceScope(root=f"s3://{self.name}")

    def remove_file(self, path: str) -> None:
        self.server.remove(self.name, path)
