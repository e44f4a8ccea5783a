"""Laws of `VectorStore`: search over the vectors of a source, whatever the store keeps on disk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import pytest
from kebab_core import ChunkId, DocumentId, InvalidInputError, VectorRow, VectorStore

from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.vectors import hex_id, identity_of, matrix_of, unit, vector_row

D = 8
MODEL = identity_of(D)
OTHERS = (identity_of(D, model="other"), identity_of(D, version="v2+0"))
NORTH = unit([1.0, *[0.0] * (D - 1)])
TOLERANCE = 1e-3
"""Maximum error of a cosine: vectors are kept in half precision."""


class VectorStoreLaws:
    """Subclass it and override the `store` fixture with a store over the `source` fixture.

    Where `updates` is true, every law holds after `update` as well.
    """

    @pytest.fixture
    def source(self) -> InMemoryVectorSource:
        """Give a source without vectors."""
        return InMemoryVectorSource()

    @pytest.fixture
    def store(self, source: InMemoryVectorSource) -> VectorStore:
        """Give a store over the source."""
        raise NotImplementedError

    @pytest.fixture(params=[False, True], ids=["as written", "updated"])
    def settle(self, request: pytest.FixtureRequest, store: VectorStore) -> _Settle:
        """Give a call for after each change: it updates the store, or does nothing."""
        return _Settle(store if request.param else None)

    def test_models_know_nothing_of_each_other(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"a": NORTH})
        source.put(OTHERS[0], {vector_row("b"): _at(60)})
        settle()
        assert set(store.embedded_models()) == {MODEL, OTHERS[0]}
        assert [hit.chunk_id for hit in store.search(MODEL, matrix_of(NORTH), limit=5)] == [hex_id("a")]
        assert [hit.chunk_id for hit in store.search(OTHERS[0], matrix_of(NORTH), limit=5)] == [hex_id("b")]
        assert store.search(OTHERS[1], matrix_of(NORTH), limit=5) == []

    def test_nothing_is_found_where_there_are_no_vectors(self, store: VectorStore, settle: _Settle) -> None:
        settle()
        assert store.search(MODEL, matrix_of(NORTH), limit=5) == []
        assert store.similarities(MODEL, matrix_of(NORTH), [ChunkId(hex_id("a"))]) == [None]
        assert store.similarities(MODEL, matrix_of(NORTH), []) == []
        assert store.cosine_distributions(MODEL, matrix_of(NORTH)) == []
        assert store.embedded_models() == []
        assert store.find_damaged(MODEL) == []

    def test_the_nearest_come_first_with_their_cosines(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"far": _at(120), "near": _at(10), "nearest": _at(5), "right": _at(90)})
        settle()
        hits = store.search(MODEL, matrix_of(NORTH), limit=9)
        assert [hit.chunk_id for hit in hits] == [hex_id(n) for n in ("nearest", "near", "right", "far")]
        expected = [math.cos(math.radians(angle)) for angle in (5, 10, 90, 120)]
        assert [hit.cosine for hit in hits] == pytest.approx(expected, abs=TOLERANCE)
        assert store.search(MODEL, matrix_of(NORTH), limit=2) == hits[:2]

    def test_ties_are_ordered_by_chunk_id_wherever_they_are_cut(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        names = [f"chunk {number}" for number in range(70)]
        for start in range(0, 70, 25):
            _fill(source, dict.fromkeys(names[start : start + 25], _at(33)))
        settle()
        _fill(source, {"best": NORTH})
        in_order = [hex_id("best"), *sorted(map(hex_id, names))]
        for limit in (1, 2, 10, 70, 99):
            found = store.search(MODEL, matrix_of(NORTH), limit=limit)
            assert [hit.chunk_id for hit in found] == in_order[:limit]

    def test_a_passage_with_another_text_has_the_vector_of_that(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"a": NORTH, "b": _at(20)})
        settle()
        source.put(MODEL, {vector_row("a", document="moved", lang="ko", text="new"): _at(60)})
        hits = store.search(MODEL, matrix_of(NORTH), limit=5)
        assert [(hit.chunk_id, hit.lang) for hit in hits] == [(hex_id("b"), "en"), (hex_id("a"), "ko")]
        assert hits[1].cosine == pytest.approx(0.5, abs=TOLERANCE)
        moved = frozenset([DocumentId(hex_id("moved"))])
        assert [h.chunk_id for h in store.search(MODEL, matrix_of(NORTH), limit=5, documents=moved)] == [
            hex_id("a")
        ]

    def test_passages_of_one_text_share_its_vector(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        source.put(MODEL, {vector_row(name, text="the same"): _at(60) for name in "abc"})
        settle()
        assert _similarities(store, "a", "b", "c") == pytest.approx([0.5] * 3, abs=TOLERANCE)

    def test_removed_passages_are_found_no_more(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"a": NORTH, "b": _at(20), "c": _at(40)})
        settle()
        source.remove([ChunkId(hex_id(name)) for name in ("a", "c", "unknown")])
        assert [hit.chunk_id for hit in store.search(MODEL, matrix_of(NORTH), limit=5)] == [hex_id("b")]
        assert _similarities(store, "a", "c") == [None, None]
        settle()
        assert _similarities(store, "a", "c") == [None, None]
        source.put(MODEL, {vector_row("a", text="again"): _at(60)})
        assert _similarities(store, "a") == pytest.approx([0.5], abs=TOLERANCE)

    def test_documents_and_languages_are_chosen_before_ranking(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        near = {f"en {number}": _at(number / 10) for number in range(50)}
        _fill(source, near, document="big")
        _fill(source, {"a": _at(80), "b": _at(70)}, document="small", lang="ko")
        settle()
        _fill(source, {"c": _at(75)}, document="other", lang="ko")
        small, other = DocumentId(hex_id("small")), DocumentId(hex_id("other"))
        unknown = DocumentId(hex_id("unknown"))
        asked = {
            (frozenset([small]), None): "ba",
            (frozenset([small, other, unknown]), None): "bca",
            (None, "ko"): "bca",
            (frozenset([other]), "ko"): "c",
            (frozenset([other]), "en"): "",
            (frozenset([unknown]), None): "",
            (frozenset[DocumentId](), None): "",
            (None, "fr"): "",
        }
        for (documents, lang), names in asked.items():
            hits = store.search(MODEL, matrix_of(NORTH), limit=3, documents=documents, lang=lang)
            assert [hit.chunk_id for hit in hits] == [hex_id(name) for name in names], (documents, lang)

    def test_similarities_come_in_the_order_asked_for(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"a": NORTH, "b": _at(60)})
        settle()
        found = _similarities(store, "b", "unknown", "a", "b")
        assert found == [pytest.approx(0.5, abs=TOLERANCE), None, pytest.approx(1, abs=TOLERANCE), found[0]]

    def test_distributions_have_mean_and_deviation_of_each_language(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"a": NORTH, "b": _at(90), "c": _at(60)}, lang="ko")
        settle()
        _fill(source, {"d": _at(60)}, lang="en")
        korean, english = store.cosine_distributions(MODEL, matrix_of(NORTH))
        assert (korean.lang, korean.vectors, english.lang, english.vectors) == ("ko", 3, "en", 1)
        assert korean[2:] == pytest.approx((0.5, math.sqrt(1 / 6)), abs=TOLERANCE)
        assert english[2:] == pytest.approx((0.5, 0.0), abs=TOLERANCE)

    def test_languages_of_equal_size_are_ordered_by_name(
        self, store: VectorStore, source: InMemoryVectorSource
    ) -> None:
        for lang in ("ko", "en", "und"):
            _fill(source, {f"{lang} chunk": NORTH}, lang=lang)
        langs = [spread.lang for spread in store.cosine_distributions(MODEL, matrix_of(NORTH))]
        assert langs == ["en", "ko", "und"]

    @pytest.mark.parametrize(
        "rows", [[[1.0, 0.0]], [NORTH, NORTH], [[0.0] * D], [[2.0] * D], [[math.nan] * D], [[math.inf] * D]]
    )
    def test_a_query_of_another_shape_or_norm_is_refused(
        self, store: VectorStore, source: InMemoryVectorSource, rows: list[list[float]]
    ) -> None:
        _fill(source, {"a": NORTH})
        with pytest.raises(InvalidInputError):
            store.search(MODEL, matrix_of(*rows), limit=5)

    def test_a_limit_below_one_is_refused(self, store: VectorStore, source: InMemoryVectorSource) -> None:
        _fill(source, {"a": NORTH})
        with pytest.raises(InvalidInputError):
            store.search(MODEL, matrix_of(NORTH), limit=0)

    def test_damaged_vectors_are_named(
        self, store: VectorStore, source: InMemoryVectorSource, settle: _Settle
    ) -> None:
        _fill(source, {"a": NORTH, "b": _at(20)})
        settle()
        assert store.find_damaged(MODEL) == []
        damaged = vector_row("a").text_hash
        source.stored[MODEL, damaged] = b"\x7f" * len(source.stored[MODEL, damaged])
        assert store.find_damaged(MODEL) == [damaged]

    def test_any_order_of_changes_ends_in_the_state_of_the_source(
        self, store: VectorStore, source: InMemoryVectorSource
    ) -> None:
        random = Random(5)  # noqa: S311 - the same rows every time
        expected: dict[ChunkId, tuple[VectorRow, list[float]]] = {}
        for step in range(12):
            names = random.sample(range(30), 8)
            if step % 3 == 2:
                gone = [ChunkId(hex_id(str(name))) for name in names]
                source.remove(gone)
                expected = {chunk: row for chunk, row in expected.items() if chunk not in gone}
            else:
                rows = {
                    vector_row(
                        str(name),
                        document=str(random.randrange(4)),
                        lang=random.choice(["ko", "en"]),
                        text=f"{name} at {step}",
                    ): unit([random.gauss(0, 1) for _ in range(D)])
                    for name in names
                }
                source.put(MODEL, rows)
                expected |= {row.chunk_id: (row, vector) for row, vector in rows.items()}
            if step % 5 == 4:
                store.update(MODEL, complete=step == 9)
            _assert_holds(store, expected)


class _Settle:
    def __init__(self, store: VectorStore | None) -> None:
        self._store = store

    def __call__(self) -> None:
        if self._store is not None:
            for model in (MODEL, *OTHERS):
                self._store.update(model)


def _assert_holds(store: VectorStore, expected: dict[ChunkId, tuple[VectorRow, list[float]]]) -> None:
    hits = {hit.chunk_id: hit for hit in store.search(MODEL, matrix_of(NORTH), limit=99)}
    assert {chunk: hit.lang for chunk, hit in hits.items()} == {
        chunk: row.lang for chunk, (row, _) in expected.items()
    }
    for chunk, (_, vector) in expected.items():
        assert hits[chunk].cosine == pytest.approx(vector[0], abs=TOLERANCE)
    for document in {row.doc_id for row, _ in expected.values()}:
        chosen = store.search(MODEL, matrix_of(NORTH), limit=99, documents=frozenset([document]))
        assert {hit.chunk_id for hit in chosen} == {
            chunk for chunk, (row, _) in expected.items() if row.doc_id == document
        }


def _at(degrees: float) -> list[float]:
    """Return the unit vector at this angle from `NORTH`."""
    angle = math.radians(degrees)
    return [math.cos(angle), math.sin(angle), *[0.0] * (D - 2)]


def _fill(
    source: InMemoryVectorSource,
    vectors: dict[str, list[float]],
    *,
    document: str = "document",
    lang: str = "en",
) -> None:
    source.put(MODEL, {vector_row(name, document=document, lang=lang): row for name, row in vectors.items()})


def _similarities(store: VectorStore, *names: str) -> Sequence[float | None]:
    return store.similarities(MODEL, matrix_of(NORTH), [ChunkId(hex_id(name)) for name in names])
