import pytest
from hypothesis import given, strategies as st
from kebab_core import EmbeddingModelId, Evidence, IndexVersion, SearchHit
from kebab_rag.gate import CURVES, WHOLE_PASSAGE, GateKey, choose_curve, score_hits, small_corpus_allowance

E5 = "multilingual-e5-small"
shares = st.floats(0, 1)
signals = st.fixed_dictionaries({
    **dict.fromkeys(
        ("coverage", "bm25_ratio", "density", "sentence_coverage", "proximity", "similarity"), shares
    ),
    "z_score": st.floats(-3, 10),
})
every_curve = pytest.mark.parametrize("curve", [*CURVES.values(), WHOLE_PASSAGE])


@every_curve
@given(low=signals, high=signals)
def test_better_evidence_never_scores_less_and_scores_stay_shares(curve, low, high) -> None:
    better = {name: max(low[name], high[name]) for name in low}
    assert 0 <= curve.score(Evidence(**low)) <= curve.score(Evidence(**better)) <= 1


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
    assert curve.score(Evidence()) < 0.1
    assert curve.score(full) > 0.7


def test_there_is_a_curve_for_both_languages_and_one_for_everything_else() -> None:
    assert {key.question_lang for key in CURVES} == {"ko", "en", ""}
    assert GateKey() in CURVES


@pytest.mark.parametrize("curve", CURVES.values())
def test_no_evidence_stays_below_the_default_gate_however_few_documents_there_are(curve) -> None:
    assert curve.score(Evidence(), allowance=small_corpus_allowance(1)) < 0.25


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_fewer_documents_are_never_allowed_less_and_many_nothing(few: int, many: int) -> None:
    few, many = sorted((few, many))
    assert small_corpus_allowance(few) >= small_corpus_allowance(many) >= 0
    assert small_corpus_allowance(1_000) == small_corpus_allowance(None) == 0
    assert small_corpus_allowance(3) > 1


def hit_of(evidence: Evidence, *, lang: str = "ko", model: str | None = E5) -> SearchHit:
    return SearchHit.model_construct(
        evidence=evidence,
        index_version=IndexVersion("hybrid:ko-en@2+e5-small@1"),
        embedding_model=None if model is None else EmbeddingModelId(model),
        lang=lang,
    )


@pytest.mark.parametrize("label", ["lexical:ko-en@2", "hybrid:ko-en@2+e5-small@1"])
@pytest.mark.parametrize("similarity", [None, 0.8])
def test_curve_of_the_analyser_is_used_with_and_without_vectors_of_a_model_that_has_none(
    label: str, similarity: float | None
) -> None:
    evidence = Evidence(coverage=0.5, sentence_coverage=0.5, similarity=similarity, z_score=similarity)
    hit = hit_of(evidence, model="another").model_copy(update={"index_version": IndexVersion(label)})
    assert choose_curve(hit, question_lang="ko") is CURVES[GateKey(analyzer="ko-en", question_lang="ko")]


@pytest.mark.parametrize("question", ["ko", "en"])
@pytest.mark.parametrize("document", ["ko", "en"])
def test_curve_of_the_model_is_that_of_both_languages(question: str, document: str) -> None:
    hit = hit_of(Evidence(sentence_coverage=0, similarity=0.8, z_score=3), lang=document)
    assert choose_curve(hit, question_lang=question) is CURVES[GateKey(E5, "ko-en", question, document)]


def test_hit_without_a_vector_is_judged_by_words_among_others_that_have_one() -> None:
    hit = hit_of(Evidence(sentence_coverage=0.5))
    assert choose_curve(hit, question_lang="ko") is CURVES[GateKey(analyzer="ko-en", question_lang="ko")]


@pytest.mark.parametrize(("question", "document"), [("ko", "en"), ("en", "ko")])
def test_passage_in_the_other_language_passes_by_meaning_alone_only_where_it_stands_out(
    question: str, document: str
) -> None:
    near, far = (
        hit_of(Evidence(sentence_coverage=0, density=0, proximity=0, **signals), lang=document)
        for signals in ({"similarity": 0.84, "z_score": 5.0}, {"similarity": 0.76, "z_score": 2.5})
    )
    passed, refused = score_hits([near, far], question_lang=question, documents=3)
    assert refused < 0.2
    assert passed > 0.4
