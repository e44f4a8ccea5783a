"""Questions to a few notes each: recipes, ledgers, minutes, contacts, how-tos, notes on code; half have no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

SUITES = Path(__file__).parents[1] / "goldens" / "suites"
IN_VIEW = ("kitchen-ko", "ledger-en", "meetings-ko", "howto-en", "code-en")
"""Those that rules of earlier versions were chosen with."""
OTHERS = ("recipes-en", "ledger-ko", "contacts", "meetings-en", "code-ko")


@pytest.mark.thorough
@pytest.mark.parametrize("names", [IN_VIEW, OTHERS], ids=["in view", "others"])
def test_plain_questions_to_a_few_notes_are_answered_and_near_misses_refused(names, quick) -> None:  # type: ignore[no-untyped-def]
    right = refused = answerable = unanswerable = 0.0
    for name in names:
        done = quick("eval", "run", str(SUITES / f"notes-{name}.yaml"), "--json")
        assert done.code == 0, done.stderr
        answers = done.last["answers"]
        answerable += answers["answerable"]
        unanswerable += answers["unanswerable"]
        right += answers["must_contain"] * answers["answerable"]
        refused += answers["refusal_recall"] * answers["unanswerable"]
    assert min(answerable, unanswerable) >= 30
    assert right / answerable >= 0.75  # with vectors .95 and .91
    assert refused / unanswerable >= 0.75


def test_asked_list_is_quoted_whole_whatever_the_page_calls_it(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("eval", "run", str(SUITES / "notes-design-ko.yaml"), "--json")
    assert done.code == 0, done.stderr
    answers = done.last["answers"]
    assert answers["answerable"] == 3
    assert answers["must_contain"] == 1.0
