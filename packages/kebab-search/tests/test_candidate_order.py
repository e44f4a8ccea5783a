from hypothesis import given, strategies as st
from kebab_search.ranking import Candidate, pool_size, put_in_order, step_above
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

RECORD = build_record(RecordSpec())
STORE = TemporaryStores().documents
STORE.replace_document(RECORD)
(FOUND,) = STORE.get_chunks([RECORD.chunks[0].chunk_id])

CHUNKS = [
    FOUND.model_copy(update={"chunk": FOUND.chunk.model_copy(update={"chunk_id": f"{number:032x}"})})
    for number in range(400)
]

scores = st.lists(st.floats(0, 50), max_size=400)


def candidates(boosted: list[float]) -> list[Candidate]:
    return [
        Candidate(CHUNKS[rank - 1], bm25=0.0, lexical_rank=rank, score=s)
        for rank, s in enumerate(boosted, start=1)
    ]


def ranks(order: list[Candidate]) -> list[int]:
    return [candidate.lexical_rank for candidate in order]


@given(scores, st.integers(1, 150), st.integers(1, 150))
def test_fewer_places_are_the_beginning_of_more(boosted: list[float], few: int, more: int) -> None:
    few, more = sorted((few, more))
    pools = [candidates(boosted)[: pool_size(step_above(places))] for places in (few, more)]
    short, long = put_in_order(pools[0], places=few), put_in_order(pools[1], places=more)
    assert short == long[: len(short)]
    assert len(short) >= min(few, len(boosted))


@given(scores, st.integers(1, 150))
def test_scores_never_rise_and_nobody_comes_twice(boosted: list[float], places: int) -> None:
    order = put_in_order(candidates(boosted), places=places)
    given_scores = [candidate.score for candidate in order]
    assert given_scores == sorted(given_scores, reverse=True)
    assert len(set(ranks(order))) == len(order)


@given(scores, st.integers(1, 10))
def test_first_ten_are_the_best_of_the_first_pool(boosted: list[float], places: int) -> None:
    pool = candidates(boosted)[: pool_size(10)]
    best = sorted(pool, key=lambda candidate: (-candidate.score, candidate.lexical_rank))
    assert put_in_order(candidates(boosted), places=places)[:10] == best[:10]


@given(st.integers(1, 400), st.integers(1, 300))
def test_there_are_candidates_for_every_place(count: int, places: int) -> None:
    assert pool_size(step_above(places)) > places
    assert len(put_in_order(candidates([1.0] * count), places=places)) >= min(count, places)


def test_equal_scores_keep_the_order_of_the_index() -> None:
    assert ranks(put_in_order(candidates([2, 3, 3, 2]), places=4)) == [2, 3, 1, 4]


@walk(("places", "step"), [(1, 10), (10, 10), (11, 20), (40, 40), (41, 80), (1000, 1280)])
def test_steps_double(places: int, step: int) -> None:
    assert step_above(places) == step
