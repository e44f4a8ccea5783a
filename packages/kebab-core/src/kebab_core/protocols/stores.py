"""Protocols of the stores in a database: documents, files, runs and answers; and the locks of who writes it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from kebab_core.ids import DocumentId

if TYPE_CHECKING:
    from pydantic import JsonValue

    from kebab_core.answer import Answer, ChatSession, SessionId, TraceId, Turn
    from kebab_core.assets import AssetAudit, CopyLook, RawAsset
    from kebab_core.chunk import Chunk, ChunkTerms, IndexedChunk, IndexedDocument
    from kebab_core.document import CanonicalDocument, ExtractedText
    from kebab_core.evaluation import EvalQueryResult, EvalRun, EvalRunId
    from kebab_core.files import FileStamp, FileState, SourceId, TrackedFile, WorkspacePath
    from kebab_core.filters import SearchFilters
    from kebab_core.ids import AnalyzerVersion, AssetId, ChunkId
    from kebab_core.ingest import (
        DocumentRecord,
        IngestReport,
        IngestRun,
        IngestScope,
        LongRecord,
        PackedDocument,
        RunId,
    )
    from kebab_core.jobs import JobFilter, JobId, JobKind, JobRow, JobStatus
    from kebab_core.listing import DocFilter, DocSummary, DocumentEntry, StoreStats
    from kebab_core.search import Coverage
    from kebab_core.source import CompletedScan, FileFailure, RememberedSkip, Repository
    from kebab_core.vector import EmbeddingIdentity


Selection = AbstractSet[DocumentId]
"""The documents that pass a filter; resolved once, before ranking.

A set of ids, or a store's own kind of set that is a condition, and stays one where ids are subtracted from it: its ids are looked
up only where it is iterated, and where `in` asks for one.
"""


class DocumentStore(Protocol):
    """The indexed documents with their blocks, chunks and terms, and the bytes of their files: copies of small ones, references to large ones.

    Writing methods are one transaction each and raise `corpus_revision` if search results change; a read-only store raises
    `ReadonlyModeError`. `SourceFileStore` is a view of the same data.
    """

    def pack_document(self, record: DocumentRecord) -> PackedDocument:
        """Return a record in the form that this store writes; nothing is written."""
        ...

    def pack_long(self, record: LongRecord) -> PackedDocument:
        """Return a long record in the form that this store writes, held in a file and not in memory.

        Nothing is written to the database. The file is deleted when the document is stored, or when assets are
        collected.

        Raises:
            StorageError: The file cannot be written.
        """
        ...

    def replace_document(self, document: DocumentRecord | PackedDocument) -> None:
        """Store a document, its blocks, chunks and terms in place of those that its source and path had.

        `doc_version` becomes one more than the replaced document's. A failure or a skip of the file is deleted.
        """
        ...

    def remove_documents(self, doc_ids: Sequence[DocumentId]) -> int:
        """Remove documents with everything made from them; return the number of documents removed."""
        ...

    def replace_terms(
        self,
        version: AnalyzerVersion,
        analyzer_of: Callable[[IndexedDocument], Callable[[Chunk], ChunkTerms]],
    ) -> Iterator[DocumentId]:
        """Analyse the stored chunks of each document again whose terms another version made; yield it when it is done."""
        ...

    def get_document(self, doc_id: DocumentId) -> CanonicalDocument | None:
        """Return a document with its blocks in order, and its extracted text where it has one."""
        ...

    def get_text(self, doc_id: DocumentId) -> ExtractedText | None:
        """Return the extracted text of a document; None where its file is text, or the id is unknown."""
        ...

    def get_asset(self, doc_id: DocumentId) -> RawAsset | None:
        """Return the asset of a document."""
        ...

    def get_indexed_document(self, doc_id: DocumentId) -> IndexedDocument | None:
        """Return a document without its blocks."""
        ...

    def get_chunks(self, chunk_ids: Sequence[ChunkId]) -> list[IndexedChunk]:
        """Return chunks with their documents in the order of `chunk_ids`; unknown ids are left out."""
        ...

    def find_documents(self, places: Collection[tuple[str, str]]) -> list[IndexedDocument]:
        """Return the documents at these sources and paths, each once, in any order; places without one are left out."""
        ...

    def find_copies(self, doc_ids: Collection[DocumentId]) -> Mapping[DocumentId, Sequence[IndexedDocument]]:
        """Return the other documents with the same content as each of some, by source and path; those without any are left out."""
        ...

    def find_ids(self, prefix: str, *, limit: int) -> list[DocumentId | ChunkId]:
        """Return at most `limit` ids that begin with hexadecimal digits, in lower case: of documents, then of chunks, by id."""
        ...

    def languages(self) -> frozenset[str]:
        """Return the languages of all documents."""
        ...

    def list_chunks(self, doc_id: DocumentId) -> list[Chunk]:
        """Return the chunks of a document, by ordinal; none of an unknown one."""
        ...

    def neighbours(self, chunk_id: ChunkId, distance: int) -> list[Chunk]:
        """Return the chunk and up to `distance` chunks of its document on either side, by ordinal; none of an unknown one."""
        ...

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return documents in the order of the criteria."""
        ...

    def count_passing(self, filters: SearchFilters) -> int:
        """Return the number of documents that pass filters; limits of a listing do not count."""
        ...

    def list_entries(self) -> list[DocumentEntry]:
        """Return names, tags and times of all documents, by source and path."""
        ...

    def count_by_source(self) -> Mapping[SourceId, int]:
        """Return the number of documents of each source that has any, by source."""
        ...

    def list_titles(self) -> list[str]:
        """Return the titles of all documents, in any order."""
        ...

    def list_links(self) -> list[tuple[DocumentId, str]]:
        """Return the address of every link as it is written, by source and path of its document, then in order."""
        ...

    def resolve_filters(self, filters: SearchFilters) -> Selection | None:
        """Return the documents that pass the filters, with the pictures that they show (`SearchFilters`); None selects everything."""
        ...

    def coverage(self, *, now: datetime, stale_threshold_days: int) -> Coverage:
        """Return the numbers of indexed, pending, failed, stale and held documents; the retriever fills in the legs."""
        ...

    def stats(self) -> StoreStats:
        """Return sizes and breakdowns."""
        ...

    def corpus_revision(self) -> int:
        """Return the revision of the corpus; it rises with every change of search results."""
        ...

    def put_asset(self, asset: RawAsset, content: bytes) -> RawAsset:
        """Store a file's bytes by content, and return the asset with `stored` set to their place.

        Idempotent. Up to the copy threshold the bytes are copied, above it they are referred to. Copies that no document
        comes to refer to are removed by `collect_assets`.
        """
        ...

    def read_asset(self, asset_id: AssetId) -> bytes:
        """Return an asset's bytes.

        Raises:
            StorageError: The asset is unknown, its file is gone, or a referred file has other content now.
        """
        ...

    def audit_assets(self, look: CopyLook) -> AssetAudit:
        """Compare the copies of assets with the database: lost, damaged and unreferenced files."""
        ...

    def collect_assets(self, *, sweep: bool = True) -> int:
        """Delete assets that no document refers to, with their files; return the number of files deleted.

        With `sweep`, files that belong to no asset are deleted too, which lists every copy.
        """
        ...


class PublicationLog(Protocol):
    """Which documents of a base were written since they were published to a lake."""

    def one_state(self) -> AbstractContextManager[object]:
        """Return a context in which all reads of this thread see one state; nothing is written inside it."""
        ...

    def list_changes(self, publication: str) -> Mapping[DocumentId, str] | None:
        """Return the documents that were stored, changed or removed since a publication, each with a mark of its last change.

        More may be among them. None if another publication was noted last, or none.
        """
        ...

    def list_states(
        self, model: EmbeddingIdentity | None, *, among: Collection[DocumentId] | None = None
    ) -> Mapping[DocumentId, str]:
        """Return a text for every document that changes with whatever is stored of it, and with the number of its vectors of a model.

        Args:
            model: None for no vectors.
            among: Ids of the documents; None for all.
        """
        ...

    def note_publication(self, publication: str, changes: Mapping[DocumentId, str]) -> None:
        """Note a publication and that it has these changes; a document with another mark by now stays among the changes."""
        ...


class SourceFileStore(Protocol):
    """The files of sources: stamps of indexed ones, failures, skips, and complete scans.

    Every writing method is one transaction. A read-only store raises `ReadonlyModeError`.
    """

    def touch_file(
        self, doc_id: DocumentId, *, stamp: FileStamp, disk_path: str, asset: RawAsset | None = None
    ) -> None:
        """Record a new stamp and path of a file with unchanged content, and clear its failure.

        With `asset`, a reference to the file is updated to the new path.
        """
        ...

    def record_failure(self, *failures: FileFailure) -> None:
        """Record files that could not be processed; their skips go, their older versions stay and count as changed on disk.

        A folder that could not be read is recorded like a file.
        """
        ...

    def clear_failure(self, source_id: SourceId, workspace_path: WorkspacePath) -> None:
        """Delete the failure of a file that is gone, skipped, or fine again."""
        ...

    def list_failures(self) -> list[FileFailure]:
        """Return all failures, by source and path."""
        ...

    def remember_skip(self, skip: RememberedSkip) -> None:
        """Record the reason a file is skipped, in place of an earlier one, and clear its failure.

        Storing a document of the file deletes the record.
        """
        ...

    def forget_skips(self, source_id: SourceId, paths: Sequence[WorkspacePath]) -> None:
        """Delete the recorded skips of files that are gone."""
        ...

    def remembered_skips(self, source_id: SourceId) -> list[RememberedSkip]:
        """Return the recorded skips of a source, by path."""
        ...

    def record_scan(self, scan: CompletedScan) -> None:
        """Record a complete scan of a source."""
        ...

    def list_scans(self) -> list[CompletedScan]:
        """Return the last complete scan of each source, by source."""
        ...

    def record_repositories(
        self, source_id: SourceId, repositories: Sequence[Repository], *, is_complete: bool
    ) -> None:
        """Record the repositories of a source; a document belongs to the one with the longest folder around it.

        Nothing is written where nothing has changed.

        Args:
            source_id: The source.
            repositories: At most one for each folder.
            is_complete: Whether there are no others: those recorded before are deleted.
        """
        ...

    def list_repositories(self) -> list[Repository]:
        """Return the repositories of all sources, by source and folder."""
        ...

    def tracked_file(self, source_id: SourceId, workspace_path: WorkspacePath) -> TrackedFile | None:
        """Return the record of one indexed file."""
        ...

    def tracked_files(self, source_id: SourceId) -> Iterator[TrackedFile]:
        """Yield the records of all indexed files of a source, by path."""
        ...

    def file_states(
        self, source_id: SourceId, *, among: Sequence[WorkspacePath] = ()
    ) -> Mapping[str, FileState]:
        """Return the state of every indexed file of a source by path; empty for files that failed last time.

        The part of `tracked_files` that a run over unchanged files needs, at a tenth of the cost.

        Args:
            source_id: The source.
            among: Only these files and those in these folders; all where there are none.
        """
        ...


class JobRepo(Protocol):
    """Records of long work: jobs and their progress, runs of ingest, and runs of evaluations."""

    def create(self, kind: JobKind, payload: Mapping[str, JsonValue], *, at: datetime) -> JobId:
        """Record the start of a job."""
        ...

    def update_progress(self, job_id: JobId, progress: Mapping[str, JsonValue], *, at: datetime) -> None:
        """Record the progress of a job.

        Raises:
            InvalidInputError: There is no such job.
        """
        ...

    def finish(self, job_id: JobId, status: JobStatus, *, at: datetime, error: str | None = None) -> None:
        """Record the end of a job.

        Raises:
            InvalidInputError: There is no such job.
        """
        ...

    def forget(self, kind: JobKind, *, keep: int, before: datetime | None) -> int:
        """Delete the oldest finished jobs of a kind, never the newest job of all.

        Args:
            kind: The kind of job.
            keep: Number of the newest jobs that stay.
            before: Delete those of them that were created earlier, too; None keeps them.

        Returns:
            The number of jobs deleted.
        """
        ...

    def start_run(self, run_id: RunId, scopes: Sequence[IngestScope], *, started_at: datetime) -> None:
        """Record the start of a run."""
        ...

    def finish_run(self, report: IngestReport) -> None:
        """Record the end of a run. An aborted run keeps its report and stays unfinished."""
        ...

    def settle_runs(self, run_ids: Sequence[RunId], *, at: datetime) -> None:
        """Mark unfinished runs as finished: nothing is left to do for them; other ids are ignored."""
        ...

    def forget_runs(self, *, keep: int, before: datetime | None) -> int:
        """Delete the oldest finished runs, never the newest.

        Args:
            keep: Number of the newest runs that stay.
            before: Delete those of them that began earlier, too; None keeps them.

        Returns:
            The number of runs deleted.
        """
        ...

    def unfinished_runs(self) -> list[IngestRun]:
        """Return unfinished runs, newest first."""
        ...

    def list_runs(self, *, limit: int = 20, with_items: bool = True) -> list[IngestRun]:
        """Return runs, newest first; without their items, of which there is one for each file, where these are not asked for."""
        ...

    def record_evaluation(self, run: EvalRun, results: Iterable[EvalQueryResult]) -> None:
        """Store a run of an evaluation with its results."""
        ...

    def list_evaluations(self, *, limit: int = 20) -> list[EvalRun]:
        """Return runs of evaluations, newest first."""
        ...

    def list_results(self, run_id: EvalRunId) -> list[EvalQueryResult]:
        """Return the results of a run, by query id."""
        ...

    def list(self, criteria: JobFilter) -> list[JobRow]:
        """Return jobs, newest first."""
        ...


class AnswerRepo(Protocol):
    """Stored answers, refusals included, and the conversations that they belong to."""

    def record(self, *, question: str, answer: Answer, packed_chunks: JsonValue | None = None) -> None:
        """Store one answer; `packed_chunks` only where an explanation was requested."""
        ...

    def get(self, trace_id: TraceId) -> tuple[str, Answer] | None:
        """Return a question and its answer."""
        ...

    def recent(self, *, limit: int = 20) -> list[tuple[str, Answer]]:
        """Return questions with answers, newest first."""
        ...

    def find(
        self,
        *,
        before: datetime | None = None,
        path: WorkspacePath | None = None,
        source_id: SourceId | None = None,
    ) -> list[TraceId]:
        """Return the ids of answers, newest first; each condition that is given must hold.

        Args:
            before: Answers given before this time.
            path: Answers that cite a document of this path or were made from it, and answers without recorded evidence,
                such as interrupted ones.
            source_id: Source of the document; None is any source.
        """
        ...

    def delete(self, trace_ids: Sequence[TraceId]) -> int:
        """Delete answers; return the number of answers deleted."""
        ...

    def create_session(self, session: ChatSession) -> None:
        """Store a new session.

        Raises:
            InvalidInputError: The id exists.
        """
        ...

    def get_session(self, session_id: SessionId) -> ChatSession | None:
        """Return one session."""
        ...

    def list_sessions(self, *, limit: int = 20) -> list[ChatSession]:
        """Return sessions, last used first."""
        ...

    def delete_session(self, session_id: SessionId) -> bool:
        """Delete a session with its turns; return True if it existed."""
        ...

    def append_turn(self, session_id: SessionId, turn: Turn) -> int:
        """Store a turn and return its index from 0.

        Raises:
            InvalidInputError: There is no such session.
        """
        ...

    def list_turns(self, session_id: SessionId) -> list[Turn]:
        """Return the turns of a session, in order."""
        ...


class Locks(Protocol):
    """The locks of a process that writes and makes vectors, against other processes."""

    def unlocked(self) -> AbstractContextManager[None]:
        """Let other processes write inside the block, where a model works; nothing may be written there.

        Raises:
            LockedError: The lock could not be taken again.
            NotIndexedError: The database was deleted or replaced meanwhile.
        """
        ...

    def claim(self, keys: Collection[str]) -> AbstractContextManager[frozenset[str]]:
        """Claim pieces of work until the end of the block; yields those that no other process has claimed."""
        ...

    def pass_lock(self) -> AbstractContextManager[None]:
        """Hold the lock of embedding passes inside the block: one process at a time makes the vectors of all documents.

        Raises:
            LockedError: Another process has it.
        """
        ...
