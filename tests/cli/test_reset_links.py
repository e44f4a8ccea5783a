"""`kebab reset` where the user has put kebab's folders on another disk: what it reports is what it did."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest


@pytest.mark.parametrize("scope", ["--all", "--data-only"])
def test_a_linked_data_folder_with_a_linked_folder_of_copies_is_emptied(scope: str, quick) -> None:  # type: ignore[no-untyped-def]
    disk = quick.folder / "big disk"
    disk.mkdir()
    for place in (quick.data / "assets", quick.data):
        shutil.move(place, disk / place.name)
        place.symlink_to(disk / place.name)

    done = quick("reset", scope, "--yes", "--json")

    assert (done.code, done.stderr) == (0, "")
    removed = [Path(path) for path in done.last["removed_paths"]]
    assert disk / "assets" in {path.parent for path in removed}
    assert not [path for path in removed if path.exists()]
    assert [path for path in disk.rglob("*") if path.is_file()] == []
    assert quick.data.is_symlink()
    assert quick.config.exists() is (scope == "--data-only")
    assert len(list(quick.notes.rglob("*.md"))) == 2
