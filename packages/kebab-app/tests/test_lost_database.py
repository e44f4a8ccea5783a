"""What another program or a full disk does to the database of an open knowledge base."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import App, ResetScope
from kebab_core import DatabaseCorruptError, FetchAddress, NotIndexedError, StorageError

if TYPE_CHECKING:
    from conftest import Base


def count_hits(app: App) -> int:
    return len(app.search("deposit").hits)


def _empty(database: Path) -> None:
    os.truncate(database, 0)


def _replace_by_empty(database: Path) -> None:
    database.with_name("new").touch()
    database.with_name("new").replace(database)


def _cut(database: Path) -> None:
    os.truncate(database, database.stat().st_size // 8192 * 4096)


def _overwrite(database: Path) -> None:
    database.write_bytes(b"no database\n" * 4000)


@pytest.mark.parametrize(
    ("spoil", "told", "is_log_left"),
    [
        (_empty, "is empty", True),
        (_replace_by_empty, "is empty", True),
        (_cut, "was cut", False),
        (_cut, "was cut", True),
        (_overwrite, "is no database any more", False),
        (_overwrite, "is no database any more", True),
    ],
)
def test_a_spoilt_database_is_told_at_once_and_the_remedy_works(
    base: Base, spoil: Callable[[Path], None], told: str, *, is_log_left: bool
) -> None:
    base.write("lease.md", "# Lease\n\nThe deposit is 300 euros.\n")
    base.ingest()
    assert count_hits(base.app) == 1
    database = base.data_dir / "kebab.sqlite"
    if not is_log_left:
        base.close()
    else:
        with closing(sqlite3.connect(database)) as connection:  # what the header says is in the file
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    spoil(database)
    with ThreadPoolExecutor(1) as other_thread:
        other_thread.submit(list).result()
        for attempt in (
            lambda: count_hits(base.app),
            lambda: base.app.fetch(FetchAddress(address="lease.md")),
            lambda: other_thread.submit(count_hits, base.app).result(),
            lambda: base.app.ingest(),
            lambda: count_hits(App(base.load())),  # as another process would open it
        ):
            with pytest.raises(DatabaseCorruptError, match=told) as caught:
                attempt()
            assert caught.value.remedy is not None
            assert (caught.value.remedy.kind, caught.value.remedy.then.kind) == ("reset_data", "ingest")
    base.app.reset(ResetScope.DATA_ONLY)
    with pytest.raises(NotIndexedError):
        count_hits(base.app)
    base.app.ingest()
    assert count_hits(base.app) == 1


def test_a_database_that_was_deleted_without_its_log_is_made_again_by_the_next_run(base: Base) -> None:
    base.write("lease.md", "# Lease\n\nThe deposit is 300 euros.\n")
    base.ingest()
    assert count_hits(base.app) == 1
    (base.data_dir / "kebab.sqlite").unlink()
    assert (base.data_dir / "kebab.sqlite-wal").exists()
    with pytest.raises(NotIndexedError):
        count_hits(base.app)
    App(base.load()).ingest()
    assert count_hits(base.app) == 1


def _move_over(database: Path, other: Path) -> None:
    shutil.copy(other, database.with_name("moved"))
    database.with_name("moved").replace(database)


@pytest.mark.parametrize("put", [_move_over, lambda database, other: shutil.copyfile(other, database)])
@pytest.mark.parametrize("is_open", [False, True])
def test_the_database_of_another_base_is_told_and_set_aside_whole(
    base: Base, tmp_path: Path, put: Callable[[Path, Path], object], *, is_open: bool
) -> None:
    base.write("lease.md", "# Lease\n\nThe deposit is 300 euros.\n")
    base.ingest()
    assert count_hits(base.app) == 1
    settings = base.load()
    elsewhere = replace(settings, paths=replace(settings.paths, data_dir=tmp_path / "other"))
    with App(elsewhere) as other:
        other.ingest()
    database = base.data_dir / "kebab.sqlite"
    content = (tmp_path / "other" / "kebab.sqlite").read_bytes()
    if not is_open:
        base.close()
    put(database, tmp_path / "other" / "kebab.sqlite")
    for attempt in (
        lambda: base.app.fetch(FetchAddress(address="lease.md")),
        lambda: count_hits(base.app),
        lambda: base.app.ingest(),
        lambda: count_hits(App(base.load())),
    ):
        with pytest.raises(DatabaseCorruptError, match="another knowledge base") as caught:
            attempt()
        assert caught.value.remedy is not None
        assert (caught.value.remedy.kind, caught.value.remedy.then.kind) == ("repair", "ingest")
    base.app.doctor(repair=True)
    (kept,) = (base.data_dir / "replaced").glob("base-*/kebab.sqlite")
    assert kept.read_bytes() == content
    base.app.ingest()
    assert count_hits(base.app) == 1


def test_a_disk_without_space_for_shared_memory_is_read_without_it(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("lease.md", "# Lease\n\nThe deposit is 300 euros.\n")
    base.ingest()
    base.close()
    found = os.statvfs(base.data_dir)
    full = os.statvfs_result((found[0], found[1], found[2], 0, 0, *found[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _path: full)

    assert count_hits(base.app) == 1
    assert not (base.data_dir / "kebab.sqlite-shm").exists()
    with pytest.raises(StorageError, match="is full") as caught:
        base.app.ingest()
    assert caught.value.remedy is not None
    assert caught.value.remedy.kind == "free_space"
