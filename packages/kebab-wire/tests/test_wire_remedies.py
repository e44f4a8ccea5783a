"""Words of remedies where no face has its own: every kind has some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from kebab_core import KebabError, Message, Remedy, RemedyKind
from kebab_testing.laws.remedy_words import RemedyWordsLaws
from kebab_wire import REMEDY_WORDS, render_hint, render_remedy
from kebab_words import Words


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


def test_a_reader_without_a_command_line_gets_the_first_step_that_needs_none() -> None:
    by_hand = Remedy(advice=Message("save {path!r} as UTF-8", path="a"), then=Remedy(kind="ingest"))
    after_a_command = Remedy(kind="explain_file", path="a", then=by_hand)
    instead_of_one = Remedy(kind="list_documents", otherwise=by_hand)
    remedies = [by_hand, after_a_command, instead_of_one, Remedy(kind="explain_file", path="a"), by_hand.then]
    hints = [
        render_hint(KebabError("it fails", remedy=each), Words("ko"), handled={"ingest"}) for each in remedies
    ]
    assert hints == ["'a' 파일을 UTF-8로 저장하세요"] * 3 + ["", ""]
