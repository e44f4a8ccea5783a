from __future__ import annotations

import os
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import CodeIngestSettings, SourceEntry, StorageError
from kebab_source_fs import FilesystemConnector
from kebab_source_fs.reading import read_unchanged

if TYPE_CHECKING:
    from conftest import Source

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
CONNECTOR = FilesystemConnector(CodeIngestSettings())


def only_entry(source: Source) -> SourceEntry:
    (entry,) = source.scan()
    assert isinstance(entry, SourceEntry)
    return entry


class AppendedFile(FileIO):
    """A file to which another program adds while it is being read."""

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(size)
        with Path(os.fsdecode(self.name)).open("ab") as other:
            other.write(b"more")
        return content


def test_read_of_a_file_that_changes_meanwhile_raises(source: Source) -> None:
    source.write_all({"a.md": "text"})
    path = str(source.root / "a.md")
    with AppendedFile(path) as handle, pytest.raises(StorageError):
        read_unchanged(handle, path)


def test_read_of_a_file_changed_since_the_scan_gives_the_new_stamp(source: Source) -> None:
    source.write_all({"a.md": "text"})
    entry = only_entry(source)
    source.write_all({"a.md": "longer text"})
    file = CONNECTOR.read(entry, discovered_at=NOON)
    assert (file.content, file.stamp) == (b"longer text", only_entry(source).stamp)


@pytest.mark.parametrize("replacement", ["folder", "pipe"])
def test_read_of_what_is_no_longer_a_file_raises_at_once(source: Source, replacement: str) -> None:
    source.write_all({"a.md": "text"})
    entry = only_entry(source)
    (source.root / "a.md").unlink()
    os.mkfifo(source.root / "a.md") if replacement == "pipe" else (source.root / "a.md").mkdir()
    with pytest.raises(StorageError) as caught:
        CONNECTOR.read(entry, discovered_at=NOON)
    assert caught.value.details["path"] == entry.disk_path


def test_read_through_a_link_gives_the_targets_bytes_and_stamp(source: Source) -> None:
    source.write_all({".git/objects/1": "text"})
    (source.root / "a.md").symlink_to(".git/objects/1")
    entry = next(item for item in source.scan() if isinstance(item, SourceEntry))
    file = CONNECTOR.read(entry, discovered_at=NOON)
    assert (file.content, file.stamp, entry.workspace_path) == (b"text", entry.stamp, "a.md")
