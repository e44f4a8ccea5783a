"""`kebab lake`: what is printed, and the exit codes."""

from __future__ import annotations

import shutil

import pytest
from kebab_wire import LakeCompactionV1, LakeCopyV1, parse_wire


@pytest.fixture
def committer(quick, tmp_path):  # type: ignore[no-untyped-def]
    """A base whose lake and copy are folders; it has been published."""
    for key in ("lake", "mirror"):
        assert quick("config", "set", f"storage.{key}", str(tmp_path / key)).code == 0
    assert quick("ingest").code == 0
    return quick


def test_a_lake_is_verified_compacted_and_copied(committer, tmp_path) -> None:  # type: ignore[no-untyped-def]
    assert committer("lake", "verify").code == 0
    compaction = parse_wire(committer("lake", "compact", "--json").stdout)
    assert isinstance(compaction, LakeCompactionV1)
    assert (compaction.lake, compaction.revision) == (str(tmp_path / "lake"), 2)
    copy = parse_wire(committer("lake", "mirror", "--json").stdout)
    assert isinstance(copy, LakeCopyV1)
    assert (copy.folder, copy.revision) == (str(tmp_path / "mirror"), 2)
    assert "revision 2 is in" in committer("lake", "mirror").stdout
    assert "revision 3 of" in committer("lake", "compact").stdout
    shutil.rmtree(tmp_path / "lake" / "passages.lance" / "data")
    broken = committer("lake", "verify")
    assert (broken.code, "lake_contents" in broken.stdout) == (3, True)
