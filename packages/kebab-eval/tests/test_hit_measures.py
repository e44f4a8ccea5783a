"""Measures of first hits: passages without words of their own, and scores against judgements."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from kebab_core import ScoreKind
from kebab_eval import HitResult, SearchResult, has_words, measure_scores, summarize_hits
from kebab_testing.tables import walk


@walk(
    "text",
    [
        "* TOC\n{:toc}",
        "[TOC]\n\n[[_TOC_]]",
        "## Links\n\n* [home](https://example.com/a_(b))\n- [[Other page|other]]\n<https://example.com>",
        "# 제목\n\n### 소제목 {#id}",
        "{% include toc.html %}\n{{ page.title }}",
        "<div class='x'>\n</div>\n<!-- draft\nof a text -->",
        "![[Picture 1.png]]\n![alt text](a.png)",
        "- [ ] \n- [x]",
        "[![logo](logo.png)](https://example.com)",
        "[home]: https://example.com/a 'title'",
        "---\n***",
        "```\n```",
        "",
    ],
)
def test_a_passage_of_markup_and_links_alone_has_no_words(text: str) -> None:
    assert not has_words(text)


@walk(
    "text",
    [
        "* TOC\n{:toc}\n\nOne line.",
        "- [[Sync]]\n  - keeps notes the same on all devices",
        "See [home](https://example.com) for more.",
        "```\n# a comment\n```",
        "1. 첫째",
        "- [ ] call Ann",
        "a < b and c > d",
        "| 1 | 2 |",
    ],
)
def test_a_passage_with_words_beside_markup_has_words(text: str) -> None:
    assert has_words(text)


def test_scores_that_are_the_share_of_relevant_hits_have_no_calibration_error() -> None:
    scored = [(0.25, number % 4 == 0) for number in range(600)] + [
        (0.75, number % 4 != 0) for number in range(600)
    ]
    measured = measure_scores([*scored, (0.5, None)])
    assert measured is not None
    assert (measured.hits, measured.unjudged, len(measured.points)) == (1200, 1, 15)
    assert measured.calibration_error == pytest.approx(0, abs=0.01)
    assert measured.brier == pytest.approx(0.1875)


def test_scores_that_are_always_sure_and_always_wrong_have_the_greatest_error() -> None:
    measured = measure_scores([(1.0, False), (0.0, True)])
    assert measured is not None
    assert (measured.calibration_error, measured.brier) == (1.0, 1.0)


@given(st.lists(st.tuples(st.floats(0, 1), st.one_of(st.none(), st.booleans())), max_size=80))
def test_every_judged_hit_is_in_one_bin_and_bins_are_about_equal(
    scored: list[tuple[float, bool | None]],
) -> None:
    measured = measure_scores(scored)
    if measured is None:
        assert not scored
        return
    sizes = [point.hits for point in measured.points]
    assert sum(sizes) == measured.hits == sum(right is not None for _, right in scored)
    assert measured.hits + measured.unjudged == len(scored)
    assert not sizes or max(sizes) - min(sizes) <= 1
    assert [point.score for point in measured.points] == pytest.approx(
        sorted(p.score for p in measured.points)
    )


def found(*hits: HitResult, kind: str = "name", judged: bool = True) -> SearchResult:
    return SearchResult(
        query_id="q",
        text="?",
        language="ko",
        kind=kind,
        judged=judged,
        score_kind=ScoreKind.CALIBRATED,
        hits=hits,
    )


def hit(*, score: float = 1.0, boilerplate: bool | None = None, stranger: bool | None = None) -> HitResult:
    return HitResult(document="a", score=score, relevant=False, boilerplate=boilerplate, stranger=stranger)


def test_shares_are_of_first_hits_of_first_fives_and_of_searches() -> None:
    metrics = summarize_hits([
        found(hit(boilerplate=True, stranger=False), hit(stranger=True)),
        found(hit(boilerplate=False, stranger=False), hit(score=0.5, stranger=False)),
        found(*[hit() for _ in range(10)]),
        found(),
        found(kind="absent", judged=False),
        found(hit(boilerplate=False), kind="absent", judged=False),
    ])
    assert (metrics.searches, metrics.boilerplate, metrics.strangers) == (6, 1 / 3, 1 / 4)
    assert (metrics.absent, metrics.absent_no_hit, metrics.judged_no_hit) == (2, 1 / 2, 1 / 4)
    assert metrics.saturated == 1.0
    assert metrics.distinct_scores == pytest.approx((0.5 + 1 + 0.1 + 1) / 4)
    assert metrics.scores is not None
    assert metrics.scores.hits == 15


def test_scores_that_only_rank_are_not_held_against_judgements() -> None:
    ranked = found(hit(score=12.5)).model_copy(update={"score_kind": ScoreKind.BM25})
    assert summarize_hits([ranked]).scores is None
