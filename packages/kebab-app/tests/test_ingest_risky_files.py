"""An extractor that says it is risky reads its files in worker processes, within the limits of the settings."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.recipe_rows import RECIPES, RecipeRow
from kebab_core import IngestSettings, SearchQuery
from kebab_testing.tables import walk
from pydantic import ValidationError

if TYPE_CHECKING:
    from kebab_core import Remedy

    from conftest import Base, Outcome


@pytest.fixture(autouse=True)
def extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read text with an extractor of the tests, which this process and its workers find."""
    folder = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder)
    text = RecipeRow(media="text", extractor="runaway_extractor:build", chunker="md-heading-v4")
    rows = (RECIPES[0], text)
    monkeypatch.setattr("kebab_app.recipe_rows.RECIPES", rows)
    monkeypatch.setattr(
        "kebab_app.ingest.build_ingest_resources", partial(build_ingest_resources, recipes=rows)
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its address space")
def test_risky_files_past_their_limits_are_errors_with_what_to_raise_and_the_rest_is_read_by_another_process(
    base: Base,
) -> None:
    base.configure("ingest", extract_timeout_s=0.3, extract_memory_mb=200)
    files = {
        "a.txt": "zebra",
        "b.txt": "loop",
        "c.txt": "eat",
        "d.txt": "kill",
        "e.md": "loop",
        "f.txt": "zebra two",
        "g.txt": "where",
    }
    for path, content in files.items():
        base.write(path, content)
    outcome = base.ingest()
    assert outcome.counts == {"scanned": 7, "new": 4, "errors": 3}
    errors = {path: outcome.item(path).error for path in ("b.txt", "c.txt", "d.txt")}
    assert [error and error.code for error in errors.values()] == ["timeout", "io_error", "internal"]
    assert [hit.doc_path for hit in base.app.search(SearchQuery(text="zebra")).hits] == ["a.txt", "f.txt"]
    (hit,) = base.app.search(SearchQuery(text="process")).hits
    assert str(os.getpid()) not in hit.snippet
    assert base.paths() == ["a.txt", "e.md", "f.txt", "g.txt"]
    assert "died" in str(base.app.why(base.root / "d.txt"))
    _assert_advised(base, outcome, "b.txt", "ingest.extract_timeout_s")
    _assert_advised(base, outcome, "c.txt", "ingest.extract_memory_mb")
    (check,) = [check for check in base.app.doctor().checks if "b.txt" in check.detail]
    assert check.remedy is not None
    _assert_raises(check.remedy.then, "ingest.extract_timeout_s")


def _assert_advised(base: Base, outcome: Outcome, path: str, setting: str) -> None:
    """The run and the explanation advise to raise a limit."""
    error = outcome.item(path).error
    assert error is not None
    assert "raise" not in error.message
    _assert_raises(error.remedy, setting)
    _assert_raises(base.app.why(base.root / path).remedy, setting)


def _assert_raises(remedy: Remedy | None, setting: str) -> None:
    assert remedy is not None
    assert remedy.otherwise is not None
    assert (remedy.kind, remedy.setting) == ("raise_setting", setting)
    assert remedy.otherwise.advice == "leave it out"


@walk("values", [{"extract_timeout_s": 0}, {"extract_timeout_s": 86_401}, {"extract_memory_mb": 63}])
def test_limits_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        IngestSettings(**values)  # type: ignore[arg-type]
