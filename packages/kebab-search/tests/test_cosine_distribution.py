import pytest
from kebab_core import LanguageDistribution
from kebab_search.score import chance_z_score
from kebab_search.vector_search import (
    CosineDistribution,
    distributions_by_script,
    expected_z_score,
)
from kebab_text import Script


def test_z_score_counts_standard_deviations_above_the_mean() -> None:
    distribution = CosineDistribution(100, 0.8, 0.02)
    assert distribution.z_score(0.86) == pytest.approx(3)


def test_cosines_that_are_all_the_same_have_z_score_zero() -> None:
    assert CosineDistribution(5, 0.8, 0.0).z_score(0.8) == 0


def test_languages_of_one_script_are_one() -> None:
    by_script = distributions_by_script([
        LanguageDistribution("en", 2, 0.5, 0.1),
        LanguageDistribution("ko", 3, 0.7, 0.2),
        LanguageDistribution("de", 2, 0.9, 0.1),
    ])
    assert by_script.keys() == {Script.LATIN, Script.HANGUL}
    assert by_script[Script.HANGUL] == pytest.approx(CosineDistribution(3, 0.7, 0.2))
    assert by_script[Script.LATIN] == pytest.approx(CosineDistribution(4, 0.7, (0.01 + 0.04) ** 0.5))


def test_prior_counts_for_few_vectors_and_fades_with_many() -> None:
    prior = CosineDistribution(30, 0.78, 0.02)

    def distribution_of(vectors: int) -> CosineDistribution:
        found = distributions_by_script([LanguageDistribution("en", vectors, 0.9, 0.0)], prior=prior)
        return found[Script.LATIN]

    assert distribution_of(1).mean == pytest.approx(0.78, abs=0.01)
    assert distribution_of(10_000).mean == pytest.approx(0.9, abs=0.01)
    assert distribution_of(1).vectors == 31


def test_less_is_expected_of_a_passage_the_nearer_a_query_is_to_all_of_them_and_never_more() -> None:
    prior = CosineDistribution(30, 0.78, 0.02)

    def expected(mean: float) -> float:
        return expected_z_score(1000, CosineDistribution(1000, mean, 0.02), prior=prior)

    assert expected(0.84) < expected(0.82) < expected(0.78) == chance_z_score(1000) == expected(0.72)


def test_model_without_a_prior_expects_what_chance_gives() -> None:
    distribution = CosineDistribution(1000, 0.4, 0.1)
    assert expected_z_score(1000, distribution, prior=None) == chance_z_score(1000)
