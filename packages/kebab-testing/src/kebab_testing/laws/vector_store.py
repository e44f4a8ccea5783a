"""Laws of `VectorStore`: storing, removing and searching vectors."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import pytest
from kebab_core import (
    ChunkId,
    DocumentId,
    IndexModelMismatchError,
    InvalidInputError,
    NotIndexedError,
    VectorKey,
    VectorStore,
)

from kebab_testing.vectors import hex_id, identity_of, index_id, matrix_of, unit, vector_key

INDEX = index_id()
D = 8
NORTH = unit([1.0, *[0.0] * (D - 1)])
TOLERANCE = 1e-3
"""Maximum error of a cosine: stores may keep vectors in half precision."""


class VectorStoreLaws:
    """Subclass it and override the `store` fixture with a store that has no index."""

    @pytest.fixture
    def store(self) -> VectorStore:
        """Give a store without an index."""
        raise NotImplementedError

    def test_an_index_is_made_once_for_one_model(self, store: VectorStore) -> None:
        assert store.tables() == []
        for _ in range(2):
            store.ensure_table(INDEX, identity_of(D))
        assert [(table.index_id, table.identity, table.rows) for table in store.tables()] == [
            (INDEX, identity_of(D), 0)
        ]

    @pytest.mark.parametrize(
        "other", [identity_of(D, model="other"), identity_of(D, version="v2+0"), identity_of(D + 1)]
    )
    def test_an_index_of_another_model_is_refused(self, store: VectorStore, other: object) -> None:
        _fill(store, {"a": NORTH})
        with pytest.raises(IndexModelMismatchError):
            store.ensure_table(INDEX, other)  # type: ignore[arg-type]
        assert store.tables()[0].rows == 1

    def test_indexes_know_nothing_of_each_other(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH})
        store.ensure_table(index_id("other"), identity_of(D, model="other"))
        assert store.search(index_id("other"), matrix_of(NORTH), limit=5) == []
        store.delete(index_id("other"), [ChunkId(hex_id("a"))])
        assert {table.index_id: table.rows for table in store.tables()} == {INDEX: 1, index_id("other"): 0}

    def test_chunks_with_a_vector_are_listed_once(self, store: VectorStore) -> None:
        assert list(store.chunk_ids(INDEX)) == []
        _fill(store, {"a": NORTH, "b": NORTH, "c": NORTH})
        _fill(store, {"b": NORTH})
        store.delete(INDEX, [ChunkId(hex_id("c"))])
        assert sorted(store.chunk_ids(INDEX)) == sorted(ChunkId(hex_id(name)) for name in "ab")

    def test_a_dropped_index_is_gone_and_can_be_made_for_another_model(self, store: VectorStore) -> None:
        store.drop(INDEX)
        _fill(store, {"a": NORTH})
        store.ensure_table(index_id("other"), identity_of(D, model="other"))
        store.drop(INDEX)
        store.drop(INDEX)
        assert [table.index_id for table in store.tables()] == [index_id("other")]
        assert list(store.chunk_ids(INDEX)) == []
        with pytest.raises(NotIndexedError):
            store.search(INDEX, matrix_of(NORTH), limit=5)
        store.ensure_table(INDEX, identity_of(D + 1))
        assert {table.index_id: table.rows for table in store.tables()} == {INDEX: 0, index_id("other"): 0}

    def test_a_content_version_never_repeats_after_a_change(self, store: VectorStore) -> None:
        assert store.content_version(INDEX) is None
        changes: tuple[Callable[[], None], ...] = (
            lambda: store.ensure_table(INDEX, identity_of(D)),
            lambda: _fill(store, {"a": NORTH, "b": NORTH}),
            lambda: store.delete(INDEX, [ChunkId(hex_id("b"))]),
            lambda: _fill(store, {"c": NORTH}),
            lambda: store.drop(INDEX),
            lambda: _fill(store, {"a": NORTH, "b": NORTH}),
        )
        seen = []
        for change in changes:
            change()
            store.delete(INDEX, [ChunkId(hex_id("unknown"))])
            assert store.content_version(INDEX) == store.content_version(INDEX)
            seen.append(store.content_version(INDEX))
        assert len(set(seen)) == len(seen)

    def test_a_content_version_is_of_one_index(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH})
        before = store.content_version(INDEX)
        store.ensure_table(index_id("other"), identity_of(D, model="other"))
        assert store.content_version(index_id("other")) not in {None, before}
        assert store.content_version(INDEX) == before

    def test_what_is_not_there_is_not_indexed(self, store: VectorStore) -> None:
        with pytest.raises(NotIndexedError):
            store.search(INDEX, matrix_of(NORTH), limit=5)
        with pytest.raises(NotIndexedError):
            store.similarities(INDEX, matrix_of(NORTH), [ChunkId(hex_id("a"))])
        with pytest.raises(NotIndexedError):
            store.cosine_distributions(INDEX, matrix_of(NORTH))
        with pytest.raises(NotIndexedError):
            store.upsert(INDEX, [vector_key("a")], matrix_of(NORTH))

    def test_removing_from_an_index_that_is_not_there_is_fine(self, store: VectorStore) -> None:
        store.delete(INDEX, [ChunkId(hex_id("a"))])
        store.maintain(INDEX)
        assert store.tables() == []

    def test_an_empty_index_finds_nothing(self, store: VectorStore) -> None:
        store.ensure_table(INDEX, identity_of(D))
        store.upsert(INDEX, [], matrix_of(NORTH))
        store.maintain(INDEX)
        assert store.search(INDEX, matrix_of(NORTH), limit=5) == []
        assert store.similarities(INDEX, matrix_of(NORTH), [ChunkId(hex_id("a"))]) == [None]
        assert store.similarities(INDEX, matrix_of(NORTH), []) == []
        assert store.cosine_distributions(INDEX, matrix_of(NORTH)) == []

    def test_the_nearest_come_first_with_their_cosines(self, store: VectorStore) -> None:
        _fill(store, {"far": _at(120), "near": _at(10), "nearest": _at(5), "right": _at(90)})
        hits = store.search(INDEX, matrix_of(NORTH), limit=9)
        assert [hit.chunk_id for hit in hits] == [hex_id(n) for n in ("nearest", "near", "right", "far")]
        expected = [math.cos(math.radians(angle)) for angle in (5, 10, 90, 120)]
        assert [hit.cosine for hit in hits] == pytest.approx(expected, abs=TOLERANCE)
        assert store.search(INDEX, matrix_of(NORTH), limit=2) == hits[:2]

    @pytest.mark.parametrize("after", ["writing", "maintenance"])
    def test_ties_are_ordered_by_chunk_id_wherever_they_are_cut(self, store: VectorStore, after: str) -> None:
        names = [f"chunk {number}" for number in range(70)]
        for start in range(0, 70, 25):
            _fill(store, dict.fromkeys(names[start : start + 25], _at(33)))
        _fill(store, {"best": NORTH})
        if after == "maintenance":
            store.maintain(INDEX)
        in_order = [hex_id("best"), *sorted(map(hex_id, names))]
        for limit in (1, 2, 10, 70, 99):
            found = store.search(INDEX, matrix_of(NORTH), limit=limit)
            assert [hit.chunk_id for hit in found] == in_order[:limit]

    def test_a_vector_given_again_takes_the_place_of_the_old(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH, "b": _at(20)})
        store.upsert(INDEX, [vector_key("a", document="moved", lang="ko")], matrix_of(_at(60)))
        hits = store.search(INDEX, matrix_of(NORTH), limit=5)
        assert [(hit.chunk_id, hit.lang) for hit in hits] == [(hex_id("b"), "en"), (hex_id("a"), "ko")]
        assert hits[1].cosine == pytest.approx(0.5, abs=TOLERANCE)
        assert store.tables()[0].rows == 2
        moved = frozenset([DocumentId(hex_id("moved"))])
        assert [h.chunk_id for h in store.search(INDEX, matrix_of(NORTH), limit=5, documents=moved)] == [
            hex_id("a")
        ]

    def test_of_one_chunk_given_twice_at_once_the_later_stays(self, store: VectorStore) -> None:
        store.ensure_table(INDEX, identity_of(D))
        store.upsert(INDEX, [vector_key("a"), vector_key("a")], matrix_of(NORTH, _at(60)))
        assert store.tables()[0].rows == 1
        assert _similarities(store, "a") == pytest.approx([0.5], abs=TOLERANCE)

    def test_removed_vectors_are_found_no_more(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH, "b": _at(20), "c": _at(40)})
        store.delete(INDEX, [ChunkId(hex_id(name)) for name in ("a", "c", "unknown")])
        assert [hit.chunk_id for hit in store.search(INDEX, matrix_of(NORTH), limit=5)] == [hex_id("b")]
        assert _similarities(store, "a", "c") == [None, None]
        assert store.tables()[0].rows == 1
        _fill(store, {"a": _at(60)})
        assert _similarities(store, "a") == pytest.approx([0.5], abs=TOLERANCE)

    def test_documents_and_languages_are_chosen_before_ranking(self, store: VectorStore) -> None:
        near = {f"en {number}": _at(number / 10) for number in range(50)}
        _fill(store, near, document="big")
        _fill(store, {"a": _at(80), "b": _at(70)}, document="small", lang="ko")
        _fill(store, {"c": _at(75)}, document="other", lang="ko")
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
            hits = store.search(INDEX, matrix_of(NORTH), limit=3, documents=documents, lang=lang)
            assert [hit.chunk_id for hit in hits] == [hex_id(name) for name in names], (documents, lang)

    def test_similarities_come_in_the_order_asked_for(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH, "b": _at(60)})
        found = _similarities(store, "b", "unknown", "a", "b")
        assert found == [pytest.approx(0.5, abs=TOLERANCE), None, pytest.approx(1, abs=TOLERANCE), found[0]]

    def test_distributions_have_mean_and_deviation_of_each_language(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH, "b": _at(90), "c": _at(60)}, lang="ko")
        _fill(store, {"d": _at(60)}, lang="en")
        korean, english = store.cosine_distributions(INDEX, matrix_of(NORTH))
        assert (korean.lang, korean.vectors, english.lang, english.vectors) == ("ko", 3, "en", 1)
        assert korean[2:] == pytest.approx((0.5, math.sqrt(1 / 6)), abs=TOLERANCE)
        assert english[2:] == pytest.approx((0.5, 0.0), abs=TOLERANCE)

    def test_languages_of_equal_size_are_told_by_name(self, store: VectorStore) -> None:
        for lang in ("ko", "en", "und"):
            _fill(store, {f"{lang} chunk": NORTH}, lang=lang)
        assert [spread.lang for spread in store.cosine_distributions(INDEX, matrix_of(NORTH))] == [
            "en",
            "ko",
            "und",
        ]

    @pytest.mark.parametrize(
        "rows", [[[1.0, 0.0]], [NORTH, NORTH], [[0.0] * D], [[2.0] * D], [[math.nan] * D], [[math.inf] * D]]
    )
    def test_vectors_of_another_shape_or_norm_are_refused(
        self, store: VectorStore, rows: list[list[float]]
    ) -> None:
        _fill(store, {"a": NORTH})
        with pytest.raises(InvalidInputError):
            store.upsert(INDEX, [vector_key("b")], matrix_of(*rows))
        with pytest.raises(InvalidInputError):
            store.search(INDEX, matrix_of(*rows), limit=5)
        assert store.tables()[0].rows == 1

    def test_a_limit_below_one_is_refused(self, store: VectorStore) -> None:
        _fill(store, {"a": NORTH})
        with pytest.raises(InvalidInputError):
            store.search(INDEX, matrix_of(NORTH), limit=0)

    def test_any_order_of_writing_ends_in_what_was_written_last(self, store: VectorStore) -> None:
        random = Random(5)  # noqa: S311 - the same rows every time
        store.ensure_table(INDEX, identity_of(D))
        expected: dict[ChunkId, tuple[VectorKey, list[float]]] = {}
        for step in range(12):
            names = random.sample(range(30), 8)
            if step % 3 == 2:
                gone = [ChunkId(hex_id(str(name))) for name in names]
                store.delete(INDEX, gone)
                expected = {chunk: row for chunk, row in expected.items() if chunk not in gone}
            else:
                keys = [
                    vector_key(str(n), document=str(random.randrange(4)), lang=random.choice(["ko", "en"]))
                    for n in names
                ]
                rows = [unit([random.gauss(0, 1) for _ in range(D)]) for _ in names]
                store.upsert(INDEX, keys, matrix_of(*rows))
                expected |= {key.chunk_id: (key, row) for key, row in zip(keys, rows, strict=True)}
            if step % 5 == 4:
                store.maintain(INDEX)
            _assert_holds(store, expected)


def _assert_holds(store: VectorStore, expected: dict[ChunkId, tuple[VectorKey, list[float]]]) -> None:
    hits = {hit.chunk_id: hit for hit in store.search(INDEX, matrix_of(NORTH), limit=99)}
    assert {chunk: hit.lang for chunk, hit in hits.items()} == {
        chunk: key.lang for chunk, (key, _) in expected.items()
    }
    for chunk, (_, row) in expected.items():
        assert hits[chunk].cosine == pytest.approx(row[0], abs=TOLERANCE)
    for document in {key.doc_id for key, _ in expected.values()}:
        chosen = store.search(INDEX, matrix_of(NORTH), limit=99, documents=frozenset([document]))
        assert {hit.chunk_id for hit in chosen} == {
            chunk for chunk, (key, _) in expected.items() if key.doc_id == document
        }


def _at(degrees: float) -> list[float]:
    """Return the unit vector at this angle from `NORTH`."""
    angle = math.radians(degrees)
    return [math.cos(angle), math.sin(angle), *[0.0] * (D - 2)]


def _fill(
    store: VectorStore, rows: dict[str, list[float]], *, document: str = "document", lang: str = "en"
) -> None:
    store.ensure_table(INDEX, identity_of(D))
    keys = [vector_key(name, document=document, lang=lang) for name in rows]
    store.upsert(INDEX, keys, matrix_of(*rows.values()))


def _similarities(store: VectorStore, *names: str) -> Sequence[float | None]:
    return store.similarities(INDEX, matrix_of(NORTH), [ChunkId(hex_id(name)) for name in names])
