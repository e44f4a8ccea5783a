"""Laws of `LexicalIndex`: search, phrases, surface words and frequencies."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    ChunkTerms,
    DocumentId,
    DocumentStore,
    LexicalIndex,
    LexicalQuery,
    SyntaxGroup,
    SyntaxWords,
)

from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record, words_of

StoreAndIndex = tuple[DocumentStore, LexicalIndex]
HARD_TERMS = (
    "c++",
    "v1.2.3",
    "node.js",
    "foo_bar",
    "it's",
    '"',
    '""',
    "*",
    "a*",
    "(x",
    "x)",
    "^y",
    "-z",
    "near",
    "or",
)
"""Single terms that FTS5 or a word-based tokenizer would take apart or for syntax."""
_SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
"""The index stays empty and every implementation runs the suite, so neither matters here."""
AWKWARD_TEXT = st.text(alphabet=st.characters(codec="utf-8"), max_size=12)


class LexicalIndexLaws:
    """Subclass it and override the `indexed` fixture with an empty store and its index."""

    @pytest.fixture
    def indexed(self) -> StoreAndIndex:
        """Give an empty store and the index of what is put into it."""
        raise NotImplementedError

    def test_an_empty_index_finds_nothing(self, indexed: StoreAndIndex) -> None:
        _, index = indexed
        assert index.search(LexicalQuery(terms=("a",)), limit=5) == []
        assert (index.corpus_size(), index.analyzer_version()) == (0, None)
        assert index.document_frequencies(["a"]) == {"a": 0}

    def test_any_of_the_terms_is_enough_and_rare_terms_count_more(self, indexed: StoreAndIndex) -> None:
        texts = ["apple pear", "apple fig", "apple kiwi", "plum", "nut", "date", "lime", "beet"]
        found = _search(indexed, texts, LexicalQuery(terms=("apple", "fig", "missing")))
        assert found == ["apple fig", "apple kiwi", "apple pear"] or set(found[1:]) == {
            "apple pear",
            "apple kiwi",
        }
        assert found[0] == "apple fig"

    def test_scores_are_not_negative_and_fall(self, indexed: StoreAndIndex) -> None:
        _put(indexed, ["a", "a a b", "a c d e f", "b", "a"])
        scores = [match.bm25 for match in indexed[1].search(LexicalQuery(terms=("a", "b")), limit=9)]
        assert len(scores) == 5
        assert scores == sorted(scores, reverse=True)
        assert min(scores) >= 0

    def test_terms_of_a_document_are_read_as_they_were_stored(self, indexed: StoreAndIndex) -> None:
        first, _ = _put(indexed, ["a b b", "c"])
        assert list(indexed[1].read_terms(first)) == [words_of("a b b")]
        assert list(indexed[1].read_terms(DocumentId("0" * 32))) == []

    def test_two_syllables_and_one_are_found(self, indexed: StoreAndIndex) -> None:
        assert _search(indexed, ["검색 규칙", "책"], LexicalQuery(terms=("책", "검색"))) != []
        assert _search(indexed, [], LexicalQuery(terms=("책",))) == ["책"]

    @pytest.mark.parametrize("term", HARD_TERMS)
    def test_a_term_is_found_whole_and_never_read_as_syntax(self, indexed: StoreAndIndex, term: str) -> None:
        texts = [f"before {term} after", "c v1 node js foo bar it s x y z a"]
        assert _search(indexed, texts, LexicalQuery(terms=(term,))) == [texts[0]]
        assert _search(indexed, [], LexicalQuery(terms=("before",), phrases=((term,),))) == [texts[0]]
        assert indexed[1].document_frequencies([term]) == {term: 1}

    @settings(suppress_health_check=_SHARED, max_examples=examples(60), deadline=None)
    @given(terms=st.lists(AWKWARD_TEXT, max_size=4), phrase=st.lists(AWKWARD_TEXT, max_size=3))
    def test_no_term_or_phrase_is_ever_an_error(
        self, indexed: StoreAndIndex, terms: list[str], phrase: list[str]
    ) -> None:
        query = LexicalQuery(terms=tuple(terms), phrases=(tuple(phrase),))
        assert indexed[1].search(query, limit=3) == []

    def test_a_phrase_needs_its_words_side_by_side(self, indexed: StoreAndIndex) -> None:
        texts = ["the quick fox", "the fox is quick", "a very quick fox ran"]
        query = LexicalQuery(terms=("fox",), phrases=(("quick", "fox"),))
        assert set(_search(indexed, texts, query)) == {texts[0], texts[2]}

    def test_all_phrases_must_occur(self, indexed: StoreAndIndex) -> None:
        texts = ["a b c d", "a b x d", "c d"]
        assert _search(indexed, texts, LexicalQuery(terms=("d",), phrases=(("a", "b"), ("c", "d")))) == [
            "a b c d"
        ]

    def test_phrases_look_at_surface_words_and_terms_at_analysed_ones(self, indexed: StoreAndIndex) -> None:
        terms = ChunkTerms(title="", heading="", body="run", surface="she was running")
        indexed[0].replace_document(build_record(RecordSpec(paragraphs=("x",), terms=(terms,))))
        assert (
            len(indexed[1].search(LexicalQuery(terms=("run",), phrases=(("was", "running"),)), limit=5)) == 1
        )
        assert indexed[1].search(LexicalQuery(terms=("running",)), limit=5) == []
        assert indexed[1].search(LexicalQuery(terms=("run",), phrases=(("run",),)), limit=5) == []

    def test_the_last_word_of_an_open_phrase_may_go_on(self, indexed: StoreAndIndex) -> None:
        texts = ["벡터 인덱스를 만든다", "벡터들 인덱스", "인덱스 벡터", "벡터 인덱스"]
        query = LexicalQuery(open_phrases=(("벡터", "인덱스"),))
        assert set(_search(indexed, texts, query)) == {texts[0], texts[3]}
        both = LexicalQuery(phrases=(("만든다",),), open_phrases=(("벡터", "인덱"),))
        assert _search(indexed, [], both) == [texts[0]]

    def test_a_phrase_finds_its_chunks_with_or_without_the_terms(self, indexed: StoreAndIndex) -> None:
        texts = ["fig pear", "fig kiwi kiwi", "kiwi", *(f"filler{n}" for n in range(5))]
        found = _search(indexed, texts, LexicalQuery(terms=("kiwi", "plum"), phrases=(("fig",),)))
        assert found == [texts[1], texts[0]]

    def test_phrases_alone_find_their_chunks_unscored(self, indexed: StoreAndIndex) -> None:
        _put(indexed, ["x y", "y x", "z x y"])
        found = indexed[1].search(LexicalQuery(phrases=(("x", "y"),)), limit=5)
        assert [match.bm25 for match in found] == [0.0, 0.0]

    def test_a_prefix_stands_for_every_term_it_begins(self, indexed: StoreAndIndex) -> None:
        texts = ["임베딩 모델", "임베더", "모델", "임", "다른 임베딩"]
        found = _search(indexed, texts, LexicalQuery(prefixes=("임베",)))
        assert set(found) == {"임베딩 모델", "임베더", "다른 임베딩"}

    def test_terms_and_prefixes_are_alternatives_narrowed_by_phrases(self, indexed: StoreAndIndex) -> None:
        texts = ["alpha one", "alphabet two", "beta two", "gamma"]
        assert set(_search(indexed, texts, LexicalQuery(terms=("beta",), prefixes=("alph",)))) == set(
            texts[:3]
        )
        narrowed = LexicalQuery(terms=("beta",), prefixes=("alph",), phrases=(("two",),))
        assert set(_search(indexed, [], narrowed)) == set(texts[1:3])

    @pytest.mark.parametrize("prefix", ["*", '"', "a b", "-", "^", "("])
    def test_a_prefix_is_never_read_as_syntax(self, indexed: StoreAndIndex, prefix: str) -> None:
        assert _search(indexed, ["plain"], LexicalQuery(prefixes=(prefix,))) == []

    def test_nothing_asked_finds_nothing(self, indexed: StoreAndIndex) -> None:
        assert _search(indexed, ["a"], LexicalQuery()) == []

    def test_a_term_of_the_title_counts_more_than_one_of_the_body(self, indexed: StoreAndIndex) -> None:
        columns = [
            ChunkTerms(title="fig", heading="x", body="x", surface=""),
            ChunkTerms(title="x", heading="x", body="fig", surface=""),
            *[words_of(f"filler{n} y z") for n in range(5)],
        ]
        record = build_record(RecordSpec(paragraphs=tuple("abcdefg"), terms=columns))
        indexed[0].replace_document(record)
        (best,) = indexed[1].search(LexicalQuery(terms=("fig",)), limit=1)
        assert best.chunk_id == record.chunks[0].chunk_id

    def test_words_as_written_do_not_lengthen_a_chunk(self, indexed: StoreAndIndex) -> None:
        same = [ChunkTerms(title="", heading="", body="fig x", surface=text) for text in ("fig", "fig " * 50)]
        other = [words_of(f"filler{n} y z") for n in range(5)]
        spec = RecordSpec(paragraphs=tuple("abcdefg"), terms=(*same, *other))
        indexed[0].replace_document(build_record(spec))
        first, second = indexed[1].search(LexicalQuery(terms=("fig",)), limit=5)
        assert first.bm25 == second.bm25

    def test_only_chunks_of_the_given_documents_are_found(self, indexed: StoreAndIndex) -> None:
        ids = _put(indexed, [f"fig {'fig ' * n}" for n in range(9)])
        rare = frozenset([ids[0]])
        query = LexicalQuery(terms=("fig",))
        assert len(indexed[1].search(query, limit=1, documents=rare)) == 1
        assert indexed[1].search(query, limit=1, documents=frozenset()) == []
        assert len(indexed[1].search(query, limit=50, documents=frozenset(ids[2:]))) == 7
        phrases = LexicalQuery(phrases=(("fig",),))
        assert len(indexed[1].search(phrases, limit=50, documents=frozenset(ids[2:]))) == 7
        for asked in (
            query,
            phrases,
            LexicalQuery(terms=("none",)),
            LexicalQuery(terms=("none",), phrases=(("fig",),)),
        ):
            for documents in (None, rare, frozenset[DocumentId]()):
                for limit in (1, 3, 50):
                    found = indexed[1].search(asked, limit=limit, documents=documents)
                    count = indexed[1].count_matches(asked, limit=limit, documents=documents)
                    assert count == len(found)
        for asked in (query, phrases):
            assert indexed[1].count_matches(asked, without=ids[1:])
            assert not indexed[1].count_matches(asked, without=ids)
            assert not indexed[1].count_matches(asked, documents=rare, without=ids[:1])
            assert indexed[1].count_matches(asked, documents=frozenset(ids[:2]), without=ids[:1])

    def test_ties_are_ordered_by_path_and_ordinal(self, indexed: StoreAndIndex) -> None:
        store, index = indexed
        for name in (*(f"x{n:03}" for n in reversed(range(90))), "c", "a", "b"):
            store.replace_document(build_record(RecordSpec(path=f"{name}.md", paragraphs=("fig", "fig"))))
        for limit in (1, 3, 5, 200):
            found = [match.chunk_id for match in index.search(LexicalQuery(terms=("fig",)), limit=limit)]
            places = [(hit.document.doc_path, hit.chunk.ordinal) for hit in store.get_chunks(found)]
            everything = [(f"{name}.md", n) for name in ("a", "b", "c") for n in (0, 1)]
            everything += [(f"x{number:03}.md", n) for number in range(90) for n in (0, 1)]
            assert places == everything[:limit]

    def test_surface_words_are_found_by_their_beginning(self, indexed: StoreAndIndex) -> None:
        terms = ChunkTerms(title="조지", heading="조지", body="조지", surface="조지아 주")
        spec = RecordSpec(path="b.md", paragraphs=("x", "y"), terms=(terms, words_of("미조지 주")))
        indexed[0].replace_document(build_record(spec))
        indexed[0].replace_document(build_record(RecordSpec(path="a.md", paragraphs=("조지의 책",))))
        found = indexed[1].find_surface_words("조지", limit=5)
        texts = [hit.chunk.text for hit in indexed[0].get_chunks(list(found.chunk_ids))]
        assert (texts, found.total) == (["조지의 책", "x"], 2)
        assert indexed[1].find_surface_words("조지아", limit=5).total == 1
        assert indexed[1].find_surface_words("지", limit=5) == ((), 0)
        assert [each for each in ("조지", "조지아", "지", "") if indexed[1].has_surface_word(each)] == [
            "조지",
            "조지아",
        ]

    def test_surface_words_are_counted_in_all_documents_and_listed_for_some(
        self, indexed: StoreAndIndex
    ) -> None:
        ids = _put(indexed, ["fig one", "fig two", "figs", "pear"])
        everything = indexed[1].find_surface_words("fig", limit=9)
        assert (len(everything.chunk_ids), everything.total) == (3, 3)
        assert indexed[1].find_surface_words("fig", limit=2) == (everything.chunk_ids[:2], 3)
        some = indexed[1].find_surface_words("fig", limit=9, documents=frozenset(ids[1:2]))
        assert some == (everything.chunk_ids[1:2], 3)

    @settings(suppress_health_check=_SHARED, max_examples=examples(40), deadline=None)
    @given(beginning=AWKWARD_TEXT)
    def test_no_beginning_of_a_word_is_ever_an_error(self, indexed: StoreAndIndex, beginning: str) -> None:
        assert indexed[1].find_surface_words(beginning, limit=3) == ((), 0)
        assert not indexed[1].has_surface_word(beginning)

    def test_full_text_syntax_is_the_whole_query(self, indexed: StoreAndIndex) -> None:
        texts = ["a b", "a c", "b c", "b a bc"]
        a, b, c = (SyntaxWords((word,)) for word in "abc")
        both = SyntaxGroup("AND", (a, b))
        query = LexicalQuery(syntax=both, terms=("c",), phrases=(("c",),))
        assert set(_search(indexed, texts, query)) == {"a b", "b a bc"}
        wanted: dict[SyntaxWords | SyntaxGroup, set[str]] = {
            SyntaxGroup("NOT", (b, a)): {"b c"},
            SyntaxGroup("NOT", (b, SyntaxGroup("OR", (c, SyntaxWords(("bc",)))))): {"a b"},
            SyntaxGroup("OR", (both, c)): set(texts),
            SyntaxWords(("a", "b")): {"a b"},
            SyntaxWords(("a", "b"), is_open=True): {"a b", "b a bc"},
            SyntaxWords(("x",)): set(),
        }
        for syntax, found in wanted.items():
            assert set(_search(indexed, [], LexicalQuery(syntax=syntax))) == found, syntax

    def test_frequencies_count_chunks_over_all_ranked_columns(self, indexed: StoreAndIndex) -> None:
        terms = [
            ChunkTerms(title="fig", heading="", body="fig fig", surface="only"),
            ChunkTerms(title="", heading="fig", body="", surface=""),
            ChunkTerms(title="", heading="", body="x", surface="fig"),
        ]
        indexed[0].replace_document(build_record(RecordSpec(paragraphs=tuple("abc"), terms=terms)))
        assert indexed[1].document_frequencies(["fig", "x", "only"]) == {"fig": 2, "x": 1, "only": 0}
        assert indexed[1].document_frequencies([]) == {}
        assert indexed[1].corpus_size() == 3

    def test_terms_are_listed_by_their_beginning(self, indexed: StoreAndIndex) -> None:
        indexed[0].replace_document(build_record(RecordSpec(paragraphs=("fig figs", "fog fig", "가지"))))
        assert indexed[1].list_terms(["fi", "가"]) == {"fig": 2, "figs": 1, "가지": 1}
        assert indexed[1].list_terms(["x", ""]) == {}

    def test_terms_of_replaced_and_removed_documents_are_gone(self, indexed: StoreAndIndex) -> None:
        store, index = indexed
        old = build_record(RecordSpec(paragraphs=("old", "text")))
        new = build_record(RecordSpec(paragraphs=("new",)))
        store.replace_document(old)
        store.replace_document(new)
        assert index.document_frequencies(["old", "new"]) == {"old": 0, "new": 1}
        assert index.search(LexicalQuery(terms=("old",)), limit=5) == []
        assert index.search(LexicalQuery(phrases=(("old",),)), limit=5) == []
        store.remove_documents([new.document.doc_id])
        assert index.corpus_size() == 0
        assert index.search(LexicalQuery(terms=("new",), phrases=(("new",),)), limit=5) == []

    def test_the_analyser_of_most_documents_is_told(self, indexed: StoreAndIndex) -> None:
        store, index = indexed
        for name in "abc":
            store.replace_document(build_record(RecordSpec(path=f"{name}.md")))
        store.replace_document(build_record(RecordSpec(path="a.md", analyzer="words@2")))
        assert index.analyzer_version() == "words@1"
        store.replace_document(build_record(RecordSpec(path="b.md", analyzer="words@2")))
        assert index.analyzer_version() == "words@2"


def _put(indexed: StoreAndIndex, texts: Sequence[str]) -> list[DocumentId]:
    records = [
        build_record(RecordSpec(path=f"{n:04}.md", paragraphs=(text,))) for n, text in enumerate(texts)
    ]
    for record in records:
        indexed[0].replace_document(record)
    return [record.document.doc_id for record in records]


def _search(indexed: StoreAndIndex, texts: Sequence[str], query: LexicalQuery) -> list[str]:
    _put(indexed, texts)
    found = [match.chunk_id for match in indexed[1].search(query, limit=20)]
    return [hit.chunk.text for hit in indexed[0].get_chunks(found)]
