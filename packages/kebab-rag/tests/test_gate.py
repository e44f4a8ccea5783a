import pytest
from hypothesis import given
from hypothesis import strategies as st
from kebab_core import Evidence, IndexVersion, SearchHit
from kebab_rag.gate import CURVES, WHOLE_PASSAGE, GateKey, allow_for, choose_curve

shares = st.floats(0, 1)
signals = st.fixed_dictionaries(
    dict.fromkeys(("coverage", "bm25_ratio", "density", "sentence_coverage", "proximity"), shares)
)
every_curve = pytest.mark.parametrize("curve", [*CURVES.values(), WHOLE_PASSAGE])


@every_curve
@given(low=signals, high=signals)
def test_better_evidence_never_scores_less_and_scores_stay_shares(curve, low, high) -> None:
    better = {name: max(low[name], high[name]) for name in low}
    assert 0 <= curve.squash(Evidence(**low)) <= curve.squash(Evidence(**better)) <= 1


@every_curve
def test_no_evidence_is_far_below_the_default_gate_and_full_evidence_far_above(curve) -> None:
    full = Evidence(coverage=1, bm25_ratio=0.6, density=0.4, sentence_coverage=1, proximity=1)
    assert curve.squash(Evidence()) < 0.1
    assert curve.squash(full) > 0.7


def test_there_is_a_curve_for_both_languages_and_one_for_everything_else() -> None:
    assert {key.question_lang for key in CURVES} == {"ko", "en", ""}
    assert GateKey() in CURVES


@pytest.mark.parametrize("curve", CURVES.values())
def test_no_evidence_stays_below_the_default_gate_however_few_documents_there_are(curve) -> None:
    assert curve.squash(Evidence(), allowance=allow_for(1)) < 0.25


@given(st.integers(0, 1_000), st.integers(0, 1_000))
def test_fewer_documents_are_never_allowed_less_and_many_nothing(few: int, many: int) -> None:
    few, many = sorted((few, many))
    assert allow_for(few) >= allow_for(many) >= 0
    assert allow_for(1_000) == allow_for(None) == 0
    assert allow_for(3) > 1


@pytest.mark.parametrize("label", ["lexical:ko-en@2", "hybrid:ko-en@2+e5-small@1"])
@pytest.mark.parametrize("similarity", [None, 0.8])
def test_curve_of_the_analyser_is_used_with_and_without_vectors(label: str, similarity: float | None) -> None:
    evidence = Evidence(coverage=0.5, sentence_coverage=0.5, similarity=similarity, margin=similarity)
    hit = SearchHit.model_construct(
        evidence=evidence, index_version=IndexVersion(label), embedding_model=None, lang="ko"
    )
    assert choose_curve(hit, question_lang="ko") is CURVES[GateKey(analyzer="ko-en", question_lang="ko")]
