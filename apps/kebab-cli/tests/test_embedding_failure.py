"""What people read where the model failed."""

from __future__ import annotations

import pytest
from kebab_cli.render import Console
from kebab_cli.views.ingest import render_embedding
from kebab_core import EmbeddingFailure, EmbeddingSummary


def shown(
    capsys: pytest.CaptureFixture[str], *, hint: str | None, pending: int | None, code: str = "model_corrupt"
) -> list[str]:
    failure = EmbeddingFailure(code=code, message="vectors are not numbers", hint=hint)
    render_embedding(Console(), EmbeddingSummary(pending=pending, failure=failure))
    return capsys.readouterr().out.splitlines()


def test_failure_without_a_hint_of_its_own_says_first_what_to_do_about_the_model(
    capsys: pytest.CaptureFixture[str],
) -> None:
    note, hint = shown(capsys, hint=None, pending=2)
    assert note == "note: 2 passages without vectors: vectors are not numbers"
    assert hint.startswith(
        "hint: repair the model, or choose another (kebab models list); then kebab embed; until"
    )


@pytest.mark.parametrize(
    ("pending", "who", "found"),
    [(1, "1 passage", "finds it"), (7, "7 passages", "finds them")],
)
def test_note_counts_the_passages_that_have_none(
    capsys: pytest.CaptureFixture[str], pending: int, who: str, found: str
) -> None:
    note, hint = shown(capsys, hint="install it", pending=pending)
    assert note.startswith(f"note: {who} without vectors")
    assert hint == f"hint: install it; then kebab embed; until then only full-text search {found}"


def test_hint_that_leads_to_embedding_does_so_once(capsys: pytest.CaptureFixture[str]) -> None:
    _, hint = shown(capsys, hint="move it away, then run `kebab embed`", pending=2)
    assert hint.count("kebab embed") == 1


def test_note_of_a_model_that_is_missed_only_by_questions_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    note, hint = shown(capsys, hint="install it", pending=0)
    assert note == "note: every passage has a vector, but queries cannot be embedded: vectors are not numbers"
    assert hint == "hint: install it; until then only full-text search works"


def test_note_claims_nothing_of_passages_that_nobody_can_count(capsys: pytest.CaptureFixture[str]) -> None:
    note, hint = shown(capsys, hint="install it", pending=None)
    assert note == "note: no vectors were made: vectors are not numbers"
    assert hint.endswith("; until then only full-text search finds passages without vectors")


def test_note_of_an_index_that_cannot_be_written_blames_no_model(capsys: pytest.CaptureFixture[str]) -> None:
    note, hint = shown(capsys, hint="make it writable", pending=0, code="io_error")
    assert note.startswith("note: every passage has a vector, but the vector index could not be updated: ")
    assert hint == "hint: make it writable; then kebab embed"
