import pytest
from kebab_core import LanguageSpread
from kebab_search.scripts import Script
from kebab_search.standing import Spread, spreads_by_script


def test_standing_counts_deviations_above_the_mean() -> None:
    spread = Spread(100, 0.8, 0.02)
    assert spread.standing(0.86) == pytest.approx(3)


def test_cosines_that_are_all_the_same_stand_out_by_nothing() -> None:
    assert Spread(5, 0.8, 0.0).standing(0.8) == 0


def test_languages_of_one_script_are_one() -> None:
    spreads = spreads_by_script([
        LanguageSpread("en", 2, 0.5, 0.1),
        LanguageSpread("ko", 3, 0.7, 0.2),
        LanguageSpread("de", 2, 0.9, 0.1),
    ])
    assert spreads.keys() == {Script.LATIN, Script.HANGUL}
    assert spreads[Script.HANGUL] == pytest.approx(Spread(3, 0.7, 0.2))
    assert spreads[Script.LATIN] == pytest.approx(Spread(4, 0.7, (0.01 + 0.04) ** 0.5))


def test_what_is_usual_fills_in_where_little_is_known_and_fades() -> None:
    usual = Spread(30, 0.78, 0.02)

    def spread_of(vectors: int) -> Spread:
        found = spreads_by_script([LanguageSpread("en", vectors, 0.9, 0.0)], usual=usual)
        return found[Script.LATIN]

    assert spread_of(1).mean == pytest.approx(0.78, abs=0.01)
    assert spread_of(10_000).mean == pytest.approx(0.9, abs=0.01)
    assert spread_of(1).vectors == 31
