from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from kebab_core import CodeRole, IndexedChunk, SearchMode
from kebab_search.fusion import fill_reserved_places, fuse_ranks
from kebab_search.lexical_search import LexicalSearch, QueryAnalysis
from kebab_search.query import parse_query
from kebab_search.ranking import Candidate
from kebab_search.score import chance_z_score, has_evidence, is_less_likely, keep_hits, score_candidates
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()
STORES = TemporaryStores()
STORE = STORES.documents


def chunks(count: int, *, path: str = "notes/a.md") -> list[IndexedChunk]:
    texts = [f"text {n}" for n in range(count)]
    terms = [ANALYZER.analyze_chunk(title="t", heading_path=(), text=text) for text in texts]
    record = build_record(RecordSpec(path=path, paragraphs=texts, terms=terms))
    STORE.replace_document(record)
    return STORE.get_chunks([chunk.chunk_id for chunk in record.chunks])


CHUNKS = chunks(60)


def analyze(text: str) -> QueryAnalysis:
    index = STORES.index
    return LexicalSearch(index=index, documents=STORE, analyzer=ANALYZER).analyze(parse_query(text))


QUERY = analyze("text 7")


def candidate(
    number: int,
    *,
    share: float = 0.0,
    name: float = 0.0,
    z_score: float | None = None,
    rank: int | None = None,
    is_cross_script: bool = False,
) -> Candidate:
    return Candidate(
        CHUNKS[number],
        1.0 if rank else None,
        rank,
        1.0 / rank if rank else 0.0,
        vector_rank=number + 1,
        cosine=z_score and 0.8,
        z_score=z_score,
        above_chance=0.0 if z_score is None else z_score - chance_z_score(60),
        is_cross_script=is_cross_script,
        share=share,
        name=name,
    )


def of_code(one: Candidate) -> Candidate:
    return one._replace(passage=as_code(one.passage))


def as_code(passage: IndexedChunk) -> IndexedChunk:
    chunk = passage.chunk.model_copy(update={"role": CodeRole.DEFINITION})
    return passage.model_copy(update={"chunk": chunk})


def scores(*candidates: Candidate, mode: SearchMode = SearchMode.HYBRID) -> list[float]:
    return [one.score for one in score_candidates(candidates, QUERY, mode=mode)]


finite = st.floats(-10, 15)
share = st.floats(0, 1)


@given(st.lists(st.tuples(finite, share, share), min_size=1, max_size=20))
def test_scores_lie_between_nothing_and_one(features: list[tuple[float, float, float]]) -> None:
    found = [candidate(n, z_score=z, share=words, name=name) for n, (z, words, name) in enumerate(features)]
    assert all(0 < score <= 1 for score in scores(*found))


@given(finite, finite, share, share)
def test_nearer_of_two_with_equal_words_scores_no_less(
    one: float, other: float, words: float, name: float
) -> None:
    near, far = scores(
        candidate(0, z_score=max(one, other), share=words, name=name),
        candidate(1, z_score=min(one, other), share=words, name=name),
    )
    assert near >= far


@given(finite, share, share)
def test_more_words_of_two_equally_near_score_no_less(z_score: float, one: float, other: float) -> None:
    more, fewer = scores(
        candidate(0, z_score=z_score, share=max(one, other)),
        candidate(1, z_score=z_score, share=min(one, other)),
    )
    assert more >= fewer


def test_words_that_no_passage_holds_say_less_against_source_code() -> None:
    asked = analyze("text zzzz qqqq wwww")
    passage = candidate(0, z_score=3.0)
    in_code = of_code(passage)

    def score(one: Candidate, query: QueryAnalysis) -> float:
        return score_candidates([one], query, mode=SearchMode.HYBRID)[0].score

    assert score(passage, asked) < score(in_code, asked) < score(in_code, QUERY)
    assert score(passage, QUERY) == score(in_code, QUERY)


def test_passage_in_another_script_has_no_bonus() -> None:
    cross_script, home = scores(
        candidate(0, z_score=6.0, is_cross_script=True), candidate(1, z_score=6.0, share=0.1)
    )
    assert home > cross_script


CHANCE = chance_z_score(60)
NEARER = candidate(0, z_score=CHANCE + 3.0, is_cross_script=True)
HOME = candidate(1, z_score=CHANCE + 1.0, share=0.5, rank=1)


def test_passage_in_another_script_that_is_nearer_than_all_others_comes_before_some_of_the_words() -> None:
    nearer, home = scores(NEARER, HOME)
    assert nearer > home


@walk(
    "told",
    [
        [HOME._replace(share=1.0)],
        [HOME._replace(z_score=CHANCE + 2.9, above_chance=2.9)],
        [HOME._replace(z_score=None, above_chance=0.0)],
        [HOME, candidate(2, z_score=CHANCE, share=0.1, is_cross_script=True)],
    ],
)
def test_passage_in_another_script_stays_behind_where_words_can_tell_or_others_are_as_near(
    told: list[Candidate],
) -> None:
    found = score_candidates([NEARER, *told], QUERY, mode=SearchMode.HYBRID)
    assert max(found, key=lambda one: one.score).passage is CHUNKS[1]


def test_word_held_by_sound_in_another_script_leaves_the_excess_z_score_of_others() -> None:
    found = score_candidates(
        [NEARER, HOME, candidate(2, z_score=CHANCE, share=0.1, is_cross_script=True)],
        analyze("글 칠"),
        mode=SearchMode.HYBRID,
    )
    assert max(found, key=lambda one: one.score).passage is NEARER.passage


def test_source_code_in_another_script_has_no_excess_z_score() -> None:
    code = NEARER._replace(passage=as_code(NEARER.passage))
    found = score_candidates([code, HOME], QUERY, mode=SearchMode.HYBRID)
    assert max(found, key=lambda one: one.score).passage is CHUNKS[1]


def test_what_is_near_in_another_script_is_a_hit_only_where_something_else_is() -> None:
    analysis = QUERY._replace(corpus_size=5000)
    stranger = candidate(0, z_score=CHANCE + 2.0, is_cross_script=True)
    for above, is_found in ((-3.0, False), (0.5, True)):
        found = [stranger, candidate(1, z_score=CHANCE + above)]
        best, own = score_candidates(found, analysis, mode=SearchMode.HYBRID)
        assert best.score > own.score
        assert has_evidence(found, analysis, mode=SearchMode.HYBRID) is is_found


def test_one_candidate_beyond_the_first_pool_changes_no_hit() -> None:
    others = [candidate(number, z_score=CHANCE + 1.0, is_cross_script=True) for number in range(40)]
    beyond = candidate(45, z_score=CHANCE, share=0.0)
    assert beyond.depth > 40
    found = score_candidates([*others, beyond], QUERY, mode=SearchMode.HYBRID)
    assert len(found) == 41


@given(finite, share)
def test_passage_in_another_script_scores_no_less_the_more_words_it_holds_and_as_much_with_all(
    z_score: float, words: float
) -> None:
    some, every, home = scores(
        candidate(0, z_score=z_score, share=words, rank=1, is_cross_script=True),
        candidate(1, z_score=z_score, share=1.0, rank=1, is_cross_script=True),
        candidate(2, z_score=z_score, share=1.0, rank=1),
    )
    assert some <= every == home


def test_passages_in_another_script_need_no_more_where_there_are_no_others() -> None:
    only = candidate(0, z_score=chance_z_score(60) + 1, is_cross_script=True)
    beside = [only, candidate(1, z_score=0.0)]
    assert scores(only)[0] > scores(*beside)[0]


@walk("share_of_script", [0.0, 0.5, 1.0])
def test_a_stranger_beside_a_passage_with_the_words_needs_as_much_whatever_the_index_holds(
    share_of_script: float,
) -> None:
    analysis = QUERY._replace(script_share=share_of_script)
    holder = candidate(0, z_score=6.0, share=1.0, is_cross_script=share_of_script == 0)
    strangers = [
        candidate(number, z_score=chance_z_score(60) + above, is_cross_script=True)
        for number, above in ((1, 2.4), (2, 2.6))
    ]
    found = score_candidates([holder, *strangers], analysis, mode=SearchMode.HYBRID)
    assert [CHUNKS.index(one.passage) for one in found] == [0, 2]


@walk(("share_of_script", "kept"), [(0.0, 2), (0.5, 1), (1.0, 1)])
def test_source_code_without_a_word_stays_where_nothing_is_in_the_script_of_the_query(
    share_of_script: float, kept: int
) -> None:
    analysis = QUERY._replace(script_share=share_of_script)
    holder = candidate(0, z_score=3.0, share=0.1, rank=1, is_cross_script=share_of_script == 0)
    nearer = candidate(1, z_score=chance_z_score(60) + 0.7, is_cross_script=True)
    found = score_candidates([of_code(holder), of_code(nearer)], analysis, mode=SearchMode.HYBRID)
    assert len(found) == kept


def test_words_in_several_lines_count_for_source_code_as_much_as_in_half_a_sentence() -> None:
    chunk = CHUNKS[0].chunk.model_copy(update={"text": "alpha beta\ngamma delta"})
    prose = CHUNKS[0].model_copy(update={"chunk": chunk})
    share = analyze("alpha beta gamma delta").match.share
    assert share(prose) == pytest.approx(0.5)
    assert share(as_code(prose)) == pytest.approx(0.75)


@walk("passages", [5, 60, 1_000_000])
def test_a_little_less_evidence_than_chance_makes_less_likely_hits_and_much_less_none(passages: int) -> None:
    analysis = QUERY._replace(corpus_size=passages)
    for above, is_hit, is_likely in (
        (0.1, True, True),
        (-0.1, True, False),
        (-1.4, True, False),
        (-1.6, False, False),
    ):
        found = [candidate(0, z_score=CHANCE + above)]
        assert has_evidence(found, analysis, mode=SearchMode.HYBRID) is is_hit
        (scored,) = score_candidates(found, analysis, mode=SearchMode.HYBRID)
        assert is_less_likely(scored, analysis) is not is_likely


def test_what_would_be_a_hit_alone_is_a_less_likely_one_beside_a_far_better_one() -> None:
    analysis = QUERY._replace(corpus_size=5000)
    found = [candidate(number, z_score=CHANCE + above) for number, above in enumerate((12.0, 0.0, -1.0))]
    scored = score_candidates(found, analysis, mode=SearchMode.HYBRID)
    kept, left_out = keep_hits(scored, analysis, by_surface=())
    assert [one.passage for one in kept] == CHUNKS[:2]
    assert [is_less_likely(one, analysis) for one in kept] == [False, True]
    assert [one.passage for one in left_out] == CHUNKS[2:3]


def test_passage_that_holds_the_words_comes_before_a_nearer_one_that_does_not() -> None:
    holder, nearer = scores(candidate(0, z_score=3.0, share=1.0, rank=1), candidate(1, z_score=6.0))
    assert holder > nearer


def test_of_equal_passages_the_one_with_the_higher_bm25_comes_first() -> None:
    second, first = scores(
        candidate(0, z_score=4.0, share=0.5, rank=2), candidate(1, z_score=4.0, share=0.5, rank=1)
    )
    assert first > second


def test_highest_bm25_makes_no_hit_of_passages_without_evidence() -> None:
    weak = [candidate(0, z_score=chance_z_score(60) - 3, rank=1)]
    assert not has_evidence(weak, QUERY, mode=SearchMode.HYBRID)


def test_some_words_of_a_question_do_not_outweigh_meaning() -> None:
    some, nearer = scores(candidate(0, z_score=4.0, share=0.2), candidate(1, z_score=5.0))
    assert nearer > some


def test_passage_that_holds_the_query_as_typed_comes_before_a_nearer_one_unless_a_document_has_its_name() -> (
    None
):
    typed, nearer = candidate(7, share=1, z_score=1, rank=1), candidate(8, share=1, z_score=4)
    assert scores(typed, nearer)[0] > scores(typed, nearer)[1]
    named = candidate(9, share=1, name=1, z_score=4)
    assert scores(typed, named)[0] < scores(typed, named)[1]


@walk(("likely", "is_likely"), [(1, False), (7, False), (8, True)])
def test_passage_in_another_script_has_the_score_of_hits_before_it_only_where_they_fill_the_other_places(
    likely: int, is_likely: bool
) -> None:
    hits = [candidate(number, share=1, z_score=4)._replace(score=0.9) for number in range(likely)]
    (page,) = chunks(1, path="다른.md")
    other = candidate(20, z_score=3, is_cross_script=True)._replace(passage=page)
    *_, last = fill_reserved_places([*hits, other], hits, is_folded=False)
    assert last.chunk_id == other.chunk_id
    assert is_less_likely(last, QUERY) is not is_likely


def test_document_with_the_name_comes_before_one_that_holds_the_words() -> None:
    named, holder = scores(
        candidate(0, z_score=4.0, share=1.0, name=1.0), candidate(1, z_score=5.0, share=1.0, name=0.4)
    )
    assert named > holder


def test_passage_without_a_vector_counts_as_similar_as_chance_makes_the_most_similar() -> None:
    chance = chance_z_score(QUERY.corpus_size)
    above, without, below = scores(
        candidate(0, z_score=chance + 1, share=0.5),
        candidate(1, share=0.5),
        candidate(2, z_score=chance - 1, share=0.5),
    )
    assert above > without > below


def test_vector_mode_goes_by_similarity_alone() -> None:
    near, far = scores(
        candidate(0, z_score=4.0), candidate(1, z_score=3.0, share=1.0, name=1.0), mode=SearchMode.VECTOR
    )
    assert near > far
    assert scores(candidate(0, share=1.0), mode=SearchMode.VECTOR) == []


def test_scores_of_words_keep_the_order_of_the_index_for_documents_of_the_same_name() -> None:
    found = [candidate(n + 10, rank=n + 1)._replace(score=20.0 - n) for n in range(15)]
    scored = [one.score for one in score_candidates(found, QUERY, mode=SearchMode.LEXICAL)]
    assert all(better > worse for better, worse in pairwise(scored))
    assert len(set(scored[:10])) == 10


@given(st.lists(st.tuples(finite, share), min_size=1, max_size=20), st.integers(1, 20))
def test_evidence_does_not_depend_on_how_many_hits_are_asked_for(
    features: list[tuple[float, float]], more: int
) -> None:
    found = [candidate(n, z_score=z, share=words) for n, (z, words) in enumerate(features)]
    deep = [
        candidate(40 + n, z_score=15.0, share=1.0)._replace(vector_rank=41 + n) for n in range(min(more, 19))
    ]
    mode = SearchMode.HYBRID
    assert has_evidence(found, QUERY, mode=mode) == has_evidence([*found, *deep], QUERY, mode=mode)


@walk(("text", "expected"), [("absent text", False), ('"text 3"', True), ("te*", True)])
def test_query_that_says_what_is_a_hit_needs_no_other_evidence(text: str, expected: bool) -> None:
    weak = [candidate(3, z_score=0.0)]
    assert has_evidence(weak, analyze(text), mode=SearchMode.HYBRID) is expected


@walk("k", [1, 60])
def test_ranks_alone_give_at_most_one_and_half_of_it_on_one_leg(k: int) -> None:
    both = candidate(0, rank=1)
    single = candidate(0)
    lower = candidate(3, rank=2)
    fused = fuse_ranks([both, single, lower], k=k)
    assert [one.score for one in fused[:2]] == [pytest.approx(1), pytest.approx(0.5)]
    assert all(better.score > worse.score for better, worse in pairwise([fused[0], fused[2]]))
