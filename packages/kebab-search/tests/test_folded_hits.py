"""Hits are documents: at the place of the best passage, page by page, with translations beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import (
    Budget,
    SearchFilters,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
)
from kebab_search import SearchRetriever
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()
WORDS = ("alpha", "beta", "gamma", "pad", "stuff", "more")


def count_snippets(hit: SearchHit) -> int:
    return len(hit.snippet) + sum(len(one.snippet) for one in hit.more)


class Library:
    """Documents that can be searched by words."""

    def __init__(self) -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.retriever = SearchRetriever(
            index=self.stores.index,
            documents=self.store,
            analyzer=ANALYZER,
            clock=FixedClock(),
            settings=SearchSettings(),
        )

    def put(
        self,
        path: str,
        *passages: str,
        lang: str = "en",
        source: str = "default",
        content: bytes | None = None,
    ) -> None:
        terms = [ANALYZER.analyze_chunk(title=path, heading_path=(), text=text) for text in passages]
        spec = RecordSpec(
            path=path,
            paragraphs=passages,
            terms=terms,
            title=path,
            lang=lang,
            source=source,
            content=content,
        )
        self.store.replace_document(build_record(spec))

    def search(self, text: str = "alpha beta", **fields: object) -> SearchResponse:
        asked = {"text": text, "mode": SearchMode.LEXICAL, **fields}
        query = SearchQuery.model_validate(asked)
        budget = None if query.max_tokens is None else Budget(query.max_tokens, count_snippets)
        return self.retriever.search(query, budget=budget)

    def pages(self, sizes: Sequence[int], **fields: object) -> Iterator[SearchResponse]:
        """Yield every page of the result; the sizes are used in turn, over and over."""
        cursor: str | None = None
        turn = 0
        while True:
            page = self.search(k=sizes[turn % len(sizes)], cursor=cursor, **fields)
            yield page
            cursor, turn = page.next_cursor, turn + 1
            if cursor is None:
                return


def passages_of(number: int, count: int) -> list[str]:
    """Return passages of a document, each with words of its own."""
    return [
        " ".join(WORDS[(number * 5 + at * 7 + step * at // 3) % len(WORDS)] for step in range(1, 4 + at % 5))
        + f" n{number} p{at}"
        for at in range(count)
    ]


def build_library(counts: Sequence[int]) -> Library:
    library = Library()
    for number, count in enumerate(counts):
        library.put(f"note{number}.md", *passages_of(number, count))
    return library


def paths(hits: Sequence[SearchHit]) -> list[str]:
    return [hit.doc_path for hit in hits]


LARGE = build_library([1 + number % 9 for number in range(24)])
WHOLE = LARGE.search(k=1000)


@pytest.mark.thorough
@settings(max_examples=examples(15), deadline=None)
@given(
    counts=st.lists(st.integers(1, 14), min_size=1, max_size=12),
    sizes=st.lists(st.integers(1, 15), min_size=1, max_size=3),
)
def test_pages_of_any_sizes_together_are_the_result_with_every_document_once(
    counts: list[int], sizes: list[int]
) -> None:
    library = build_library(counts)
    whole = library.search(k=1000)
    assert [hit for page in library.pages(sizes) for hit in page.hits] == list(whole.hits)
    assert len(set(paths(whole.hits))) == len(whole.hits)
    assert [hit.rank for hit in whole.hits] == list(range(1, len(whole.hits) + 1))
    assert whole.next_cursor is None
    passages = library.search(k=1000, all_passages=True).hits
    assert set(paths(whole.hits)) == set(paths(passages))
    scores = [hit.score for hit in whole.hits]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.thorough
@settings(max_examples=examples(10), deadline=None)
@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=3))
def test_pages_of_a_large_result_are_full_and_end(sizes: list[int]) -> None:
    read = list(LARGE.pages(sizes))
    assert [hit for page in read for hit in page.hits] == list(WHOLE.hits)
    assert len(WHOLE.hits) > 15
    assert all(len(page.hits) == page.query.k for page in read[:-1])


@walk("k", [1, 5, 10, 11, 25])
def test_more_hits_begin_with_the_same(k: int) -> None:
    assert LARGE.search(k=k).hits == WHOLE.hits[:k]


def test_the_best_passage_of_all_is_the_first_hit_and_further_ones_follow_it() -> None:
    passages = LARGE.search(k=1000, all_passages=True).hits
    first = WHOLE.hits[0]
    assert (first.chunk_id, first.score) == (passages[0].chunk_id, passages[0].score)
    for hit in WHOLE.hits:
        assert len(hit.more) == min(3, hit.more_count)
        assert [one.rank for one in hit.more] == sorted({one.rank for one in hit.more})
        assert all(one.score <= hit.score for one in hit.more)
        own = {one.chunk_id for one in passages if one.doc_id == hit.doc_id} - {hit.chunk_id}
        assert {one.chunk_id for one in hit.more} <= own
        assert hit.more_count <= len(own)
        assert all(one.citation.path == hit.doc_path for one in hit.more)


LABELS = "tags: [alpha, beta]\nkeywords: [alpha, beta, gamma]"


def test_a_hit_shows_the_text_that_holds_the_words_not_the_tags() -> None:
    library = Library()
    text = "pad stuff more pad stuff more alpha pad stuff more pad stuff more beta"
    library.put("note.md", LABELS, "pad stuff", text)
    library.put("other.md", "alpha pad")
    best, second = library.search(all_passages=True).hits[:2]
    hit = library.search().hits[0]
    assert (best.snippet, second.snippet) == (LABELS, text)
    assert (hit.snippet, hit.score) == (text, best.score)
    assert [(one.rank, one.snippet.split()[0]) for one in hit.more] == [(1, "tags:")]


@walk("text", ["alpha pad stuff", "pad"])
def test_a_hit_shows_tags_where_no_text_holds_all_words(text: str) -> None:
    library = Library()
    library.put("note.md", LABELS, text)
    assert library.search().hits[0].snippet == LABELS


@walk(("query", "shown"), [("pad", "pad\nstuff"), ("stuff more", "pad\nstuff"), ("alpha", None)])
def test_a_snippet_begins_below_tags_unless_only_they_match(query: str, shown: str | None) -> None:
    library = Library()
    text = f"{LABELS}\n\npad\nstuff"
    library.put("note.md", text)
    assert library.search(query).hits[0].snippet == (shown or text)


def test_a_long_document_does_not_crowd_out_the_others() -> None:
    library = build_library([])
    library.put("long.md", *(f"alpha beta alpha beta {at}" for at in range(300)))
    for number in range(6):
        library.put(f"short{number}.md", f"alpha gamma {number}")
    read = list(library.pages([5]))
    found = [hit.doc_path for page in read for hit in page.hits]
    assert sorted(found) == sorted(["long.md", *(f"short{number}.md" for number in range(6))])
    assert found[0] == "long.md"
    assert all(page.hits for page in read)


def test_one_long_document_alone_has_one_hit_and_no_next_page() -> None:
    library = Library()
    library.put("long.md", *(f"alpha beta {at}" for at in range(300)))
    library.put("other.md", "something else")
    response = library.search("alpha", k=10)
    assert (paths(response.hits), response.next_cursor) == (["long.md"], None)


def test_a_filter_that_names_one_document_shows_its_passages() -> None:
    (hit,) = LARGE.search(k=1).hits
    within = LARGE.search(k=100, filters=SearchFilters(doc_id=(hit.doc_id,))).hits
    own = [one for one in LARGE.search(k=1000, all_passages=True).hits if one.doc_id == hit.doc_id]
    assert {one.chunk_id for one in within} == {one.chunk_id for one in own}
    assert all(one.more == () and one.more_count == 0 for one in within)


def test_further_passages_go_first_where_a_budget_is_too_small() -> None:
    library = build_library([6])
    hit = library.search(k=1).hits[0]
    tight = library.search(k=1, max_tokens=len(hit.snippet) + 1)
    assert (tight.truncated, tight.hits[0].more, tight.hits[0].more_count) == (True, (), hit.more_count)
    assert tight.hits[0].snippet == hit.snippet
    assert hit.more


def test_a_trace_says_of_which_hit_a_passage_is_part() -> None:
    response = LARGE.search(k=5, trace=True)
    assert response.trace is not None
    rank_of = {one.chunk_id: one.hit_rank for one in response.trace.rrf_inputs}
    for hit in response.hits:
        assert rank_of.get(hit.chunk_id, hit.rank) == hit.rank
        assert all(rank_of.get(one.chunk_id, hit.rank) == hit.rank for one in hit.more)
    alone = LARGE.search(k=5, trace=True, all_passages=True).trace
    assert alone is not None
    assert {one.hit_rank for one in alone.rrf_inputs} == {None}


PAIRS = [
    ("docs/en/guide.md", "docs/ko/guide.md"),
    ("en/guide.md", "ko/guide.md"),
    ("guide.md", "guide.ko.md"),
    ("README.md", "README_KO.md"),
    ("docs/a/guide.md", "docs/korean/a/guide.md"),
    ("guide.en.md", "guide.md"),
    ("guide-en.md", "guide-kr.md"),
]


@walk(("english", "korean"), PAIRS)
def test_a_translation_is_told_beside_its_page_whether_it_is_found_or_not(english: str, korean: str) -> None:
    library = Library()
    library.put(english, "alpha beta")
    library.put(korean, "alpha", lang="ko")
    library.put("other.md", "gamma beta")
    for text in ("alpha beta", "beta"):
        hits = library.search(text).hits
        page = next(hit for hit in hits if hit.doc_path == english)
        (told,) = page.translations
        assert (told.doc_path, told.lang, told.title, told.to_uri()) == (korean, "ko", korean, korean)
        assert korean not in paths(hits)
    (own, *_) = library.search("alpha", filters=SearchFilters(lang=("ko",))).hits
    assert (own.doc_path, own.translations) == (korean, ())
    every = library.search("alpha", all_passages=True).hits
    assert set(paths(every)) == {english, korean}
    assert all(hit.translations == () for hit in every)


def test_the_translation_that_is_found_before_is_the_hit() -> None:
    library = Library()
    library.put("en/guide.md", "alpha")
    library.put("ko/guide.md", "alpha beta gamma", lang="ko")
    (hit,) = library.search("alpha beta gamma").hits
    assert (hit.doc_path, [one.doc_path for one in hit.translations]) == ("ko/guide.md", ["en/guide.md"])


def test_pages_of_equal_names_in_one_language_are_no_translations() -> None:
    library = Library()
    library.put("a/guide.md", "alpha")
    library.put("a_guide.md", "alpha beta")
    library.put("ko/a/guide.md", "alpha", lang="ko")
    hits = library.search("alpha").hits
    assert sorted(paths(hits)) == ["a/guide.md", "a_guide.md"]


def test_translations_are_found_in_another_source_that_differs_in_its_language() -> None:
    library = Library()
    library.put("guide.md", "alpha beta", source="docs-en")
    library.put("guide.md", "알파", lang="ko", source="docs-ko")
    library.put("guide.md", "알파", lang="ko", source="notes")
    (hit,) = library.search("alpha beta").hits
    assert [one.to_uri() for one in hit.translations] == ["docs-ko:guide.md"]


@pytest.mark.thorough
@settings(max_examples=examples(20), deadline=None)
@given(
    pages=st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from(["en", "ko", "ja"])), unique=True),
    size=st.integers(1, 4),
)
def test_no_document_is_lost_or_shown_twice_among_hits_and_translations(
    pages: list[tuple[str, str]], size: int
) -> None:
    library = Library()
    for at, (name, lang) in enumerate(pages):
        library.put(f"{lang}/{name}.md", *passages_of(at, 3), f"alpha n{at}", lang=lang)
    hits = [hit for page in library.pages([size], text="alpha") for hit in page.hits]
    told = [one.doc_path for hit in hits for one in hit.translations]
    assert sorted([*paths(hits), *told]) == sorted(f"{lang}/{name}.md" for name, lang in pages)


def test_equal_passages_are_one_hit_with_the_addresses_of_the_copies_that_filters_let_through() -> None:
    library = Library()
    for path in ("b/guide.md", "a/guide.md", "c/old guide.md", "d/guide.md", "e/guide.md"):
        library.put(path, "alpha beta", "gamma stuff", source="work" if path[0] == "b" else "default")
    library.put("other.md", "alpha more")
    first, other = library.search().hits
    assert (first.doc_path, first.copy_count) == ("a/guide.md", 4)
    assert first.copies == ("c/old guide.md", "d/guide.md", "e/guide.md")
    assert (other.doc_path, other.copies) == ("other.md", ())
    pages = [hit for page in library.pages([1]) for hit in page.hits]
    assert paths(pages) == ["a/guide.md", "other.md"]
    hits = library.search(filters=SearchFilters(path_glob=("c/*", "work:**"))).hits
    assert [(hit.doc_path, hit.copies) for hit in hits] == [("b/guide.md", ("c/old guide.md",))]


def test_equal_files_that_are_cut_otherwise_are_one_hit() -> None:
    library = Library()
    library.put("notes.md", "alpha beta", "gamma stuff", content=b"one file")
    library.put("notes.txt", "alpha beta gamma stuff", content=b"one file")
    library.put("other.txt", "alpha beta gamma more", content=b"another file")
    for query in ("alpha beta", "gamma"):
        copied, other = sorted(library.search(query).hits, key=lambda hit: hit.doc_path)
        assert {copied.doc_path, *copied.copies} == {"notes.md", "notes.txt"}
        assert (copied.copy_count, other.copies) == (1, ())


def test_passages_far_behind_the_best_are_told_apart_or_no_hits() -> None:
    library = Library()
    library.put("best.md", "alpha beta gamma more stuff in one place")
    for number in range(30):
        library.put(
            f"pad{number}.md", f"pad pad pad n{number} and much else", "alpha" if number < 3 else "pad"
        )
    found = library.search("alpha beta gamma more stuff", k=100).hits
    assert paths(found)[0] == "best.md"
    assert all(hit.score >= 0.02 for hit in found)
    assert [hit.less_likely for hit in found] == [hit.score < 0.05 for hit in found]
    by_phrase = library.search('"pad pad" alpha beta gamma more stuff', k=100).hits
    assert len(by_phrase) == 30
    assert not any(hit.less_likely for hit in by_phrase)
