"""Named places in the pass that makes vectors where a run can be killed; `kill_driver` gets there."""

from __future__ import annotations

from tests.integration.kill_points import INGEST, STORE, Case, KillPoint, When

_REPO = f"{STORE}.embeddings:SqliteEmbeddingRepo"
_EMBED = "kebab_testing.fakes.embedder:BagOfWordsEmbedder.embed"
_VECTORS = "kebab_store_vector"
_STORE = f"{_VECTORS}.store:MatrixVectorStore"
_WRITE_MATRIX = f"{_VECTORS}.matrix:write_matrix"
_APPEND_TO_MATRIX = f"{_VECTORS}.matrix:append_to_matrix"
_LANCE = f"{_VECTORS}.lance_store:LanceVectorStore"
_TABLE = f"{_VECTORS}.lance_table:LanceTable"


def _around(name: str, target: str, *, nth: int = 1, within: str = "") -> list[KillPoint]:
    return [
        KillPoint(
            name=f"vectors: {name}: {when}",
            target=target,
            when=when,
            case=Case.VECTORS,
            nth=nth,
            within=within,
        )
        for when in (When.BEFORE, When.AFTER)
    ]


def _statements(name: str, within: str, *, nth: int = 1, **statements: str) -> list[KillPoint]:
    return [
        KillPoint(
            name=f"vectors: {name}: {place.replace('_', ' ')}",
            target=within,
            when=When.STATEMENT,
            case=Case.VECTORS,
            nth=nth,
            statement=statement,
        )
        for place, statement in statements.items()
    ]


VECTOR_POINTS: list[KillPoint] = [
    *_around("choose model", f"{_REPO}.request"),
    *_statements("choose model", f"{_REPO}.request", begin="BEGIN", commit="COMMIT"),
    *_around("pass", f"{INGEST}.embedding_pass:run_embedding_pass"),
    *_around("choose model again", f"{_REPO}.request", nth=2),
    *_around("list pending", f"{_REPO}.pending"),
    *_around("first call", _EMBED),
    *_around("later call", _EMBED, nth=3),
    *_around("first batch", f"{_REPO}.put"),
    *_around("later batch", f"{_REPO}.put", nth=3),
    *_statements(
        "batch",
        f"{_REPO}.put",
        begin="BEGIN",
        vector="INSERT INTO vectors",
        document="UPDATE documents SET",
        revision="UPDATE kv",
        commit="COMMIT",
    ),
    *_statements("later batch", f"{_REPO}.put", nth=6, vector="INSERT INTO vectors"),
    *_around("update between batches", f"{_STORE}.update"),
    *_around("first matrix", _WRITE_MATRIX),
    *_around("append to matrix", _APPEND_TO_MATRIX),
    *(
        KillPoint(
            name=f"vectors: {name}: half",
            target=f"{_VECTORS}.matrix:_write_segment",
            when=When.CUT,
            case=Case.VECTORS,
            within=within,
        )
        for name, within in (("matrix", _WRITE_MATRIX), ("append to matrix", _APPEND_TO_MATRIX))
    ),
    *_around("rename matrix", "pathlib:Path.replace", nth=2, within=_WRITE_MATRIX),
    *_around("measure queries", f"{_REPO}.save_query_centroids"),
    *_around("activate", f"{_REPO}.activate"),
    *_around("evict", f"{_REPO}.evict"),
    *_statements("evict", f"{_REPO}.evict", row="DELETE FROM vectors", commit="COMMIT"),
    *_around("remove files", f"{_STORE}._remove_files"),
    *_around("delete from table", f"{_TABLE}.delete"),
    *_around("add to table", f"{_TABLE}.add"),
    *_around("compact table", f"{_TABLE}.compact"),
    *_around("choose index", f"{_VECTORS}.approximate_index:choose_index"),
    *_around("settings of index", "pathlib:Path.write_bytes", within=f"{_LANCE}.update"),
    KillPoint(
        name="vectors: batch: 300 µs in",
        target=f"{_REPO}.put",
        when=When.DURING,
        case=Case.VECTORS,
        microseconds=300,
    ),
]
"""Every place, in the order in which a run comes to them."""
