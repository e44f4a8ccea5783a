"""What another program or a full disk does to the database of an open knowledge base."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from kebab_app import App, ResetScope
from kebab_core import DatabaseCorruptError, NotIndexedError, StorageError

if TYPE_CHECKING:
    from conftest import Base


def count_hits(app: App) -> int:
    return len(app.search("deposit").hits)


@pytest.mark.parametrize("how", ["truncated", "replaced by an empty file"])
def test_an_emptied_database_is_told_at_once_and_the_remedy_works(base: Base, how: str) -> None:
    base.write("lease.md", "# Lease\n\nThe deposit is 300 euros.\n")
    base.ingest()
    assert count_hits(base.app) == 1
    database = base.data_dir / "kebab.sqlite"
    if how == "truncated":
        os.truncate(database, 0)
    else:
        database.with_name("new").touch()
        database.with_name("new").replace(database)
    with ThreadPoolExecutor(1) as other_thread:
        other_thread.submit(list).result()
        for attempt in (
            lambda: count_hits(base.app),
            lambda: other_thread.submit(count_hits, base.app).result(),
            lambda: base.app.ingest(),
            lambda: count_hits(App(base.load())),  # as another process would open it
        ):
            with pytest.raises(DatabaseCorruptError, match="the database file is empty") as caught:
                attempt()
            assert caught.value.remedy is not None
            assert (caught.value.remedy.kind, caught.value.remedy.then.kind) == ("reset_data", "ingest")
    base.app.reset(ResetScope.DATA_ONLY)
    with pytest.raises(NotIndexedError):
        count_hits(base.app)
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
