"""Named places in a run of ingest where it can be killed; `kill_driver` gets there from outside the product."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

INGEST, STORE = "kebab_ingest", "kebab_store_sqlite"


class When(StrEnum):
    """Where around a call."""

    BEFORE = "before"
    AFTER = "after"
    ITEM = "item"
    """After a generator gave an item."""
    END = "end"
    """After a generator gave its last item."""
    STATEMENT = "statement"
    """When a statement of SQL starts inside the call."""
    HALF = "half"
    """When the first half of a file is written."""
    CUT = "cut"
    """When the first half of what the call adds to an open file is written."""
    DURING = "during"
    """Some microseconds after the call began: where that is depends on the machine."""


class Case(StrEnum):
    """What the run finds."""

    FIRST = "first"
    """No index yet."""
    FEW = "few"
    """An index and a handful of changes, prepared in the process of the run."""
    MANY = "many"
    """An index and so many changes that processes of their own prepare them."""
    LONG = "long"
    """As `FEW`, with a text so long that its rows go to the database through a file."""
    VECTORS = "vectors"
    """An index with vectors and a handful of changes, embedded in small batches."""
    PICTURES = "pictures"
    """No index yet, and pictures to read."""


class Victim(StrEnum):
    """Which process dies."""

    RUN = "run"
    """The one of the run, where it stands."""
    WORKER = "worker"
    """One that prepares files, where it stands."""
    PARENT = "parent"
    """The one of the run, while one that prepares files stands at the point."""


@dataclass(frozen=True, kw_only=True)
class KillPoint:
    """One place."""

    name: str
    target: str
    """`module:name` as the product looks it up."""
    when: When = When.BEFORE
    case: Case = Case.FEW
    victim: Victim = Victim.RUN
    nth: int = 1
    within: str = ""
    """Count only calls inside this one."""
    statement: str = ""
    """How the statement begins."""
    microseconds: int = 0


_LOCK = f"{STORE}.writer_lock"
_POOL = "kebab_runtime.worker_pool"
_RUN = f"{INGEST}.run:IngestRun"
_STORE_DOCUMENTS = f"{STORE}.documents:SqliteDocumentStore"
_SOURCE_FILES = f"{STORE}.source_files:SqliteSourceFileStore"
_REPLACE = f"{_STORE_DOCUMENTS}.replace_document"
_PACK_LONG = f"{_STORE_DOCUMENTS}.pack_long"
_PACK_SOME = f"{STORE}.document_writer:BatchPacker.pack"
_REMOVE = f"{_STORE_DOCUMENTS}.remove_documents"
_COLLECT = f"{STORE}.assets:StoredAssets.collect_assets"
_CLOSE = f"{STORE}.database:SqliteDatabase.close"
_MIGRATE = f"{STORE}.schema:_apply"
_RENAME = "pathlib:Path.replace"
_UNLINK = "pathlib:Path.unlink"
_KEEP = f"{STORE}.assets:AssetFiles.keep"
_WRITE_ASSET = f"{STORE}.assets:write_private_file"
_SWEEP = f"{STORE}.assets:AssetFiles.delete_others"


def _around(name: str, target: str, *, case: Case = Case.FEW, nth: int = 1) -> list[KillPoint]:
    return [
        KillPoint(name=f"{name}: {when}", target=target, when=when, case=case, nth=nth)
        for when in (When.BEFORE, When.AFTER)
    ]


def _statements(
    name: str, within: str, statements: dict[str, str], *, case: Case = Case.FEW
) -> list[KillPoint]:
    return [
        KillPoint(name=f"{name}: {place}", target=within, when=When.STATEMENT, case=case, statement=statement)
        for place, statement in statements.items()
    ]


_PREPARING = {
    "read": "kebab_source_fs:FilesystemConnector.read",
    "sniff": "kebab_source_fs:sniff_skip",
    "extract": "kebab_parse_md:MarkdownExtractor.extract",
    "chunk": "kebab_chunk:HeadingChunker.chunk",
    "analyse": "kebab_analysis:KoreanEnglishAnalyzer.analyze_chunk",
    "keep asset": _KEEP,
    "rename asset": _RENAME,
}
_PREPARE = f"{INGEST}.preparation:FilePreparer._prepare"
_IN_WORKERS = {name: target for name, target in _PREPARING.items() if name != "sniff"}

POINTS: list[KillPoint] = [
    *_around("writer lock", f"{_LOCK}:_lock"),
    KillPoint(name="writer lock: holder not named", target=f"{_LOCK}:_name_holder"),
    *_around("run log", f"{INGEST}.run_log:_open_new"),
    *_around("create database", f"{STORE}.database:_create", case=Case.FIRST),
    *_around("migration", _MIGRATE, case=Case.FIRST),
    *_statements(
        "migration",
        _MIGRATE,
        {"half": "CREATE UNIQUE INDEX idx_chunks_doc_no", "version": "INSERT INTO migrations"},
        case=Case.FIRST,
    ),
    KillPoint(
        name="migration: committed",
        target=f"{STORE}.database:apply_migrations",
        when=When.AFTER,
        case=Case.FIRST,
    ),
    *_around("open database", f"{STORE}.database:connect"),
    *_around("start run", f"{STORE}.runs:SqliteJobRepo.start_run"),
    *_around("create job", f"{STORE}.runs:SqliteJobRepo.create"),
    KillPoint(name="scan: start", target=f"{INGEST}.run:scan_source"),
    KillPoint(name="scan: first file", target="kebab_source_fs:FilesystemConnector.scan", when=When.ITEM),
    KillPoint(name="scan: last file", target="kebab_source_fs:FilesystemConnector.scan", when=When.END),
    *_around("plan", f"{INGEST}.plan:Planner.plan"),
    KillPoint(name="plan: moves", target=f"{INGEST}.plan:match_moves"),
    *[
        KillPoint(name=f"{name}: {when}", target=target, when=when, nth=2, within=_PREPARE)
        for name, target in _PREPARING.items()
        for when in (When.BEFORE, When.AFTER)
    ],
    KillPoint(name="keep asset: half", target=_WRITE_ASSET, when=When.HALF),
    *_around("workers", f"{_POOL}:WorkerPool.__enter__", case=Case.MANY),
    *_around("start worker", f"{_POOL}:_Worker._start", case=Case.MANY, nth=2),
    *_around("worker task", f"{_POOL}:_Worker.submit", case=Case.MANY, nth=3),
    *_around("worker answer", f"{_POOL}:_Worker.answer", case=Case.MANY, nth=5),
    KillPoint(
        name="many: commit", target=_REPLACE, when=When.STATEMENT, statement="COMMIT", case=Case.MANY, nth=9
    ),
    *[
        KillPoint(
            name=f"{victim} in worker: {name}",
            target=target,
            when=When.AFTER,
            case=Case.MANY,
            victim=victim,
            nth=3,
        )
        for name, target in _IN_WORKERS.items()
        for victim in (Victim.WORKER, Victim.PARENT)
    ],
    KillPoint(
        name="worker in worker: keep asset: half",
        target=_WRITE_ASSET,
        when=When.HALF,
        case=Case.MANY,
        victim=Victim.WORKER,
    ),
    *_statements(
        "replace",
        _REPLACE,
        {
            "begin": "BEGIN",
            "delete old": "DELETE FROM documents",
            "after delete old": "INSERT INTO assets",
            "document": "INSERT INTO documents",
            "tags": "INSERT OR IGNORE INTO document_tags",
            "parts": "INSERT INTO document_parts",
            "after parts": "INSERT INTO chunks ",
            "after chunks": "INSERT INTO chunks_fts",
            "after terms": "DELETE FROM file_failures",
            "revision": "UPDATE kv",
            "commit": "COMMIT",
        },
    ),
    *[
        KillPoint(name=f"replace: {us} µs in", target=_REPLACE, when=When.DURING, microseconds=us)
        for us in (300, 600, 1000, 1500)
    ],
    *_around("replace: whole", _REPLACE, nth=2),
    KillPoint(name="long: some rows kept", target=_PACK_SOME, case=Case.LONG, nth=3),
    KillPoint(name="long: all rows kept", target=_PACK_LONG, case=Case.LONG, when=When.AFTER),
    KillPoint(
        name="long: some rows stored",
        target=_REPLACE,
        case=Case.LONG,
        when=When.STATEMENT,
        statement="INSERT INTO document_parts",
        nth=100,
    ),
    KillPoint(
        name="long: stored, rows still kept",
        target=f"{STORE}.document_writer:SpooledRows.discard",
        case=Case.LONG,
    ),
    KillPoint(name="move: between new and old", target=_REMOVE),
    *_around("touch", f"{_SOURCE_FILES}.touch_file"),
    KillPoint(name="binary: remove", target=f"{INGEST}.commit:FileCommitter._skip", when=When.AFTER),
    *_around("record failure", f"{_SOURCE_FILES}.record_failure"),
    *_around("remember skip", f"{_SOURCE_FILES}.remember_skip"),
    *_around("remove", f"{INGEST}.source_ingest:SourceIngest._remove"),
    KillPoint(
        name="remove: half",
        target=f"{INGEST}.source_ingest:SourceIngest._remove",
        when=When.STATEMENT,
        statement="DELETE FROM documents",
        nth=2,
    ),
    KillPoint(
        name="remove: commit",
        target=f"{INGEST}.source_ingest:SourceIngest._remove",
        when=When.STATEMENT,
        statement="COMMIT",
    ),
    *_around("record scan", f"{_SOURCE_FILES}.record_scan"),
    *_around("collect assets", _COLLECT),
    *_statements("collect assets", _COLLECT, {"rows": "DELETE FROM assets", "commit": "COMMIT"}),
    KillPoint(name="collect assets: rows gone, files there", target=_SWEEP),
    KillPoint(name="collect assets: first file gone", target=_UNLINK, when=When.AFTER, within=_SWEEP),
    *_around("finish run", f"{STORE}.runs:SqliteJobRepo.finish_run"),
    KillPoint(
        name="finish run: commit",
        target=f"{STORE}.runs:SqliteJobRepo.finish_run",
        when=When.STATEMENT,
        statement="COMMIT",
    ),
    *_around("finish job", f"{STORE}.runs:SqliteJobRepo.finish"),
    *_around("last event", f"{_RUN}._close"),
    *_around("old run logs", f"{INGEST}.run_log:_delete_old_runs"),
    *_around("close database", _CLOSE),
    *[
        KillPoint(name=f"checkpoint: {us} µs in", target=_CLOSE, when=When.DURING, microseconds=us)
        for us in (150, 400, 800, 1500, 3000)
    ],
]
"""Every place, in the order in which a run comes to them."""
