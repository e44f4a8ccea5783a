from datetime import timedelta

import pytest
from kebab_core import (
    ChunkTerms,
    CompletedScan,
    InvalidInputError,
    NoHitReason,
    NotIndexedError,
    Remedy,
    RunId,
    ScoreKind,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    SourceId,
    Term,
    TermKind,
)
from kebab_search import SearchRetriever
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import START, FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()


class Shelf:
    """A store, its index and a retriever over both."""

    def __init__(self, *, analyzer: WordAnalyzer = ANALYZER, stale_threshold_days: int = 30) -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.clock = FixedClock()
        self.retriever = SearchRetriever(
            index=self.stores.index,
            documents=self.store,
            analyzer=analyzer,
            clock=self.clock,
            settings=SearchSettings(stale_threshold_days=stale_threshold_days, snippet_chars=60),
        )

    def put(self, path: str, *paragraphs: str, title: str = "Title") -> None:
        terms = [ANALYZER.analyze_chunk(title=title, heading_path=(title,), text=text) for text in paragraphs]
        self.store.replace_document(
            build_record(RecordSpec(path=path, paragraphs=paragraphs, terms=terms, title=title))
        )

    def search(self, text: str, mode: SearchMode = SearchMode.LEXICAL, **fields: object) -> SearchResponse:
        return self.retriever.search(
            SearchQuery.model_validate({"text": text, "mode": mode, "all_passages": True, **fields})
        )

    def texts(self, text: str) -> list[str]:
        ids = [hit.chunk_id for hit in self.search(text).hits]
        return [found.chunk.text for found in self.store.get_chunks(ids)]


def test_words_side_by_side_beat_words_apart() -> None:
    shelf = Shelf()
    for number in range(8):
        shelf.put(f"filler{number}.md", f"filler number {number} stands here and says little")
    shelf.put("apart.md", "vector things come first and only much later is there an index of them")
    shelf.put("near.md", "first come things and only much later is there a vector index of them")
    assert shelf.texts("vector index")[0].startswith("first come")


def test_terms_that_no_chunk_holds_lower_the_score_and_keep_the_order() -> None:
    shelf = Shelf()
    shelf.put("a.md", "alpha beta", "beta gamma")
    known, partly = shelf.search("alpha beta").hits, shelf.search("alpha beta zeta").hits
    assert [hit.chunk_id for hit in known] == [hit.chunk_id for hit in partly]
    assert known[0].score > partly[0].score


def test_common_words_do_not_outweigh_a_rare_one() -> None:
    shelf = Shelf()
    for number in range(250):
        shelf.put(f"page{number}.md", f"the common word and the common word again {number}")
    shelf.put("rare.md", "a needle among very many other words that make this text a good deal longer")
    assert shelf.texts("the common needle")[0].startswith("a needle")


def test_title_counts_more_than_the_body() -> None:
    shelf = Shelf()
    for number in range(6):
        shelf.put(f"filler{number}.md", f"filler {number}", title="Other")
    shelf.put("body.md", "install words are here", title="Other")
    shelf.put("title.md", "other words are here", title="install")
    assert shelf.search("install").hits[0].doc_path == "title.md"


def test_tiny_corpus_still_ranks_by_words_held() -> None:
    shelf = Shelf()
    shelf.put("a.md", "alpha")
    shelf.put("b.md", "alpha beta")
    hits = shelf.search("alpha beta").hits
    assert [hit.doc_path for hit in hits] == ["b.md", "a.md"]
    assert hits[0].score > hits[1].score > 0


@walk("others", [0, 1, 4, 30])
def test_hits_of_a_small_corpus_have_scores_and_ratios_that_tell(others: int) -> None:
    shelf = Shelf()
    shelf.put("both.md", "alpha beta")
    shelf.put("one.md", "alpha")
    for number in range(others):
        shelf.put(f"other{number}.md", f"gamma {number}")
    both, one = shelf.search("alpha beta").hits
    assert (both.doc_path, one.doc_path) == ("both.md", "one.md")
    assert both.score > 2 * one.score > 0.02  # a probability: in so few passages no word proves much
    assert both.evidence.bm25_ratio == pytest.approx(1 / 2.2)
    assert 0.02 < one.evidence.bm25_ratio < 0.35


def test_word_of_every_chunk_scores_more_than_nothing() -> None:
    shelf = Shelf()
    for number in range(5):
        shelf.put(f"{number}.md", "alpha")
    assert min(hit.score for hit in shelf.search("alpha").hits) > 0.05


def test_prefix_alone_scores_in_a_small_corpus() -> None:
    shelf = Shelf()
    shelf.put("a.md", "alphabet")
    assert shelf.search("alph*").hits[0].score > 0.05


def test_rarer_word_scores_more_in_a_small_corpus() -> None:
    shelf = Shelf()
    shelf.put("rare.md", "rare one")
    for number in range(6):
        shelf.put(f"{number}.md", "often two" if number < 4 else "neither two")
    assert shelf.search("rare often").hits[0].doc_path == "rare.md"


def test_score_is_a_probability_and_lexical_score_is_raw() -> None:
    shelf = Shelf()
    shelf.put("a.md", "vector index")
    (hit,) = shelf.search("vector index").hits
    assert hit.score_kind is ScoreKind.PROBABILITY
    assert 0 < hit.score < 1
    assert hit.retrieval.lexical_score is not None
    assert hit.retrieval.lexical_score >= 0
    assert hit.retrieval.lexical_rank == 1


def test_phrase_is_exact_and_shown() -> None:
    shelf = Shelf()
    shelf.put("a.md", "index of the vector", "the vector index stands here")
    (hit,) = shelf.search('"vector index"').hits
    assert [hit.snippet[r.start : r.end] for r in hit.matched] == ["vector index"]


def test_foreign_name_in_hangul_finds_its_latin_spelling() -> None:
    shelf = Shelf()
    shelf.put("a.md", "Obsidian opens a vault", "the garden has a vault")
    shelf.put("b.md", "music and rivers")
    assert shelf.texts("옵시디언 vault")[0] == "Obsidian opens a vault"
    assert shelf.texts("옵시디언") == ["Obsidian opens a vault"]
    assert shelf.texts("보증금") == []


def test_foreign_name_that_a_passage_has_in_hangul_is_found_there_alone() -> None:
    shelf = Shelf()
    shelf.put("a.md", "Obsidian opens a vault", "옵시디언 opens a vault")
    assert shelf.texts("옵시디언") == ["옵시디언 opens a vault"]


class PartAnalyzer(WordAnalyzer):
    """Gives 웹소켓 the part 소켓, as a dictionary does."""

    def analyze(self, text: str) -> list[Term]:
        terms = super().analyze(text)
        at = text.find("웹소켓")
        return terms if at < 0 else [*terms, Term("소켓", at + 1, at + 3, TermKind.PART)]


def test_foreign_name_is_found_in_latin_letters_though_a_passage_holds_a_part_of_it() -> None:
    shelf = Shelf(analyzer=PartAnalyzer())
    shelf.put("a.md", "a websocket stays open", "소켓 교체")
    assert shelf.texts("웹소켓")[0] == "a websocket stays open"


def test_foreign_name_is_looked_for_in_latin_letters_where_no_passage_that_filters_let_through_has_it() -> (
    None
):
    shelf = Shelf()
    shelf.put("a.md", "옵시디언 opens a vault")
    shelf.put("english/b.md", "Obsidian opens a vault")
    (hit,) = shelf.search("옵시디언", filters=SearchFilters(path_glob=("english/*",))).hits
    assert hit.citation.path == "english/b.md"


def test_a_misspelt_word_finds_the_most_frequent_of_the_nearest_and_the_response_says_so() -> None:
    shelf = Shelf()
    shelf.put(
        "a.md", "an asynchronous iterator", "쿠버네티스를 쓴다", "쿠버네티스 배포", "쿠버네티즘 이라는 오타"
    )
    for number in range(9):
        shelf.put(f"{number}.md", f"rivers and asynchronous music {number}")
    (hit, *_) = (found := shelf.search("asyncronous itertor")).hits
    assert hit.snippet == "an asynchronous iterator"
    assert {one.text: one.nearest for one in found.unknown_words} == {
        "asyncronous": ("asynchronous",),
        "itertor": ("iterator",),
    }
    assert [one.text for one in shelf.search("쿠버네티즈").unknown_words] == ["쿠버네티즈"]
    assert shelf.texts("쿠버네티즈")[0] == "쿠버네티스 배포"


def test_a_misspelt_word_is_looked_for_once_in_a_state_of_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    monkeypatch.setattr(WordAnalyzer, "log_likelihood", lambda _self, word: judged.append(word) or -100.0)
    shelf = Shelf()
    shelf.put("a.md", "an asynchronous iterator")
    for typed in ("asyncronous", "asyncronous i", "asyncronous it", "asyncronous ite"):
        assert shelf.search(typed, unfinished=True).hits
    assert judged == ["asyncronous"]
    shelf.put("b.md", "an asyncronous iterator")
    assert shelf.search("asyncronous").unknown_words == ()


def test_a_word_that_a_document_has_or_that_a_phrase_quotes_is_not_replaced() -> None:
    shelf = Shelf()
    shelf.put("a.md", "an iterator", "an iterator, too", "the itertor of a typing error")
    shelf.put("b.md", "rivers and music")
    assert shelf.texts("itertor") == ["the itertor of a typing error"]
    assert shelf.search("itertor").unknown_words == ()
    assert shelf.search('"iteratr"').unknown_words == ()
    assert shelf.search("yesterday").unknown_words == ()


def test_a_word_that_is_likely_in_its_language_is_no_misspelling(monkeypatch: pytest.MonkeyPatch) -> None:
    likely = {"ejection": -15.0, "electoin": -30.0, "asyncronos": -30.0, "assyncronous": -45.0}
    monkeypatch.setattr(WordAnalyzer, "log_likelihood", lambda _self, word: likely[word])
    shelf = Shelf()
    shelf.put("a.md", "an election", "an asynchronous call")
    found = {word: [each.nearest for each in shelf.search(word).unknown_words] for word in likely}
    assert found == {
        "ejection": [],
        "electoin": [("election",)],
        "asyncronos": [],  # two edits have to be less likely than one
        "assyncronous": [("asynchronous",)],
    }


def test_initial_consonants_find_names_and_titles() -> None:
    shelf = Shelf()
    shelf.put("a.md", "rivers", "music", title="주간 회의록")
    shelf.put("회의록.md", "ㅎㅇㄹ 이라는 글", title="Notes")
    shelf.put("b.md", "ㅋㅋㅋ", title="Other")
    hits = shelf.search("ㅎㅇㄹ").hits
    assert [hit.doc_path for hit in hits] == ["회의록.md", "a.md"]
    assert [hit.doc_path for hit in shelf.search("ㅈㄱㅎㅇㄹ").hits] == ["a.md"]
    (hit,) = shelf.search("ㅎㅇㄹ", filters=SearchFilters(path_glob=("a.md",))).hits
    assert hit.doc_path == "a.md"
    assert shelf.texts("ㅋㅋㅋ") == ["ㅋㅋㅋ"]  # of no name: a word like any other


def test_by_words_a_page_that_holds_the_asked_phrase_comes_before_pages_of_a_document_named_like_it() -> None:
    shelf = Shelf()
    shelf.put("handbook.pdf", *(f"access keys {n} access keys" for n in range(6)), title="access keys")
    filler = "a page of the manual about many other things and people " * 4
    shelf.put("manual.pdf", filler, f"{filler} access keys rotation {filler}", title="manual")
    for number in range(20):
        shelf.put(f"{number}.md", f"note {number} on rivers", title=f"note {number}")
    assert shelf.search("access keys rotation").hits[0].doc_path == "manual.pdf"
    assert shelf.search("access keys").hits[0].doc_path == "handbook.pdf"


def test_by_words_a_document_whose_whole_name_is_the_query_comes_first() -> None:
    shelf = Shelf()
    filler = "and what a container does with all of its other things when it begins and when it ends " * 20
    shelf.put(
        "links.md",
        "pages: xml of the beans, xml of the beans. pages: xml of the beans",
        title="links of the beans of xml",
    )
    shelf.put("beans.md", f"how it gets them {filler}", title="Xml of the beans")
    for number in range(20):
        shelf.put(f"{number}.md", f"xml beans {number} on rivers", title=f"note {number}")
    first, second, *_ = shelf.search("xml of the beans").hits
    assert (first.doc_path, second.doc_path) == ("beans.md", "links.md")
    assert second.score < first.score <= 1


def test_a_query_that_is_the_name_of_a_file_finds_that_file_first() -> None:
    shelf = Shelf()
    shelf.put(
        "data/minutes.docx", f"what was said in spring {'and in summer ' * 40} minutes.docx", title="Spring"
    )
    shelf.put("list.md", "minutes.docx minutes.docx, minutes.docx", title="minutes.docx of all")
    for number in range(20):
        shelf.put(f"{number}.md", f"note {number} on rivers", title=f"note {number}")
    first, second, *_ = shelf.search("minutes.docx").hits
    assert (first.doc_path, second.doc_path) == ("data/minutes.docx", "list.md")


def test_a_query_that_is_the_stem_of_a_file_finds_that_file_first_though_its_title_has_the_same_words() -> (
    None
):
    shelf = Shelf()
    shelf.put("spring tides.md", f"of the moon {'and the sea in summer ' * 40}", title="Spring - Tides")
    shelf.put("list.md", "see spring tides, spring tides and spring tides", title="spring tides of all")
    for number in range(20):
        shelf.put(f"{number}.md", f"note {number} on rivers", title=f"note {number}")
    first, second, *_ = shelf.search("spring tides").hits
    assert (first.doc_path, second.doc_path) == ("spring tides.md", "list.md")


def test_by_words_a_section_headed_by_the_question_holds_it_with_and_without_its_mark() -> None:
    shelf = Shelf()
    shelf.put("rivers.md", "강은 언제 세나요\n\n강은 5월에 셉니다.", title="강은 언제 세나요")
    shelf.put("streams.md", "강은 언제 세나요: 개울에 관한 글입니다.", title="개울")
    for number in range(20):
        shelf.put(f"{number}.md", f"호수 {number}에 관한 글")
    plain, asked = (
        {hit.doc_path: hit.score for hit in shelf.search(text).hits}
        for text in ("강은 언제 세나요", "강은 언제 세나요？")
    )
    assert asked["rivers.md"] == plain["rivers.md"]
    assert asked["streams.md"] < plain["streams.md"]


def test_words_beside_a_phrase_only_rank() -> None:
    shelf = Shelf()
    shelf.put("a.md", "vector index of one", "vector index of another", "another vector")
    assert shelf.texts('"vector index" another') == ["vector index of another", "vector index of one"]


def test_raw_syntax_reaches_the_index() -> None:
    shelf = Shelf()
    shelf.put("a.md", "alpha beta", "alpha")
    assert shelf.texts("raw: alpha AND beta") == shelf.texts("'alpha AND beta'") == ["alpha beta"]


def test_raw_syntax_that_is_wrong_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        Shelf().search('raw: "alpha')


@walk("text", ["???", "…", '"."'])
def test_query_of_signs_finds_nothing(text: str) -> None:
    shelf = Shelf()
    shelf.put("a.md", "alpha")
    assert shelf.search(text).no_hit_reason is NoHitReason.NOTHING_MATCHES


def test_hybrid_without_vectors_searches_words_and_says_so() -> None:
    shelf = Shelf()
    shelf.put("a.md", "alpha")
    response = shelf.search("alpha", SearchMode.HYBRID)
    assert len(response.hits) == 1
    assert response.coverage.legs == (SearchMode.LEXICAL,)
    assert response.coverage.missing_legs == (SearchMode.VECTOR,)


def test_vector_mode_is_refused_with_the_mode_that_works() -> None:
    with pytest.raises(NotIndexedError) as refused:
        Shelf().search("alpha", SearchMode.VECTOR)
    assert refused.value.remedy == Remedy(kind="use_argument", name="mode", value="lexical")


def test_index_of_another_analyser_is_refused_with_a_remedy() -> None:
    shelf = Shelf(analyzer=WordAnalyzer("words@2"))
    shelf.put("a.md", "alpha")
    with pytest.raises(NotIndexedError) as refused:
        shelf.search("alpha")
    assert refused.value.remedy == Remedy(kind="ingest")
    assert refused.value.details == {"indexed": "words@1", "expected": "words@2"}


def test_running_ingest_is_the_reason_for_no_hits() -> None:
    shelf = Shelf()
    shelf.stores.jobs.start_run(RunId("r1"), (), started_at=START)
    assert shelf.search("alpha").no_hit_reason is NoHitReason.STILL_INDEXING
    shelf.put("a.md", "alpha")
    assert shelf.search("beta").no_hit_reason is NoHitReason.STILL_INDEXING


def test_documents_that_the_filters_let_through_are_counted() -> None:
    shelf = Shelf()
    shelf.put("a.md", "alpha")
    shelf.put("b.md", "alpha")
    counts = [
        shelf.search("alpha", filters=filters).coverage.documents_searched
        for filters in (SearchFilters(), SearchFilters(path_glob=("a.*",)), SearchFilters(lang=("ja",)))
    ]
    assert counts == [2, 1, 0]


def test_hits_of_a_source_not_scanned_for_long_are_stale() -> None:
    shelf = Shelf(stale_threshold_days=30)
    shelf.put("a.md", "alpha")
    shelf.stores.source_files.record_scan(
        CompletedScan(source_id=SourceId("default"), root="/notes", completed_at=START, files=1)
    )
    assert not shelf.search("alpha").hits[0].stale
    shelf.clock.advance(timedelta(days=31))
    response = shelf.search("alpha")
    assert response.hits[0].stale
    assert response.coverage.documents_stale == 1


def test_snippet_length_of_the_query_wins() -> None:
    shelf = Shelf()
    shelf.put("a.md", " ".join(["word"] * 30 + ["needle"] + ["word"] * 30))
    assert len(shelf.search("needle").hits[0].snippet) <= 60
    longer = shelf.search("needle", snippet_chars=100).hits[0].snippet
    assert 60 < len(longer) <= 100
    assert "needle" in longer


def test_match_in_the_title_only_shows_the_beginning_of_the_text() -> None:
    shelf = Shelf()
    shelf.put("a.md", "body without the word", title="Needle")
    (hit,) = shelf.search("needle").hits
    assert (hit.snippet, hit.matched) == ("body without the word", ())
    assert hit.evidence.coverage == pytest.approx(1)


def test_index_version_names_the_analyser() -> None:
    assert Shelf().retriever.index_version() == "lexical:words@1"


def test_chunk_without_terms_of_its_own_is_found_by_its_heading() -> None:
    shelf = Shelf()
    terms = [ChunkTerms(title="", heading="install", body="", surface="install")]
    shelf.store.replace_document(build_record(RecordSpec(path="a.md", paragraphs=("…",), terms=terms)))
    assert len(shelf.search("install").hits) == 1


STROKES = {
    "회의록": "ㅎ 호 회 횡 회으 회의 회읠 회의로 회의록",
    "배포": "ㅂ 배 뱊 배포",
    "값을": "ㄱ 가 갑 값 값ㅇ 값으 값을",
    "vector": "v ve vec vect vecto vector",
}


@walk(("word", "strokes"), list(STROKES.items()))
def test_no_stroke_on_the_way_to_a_word_says_that_nothing_matches(*, word: str, strokes: str) -> None:
    shelf = Shelf()
    shelf.put("a.md", f"{word} alpha")
    shelf.put("b.md", "나비 beta")
    for typed in strokes.split():
        found = shelf.search(typed, unfinished=True)
        assert (found.no_hit_reason, found.unknown_words) == (None, ())
        one_letter = typed in "ㅎㅂㄱv"
        assert [hit.doc_path for hit in found.hits] == ([] if one_letter else ["a.md"]), typed
    assert len(shelf.search(f"{word} ㄴ", unfinished=True).hits) == 1


@walk("typed", ["vecz", "vect ", '"vect"', "배푸"])
def test_a_last_word_that_is_whole_or_begins_no_word_finds_nothing(typed: str) -> None:
    shelf = Shelf()
    shelf.put("a.md", "vector 배포 alpha")
    found = shelf.search(typed, unfinished=True)
    assert (found.hits, found.no_hit_reason) == ((), NoHitReason.NOTHING_MATCHES)


def test_a_short_beginning_reads_its_most_frequent_word_and_others_as_long_as_they_are_in_few_passages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kebab_search.unfinished_word._MOST_PLACES", 5)
    shelf = Shelf()
    for word, count in {"cost": 4, "cord": 3, "cove": 1}.items():
        for number in range(count):
            shelf.put(f"{word}{number}.md", f"{word} alpha")
    found = shelf.search("co", unfinished=True, k=20)
    assert {hit.doc_path.stem.rstrip("0123456789") for hit in found.hits} == {"cost", "cove"}
    assert len(shelf.search("cor", unfinished=True).hits) == 3


def test_pages_of_an_unfinished_word_are_all_that_there_is() -> None:
    shelf = Shelf()
    for number in range(30):
        shelf.put(f"{number:02}.md", "cost alpha")
    seen: set[str] = set()
    page = shelf.search("cos", unfinished=True, k=8)
    while page.next_cursor:
        seen |= {str(hit.doc_path) for hit in page.hits}
        page = shelf.search("cos", unfinished=True, k=8, cursor=page.next_cursor)
    assert len(seen | {str(hit.doc_path) for hit in page.hits}) == 30
