"""What people read where the model failed."""

from __future__ import annotations

import pytest
from kebab_cli.render import Console
from kebab_cli.views.embedding import render_embedding
from kebab_core import EmbeddingFailure, EmbeddingSummary


def shown(capsys: pytest.CaptureFixture[str], *, hint: str | None, pending: int | None) -> list[str]:
    failure = EmbeddingFailure(code="model_corrupt", message="vectors are not numbers", hint=hint)
    render_embedding(Console(), EmbeddingSummary(pending=pending, failure=failure))
    return capsys.readouterr().out.splitlines()


def test_failure_without_a_hint_of_its_own_says_first_what_to_do_about_the_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    note, hint = shown(capsys, hint=None, pending=2)
    assert note == "note: 2 passages without vectors: vectors are not numbers"
    assert hint.startswith(
        "hint: mend the model, or choose another (kebab models list); then kebab embed; until"
    )


@pytest.mark.parametrize(("pending", "who"), [(1, "1 passage"), (7, "7 passages")])
def test_note_counts_the_passages_that_have_none(
    capsys: pytest.CaptureFixture[str], pending: int, who: str
) -> None:
    note, hint = shown(capsys, hint="install it", pending=pending)
    assert note.startswith(f"note: {who} without vectors")
    assert hint.startswith("hint: install it; then kebab embed; until then")


def test_note_of_a_model_that_is_missed_only_by_questions_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    note, hint = shown(capsys, hint="install it", pending=0)
    assert note == "note: every passage has its vector, but questions get none: vectors are not numbers"
    assert hint == "hint: install it; until then search goes by words alone"


def test_note_claims_nothing_of_passages_that_nobody_can_count(capsys: pytest.CaptureFixture[str]) -> None:
    note, hint = shown(capsys, hint="install it", pending=None)
    assert note == "note: no vectors were made: vectors are not numbers"
    assert hint.endswith("; until then passages without vectors are found by their words alone")
