"""No document of any format hangs, crashes, or ends empty without a word: a sample of `bench.fuzz_formats`."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_testing.families import sample

from tests.integration.format_mutations import MUTATIONS, UNCHANGED, Trial
from tests.integration.format_samples import WRITERS
from tests.integration.fuzzed_formats import ingest_trials

FOUND = [
    Trial("odt", "sizes", 14),
    Trial("docx", "sizes", 28),
    Trial("pdf", "member", 113),
    Trial("xlsx", "member", 501),
    Trial("mbox", "members", 515),
]
"""Documents that met a bug once."""
TRIALS = [Trial(extension, mutation, 0) for extension in WRITERS for mutation in MUTATIONS]


@pytest.mark.thorough
def test_damaged_and_hostile_documents_end_as_documents_reasons_or_named_errors(tmp_path: Path) -> None:
    trials = [*FOUND, *sample(TRIALS)]
    found = ingest_trials(trials, tmp_path / "fuzzed")
    assert found.faults == []
    assert found.slow == []
    assert found.outcomes.total() == len(trials)


def test_samples_themselves_are_read_where_their_format_is(tmp_path: Path) -> None:
    found = ingest_trials([Trial(extension, UNCHANGED, 0) for extension in WRITERS], tmp_path / "whole")
    assert {outcome for _, outcome in found.outcomes} <= {"document", "skipped"}
    assert {extension for extension, outcome in found.outcomes if outcome == "document"} >= {
        "md", "hwp", "hwpx", "pdf", "docx", "odt",
    }  # fmt: skip
