"""Words of remedies where no face has its own: every kind has some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from kebab_core import Remedy, RemedyKind
from kebab_testing.laws.remedy_words import RemedyWordsLaws
from kebab_wire import REMEDY_WORDS, render_remedy


class TestRemedyWords(RemedyWordsLaws):
    def words(self) -> Mapping[RemedyKind, str]:
        return REMEDY_WORDS

    def render(self, remedy: Remedy) -> str:
        return render_remedy(remedy)


def test_every_kind_has_words() -> None:
    assert set(REMEDY_WORDS) == set(get_args(RemedyKind))


def test_sequences_and_alternatives_are_joined() -> None:
    then = Remedy(kind="embed")
    remedy = Remedy(kind="free_space", otherwise=Remedy(kind="check_permissions", path="/d", then=then))
    assert render_remedy(remedy, {"embed": "make them"}) == (
        "free some disk space, or check the permissions of '/d'; then make them"
    )


def test_values_are_written_as_in_a_settings_file() -> None:
    assert render_remedy(Remedy(kind="set", setting="a.b", value="한글")) == 'set a.b = "한글"'
    assert render_remedy(Remedy(kind="set", setting="a.b", value=False)) == "set a.b = false"
    assert render_remedy(Remedy(kind="set", setting="a.b")) == "set a.b"
