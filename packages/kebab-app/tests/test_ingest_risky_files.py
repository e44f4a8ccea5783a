"""An extractor that says it is risky reads its files in worker processes, within the limits of the settings."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.wiring import RECIPES, RecipeRow
from kebab_core import IngestSettings, SearchQuery
from kebab_testing.tables import walk
from pydantic import ValidationError

if TYPE_CHECKING:
    from conftest import Base


@pytest.fixture(autouse=True)
def extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read text with an extractor of the tests, which this process and its workers find."""
    folder = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder)
    text = RecipeRow(media="text", extractor="runaway_extractor:build", chunker="md-heading-v4")
    rows = (RECIPES[0], text)
    monkeypatch.setattr("kebab_app.wiring.RECIPES", rows)
    monkeypatch.setattr(
        "kebab_app.ingest.build_ingest_resources", partial(build_ingest_resources, recipes=rows)
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its address space")
def test_risky_files_past_their_limits_are_errors_and_the_rest_is_found(base: Base) -> None:
    base.configure("ingest", extract_timeout_s=1.0, extract_memory_mb=200)
    files = {
        "a.txt": "zebra",
        "b.txt": "loop",
        "c.txt": "eat",
        "d.txt": "kill",
        "e.md": "loop",
        "f.txt": "zebra two",
    }
    for path, content in files.items():
        base.write(path, content)
    outcome = base.ingest()
    assert outcome.counts == {"scanned": 6, "new": 3, "errors": 3}
    errors = {path: outcome.item(path).error for path in ("b.txt", "c.txt", "d.txt")}
    assert [error and error.code for error in errors.values()] == ["timeout", "io_error", "internal"]
    assert [hit.doc_path for hit in base.app.search(SearchQuery(text="zebra")).hits] == ["a.txt", "f.txt"]
    assert base.paths() == ["a.txt", "e.md", "f.txt"]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its address space")
@pytest.mark.parametrize(
    ("content", "setting"), [("loop", "ingest.extract_timeout_s"), ("eat", "ingest.extract_memory_mb")]
)
def test_run_explanation_and_doctor_advise_to_raise_the_limit_of_a_file_past_it(
    base: Base, content: str, setting: str
) -> None:
    base.configure("ingest", extract_timeout_s=1.0, extract_memory_mb=200)
    path = base.write("b.txt", content)
    error = base.ingest().item("b.txt").error
    assert error is not None
    assert "raise" not in error.message
    (check,) = [check for check in base.app.doctor().checks if "b.txt" in check.detail]
    assert check.remedy is not None
    for remedy in (error.remedy, base.app.why(path).remedy, check.remedy.then):
        assert remedy is not None
        assert remedy.otherwise is not None
        assert (remedy.kind, remedy.setting) == ("raise_setting", setting)
        assert remedy.otherwise.advice == "leave it out"


def test_a_risky_file_is_read_by_another_process(base: Base) -> None:
    base.write("a.txt", "where")
    base.ingest()
    (hit,) = base.app.search(SearchQuery(text="process")).hits
    assert str(os.getpid()) not in hit.snippet


def test_the_reason_why_a_risky_file_is_not_found_is_given_without_parsing_it(base: Base) -> None:
    base.configure("ingest", extract_timeout_s=3.0)
    path = base.write("b.txt", "kill")
    base.ingest()
    assert "died" in str(base.app.why(path))


@walk("values", [{"extract_timeout_s": 0}, {"extract_timeout_s": 86_401}, {"extract_memory_mb": 63}])
def test_limits_out_of_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        IngestSettings(**values)  # type: ignore[arg-type]
