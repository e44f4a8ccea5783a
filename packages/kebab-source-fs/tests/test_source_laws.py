from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from kebab_core import CodeIngestSettings, SourceConnector, SourceScope
from kebab_source_fs import FilesystemConnector
from kebab_testing.fakes.source import MemorySource
from kebab_testing.laws.source_connector import SourceConnectorLaws


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
