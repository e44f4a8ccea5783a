"""`App`, the facade: every use case of kebab as one method."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kebab_app.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from types import TracebackType

    from kebab_config import LoadedSettings
    from kebab_core import (
        Answer,
        AnswerEvent,
        ByteSink,
        CancelToken,
        CanonicalDocument,
        ChunkCost,
        ChunkEmbedding,
        ChunkId,
        Clock,
        DocFilter,
        DocSummary,
        DocumentId,
        Embedder,
        FetchQuery,
        FetchResult,
        FileFormat,
        HitCost,
        IndexedChunk,
        IndexedDocument,
        IngestReport,
        KebabError,
        ListOrder,
        NamedCount,
        SearchFilters,
        SearchQuery,
        SearchResponse,
        SourceId,
        TraceId,
        WorkspacePath,
    )
    from kebab_diagnose import CheckResult, Explanation, HealthReport
    from kebab_documents import Facet, FoundAddress, FoundName, Grouping, RelatedDocuments
    from kebab_eval import Evaluator
    from kebab_ingest import EventSink
    from kebab_rag import AskRequest

    from kebab_app.document_view import DocumentView
    from kebab_app.forget import ForgetPlan as Plan
    from kebab_app.ingest import IngestOptions
    from kebab_app.introspection import Introspection
    from kebab_app.listing import DocumentPage, NamePage, PageLimits
    from kebab_app.model_maintenance import ModelMaintenance
    from kebab_app.reset import ResetResult, ResetScope
    from kebab_app.store import Backup
    from kebab_app.stored_answers import AnswerChoice, Erasure
    from kebab_app.watch import WatchEnd, WatchOptions


class App:
    """One knowledge base and everything that can be done with it.

    Holds its database open until `close`; use it as a context manager. Reading methods never create files. Threads may
    share it.

    Args:
        loaded: Settings with the paths they resolve to.
        readonly: Refuse every write.
        clock: The time; None is that of the machine.
        chunk_cost: Tokens that a neighbour costs of a fetch's `max_tokens`; None counts its JSON.
        embedder: Replaces the one that the settings name.
        files: As for `KnowledgeBase`.

    Attributes:
        loaded: Settings in force with the paths they resolve to.
        base: The open knowledge base: settings, clock, database, and the parts built over them.
    """

    def __init__(
        self,
        loaded: LoadedSettings,
        *,
        readonly: bool = False,
        clock: Clock | None = None,
        chunk_cost: ChunkCost | None = None,
        embedder: Embedder | None = None,
        files: bool = True,
    ) -> None:
        self.loaded = loaded
        self.base = KnowledgeBase(
            loaded, readonly=readonly, clock=clock, chunk_cost=chunk_cost, embedder=embedder, files=files
        )
        self.base.finish_erasure = _finish_erasure

    @classmethod
    def open(cls, config_path: Path | None = None, *, readonly: bool = False) -> Self:
        """Open the knowledge base that the command line would open here.

        Settings come from the file, then the environment (`KEBAB_*`), as for every command.

        Args:
            config_path: The configuration file; None is the default one, which need not exist.
            readonly: Refuse every write; so does `KEBAB_READONLY`.

        Raises:
            ConfigNotFoundError: `config_path` does not exist.
            ConfigInvalidError: The configuration does not validate.
        """
        from kebab_config import is_readonly, load_settings, read_environment

        environ = read_environment()
        loaded = load_settings(config_path=config_path, environ=environ)
        return cls(loaded, readonly=readonly or is_readonly(environ))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.base.close()

    def close(self) -> None:
        """Close the database. Closing twice is fine."""
        self.base.close()

    def require_writable(self) -> None:
        """Check that writing is allowed.

        Raises:
            ReadonlyModeError: Writing is switched off.
        """
        self.base.require_writable()

    def ingest(
        self,
        path: Path | None = None,
        *,
        sink: EventSink | None = None,
        cancel: CancelToken | None = None,
        options: IngestOptions | None = None,
    ) -> IngestReport:
        """Bring the index in step with the files. See `kebab_app.ingest.ingest`."""
        from kebab_app.ingest import ingest

        return ingest(self.base, path, sink=sink, cancel=cancel, options=options)

    def ingest_file(
        self,
        *paths: Path,
        sink: EventSink | None = None,
        cancel: CancelToken | None = None,
        wait: bool = False,
        embed: bool = True,
        by_agent: bool = False,
    ) -> IngestReport:
        """Ingest single files, wherever they lie or, for agents, where the settings allow. See `kebab_app.single_file_ingest.ingest_files`.

        Returns:
            What was done, with one item for each document, unchanged ones included.
        """
        from kebab_app.single_file_ingest import ingest_files

        return ingest_files(
            self.base, paths, sink=sink, cancel=cancel, wait=wait, embed=embed, by_agent=by_agent
        )

    def ingest_text(
        self,
        content: bytes | str,
        *,
        title: str,
        source_uri: str | None = None,
        sink: EventSink | None = None,
        cancel: CancelToken | None = None,
        wait: bool = False,
        embed: bool = True,
    ) -> IngestReport:
        """Ingest a text that stands in no file; the report has one item. See `kebab_app.single_file_ingest.ingest_text`."""
        from kebab_app.single_file_ingest import ingest_text

        return ingest_text(
            self.base,
            content,
            title=title,
            source_uri=source_uri,
            sink=sink,
            cancel=cancel,
            wait=wait,
            embed=embed,
        )

    def embed(
        self,
        *,
        sink: EventSink | None = None,
        cancel: CancelToken | None = None,
        wait: bool = False,
        embed_for_s: float | None = None,
    ) -> IngestReport:
        """Give every passage that waits for one its vector. See `kebab_app.ingest.embed`."""
        from kebab_app.ingest import embed

        return embed(self.base, sink=sink, cancel=cancel, wait=wait, embed_for_s=embed_for_s)

    def watch(self, options: WatchOptions) -> WatchEnd:
        """Follow the folders of all sources and ingest what changes. See `kebab_app.watch.watch`."""
        from kebab_app.watch import watch

        return watch(self.base, options)

    def search(
        self,
        query: SearchQuery | str,
        *,
        count_hit: HitCost | None = None,
        cancel: CancelToken | None = None,
    ) -> SearchResponse:
        """Find passages for a query, or for its text in the default mode. See `kebab_app.search.search`."""
        from kebab_app.search import build_query, search

        asked = build_query(self.base, query) if isinstance(query, str) else query
        return search(self.base, asked, count_hit=count_hit, cancel=cancel)

    def search_stages(
        self, query: SearchQuery, *, cancel: CancelToken | None = None
    ) -> Generator[SearchResponse, None, None]:
        """Yield what words find, then the result of `search`. See `kebab_app.search.search_stages`."""
        from kebab_app.search import search_stages

        return search_stages(self.base, query, cancel=cancel)

    def bulk_search(
        self,
        queries: Sequence[SearchQuery | KebabError],
        *,
        count_hit: HitCost | None = None,
        cancel: CancelToken | None = None,
    ) -> Generator[SearchResponse | KebabError, None, None]:
        """Search for every query; an error takes the place of its result. See `kebab_app.search.bulk_search`."""
        from kebab_app.search import bulk_search

        return bulk_search(self.base, queries, count_hit=count_hit, cancel=cancel)

    def ask(
        self, request: AskRequest | str, *, keep: bool = True, cancel: CancelToken | None = None
    ) -> Answer:
        """Answer a request, or a question alone in the default mode. See `kebab_app.ask.ask_stream`."""
        from kebab_app.ask import ask

        return ask(self.base, request, keep=keep, cancel=cancel)

    def ask_stream(
        self, request: AskRequest, *, keep: bool = True, cancel: CancelToken | None = None
    ) -> Generator[AnswerEvent, None, None]:
        """Yield the events of an answer as it is written; closing them stops it. See `kebab_app.ask.ask_stream`."""
        from kebab_app.ask import ask_stream

        return ask_stream(self.base, request, keep=keep, cancel=cancel)

    @property
    def keeps_answers(self) -> bool:
        """True where answers are stored. See `kebab_app.ask.keeps_answers`."""
        from kebab_app.ask import keeps_answers

        return keeps_answers(self.base)

    def list_answers(self, *, limit: int = 20) -> list[tuple[str, Answer]]:
        """List stored questions and answers, newest first."""
        from kebab_app.stored_answers import list_answers

        return list_answers(self.base, limit=limit)

    def show_answer(self, trace_id: str) -> tuple[str, Answer]:
        """Return a stored question and its answer. See `kebab_app.stored_answers.show_answer`."""
        from kebab_app.stored_answers import show_answer

        return show_answer(self.base, trace_id)

    def find_answers(self, choice: AnswerChoice) -> tuple[TraceId, ...]:
        """Find stored answers by id, time or document. See `kebab_app.stored_answers.find_answers`."""
        from kebab_app.stored_answers import find_answers

        return find_answers(self.base, choice)

    def delete_answers(self, trace_ids: Sequence[TraceId]) -> Erasure:
        """Delete stored answers and erase them from the database. See `kebab_app.stored_answers.delete_answers`."""
        from kebab_app.stored_answers import delete_answers

        return delete_answers(self.base, trace_ids)

    def plan_forget(self, names: Sequence[str], *, keep_answers: bool = False, erase: bool = False) -> Plan:
        """List what `forget` would delete. See `kebab_app.forget.plan_forget`."""
        from kebab_app.forget import plan_forget

        return plan_forget(self.base, names, keep_answers=keep_answers, erase=erase)

    def forget(self, names: Sequence[str], *, keep_answers: bool = False, erase: bool = False) -> Erasure:
        """Remove documents with all their traces. See `kebab_app.forget.forget`."""
        from kebab_app.forget import forget

        return forget(self.base, names, keep_answers=keep_answers, erase=erase)

    def undo_forget(
        self, name: str | None = None, *, sink: EventSink | None = None, cancel: CancelToken | None = None
    ) -> IngestReport:
        """Bring back what was forgotten last, or a former text. See `kebab_app.forget.undo_forget`."""
        from kebab_app.forget import undo_forget

        return undo_forget(self.base, name, sink=sink, cancel=cancel)

    def fetch(self, query: FetchQuery) -> FetchResult:
        """Read stored text word for word. See `kebab_app.documents.fetch`."""
        from kebab_app.documents import fetch

        return fetch(self.base, query)

    def find_address(self, text: str, *, files: bool = True) -> FoundAddress:
        """Find the document or part that an address names. See `kebab_app.documents.find_address`."""
        from kebab_app.documents import find_address

        return find_address(self.base, text, files=files)

    def read_document(self, address: str, *, texts: Sequence[str] = (), query: str = "") -> DocumentView:
        """Read a whole document with the part that an address cites. See `kebab_app.document_view.read_document`."""
        from kebab_app.document_view import read_document

        return read_document(self.base, address, texts=texts, query=query)

    def list_page(self, filters: SearchFilters, *, order: ListOrder, limits: PageLimits) -> DocumentPage:
        """List a page of the documents that pass filters. See `kebab_app.listing.list_page`."""
        from kebab_app.listing import list_page

        return list_page(self.base, filters, order=order, limits=limits)

    def list_names(self, name: str, *, limits: PageLimits) -> NamePage:
        """List a page of the documents that have a name. See `kebab_app.listing.list_names`."""
        from kebab_app.listing import list_names

        return list_names(self.base, name, limits=limits)

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """List documents in the order of the criteria. See `kebab_app.documents.list_documents`."""
        from kebab_app.documents import list_documents

        return list_documents(self.base, criteria)

    def is_stale(self, document: DocSummary) -> bool:
        """Return True where the index of a document may be older than its file."""
        return self.base.is_stale(document)

    def find_near_values(self, response: SearchResponse) -> dict[str, str]:
        """Find the nearest existing values for misspelt values of filters. See `kebab_app.search.find_near_values`."""
        from kebab_app.search import find_near_values

        return find_near_values(self.base, response)

    def count_unindexed_copies(self) -> int:
        """Count copies of files beside a database without documents. See `kebab_app.doctor.count_copies`."""
        from kebab_app.doctor import count_copies

        return count_copies(self.base)

    def count_waiting_passages(self) -> int:
        """Count the passages without vectors. See `kebab_app.overview`."""
        from kebab_app.overview import count_waiting_passages

        return count_waiting_passages(self.base)

    def find_file(self, source_id: SourceId, path: WorkspacePath) -> Path | None:
        """Return the path of a document's file, spelled as on disk. See `kebab_ingest.DiskFiles.find_path`."""
        return self.base.open_disk_files().find_path(source_id, path)

    def has_file_lines(self, source_id: SourceId, path: WorkspacePath) -> bool:
        """Return True if the lines of a document are those of its file, and not of the text that was read from it."""
        return any(
            each.has_file_lines for each in self.base.index.documents.find_documents([(source_id, path)])
        )

    def find_existing_file(self, source_id: SourceId, path: WorkspacePath) -> Path | None:
        """Return the path of a document's file, where the file exists."""
        file = self.find_file(source_id, path)
        return file if file is not None and os.path.lexists(file) else None

    def find_names(self, name: str, *, limit: int = 10) -> list[FoundName]:
        """Find documents by name: stem of the file, title or alias. See `kebab_documents.NameIndex`."""
        from kebab_app.documents import find_names

        return find_names(self.base, name, limit=limit)

    def find_related(self, address: str, *, limit: int = 10) -> RelatedDocuments:
        """Find documents related to what an address names, at most `limit` by each relation."""
        from kebab_app.documents import find_related

        return find_related(self.base, address, limit=limit)

    def list_formats(self) -> list[FileFormat]:
        """List the formats that are read. See `kebab_app.formats.list_formats`."""
        from kebab_app.formats import list_formats

        return list_formats(self.base.loaded.settings.ingest)

    def count_documents(self, by: Grouping | Facet, criteria: SearchFilters) -> list[NamedCount]:
        """Count documents by tag, folder, source, medium or language. See `kebab_documents.count_documents`."""
        from kebab_app.documents import count_documents

        return count_documents(self.base, by, criteria)

    def is_changed(self, document: IndexedDocument) -> bool:
        """Return True where the file of a document is known to have changed since it was indexed."""
        return self.base.open_disk_files().mark_changed(document).changed_on_disk

    def inspect_document(self, doc_id: DocumentId) -> CanonicalDocument:
        """Return a document as it was parsed. See `kebab_app.documents.inspect_document`."""
        from kebab_app.documents import inspect_document

        return inspect_document(self.base, doc_id)

    def inspect_chunk(self, chunk_id: ChunkId) -> IndexedChunk:
        """Return a chunk as it is stored. See `kebab_app.documents.inspect_chunk`."""
        from kebab_app.documents import inspect_chunk

        return inspect_chunk(self.base, chunk_id)

    def list_embeddings(self, chunk_id: ChunkId) -> list[ChunkEmbedding]:
        """List the vectors of a chunk on record, one for each model."""
        self.base.open_for_reading()
        return self.base.index.embeddings.chunk_embeddings(chunk_id)

    def why(self, name: str | Path, *, query: SearchQuery | None = None) -> Explanation:
        """Explain why a file is found or not. See `kebab_app.why.why`."""
        from kebab_app.why import why

        return why(self.base, name, query=query)

    def doctor(self, *, repair: bool = False) -> HealthReport:
        """Check everything that kebab needs, after a repair if it is asked for. See `kebab_app.doctor`."""
        from kebab_diagnose import HealthReport

        from kebab_app.doctor import repair as repair_damage

        repaired = repair_damage(self.base) if repair else None
        return HealthReport(checks=tuple(self.check_health()), repaired=repaired)

    def check_health(self) -> Iterator[CheckResult]:
        """Yield the results of the checks of `doctor`, each as soon as it is there."""
        from kebab_app.doctor import check_health

        return check_health(self.base)

    @property
    def models(self) -> ModelMaintenance:
        """Switch, verification and clean-up of embedding models."""
        from kebab_app.model_maintenance import ModelMaintenance

        return ModelMaintenance(self.base)

    def schema(self) -> Introspection:
        """Report versions, capabilities and statistics. See `kebab_app.introspection.introspect`."""
        from kebab_app.introspection import introspect

        return introspect(self.base, use_cases=frozenset(dir(self)))

    def export_backup(self, target: Path, *, replace: bool, progress: ByteSink) -> Backup:
        """Write everything into one archive. See `kebab_app.backup.export_backup`."""
        from kebab_app.backup import export_backup

        return export_backup(self.base, target, replace=replace, progress=progress)

    @property
    def evaluator(self) -> Evaluator:
        """Evaluations of search and answers on judged sets and golden suites, and their stored runs."""
        from kebab_app.evaluate import build_evaluator

        return build_evaluator(self.base)

    def plan_reset(self, scope: ResetScope) -> list[Path]:
        """List the existing paths that `reset` would delete. See `kebab_app.reset.plan_reset`."""
        from kebab_app.reset import plan_reset

        return plan_reset(self.base, scope)

    def reset(self, scope: ResetScope) -> ResetResult:
        """Delete what the configuration in force points to. See `kebab_app.reset.reset`."""
        from kebab_app.reset import reset

        return reset(self.base, scope)


def _finish_erasure(base: KnowledgeBase) -> None:
    from kebab_app.forget import finish_erasure

    finish_erasure(base)
