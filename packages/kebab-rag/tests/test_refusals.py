import re

from hypothesis import given, strategies as st
from kebab_core import (
    Coverage,
    NoHitReason,
    RagSettings,
    RefusalReason,
    Retriever,
    SearchQuery,
    SearchResponse,
)
from kebab_rag import AskRequest
from kebab_rag.refusals import refuse_below_gate, refuse_empty, refuse_judged, show_score, show_threshold
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.tables import walk

WHOLE = Coverage(documents_indexed=3)


def empty(reason: NoHitReason, coverage: Coverage = WHOLE) -> SearchResponse:
    return SearchResponse(query=SearchQuery(text="q"), hits=(), coverage=coverage, no_hit_reason=reason)


@walk("lang", ["ko", "en"])
@walk("reason", NoHitReason)
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


@walk("lang", ["ko", "en"])
@walk("state", ["ingest_running", "ingest_interrupted"])
def test_refusal_says_what_is_missing_from_the_index(lang, state: str) -> None:
    coverage = Coverage(documents_indexed=3, documents_failed=2).model_copy(update={state: True})
    whole = refuse_below_gate((), gate=0.3, coverage=WHOLE, lang=lang)
    partial = refuse_below_gate((), gate=0.3, coverage=coverage, lang=lang)
    assert partial.startswith(whole + "\n")
    assert "2" in partial.removeprefix(whole)
    assert len(partial.splitlines()) == len(whole.splitlines()) + 2


def test_unfinished_index_is_said_once() -> None:
    coverage = Coverage(documents_indexed=3, ingest_running=True)
    _, said = refuse_empty(empty(NoHitReason.STILL_INDEXING, coverage), lang="en")
    assert said.count("not finished") == 1


@walk("lang", ["ko", "en"])
def test_judged_refusal_without_candidates_is_one_sentence(lang) -> None:
    assert len(refuse_judged((), lang=lang).splitlines()) == 1


@walk("lang", ["ko", "en"])
def test_empty_index_says_what_to_do(lang) -> None:
    assert {"en": "Ingest", "ko": "색인하세요"}[lang] in refuse_empty(
        empty(NoHitReason.INDEX_EMPTY), lang=lang
    )[1]


@walk(
    ("score", "shown"),
    [(0.2999, "0.29"), (0.3, "0.30"), (0.29, "0.29"), (0.57, "0.57"), (1.0, "1.00"), (0, "0.00")],
)
def test_score_below_a_threshold_is_not_shown_as_the_threshold(score: float, shown: str) -> None:
    assert show_score(score) == shown


@given(st.floats(0, 1), st.integers(0, 100))
def test_shown_score_is_on_the_same_side_of_a_shown_threshold(score: float, hundredths: int) -> None:
    gate = hundredths / 100
    assert (float(show_score(score)) >= float(show_threshold(gate))) == (score >= gate - 1e-11)


@walk(("gate", "shown"), [(0.3, "0.30"), (0.305, "0.305"), (1.0, "1.00"), (0, "0.00")])
def test_threshold_is_shown_with_the_digits_it_has(gate: float, shown: str) -> None:
    assert show_threshold(gate) == shown


class ReversedRetriever:
    """Finds what another one finds, worst first, as fusion may do by the light of the gate."""

    def __init__(self, inner: Retriever) -> None:
        self.inner = inner

    def search(self, query: SearchQuery) -> SearchResponse:
        found = self.inner.search(query)
        return found.model_copy(update={"hits": found.hits[::-1]})


def test_candidates_come_by_the_score_they_show(bench) -> None:
    texts = {"1.md": "chunks x", "2.md": "chunks are x", "3.md": "chunks are cut x"}
    settings = RagSettings(score_gate=1.0)
    store = bench(ScriptedModel(), texts=texts).store
    parts = bench(
        ScriptedModel(),
        texts=texts,
        settings=settings,
        retriever=ReversedRetriever(OverlapRetriever(store, FixedClock())),
    )
    answer = parts.pipeline.ask(AskRequest(question="chunks are cut where"))
    shown = [float(score) for score in re.findall(r"score (\d\.\d\d)", answer.answer)]
    assert len(set(shown)) == 3
    assert shown == sorted(shown, reverse=True)
    assert [cited.citation.path for cited in answer.citations] == ["3.md", "2.md", "1.md"]
