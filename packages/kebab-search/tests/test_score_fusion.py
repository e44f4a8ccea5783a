import math
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st
from kebab_core import IndexedChunk
from kebab_search.fusion import LexicalScale, fuse_calibrated, fuse_ranks
from kebab_search.ranking import Candidate
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.records import RecordSpec, build_record

SCALE = LexicalScale(max_score=20.0, corpus_size=500)


def chunks(count: int) -> list[IndexedChunk]:
    store = InMemoryDocumentStore()
    record = build_record(RecordSpec(paragraphs=[f"text {n}" for n in range(count)]))
    store.replace_document(record)
    return store.get_chunks([chunk.chunk_id for chunk in record.chunks])


CHUNKS = chunks(60)


def candidate(
    number: int,
    *,
    words: float = 0.0,
    z_score: float | None = None,
    rank: int | None = None,
    is_cross_script: bool = False,
) -> Candidate:
    lexical_rank = rank or (number + 1 if words else None)
    return Candidate(
        CHUNKS[number],
        words or None,
        lexical_rank,
        words,
        vector_rank=number + 1,
        cosine=z_score and 0.8,
        z_score=z_score,
        is_cross_script=is_cross_script,
    )


def scores(*candidates: Candidate) -> list[float]:
    return [one.score for one in fuse_calibrated(candidates, scale=SCALE)]


finite = st.floats(-10, 15)
lexical = st.floats(0, 60)


@given(st.lists(st.tuples(finite, lexical), min_size=1, max_size=20))
def test_scores_lie_between_nothing_and_one(pairs: list[tuple[float, float]]) -> None:
    features = [
        candidate(n, z_score=z, words=w, is_cross_script=n % 2 == 0) for n, (z, w) in enumerate(pairs)
    ]
    assert all(0 <= score <= 1 for score in scores(*features))


@given(finite, finite, lexical)
def test_nearer_of_two_with_equal_words_scores_no_less(one: float, other: float, words: float) -> None:
    near, far = scores(
        candidate(0, z_score=max(one, other), words=words, rank=1),
        candidate(1, z_score=min(one, other), words=words, rank=2),
    )
    assert near >= far


@given(finite, lexical, lexical)
def test_more_words_of_two_equally_near_score_no_less(z_score: float, one: float, other: float) -> None:
    more, fewer = scores(
        candidate(0, z_score=z_score, words=max(one, other), rank=1),
        candidate(1, z_score=z_score, words=min(one, other), rank=2),
    )
    assert more >= fewer


def test_passage_in_another_script_needs_no_words_to_beat_one_that_holds_some_of_them() -> None:
    cross_script, _, some = scores(
        candidate(0, z_score=5.0, is_cross_script=True),
        candidate(1, z_score=4.0, words=20.0, rank=1),
        candidate(2, z_score=5.0, words=2.0, rank=2),
    )
    assert cross_script > some


def test_passage_that_holds_the_words_and_stands_out_beats_another_script() -> None:
    cross_script, home = scores(
        candidate(0, z_score=5.0, is_cross_script=True),
        candidate(1, z_score=5.0, words=25.0),
    )
    assert home > cross_script


def test_words_decide_little_where_the_query_says_little() -> None:
    def lead(most: float) -> float:
        held, empty = (
            one.score
            for one in fuse_calibrated(
                [
                    candidate(0, z_score=5.0, words=most, rank=1),
                    candidate(1, z_score=5.0),
                ],
                scale=LexicalScale(max_score=most, corpus_size=500),
            )
        )
        return held - empty

    assert lead(2.0) < lead(5.0) <= lead(20.0) < lead(60.0)


def gain(above: float, *, max_score: float) -> float:
    return LexicalScale(max_score=max_score, corpus_size=500).gain(above)


def test_all_words_count_more_than_twice_as_much_as_half_of_them() -> None:
    assert gain(12.0, max_score=12.0) > 2 * gain(6.0, max_score=12.0)


def test_words_of_a_long_question_count_no_less_than_those_of_a_short_one() -> None:
    assert gain(6.0, max_score=60.0) == pytest.approx(gain(6.0, max_score=30.0))
    assert gain(6.0, max_score=60.0) > 0


def test_passage_that_holds_the_only_word_comes_before_a_nearer_one_that_does_not() -> None:
    word = math.log(500)
    holder, nearer = fuse_calibrated(
        [
            candidate(0, z_score=3.0, words=1.5 * word, rank=1),
            candidate(1, z_score=6.0),
        ],
        scale=LexicalScale(max_score=word, corpus_size=500),
    )
    assert holder.score > nearer.score


def test_some_words_of_a_question_do_not_outweigh_meaning() -> None:
    some, nearer = fuse_calibrated(
        [
            candidate(0, z_score=4.0, words=6.0, rank=1),
            candidate(1, z_score=5.0),
        ],
        scale=LexicalScale(max_score=20.0, corpus_size=500),
    )
    assert nearer.score > some.score


def test_words_count_from_what_all_of_a_full_pool_hold() -> None:
    pool = [candidate(n, z_score=3.0, words=10.0) for n in range(40)]
    outside = candidate(50, z_score=3.0)
    *first, last = scores(*pool, outside)
    assert set(first) == {last}


def test_passage_without_a_vector_is_placed_among_its_like() -> None:
    known = [candidate(n, z_score=5.0 - n, words=20.0 - n, rank=n + 1) for n in range(3)]
    unknown = candidate(9, words=19.5, rank=2)
    first, second, third, placed = scores(*known, unknown)
    assert first > second > third
    assert first > placed > third


@pytest.mark.parametrize("embedded", [0, 1])
@pytest.mark.parametrize("is_cross_script", [True, False])
def test_passage_with_the_words_is_not_behind_others_for_want_of_a_vector(
    embedded: int, *, is_cross_script: bool
) -> None:
    others = [candidate(20 + n, z_score=9.0 - n, is_cross_script=is_cross_script) for n in range(5)]
    pending = [candidate(n, words=30.0 - n, rank=n + 1) for n in range(embedded, 10)]
    few = [candidate(n, words=30.0, z_score=4.0, rank=n + 1) for n in range(embedded)]
    *behind, first = scores(*others, *few, *pending[1:], pending[0])
    assert all(first > other for other in behind[: len(others)])


def test_scores_are_lower_where_no_word_is_known_and_the_order_is_the_same() -> None:
    features = [candidate(n, z_score=5.0 - n, is_cross_script=n % 2 == 0) for n in range(4)]
    known, unknown = (
        [one.score for one in fuse_calibrated(features, scale=SCALE._replace(known_share=share))]
        for share in (1.0, 0.0)
    )
    assert all(low < high for low, high in zip(unknown, known, strict=True))
    assert sorted(range(4), key=known.__getitem__) == sorted(range(4), key=unknown.__getitem__)


def test_query_without_words_of_weight_is_ranked_by_meaning() -> None:
    near, far = fuse_calibrated(
        [candidate(n, z_score=5.0 - n) for n in range(2)],
        scale=LexicalScale(max_score=0.0, corpus_size=0),
    )
    assert near.score > far.score


@pytest.mark.parametrize("k", [1, 60])
def test_ranks_alone_give_at_most_one_and_half_of_it_on_one_leg(k: int) -> None:
    both = candidate(0, words=1.0, rank=1)
    single = candidate(0)
    lower = candidate(3, words=1.0, rank=2)
    fused = fuse_ranks([both, single, lower], k=k)
    assert [one.score for one in fused[:2]] == [pytest.approx(1), pytest.approx(0.5)]
    assert all(better.score > worse.score for better, worse in pairwise([fused[0], fused[2]]))
