"""Runs that die over pictures, or meet there: no page whose reading was kept is read a second time."""

from pathlib import Path

import pytest
from kebab_app import App
from kebab_core import FetchAddress, SearchMode, SearchQuery
from kebab_store_sqlite import claim_work

from tests.integration.kill_points import KillPoint
from tests.integration.killed_pictures import PICTURE_POINTS, SETTINGS, find_picture_faults, make_pictures
from tests.integration.killed_runs import KilledBase


@pytest.mark.thorough
@pytest.mark.parametrize("point", PICTURE_POINTS, ids=lambda point: point.name)
def test_the_next_run_goes_on_without_a_second_reading(point: KillPoint, tmp_path: Path) -> None:
    assert find_picture_faults(tmp_path, point) == []


def test_a_long_scan_is_found_by_pages_that_are_read_before_all_are(tmp_path: Path) -> None:
    base = KilledBase(tmp_path, more=SETTINGS)
    base.write(make_pictures())
    (late,) = [point for point in PICTURE_POINTS if point.name == "pictures: later reading comes"]
    base.kill(late)
    with App(base.load()) as app:
        (hit, *_) = app.search(SearchQuery(text="page 7", mode=SearchMode.LEXICAL)).hits
        assert hit.citation.to_address().startswith("scan.tif#p=7")
        assert "18" not in app.fetch(FetchAddress(address="scan.tif")).text


def test_a_piece_of_work_is_claimed_by_one_at_a_time(tmp_path: Path) -> None:
    with claim_work(tmp_path, "reading", ["a", "b"]) as first:
        with (
            claim_work(tmp_path, "reading", ["b", "c"]) as second,
            claim_work(tmp_path, "other", ["a"]) as other,
        ):
            assert (first, second, other) == ({"a", "b"}, {"c"}, {"a"})
        with claim_work(tmp_path, "reading", ["c"]) as third:
            assert third == {"c"}
    with claim_work(tmp_path, "reading", ["a"]) as last:
        assert last == {"a"}
    assert list(tmp_path.iterdir()) == []
