from collections.abc import Callable, Sequence
from itertools import pairwise, product

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import (
    ConfigInvalidError,
    DocumentRecord,
    EmbeddingKind,
    IndexModelMismatchError,
    KebabError,
    LegFailure,
    Message,
    ModelMissingError,
    NoHitReason,
    NotIndexedError,
    Remedy,
    RunId,
    ScoreKind,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    TermOmission,
    VectorMatrix,
    VectorRow,
    text_hash_of,
)
from kebab_search import NO_CENTROIDS, QueryCentroids, SearchRetriever, VectorSearch, compute_centroids
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores
from kebab_testing.vectors import unit

ANALYZER = WordAnalyzer()
SYNONYMS = {"car": "automobile", "자동차": "automobile", "색인": "index", "purchase": "buy"}
FILLER = "words about weather gardens music rivers and mountains number"


class Library:
    """Documents with words and vectors."""

    def __init__(
        self,
        *,
        fusion: str = "calibrated",
        centroids: QueryCentroids = NO_CENTROIDS,
        failure: KebabError | None = None,
    ) -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.source = InMemoryVectorSource()
        self.vectors = self.stores.open_vector_store(self.source)
        self.embedder = BagOfWordsEmbedder(96, synonyms=SYNONYMS)
        self.centroids = centroids
        self.failure = failure
        self.advice: Callable[[], Remedy] | None = None
        self.retriever = SearchRetriever(
            vectors=self.leg,
            index=self.stores.index,
            documents=self.store,
            analyzer=ANALYZER,
            clock=FixedClock(),
            settings=SearchSettings.model_validate({"hybrid_fusion": fusion}),
        )

    def leg(self) -> VectorSearch:
        if self.failure is not None:
            raise self.failure
        return VectorSearch(
            embedder=self.embedder,
            store=self.vectors,
            centroids=self.centroids,
            advice=self.advice,
        )

    def put(self, path: str, *paragraphs: str, lang: str = "en", embed: bool = True) -> DocumentRecord:
        terms = [ANALYZER.analyze_chunk(title="t", heading_path=(), text=text) for text in paragraphs]
        record = build_record(RecordSpec(path=path, paragraphs=paragraphs, terms=terms, title="t", lang=lang))
        self.store.replace_document(record)
        if embed:
            self.embed(self.embedder, record, lang=lang)
        return record

    def embed(self, embedder: BagOfWordsEmbedder, record: DocumentRecord, *, lang: str = "en") -> None:
        matrix = embedder.embed([chunk.text for chunk in record.chunks], EmbeddingKind.DOCUMENT)
        rows = [
            VectorRow(chunk.chunk_id, chunk.doc_id, lang, text_hash_of(chunk.text)) for chunk in record.chunks
        ]
        self.source.put(embedder.identity, dict(zip(rows, matrix.tolist(), strict=True)))

    def fill(self, count: int = 12) -> None:
        """Put documents in that say nothing of what tests ask for."""
        for number in range(count):
            self.put(f"filler/{number:02}.md", f"{FILLER} {number} item{number} other{number * 7}")

    def search(self, text: str, mode: SearchMode = SearchMode.HYBRID, **fields: object) -> SearchResponse:
        return self.retriever.search(
            SearchQuery.model_validate({"text": text, "mode": mode, "all_passages": True, **fields})
        )

    def paths(self, text: str, mode: SearchMode = SearchMode.HYBRID, **fields: object) -> list[str]:
        return [str(hit.doc_path) for hit in self.search(text, mode, **fields).hits]

    def pages(self, sizes: Sequence[int], text: str, mode: SearchMode) -> list[SearchHit]:
        """Return the hits of every page of a result; the sizes are used in turn, over and over."""
        hits: list[SearchHit] = []
        cursor: str | None = None
        for turn in range(1000):
            page = self.search(text, mode, k=sizes[turn % len(sizes)], cursor=cursor)
            hits += page.hits
            cursor = page.next_cursor
            if cursor is None:
                return hits
        raise AssertionError("there is no last page")


@pytest.fixture
def library() -> Library:
    library = Library()
    library.fill()
    library.put("meaning.md", "an automobile stands in the yard")
    library.put("words.md", "the car park is closed on sunday")
    return library


def test_passage_that_shares_no_word_is_found_by_meaning(library: Library) -> None:
    assert library.paths("car", SearchMode.LEXICAL) == ["words.md"]
    assert set(library.paths("car")[:2]) == {"words.md", "meaning.md"}
    assert set(library.paths("car", SearchMode.VECTOR)[:2]) == {"words.md", "meaning.md"}


def test_passage_that_both_legs_find_is_first(library: Library) -> None:
    assert library.paths("car")[0] == "words.md"


def test_response_says_that_both_legs_took_part(library: Library) -> None:
    response = library.search("car")
    assert response.coverage.legs == (SearchMode.LEXICAL, SearchMode.VECTOR)
    assert response.coverage.missing_legs == ()
    assert library.search("car", SearchMode.VECTOR).coverage.legs == (SearchMode.VECTOR,)


def test_stages_are_the_search_by_words_and_the_search_itself(library: Library) -> None:
    for library.failure in (None, ModelMissingError("no weights")):
        for k, text in product((1, 3, 30), ("car", '"car park"', "weather gardens", "automobile", "absent")):
            hybrid = SearchQuery(text=text, k=k)
            by_words = hybrid.model_copy(update={"mode": SearchMode.LEXICAL})
            first, second = library.retriever.search_stages(hybrid)
            assert first == library.retriever.search(by_words)
            assert second == library.retriever.search(hybrid)
            assert list(library.retriever.search_stages(by_words)) == [first]


@walk(
    ("mode", "fusion", "kind"),
    [
        (SearchMode.HYBRID, "calibrated", ScoreKind.PROBABILITY),
        (SearchMode.HYBRID, "rrf", ScoreKind.RRF),
        (SearchMode.VECTOR, "calibrated", ScoreKind.PROBABILITY),
        (SearchMode.VECTOR, "rrf", ScoreKind.PROBABILITY),
        (SearchMode.LEXICAL, "calibrated", ScoreKind.PROBABILITY),
    ],
)
def test_scores_are_of_the_kind_that_is_told(mode: SearchMode, fusion: str, kind: ScoreKind) -> None:
    library = Library(fusion=fusion)
    library.fill()
    library.put("words.md", "the car park is closed on sunday")
    hits = library.search("car park", mode).hits
    assert {hit.score_kind for hit in hits} == {kind}
    assert all(better.score >= worse.score for better, worse in pairwise(hits))
    assert all(0 < hit.score <= 1 for hit in hits)


def test_passage_first_on_both_legs_has_the_greatest_score_that_ranks_can_give() -> None:
    library = Library(fusion="rrf")
    library.fill()
    library.put("words.md", "the car park is closed on sunday")
    best = library.search("car park closed").hits[0]
    assert (best.doc_path, best.score) == ("words.md", pytest.approx(1))
    assert (best.retrieval.lexical_rank, best.retrieval.vector_rank) == (1, 1)


def test_hits_carry_raw_scores_ranks_and_evidence_of_both_legs(library: Library) -> None:
    words, meaning = library.search("car").hits[:2]
    assert words.retrieval.lexical_rank == 1
    assert words.retrieval.lexical_score is not None
    assert words.retrieval.vector_score == words.evidence.similarity
    assert meaning.retrieval.lexical_rank is meaning.retrieval.lexical_score is None
    assert meaning.retrieval.vector_rank is not None
    assert meaning.evidence.coverage == 0
    assert words.evidence.z_score is not None
    assert meaning.evidence.z_score is not None
    assert {words.embedding_model, meaning.embedding_model} == {"bag-of-words"}
    assert {words.index_version, meaning.index_version} == {library.retriever.index_version()}


def test_trace_shows_both_legs(library: Library) -> None:
    trace = library.search("car", trace=True).trace
    assert trace is not None
    assert [candidate.doc_path for candidate in trace.lexical] == ["words.md"]
    assert {"words.md", "meaning.md"} <= {candidate.doc_path for candidate in trace.vector}
    assert [candidate.rank for candidate in trace.vector] == sorted(
        candidate.rank for candidate in trace.vector
    )
    assert {candidate.source_id for candidate in trace.vector} == {library.search("car").hits[0].source_id}
    both = trace.rrf_inputs[0]
    assert both.lexical_rank == 1
    assert both.vector_rank is not None


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.VECTOR])
@pytest.mark.parametrize("text", ['"car park" sunday', "raw: car AND park"])
def test_phrases_and_syntax_say_what_is_a_hit(library: Library, mode: SearchMode, text: str) -> None:
    library.put("apart.md", "a park where no car may go on sunday")
    expected = {"words.md"} if text.startswith('"') else {"words.md", "apart.md"}
    assert set(library.paths(text, mode)) == expected


@pytest.mark.parametrize("mode", list(SearchMode))
def test_filters_narrow_before_ranking(library: Library, mode: SearchMode) -> None:
    for number in range(60):
        library.put(f"many/{number}.md", f"the car park number {number}")
    assert library.paths("car", mode, filters={"path_glob": ["words.md"]}) == ["words.md"]


@pytest.mark.parametrize("mode", list(SearchMode))
def test_filters_that_leave_nothing_are_the_reason(library: Library, mode: SearchMode) -> None:
    response = library.search("car", mode, filters=SearchFilters(lang=("ja",)))
    assert (response.hits, response.no_hit_reason) == ((), NoHitReason.FILTERED_OUT)
    assert response.filtered_out_by == ("lang",)


def test_without_vectors_words_are_searched_and_the_leg_is_missing() -> None:
    library = Library()
    library.put("a.md", "the car park", embed=False)
    response = library.search("car")
    assert [hit.score_kind for hit in response.hits] == [ScoreKind.PROBABILITY]
    assert response.coverage.legs == (SearchMode.LEXICAL,)
    assert response.coverage.missing_legs == (SearchMode.VECTOR,)
    with pytest.raises(NotIndexedError) as refused:
        library.search("car", SearchMode.VECTOR)
    assert refused.value.remedy == Remedy(kind="embed")


def test_trace_shows_what_ranks_by_meaning_go_by_where_cosines_are_in_another_order() -> None:
    library = filled("calibrated")
    for mode in (SearchMode.HYBRID, SearchMode.VECTOR):
        response = library.search("automobile index", mode, trace=True)
        assert response.trace is not None
        z_scores = [candidate.z_score for candidate in response.trace.vector]
        assert len(z_scores) > 1
        assert z_scores == sorted(z_scores, key=lambda z_score: -(z_score or 0))
        by_chunk = {hit.chunk_id: hit.evidence.z_score for hit in response.hits}
        shared = [found for found in response.trace.vector if found.chunk_id in by_chunk]
        assert [found.z_score for found in shared] == [by_chunk[found.chunk_id] for found in shared]
        assert all(candidate.z_score is None for candidate in response.trace.lexical)


@pytest.mark.parametrize(
    ("text", "mode", "expected"),
    [
        ("car zzz", SearchMode.HYBRID, {"car": None, "zzz": TermOmission.IN_NO_PASSAGE}),
        ("car zzz", SearchMode.VECTOR, dict.fromkeys(("car", "zzz"), TermOmission.BY_MEANING)),
        ("raw: car OR zzz", SearchMode.VECTOR, dict.fromkeys(("car", "zzz"), TermOmission.BY_SYNTAX)),
        ('"car park" is', SearchMode.LEXICAL, dict.fromkeys(("car", "park", "is"))),
    ],
)
def test_trace_tells_of_each_term_whether_it_was_looked_up_and_why_not(
    library: Library, text: str, mode: SearchMode, expected: dict[str, TermOmission | None]
) -> None:
    trace = library.search(text, mode, trace=True).trace
    assert trace is not None
    assert {term.text: term.left_out for term in trace.terms} == expected
    assert all(term.searched == (term.left_out is None) for term in trace.terms)


def test_trace_tells_words_of_most_passages_from_words_of_a_very_long_query() -> None:
    library = Library()
    for number in range(210):
        library.put(f"{number}.md", f"common word{number} other{number}", embed=False)
    long = " ".join(["common", *(f"word{number}" for number in range(80))])
    for text, reason in (("common word7", TermOmission.TOO_COMMON), (long, TermOmission.TOO_MANY)):
        trace = library.search(text, SearchMode.LEXICAL, trace=True).trace
        assert trace is not None
        assert trace.terms[0].left_out is reason
    assert sum(term.searched for term in trace.terms) == 64


@pytest.mark.parametrize(
    ("words", "read", "meant"), [(300, None, None), (3_000, None, 1_998), (30_000, 19_998, 1_998)]
)
def test_of_a_very_long_query_the_beginning_is_asked_for_which_is_told(
    library: Library, words: int, read: int | None, meant: int | None
) -> None:
    text = " ".join(["car", *["park"] * words])
    coverage = library.search(text).coverage
    assert (coverage.lexical_query_chars, coverage.vector_query_chars) == (read, meant)
    assert len(library.embedder.asked[-1][0][0]) == (meant or len(text))
    by_words = library.search(text, SearchMode.LEXICAL).coverage
    assert (by_words.lexical_query_chars, by_words.vector_query_chars) == (read, None)
    assert library.paths(text)[0] == "words.md"


@walk("is_running", [True, False])
def test_vectors_that_are_still_to_come_are_waited_for_and_not_made(is_running: bool) -> None:
    library = Library()
    if is_running:
        library.put("a.md", "the car park", embed=False)
        library.stores.jobs.start_run(RunId("r1"), (), started_at=START)
    found = library.search("automobile", SearchMode.VECTOR)
    expected = NoHitReason.STILL_INDEXING if is_running else NoHitReason.INDEX_EMPTY
    assert (found.hits, found.no_hit_reason) == ((), expected)
    assert (found.coverage.legs, found.coverage.missing_legs) == ((), (SearchMode.VECTOR,))
    assert found.coverage.leg_failure is not None
    assert library.search("automobile").no_hit_reason is expected


def test_what_to_do_about_missing_vectors_is_what_the_leg_is_told() -> None:
    library = Library()
    library.advice = lambda: Remedy(
        advice=Message("search again later: kebab is updating the index (pid {count})", count=7)
    )
    library.put("a.md", "the car park", embed=False)
    failure = library.search("car").coverage.leg_failure
    assert failure is not None
    assert failure.remedy == Remedy(
        advice=Message("search again later: kebab is updating the index (pid {count})", count=7)
    )


@walk("kind", [ModelMissingError, ConfigInvalidError])
def test_without_a_model_words_are_searched_and_the_leg_is_missing(kind: type[KebabError]) -> None:
    library = Library(failure=kind("no weights", remedy=Remedy(kind="pull_model")))
    library.put("a.md", "the car park")
    coverage = library.search("car").coverage
    assert coverage.missing_legs == (SearchMode.VECTOR,)
    assert coverage.leg_failure == LegFailure(
        code=kind.code, message="no weights", remedy=Remedy(kind="pull_model")
    )
    assert library.retriever.index_version() == "lexical:words@1"
    with pytest.raises(kind):
        library.search("car", SearchMode.VECTOR)


def test_vectors_of_another_model_are_told_from_none() -> None:
    library = Library()
    record = library.put("a.md", "the car park", embed=False)
    library.embed(BagOfWordsEmbedder(96, model_id="older"), record)
    assert library.search("car").coverage.missing_legs == (SearchMode.VECTOR,)
    with pytest.raises(IndexModelMismatchError) as refused:
        library.search("car", SearchMode.VECTOR)
    assert refused.value.remedy == Remedy(kind="embed")
    assert "older" in str(refused.value)


@walk(
    ("held", "told"),
    [
        ({"model_version": "v0+ab"}, ("'bag-of-words' v0+ab", "'bag-of-words' v1+000000000000")),
        ({"dimensions": 64}, ("64 dimensions", "'bag-of-words' v1+000000000000, 96")),
    ],
)
def test_models_of_one_name_are_told_apart_by_what_differs(
    held: dict[str, object], told: tuple[str, str]
) -> None:
    library = Library()
    record = library.put("a.md", "the car park", embed=False)
    other = library.embedder.identity.model_copy(update=held)
    vector = unit([1.0] * other.dimensions)
    library.source.put(
        other, {VectorRow(c.chunk_id, c.doc_id, "en", text_hash_of(c.text)): vector for c in record.chunks}
    )
    with pytest.raises(IndexModelMismatchError) as refused:
        library.search("car", SearchMode.VECTOR)
    made_by, _, in_force = str(refused.value).partition(", the model in force is ")
    assert (told[0] in made_by, in_force) == (True, told[1])


def test_passage_without_a_vector_is_placed_by_words() -> None:
    library = Library()
    library.fill()
    library.put("best.md", "the car park by the river is closed", embed=False)
    library.put("half.md", "a park with flowers and trees")
    library.put("other.md", "an automobile of the year")
    hits = library.search("car park closed").hits
    assert hits[0].doc_path == "best.md"
    assert hits[0].evidence.similarity is None
    assert "best.md" not in library.paths("car park closed", SearchMode.VECTOR)


def queries(embedder: BagOfWordsEmbedder) -> Callable[[Sequence[str]], VectorMatrix]:
    return lambda texts: embedder.embed(texts, EmbeddingKind.QUERY)


def passages(number: int) -> list[str]:
    """Return passages whose order by words is not their order by meaning."""
    words = ("car", "automobile", "buy", "purchase", "index", "pad", "stuff")
    return [
        " ".join(words[(n * 5 + n // 3 * step) % len(words)] for step in range(1, 4 + n % 6)) + f" n{n}"
        for n in range(number)
    ]


def filled(fusion: str) -> Library:
    library = Library(fusion=fusion)
    library.centroids = compute_centroids(queries(library.embedder), ["index", "색인"])
    library.put("notes/a.md", *passages(70))
    library.put("notes/c.md", "car purchase 색인")
    library.put("글/b.md", *(f"자동차 {n} 색인 purchase {n}" for n in range(40)), lang="ko")
    return library


LARGE = {fusion: filled(fusion) for fusion in ("calibrated", "rrf")}


@pytest.mark.parametrize(
    ("mode", "fusion", "more_than"),
    [
        (SearchMode.HYBRID, "calibrated", 30),
        (SearchMode.HYBRID, "rrf", 45),
        (SearchMode.VECTOR, "calibrated", 0),
    ],
)
@pytest.mark.thorough
@settings(max_examples=examples(4), deadline=None)
@given(sizes=st.lists(st.integers(15, 45), min_size=1, max_size=3))
def test_pages_of_any_sizes_together_are_the_whole(
    mode: SearchMode, fusion: str, more_than: int, sizes: list[int]
) -> None:
    library = LARGE[fusion]
    whole = library.search("car purchase 색인", mode, k=1000).hits
    assert library.pages(sizes, "car purchase 색인", mode) == list(whole)
    assert len(whole) > more_than


@walk("mode", [SearchMode.HYBRID, SearchMode.VECTOR])
@walk("k", [1, 10, 11, 25])
def test_more_hits_begin_with_the_same(mode: SearchMode, k: int) -> None:
    library = LARGE["calibrated"]
    assert library.search("car buy", mode, k=k).hits == library.search("car buy", mode, k=1000).hits[:k]


def test_passages_in_another_script_are_not_all_behind() -> None:
    def ranked(anchors_of: Callable[[BagOfWordsEmbedder], QueryCentroids]) -> list[str]:
        library = Library()
        library.centroids = anchors_of(library.embedder)
        for number in range(30):
            library.put(f"ko/{number}.md", f"이것은 무엇 {number} 이야기 하나{number}", lang="ko")
            library.put(f"en/{number}.md", f"what this is {number} story one{number}")
        library.put("en/answer.md", "automobile story")
        response = library.search("자동차 이야기", SearchMode.VECTOR)
        return [str(hit.doc_path) for hit in (*response.hits, *response.nearest)]

    assert (
        "en/answer.md"
        in ranked(lambda embedder: compute_centroids(queries(embedder), ["이것은 무엇", "story"]))[:3]
    )


def bilingual() -> Library:
    library = Library()
    library.centroids = compute_centroids(queries(library.embedder), ["이것은 무엇", "story"])
    for number in range(30):
        library.put(f"ko/{number}.md", f"이것은 무엇 {number} 이야기 하나{number}", lang="ko")
        library.put(f"en/{number}.md", f"what this is {number} story one{number}")
    library.put("ko/answer.md", "자동차 이야기 하나", lang="ko")
    library.put("en/answer.md", "automobile story")
    return library


@walk("all_passages", [True, False])
def test_nearest_passage_in_another_script_is_among_ten_behind_those_that_hold_the_words(
    all_passages: bool,
) -> None:
    library = bilingual()
    for number in range(30):
        library.put(f"ko/car/{number}.md", f"자동차 이야기 {'하나 ' * number}", lang="ko")
    library.put("en/only.md", "automobile")
    hits = library.search("자동차 이야기", all_passages=all_passages, k=20).hits
    assert "en/only.md" in [str(hit.doc_path) for hit in hits[8:10]]
    assert {hit.lang for hit in hits[:8]} == {"ko"}
    assert all(better.score >= worse.score for better, worse in pairwise(hits))


def test_scores_over_two_scripts_agree_with_the_order() -> None:
    response = bilingual().search("자동차 이야기", SearchMode.VECTOR, trace=True)
    hits, trace = response.hits, response.trace
    assert {hit.lang for hit in hits} == {"ko", "en"}
    assert {hit.score_kind for hit in hits} == {ScoreKind.PROBABILITY}
    assert all(better.score >= worse.score for better, worse in pairwise(hits))
    assert [hit.retrieval.vector_rank for hit in hits] == list(range(1, len(hits) + 1))
    assert trace is not None
    ranks = [candidate.rank for candidate in trace.vector]
    assert ranks == list(range(1, len(ranks) + 1))


def test_scores_over_one_script_are_of_the_same_kind_and_in_the_order_of_the_cosines(
    library: Library,
) -> None:
    hits = library.search("car", SearchMode.VECTOR).hits
    assert hits
    assert {hit.score_kind for hit in hits} == {ScoreKind.PROBABILITY}
    assert all(0 <= hit.score <= 1 for hit in hits)
    cosines = [hit.retrieval.vector_score or 0.0 for hit in hits]
    assert cosines == sorted(cosines, reverse=True)


def test_before_the_model_is_measured_meaning_finds_nothing_in_another_script() -> None:
    library = bilingual()
    library.centroids = NO_CENTROIDS
    assert {hit.lang for hit in library.search("자동차 이야기").hits} == {"ko"}
    assert library.search("zzzz qqqq wwww").hits == ()


@pytest.mark.parametrize("mode", list(SearchMode))
def test_where_nothing_speaks_for_any_passage_the_nearest_are_told_and_are_no_hits(
    library: Library, mode: SearchMode
) -> None:
    for number in range(600):  # of a few passages, unknown words say little
        library.put(
            f"more/{number}.md", f"page {number} is about {'other' if number % 4 else 'polar'} things"
        )
    response = library.search("how do submarines navigate below polar ice", mode)
    assert (response.hits, response.no_hit_reason) == ((), NoHitReason.NOTHING_MATCHES)
    assert 1 <= len(response.nearest) <= 3
    assert response.next_cursor is None
    assert [hit.rank for hit in response.nearest] == list(range(1, len(response.nearest) + 1))
    assert library.search("car park", mode).nearest == ()


def test_passage_that_holds_every_word_is_a_hit_whatever_its_similarity(library: Library) -> None:
    assert library.paths("closed sunday")[0] == "words.md"


def test_filters_are_the_reason_where_only_what_they_let_through_lacks_evidence(library: Library) -> None:
    response = library.search("car park closed", filters=SearchFilters(path_glob=("filler/*",)))
    assert (response.hits, response.no_hit_reason) == ((), NoHitReason.FILTERED_OUT)


def test_page_named_by_the_query_comes_before_those_that_mention_the_words(library: Library) -> None:
    library.put("Refund policy.md", "within thirty days we refund what was paid, which is our policy")
    library.put("chat.md", "somebody asked about the refund policy and the weather of sunday")
    assert library.paths("refund policy")[0] == "Refund policy.md"


@pytest.mark.parametrize("mode", [SearchMode.HYBRID, SearchMode.VECTOR])
@pytest.mark.parametrize("text", ["!!!", "…?", "🎉"])
def test_query_without_a_letter_finds_nothing(library: Library, mode: SearchMode, text: str) -> None:
    response = library.search(text, mode)
    assert (response.hits, response.no_hit_reason) == ((), NoHitReason.NOTHING_MATCHES)


def test_an_index_in_one_script_is_looked_at_once() -> None:
    library = Library()
    library.fill(3)
    before = len(library.embedder.asked)
    library.search("car")
    assert [texts for texts, _ in library.embedder.asked[before:]] == [("car",)]


def test_letters_at_random_find_nothing() -> None:
    library = Library()
    library.fill(40)
    library.centroids = QueryCentroids(
        questions=compute_centroids(queries(library.embedder), ["words about music"]).questions,
        gibberish={
            script: tuple(library.embedder.embed(["asdf qwer"], EmbeddingKind.QUERY).tolist()[0])
            for script in compute_centroids(queries(library.embedder), ["a"]).gibberish
        },
    )
    response = library.search("asdf qwer zxcv")
    assert (response.hits, response.no_hit_reason) == ((), NoHitReason.NOTHING_MATCHES)
