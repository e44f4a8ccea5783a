"""Named places in the pass that makes vectors where a run can be killed; `kill_driver` gets there."""

from __future__ import annotations

from tests.integration.kill_points import INGEST, STORE, Case, KillPoint, When

_REPO = f"{STORE}.embeddings:SqliteEmbeddingRepo"
_CACHE = f"{STORE}.derivation_cache:SqliteDerivationCache"
_PASS = f"{INGEST}.embedding_pass"
_RECONCILE = f"{INGEST}.vector_reconciliation:VectorReconciliation"
_EMBED = "kebab_testing.fakes.embedder:BagOfWordsEmbedder.embed"
_VECTORS = "kebab_store_vector"
_WRITER = f"{_VECTORS}.index_writer:IndexWriter"
_TABLE = f"{_VECTORS}.lance_table:LanceTable"
_MATRIX = f"{_VECTORS}.matrix_writer:MatrixWriter"
_MAINTAIN = f"{_WRITER}.maintain"


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


def _statements(name: str, within: str, **statements: str) -> list[KillPoint]:
    return [
        KillPoint(
            name=f"vectors: {name}: {place.replace('_', ' ')}",
            target=within,
            when=When.STATEMENT,
            case=Case.VECTORS,
            statement=statement,
        )
        for place, statement in statements.items()
    ]


VECTOR_POINTS: list[KillPoint] = [
    *_around("pass", f"{INGEST}.run:run_embedding_pass"),
    *_around("purge", f"{_PASS}:purge_deleted"),
    *_around("delete", f"{_WRITER}.delete"),
    *_around("delete from table", f"{_TABLE}.delete"),
    *_around("delete from matrix", f"{_MATRIX}.remove"),
    *_around("purge rows", f"{_REPO}.purge_deleted"),
    *_statements(
        "purge rows",
        f"{_REPO}.purge_deleted",
        begin="BEGIN",
        row="DELETE FROM embedding_records",
        commit="COMMIT",
    ),
    *_around("withdraw", f"{_REPO}.withdraw"),
    *_around("request", f"{_REPO}.request"),
    *_statements("request", f"{_REPO}.request", begin="BEGIN", commit="COMMIT"),
    *_around("look for lost", f"{_RECONCILE}.reopen_lost"),
    *_around("ensure table", f"{_WRITER}.ensure"),
    *_around("look up cache", f"{_CACHE}.get_many", nth=2),
    *_statements("look up cache", f"{_CACHE}.get_many", used="UPDATE derivation_cache", commit="COMMIT"),
    *_around("first call", _EMBED),
    *_around("later call", _EMBED, nth=3),
    *_around("keep in cache", f"{_CACHE}.put_many", nth=2),
    *_statements("keep in cache", f"{_CACHE}.put_many", row="INSERT INTO derivation_cache", commit="COMMIT"),
    *_around("first upsert", f"{_WRITER}.upsert"),
    *_around("later upsert", f"{_WRITER}.upsert", nth=3),
    *_around("add to table", f"{_TABLE}.add", nth=2),
    *_around("flush table", f"{_VECTORS}.index_writer:flush_new_files", nth=2),
    *_around("append to matrix", f"{_MATRIX}.append", nth=2),
    *_around("matrix manifest", f"{_VECTORS}.matrix_writer:write_manifest", nth=4),
    *_around("first commit", f"{_REPO}.commit"),
    *_around("later commit", f"{_REPO}.commit", nth=3),
    *_statements(
        "commit",
        f"{_REPO}.commit",
        begin="BEGIN",
        row="UPDATE embedding_records",
        revision="UPDATE kv",
        commit="COMMIT",
    ),
    *_around("look for unknown", f"{_RECONCILE}.delete_unknown"),
    *_around("maintain", _MAINTAIN),
    *_around("compact", f"{_TABLE}.compact"),
    *_around("settle matrix", f"{_MATRIX}.update_stamp"),
    *_around("measure queries", f"{_REPO}.save_query_centroids"),
    *_around("evict", f"{_CACHE}.evict"),
    KillPoint(
        name="vectors: commit: 300 µs in",
        target=f"{_REPO}.commit",
        when=When.DURING,
        case=Case.VECTORS,
        microseconds=300,
    ),
]
"""Every place, in the order in which a run comes to them."""

VECTOR_SAMPLE = (
    "vectors: delete from table: after",
    "vectors: purge rows: commit",
    "vectors: keep in cache: commit",
    "vectors: append to matrix: before",
    "vectors: first commit: before",
    "vectors: commit: revision",
    "vectors: compact: after",
)
"""What every run of the tests tries."""
