"""Laws of `Retriever`, of search by words, without its vectors, and of the fake one."""

from __future__ import annotations

from itertools import pairwise
from typing import NoReturn

import pytest
from kebab_core import (
    ChunkTerms,
    DocumentStore,
    InvalidInputError,
    ModelMissingError,
    NoHitReason,
    Retriever,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    StaleCursorError,
)
from kebab_search import SearchRetriever
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.retriever import OverlapRetriever
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

StoreAndRetriever = tuple[DocumentStore, Retriever]
_PAGES = {
    "notes/alpha.md": ("alpha beta gamma", "alpha alone among other words"),
    "notes/beta.md": ("beta stands here by itself", "nothing to see"),
    "한글/색인.md": ("색인 파일 alpha", "다른 문단"),
}


class RetrieverLaws:
    """Subclass it and override the `searched` fixture with an empty store and a retriever of what is put into it.

    The retriever must analyse text as words parted by white space, in lower case (`WordAnalyzer`).
    """

    @pytest.fixture
    def searched(self) -> StoreAndRetriever:
        """Give an empty store and its retriever."""
        raise NotImplementedError

    @pytest.fixture
    def filled(self, searched: StoreAndRetriever) -> StoreAndRetriever:
        """Give a store with three documents of two chunks each, and its retriever."""
        store, _ = searched
        for path, paragraphs in _PAGES.items():
            terms = [ChunkTerms(title="", heading="", body=text, surface=text) for text in paragraphs]
            store.replace_document(build_record(RecordSpec(path=path, paragraphs=paragraphs, terms=terms)))
        return searched

    def test_empty_index_is_the_reason_for_no_hits(self, searched: StoreAndRetriever) -> None:
        response = _search(searched, "alpha")
        assert (response.hits, response.no_hit_reason) == ((), NoHitReason.INDEX_EMPTY)

    def test_word_that_no_chunk_holds_finds_nothing(self, filled: StoreAndRetriever) -> None:
        response = _search(filled, "omega")
        assert (response.hits, response.no_hit_reason) == ((), NoHitReason.NOTHING_MATCHES)

    @pytest.mark.parametrize("text", ["", " ", "\n\t"])
    def test_empty_query_is_refused(self, filled: StoreAndRetriever, text: str) -> None:
        with pytest.raises(InvalidInputError):
            _search(filled, text)

    def test_chunk_with_more_of_the_words_is_first(self, filled: StoreAndRetriever) -> None:
        response = _search(filled, "beta gamma")
        assert response.hits[0].doc_path == "notes/alpha.md"
        assert response.no_hit_reason is None

    def test_one_of_the_words_is_enough(self, filled: StoreAndRetriever) -> None:
        assert len(_search(filled, "색인 omega").hits) == 1

    def test_hits_are_ranked_from_one_by_falling_score(self, filled: StoreAndRetriever) -> None:
        hits = _search(filled, "alpha beta").hits
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        assert all(better.score >= worse.score >= 0 for better, worse in pairwise(hits))
        assert len({hit.chunk_id for hit in hits}) == len(hits) == 4

    def test_there_are_at_most_k_hits_and_the_best_stay(self, filled: StoreAndRetriever) -> None:
        _, retriever = filled
        every = _search(filled, "alpha beta").hits
        few = retriever.search(
            SearchQuery(text="alpha beta", mode=SearchMode.LEXICAL, k=2, all_passages=True)
        ).hits
        assert [hit.chunk_id for hit in few] == [hit.chunk_id for hit in every[:2]]

    @pytest.mark.parametrize("size", [1, 2, 3])
    @pytest.mark.parametrize("is_whole", [True, False])
    def test_pages_together_are_the_whole(
        self, filled: StoreAndRetriever, size: int, *, is_whole: bool
    ) -> None:
        _, retriever = filled
        query = SearchQuery(text="alpha beta", mode=SearchMode.LEXICAL, k=size, all_passages=is_whole)
        page = retriever.search(query)
        read = list(page.hits)
        while page.next_cursor is not None:
            page = retriever.search(query.model_copy(update={"cursor": page.next_cursor}))
            read += page.hits
        assert read == list(retriever.search(query.model_copy(update={"k": 10})).hits)

    def test_hits_are_documents_with_their_further_passages(self, filled: StoreAndRetriever) -> None:
        _, retriever = filled
        query = SearchQuery(text="alpha beta", mode=SearchMode.LEXICAL)
        passages = _search(filled, "alpha beta").hits
        hits = retriever.search(query).hits
        assert [hit.doc_id for hit in hits] == list(dict.fromkeys(one.doc_id for one in passages))
        assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
        for hit in hits:
            best, *further = [one for one in passages if one.doc_id == hit.doc_id]
            assert (hit.chunk_id, hit.score) == (best.chunk_id, best.score)
            assert [(one.chunk_id, one.rank, one.score) for one in hit.more] == [
                (one.chunk_id, one.rank, one.score) for one in further
            ]
            assert hit.more_count == len(further)
        assert all(one.more == () for one in passages)

    def test_hits_within_one_document_are_its_passages(self, filled: StoreAndRetriever) -> None:
        _, retriever = filled
        doc_id = _search(filled, "gamma").hits[0].doc_id
        filters = SearchFilters(doc_id=(doc_id,))
        within = retriever.search(SearchQuery(text="alpha", mode=SearchMode.LEXICAL, filters=filters)).hits
        assert [(hit.doc_id, hit.more) for hit in within] == [(doc_id, ())] * 2

    def test_there_is_no_next_page_where_everything_is_shown(self, filled: StoreAndRetriever) -> None:
        assert _search(filled, "alpha beta").next_cursor is None
        assert _search(filled, "omega").next_cursor is None

    def test_a_cursor_goes_on_in_nothing_but_its_own_result(self, filled: StoreAndRetriever) -> None:
        store, retriever = filled
        query = SearchQuery(text="alpha beta", mode=SearchMode.LEXICAL, k=1)
        following = query.model_copy(update={"cursor": retriever.search(query).next_cursor})
        for other in (
            {"text": "alpha"},
            {"filters": SearchFilters(lang=("en",))},
            {"all_passages": True},
            {"cursor": "nonsense"},
        ):
            with pytest.raises(StaleCursorError):
                retriever.search(following.model_copy(update=other))
        retriever.search(following)
        store.replace_document(build_record(RecordSpec(path="new.md", paragraphs=("gamma",))))
        with pytest.raises(StaleCursorError):
            retriever.search(following)

    def test_same_question_gets_the_same_answer(self, filled: StoreAndRetriever) -> None:
        assert _search(filled, "alpha beta") == _search(filled, "alpha beta")

    def test_snippets_are_text_of_the_chunk_and_ranges_lie_on_it(self, filled: StoreAndRetriever) -> None:
        store, _ = filled
        for hit in _search(filled, "alpha 색인").hits:
            (found,) = store.get_chunks([hit.chunk_id])
            assert hit.snippet.strip("…") in found.chunk.text
            assert hit.matched
            assert all(hit.snippet[r.start : r.end].lower() in {"alpha", "색인"} for r in hit.matched)

    def test_evidence_is_full_where_every_word_is_there(self, filled: StoreAndRetriever) -> None:
        best, *others = _search(filled, "alpha beta gamma").hits
        assert best.evidence.coverage == pytest.approx(1)
        assert all(0 < hit.evidence.coverage < 1 for hit in others)

    def test_citation_names_the_document_and_the_index(self, filled: StoreAndRetriever) -> None:
        _, retriever = filled
        for hit in _search(filled, "alpha 색인").hits:
            assert (hit.citation.path, hit.citation.source_id) == (hit.doc_path, hit.source_id)
            assert hit.index_version == retriever.index_version()

    def test_filters_narrow_before_ranking(self, filled: StoreAndRetriever) -> None:
        doc_id = _search(filled, "beta stands").hits[0].doc_id
        hits = _search(filled, "alpha beta", SearchFilters(doc_id=(doc_id,))).hits
        assert {hit.doc_id for hit in hits} == {doc_id}

    def test_filters_that_leave_nothing_are_the_reason(self, filled: StoreAndRetriever) -> None:
        response = _search(filled, "alpha", SearchFilters(lang=("ja",)))
        assert (response.hits, response.no_hit_reason) == ((), NoHitReason.FILTERED_OUT)

    def test_coverage_says_what_was_searched(self, filled: StoreAndRetriever) -> None:
        coverage = _search(filled, "alpha").coverage
        assert coverage.documents_indexed == len(_PAGES)
        assert coverage.legs == (SearchMode.LEXICAL,)
        assert coverage.missing_legs == ()

    def test_each_hit_says_which_leg_found_it(self, filled: StoreAndRetriever) -> None:
        for hit in _search(filled, "alpha").hits:
            assert hit.retrieval.method is SearchMode.LEXICAL
            assert hit.retrieval.fusion_score == hit.score
            assert hit.retrieval.vector_score is hit.retrieval.vector_rank is None


def _search(searched: StoreAndRetriever, text: str, filters: SearchFilters | None = None) -> SearchResponse:
    _, retriever = searched
    return retriever.search(
        SearchQuery(text=text, mode=SearchMode.LEXICAL, filters=filters or SearchFilters(), all_passages=True)
    )


class TestLexicalRetriever(RetrieverLaws):
    @pytest.fixture
    def searched(self) -> StoreAndRetriever:
        stores = TemporaryStores()
        return stores.documents, SearchRetriever(
            index=stores.index,
            documents=stores.documents,
            analyzer=WordAnalyzer(),
            clock=FixedClock(),
            settings=SearchSettings(snippet_chars=60),
        )


class TestHybridRetriever(RetrieverLaws):
    @pytest.fixture
    def searched(self) -> StoreAndRetriever:
        def refuse() -> NoReturn:
            raise ModelMissingError("no weights")

        stores = TemporaryStores()
        return stores.documents, SearchRetriever(
            vectors=refuse,
            index=stores.index,
            documents=stores.documents,
            analyzer=WordAnalyzer(),
            clock=FixedClock(),
            settings=SearchSettings(),
        )


class TestOverlapRetriever(RetrieverLaws):
    @pytest.fixture
    def searched(self) -> StoreAndRetriever:
        store = TemporaryStores().documents
        return store, OverlapRetriever(store, FixedClock())
