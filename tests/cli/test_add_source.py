"""`kebab config add-source`: a folder that shares files with a source would be indexed twice."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("place", [".", "notes/한국어"])
def test_a_folder_above_or_below_a_source_is_refused_and_nothing_is_written(place: str, kb, inside) -> None:  # type: ignore[no-untyped-def]
    before = kb.config.read_bytes()
    done = inside(kb)("config", "add-source", str(kb.folder / place), "--id", "more", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert f"overlaps source default ({kb.notes})" in str(done.error["message"])
    assert kb.config.read_bytes() == before


def test_every_source_that_would_be_doubled_is_named(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kebab = inside(kb)
    (kb.folder / "papers").mkdir()
    assert kebab("config", "add-source", str(kb.folder / "papers")).code == 0
    done = kebab("config", "add-source", str(kb.folder), "--id", "all")
    assert done.code == 2
    assert f"overlaps sources default ({kb.notes}), papers ({kb.folder / 'papers'})" in done.stderr
