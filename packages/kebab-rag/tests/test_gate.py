import pytest
from hypothesis import given, strategies as st
from kebab_core import EmbeddingModelId, Evidence, IndexVersion, SearchHit
from kebab_rag.gate import (
    BY_WORDS,
    NAMED,
    WHOLE_PASSAGE,
    WITH_VECTORS,
    choose_curve,
    score_hits,
    share_of_few,
)
from kebab_testing.tables import walk

E5 = "multilingual-e5-small"
shares = st.floats(0, 1)
signals = st.fixed_dictionaries({
    **dict.fromkeys(
        ("coverage", "bm25_ratio", "density", "sentence_coverage", "proximity", "similarity"), shares
    ),
    "z_score": st.floats(-3, 10),
})


def hit_of(evidence: Evidence, *, lang: str = "ko", model: str | None = E5) -> SearchHit:
    return SearchHit.model_construct(
        evidence=evidence,
        index_version=IndexVersion("hybrid:ko-en@2+e5-small@1"),
        embedding_model=None if model is None else EmbeddingModelId(model),
        lang=lang,
    )


POSITIONS = {"coverage": 0.5, "density": 0.2, "proximity": 0.5}


every_curve = pytest.mark.parametrize("curve", [BY_WORDS, WITH_VECTORS, WHOLE_PASSAGE])


@every_curve
@given(low=signals, high=signals)
def test_better_evidence_never_says_less_on_a_curve(curve, low, high) -> None:
    better = {name: max(low[name], high[name]) for name in low}
    assert curve.log_odds(Evidence(**low)) <= curve.log_odds(Evidence(**better))


@given(low=signals, high=signals, documents=st.none() | st.integers(0, 1_000))
def test_scores_are_shares_and_better_evidence_never_scores_less(low, high, documents) -> None:
    better = {name: max(low[name], high[name]) for name in low}
    scores = score_hits([hit_of(Evidence(**low)), hit_of(Evidence(**better))], documents=documents)
    assert 0 <= scores[0] <= scores[1] <= 1


@every_curve
def test_no_evidence_is_far_below_the_default_gate_and_full_evidence_far_above(curve) -> None:
    full = Evidence(
        coverage=1,
        bm25_ratio=0.6,
        density=0.4,
        sentence_coverage=1,
        proximity=1,
        similarity=0.9,
        z_score=6,
    )
    assert curve.log_odds(Evidence()) < -2
    assert curve.log_odds(full) > 0.85


def test_no_evidence_stays_below_the_default_gate_however_few_documents_there_are() -> None:
    (by_words, with_vectors) = score_hits(
        [hit_of(Evidence(density=0.0)), hit_of(Evidence(density=0.0, z_score=0.0))], documents=1
    )
    assert max(by_words, with_vectors) < 0.25


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_fewer_documents_never_count_as_more_and_many_not_as_few(few: int, many: int) -> None:
    few, many = sorted((few, many))
    assert 1 >= share_of_few(few) >= share_of_few(many) >= 0
    assert share_of_few(1_000) == share_of_few(None) == 0
    assert share_of_few(3) > 0.5


def test_among_few_documents_a_hit_that_words_let_pass_is_not_refused_for_a_low_z_score() -> None:
    evidence = Evidence(**POSITIONS, similarity=0.84, z_score=1.0)
    by_words = hit_of(Evidence(**POSITIONS))
    (few,), (many,), (words,) = (
        score_hits([hit], documents=count)
        for hit, count in ((hit_of(evidence), 5), (hit_of(evidence), 1_000), (by_words, 5))
    )
    assert many < 0.2
    assert 0.3 < few < words


@walk("model", [None, "another"])
def test_hit_without_a_vector_of_the_measured_model_is_judged_by_words(model: str | None) -> None:
    hit = hit_of(Evidence(**POSITIONS, similarity=0.8, z_score=3), model=model)
    assert choose_curve(hit) is BY_WORDS
    assert choose_curve(hit_of(Evidence(**POSITIONS))) is BY_WORDS


def test_hit_with_a_vector_is_judged_by_words_and_meaning() -> None:
    assert choose_curve(hit_of(Evidence(**POSITIONS, similarity=0.8, z_score=3))) is WITH_VECTORS


def test_hit_without_positions_of_words_is_judged_by_the_whole_passage() -> None:
    assert choose_curve(hit_of(Evidence(coverage=0.5, bm25_ratio=0.5))) is WHOLE_PASSAGE


@walk("lang", ["ko", "en"])
def test_passage_that_shares_no_word_passes_by_meaning_alone_only_where_it_stands_out(lang: str) -> None:
    near, far = (
        hit_of(Evidence(sentence_coverage=0, density=0, proximity=0, **signals), lang=lang)
        for signals in ({"similarity": 0.88, "z_score": 5.5}, {"similarity": 0.76, "z_score": 2.5})
    )
    passed, refused = score_hits([near, far], documents=3)
    assert refused < 0.2
    assert passed > 0.3


@walk(
    ("question", "is_named"),
    [
        ("what does parse_size return?", True),
        ("sizes.parse_size()는 어디에 있나요?", True),
        ("what does other.parse_size return?", False),
        ("what does parse_sizes return?", False),
        ("how do I parse size", False),
    ],
)
def test_source_code_that_is_named_passes_however_few_words_it_holds(question: str, is_named: bool) -> None:
    code = hit_of(Evidence(density=0.0)).model_copy(update={"symbol": "sizes.parse_size"})
    (score,) = score_hits([code], question=question)
    assert (score == NAMED) is is_named
    prose = hit_of(Evidence(density=0.0))
    assert score_hits([prose], question=question) == score_hits([prose])
