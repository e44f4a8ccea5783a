import pytest
from kebab_core import Coverage, NoHitReason, RefusalReason, SearchQuery, SearchResponse
from kebab_rag.refusals import refuse_below_gate, refuse_empty, refuse_judged

WHOLE = Coverage(documents_indexed=3)


def empty(reason: NoHitReason, coverage: Coverage = WHOLE) -> SearchResponse:
    return SearchResponse(query=SearchQuery(text="q"), hits=(), coverage=coverage, no_hit_reason=reason)


@pytest.mark.parametrize("lang", ["ko", "en"])
@pytest.mark.parametrize("reason", NoHitReason)
def test_every_reason_for_an_empty_result_has_its_own_words(lang, reason) -> None:
    said = {each: refuse_empty(empty(each), lang=lang)[1] for each in NoHitReason}
    assert len(set(said.values())) == len(NoHitReason)
    assert ("근거" in said[reason]) is (lang == "ko")


def test_empty_index_is_no_index_and_everything_else_no_chunks() -> None:
    nothing = Coverage(documents_indexed=0, ingest_running=True)
    assert refuse_empty(empty(NoHitReason.INDEX_EMPTY), lang="en")[0] is RefusalReason.NO_INDEX
    assert refuse_empty(empty(NoHitReason.STILL_INDEXING, nothing), lang="en")[0] is RefusalReason.NO_INDEX
    assert refuse_empty(empty(NoHitReason.STILL_INDEXING), lang="en")[0] is RefusalReason.NO_CHUNKS
    assert refuse_empty(empty(NoHitReason.FILTERED_OUT), lang="en")[0] is RefusalReason.NO_CHUNKS


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_refusal_says_what_is_missing_from_the_index(lang) -> None:
    coverage = Coverage(documents_indexed=3, documents_failed=2, ingest_running=True)
    whole = refuse_below_gate((), gate=0.3, coverage=WHOLE, lang=lang)
    partial = refuse_below_gate((), gate=0.3, coverage=coverage, lang=lang)
    assert partial.startswith(whole + "\n")
    assert "2" in partial.removeprefix(whole)
    assert len(partial.splitlines()) == len(whole.splitlines()) + 2


def test_unfinished_index_is_said_once() -> None:
    coverage = Coverage(documents_indexed=3, ingest_running=True)
    _, said = refuse_empty(empty(NoHitReason.STILL_INDEXING, coverage), lang="en")
    assert said.count("not finished") == 1


@pytest.mark.parametrize("lang", ["ko", "en"])
def test_judged_refusal_without_candidates_is_one_sentence(lang) -> None:
    assert len(refuse_judged((), lang=lang).splitlines()) == 1
