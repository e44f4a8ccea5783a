from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_core import CodeIngestSettings, ScanItem, SkippedPath, SourceEntry, SourceScope, UnreadableFolder
from kebab_source_fs import FilesystemConnector
from kebab_testing.bucket_server import BucketServer, serve_bucket


class Source:
    """A folder to scan and short forms of what a scan of it finds."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, **files: str) -> None:
        self.write_all(files)

    def write_all(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")

    def scan(self, code: CodeIngestSettings | None = None, **scope: object) -> list[ScanItem]:
        connector = FilesystemConnector(code or CodeIngestSettings())
        return list(connector.scan(SourceScope.model_validate({"root": str(self.root), **scope})))

    def found(self, code: CodeIngestSettings | None = None, **scope: object) -> dict[str, str]:
        """Path to `entry`, `unreadable-folder`, or the reason, with `/` after a folder's path."""
        found: dict[str, str] = {}
        for item in self.scan(code, **scope):
            path, kind = describe(item)
            assert path not in found
            found[path] = kind
        return found


def describe(item: ScanItem) -> tuple[str, str]:
    match item:
        case SourceEntry():
            return str(item.workspace_path), "entry"
        case SkippedPath():
            return f"{item.workspace_path}{'/' if item.is_folder else ''}", item.reason.value
        case UnreadableFolder():
            return f"{item.workspace_path}/", "unreadable-folder"


@pytest.fixture
def source(tmp_path: Path) -> Source:
    root = tmp_path / "notes"
    root.mkdir()
    return Source(root)


@pytest.fixture(scope="session")
def serving() -> Iterator[BucketServer]:
    with serve_bucket() as found:
        yield found


@pytest.fixture
def server(serving: BucketServer, monkeypatch: pytest.MonkeyPatch) -> BucketServer:
    for name, value in serving.environ.items():
        monkeypatch.setenv(name, value)
    return serving
