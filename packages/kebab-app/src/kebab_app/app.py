"""The facade: every use case of kebab as one method."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from kebab_core import (
        Answer,
        AnswerEvent,
        CanonicalDocument,
        ChunkId,
        DocFilter,
        DocSummary,
        DocumentId,
        FetchQuery,
        FetchResult,
        IndexedChunk,
        IngestReport,
        KebabError,
        SearchHit,
        SearchQuery,
        SearchResponse,
        SourceId,
        TraceId,
        WorkspacePath,
    )
    from kebab_diagnose import Explanation, HealthReport
    from kebab_ingest import CancelToken, EventSink
    from kebab_rag import AskRequest
    from kebab_wire import (
        ErasureReportV1,
        EvalCompareV1,
        EvalRunListV1,
        EvalRunV1,
        ResetReport,
        SchemaReport,
    )

    from kebab_app.claims import Claim
    from kebab_app.evaluate_options import EvaluateOptions
    from kebab_app.forget import ForgetPlan
    from kebab_app.ingest import IngestOptions
    from kebab_app.reset import ResetScope
    from kebab_app.stored_answers import AnswerChoice


class App(KnowledgeBase):
    """One knowledge base and everything that can be done with it."""

    def ingest(
        self,
        path: Path | None = None,
        *,
        sink: EventSink | None = None,
        cancel: CancelToken | None = None,
        options: IngestOptions | None = None,
    ) -> IngestReport:
        """Bring the index in step with the files. See `kebab_app.ingest.ingest`.

        Returns:
            What was done.
        """
        from kebab_app.ingest import ingest

        return ingest(self, path, sink=sink, cancel=cancel, options=options)

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

        return ingest_files(self, paths, sink=sink, cancel=cancel, wait=wait, embed=embed, by_agent=by_agent)

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
        """Ingest a text that stands in no file. See `kebab_app.single_file_ingest.ingest_text`.

        Returns:
            What was done, with one item.
        """
        from kebab_app.single_file_ingest import ingest_text

        return ingest_text(
            self,
            content,
            title=title,
            source_uri=source_uri,
            sink=sink,
            cancel=cancel,
            wait=wait,
            embed=embed,
        )

    def embed(
        self, *, sink: EventSink | None = None, cancel: CancelToken | None = None, wait: bool = False
    ) -> IngestReport:
        """Give every passage that waits for one its vector. See `kebab_app.ingest.embed`.

        Returns:
            What was done.
        """
        from kebab_app.ingest import embed

        return embed(self, sink=sink, cancel=cancel, wait=wait)

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return passages. See `kebab_app.search.search`."""
        from kebab_app.search import search

        return search(self, query)

    def bulk_search(
        self, queries: Sequence[SearchQuery | KebabError]
    ) -> Generator[SearchResponse | KebabError, None, None]:
        """Return the result of every query, or what went wrong with it. See `kebab_app.bulk_search.bulk_search`."""
        from kebab_app.bulk_search import bulk_search

        return bulk_search(self, queries)

    def ask(self, request: AskRequest) -> Answer:
        """Return a grounded answer or a refusal. See `kebab_app.ask.ask_stream`."""
        from kebab_app.ask import ask

        return ask(self, request)

    def ask_stream(self, request: AskRequest) -> Generator[AnswerEvent, None, None]:
        """Return the events of an answer as it comes about; closing them stops it. See `kebab_app.ask.ask_stream`."""
        from kebab_app.ask import ask_stream

        return ask_stream(self, request)

    @property
    def keeps_answers(self) -> bool:
        """Whether answers are stored. See `kebab_app.ask.keeps_answers`."""
        from kebab_app.ask import keeps_answers

        return keeps_answers(self)

    def find_claims(self, answer: Answer, hits: Sequence[SearchHit]) -> tuple[Claim, ...]:
        """Return what an answer says, claim by claim, with its sources. See `kebab_app.claims.find_claims`."""
        from kebab_app.claims import find_claims

        return find_claims(self, answer, hits)

    def list_answers(self, *, limit: int = 20) -> list[tuple[str, Answer]]:
        """Return questions and answers that were stored, newest first."""
        from kebab_app.ask import list_answers

        return list_answers(self, limit=limit)

    def show_answer(self, trace_id: str) -> tuple[str, Answer]:
        """Return a question and its answer. See `kebab_app.ask.show_answer`."""
        from kebab_app.ask import show_answer

        return show_answer(self, trace_id)

    def find_answers(self, choice: AnswerChoice) -> tuple[TraceId, ...]:
        """Return the ids of stored answers that are meant. See `kebab_app.stored_answers.find_answers`."""
        from kebab_app.stored_answers import find_answers

        return find_answers(self, choice)

    def delete_answers(self, trace_ids: Sequence[TraceId]) -> ErasureReportV1:
        """Delete stored answers for good. See `kebab_app.stored_answers.delete_answers`.

        Returns:
            What was deleted.
        """
        from kebab_app.stored_answers import delete_answers

        return delete_answers(self, trace_ids)

    def plan_forget(self, names: Sequence[str], *, keep_answers: bool = False) -> ForgetPlan:
        """Return what `forget` would delete. See `kebab_app.forget.plan_forget`."""
        from kebab_app.forget import plan_forget

        return plan_forget(self, names, keep_answers=keep_answers)

    def forget(self, names: Sequence[str], *, keep_answers: bool = False) -> ErasureReportV1:
        """Remove documents with all their traces. See `kebab_app.forget.forget`.

        Returns:
            What was deleted.
        """
        from kebab_app.forget import forget

        return forget(self, names, keep_answers=keep_answers)

    def fetch(self, query: FetchQuery) -> FetchResult:
        """Return stored text word for word. See `kebab_app.fetch.fetch`."""
        from kebab_app.fetch import fetch

        return fetch(self, query)

    def list_documents(self, criteria: DocFilter) -> list[DocSummary]:
        """Return documents by source and path; `changed_on_disk` also says what a look at their files tells."""
        from kebab_app.freshness import Freshness

        freshness = Freshness(self)
        return [freshness.apply(summary) for summary in self.documents.list_documents(criteria)]

    def find_near_values(self, response: SearchResponse) -> dict[str, str]:
        """Return for misspelt values of filters that kept hits back what was probably meant.

        Returns:
            The value that was given to the nearest one that a document has.
        """
        if not response.filtered_out_by:
            return {}
        from kebab_diagnose import find_near_values

        roots = {source.settings.id: source.root for source in self.loaded.paths.sources}
        fields = response.filtered_out_by
        return find_near_values(response.query.filters, fields, documents=self.documents, roots=roots)

    def count_unindexed_copies(self) -> int:
        """Count copies of files beside a database without documents. See `kebab_app.doctor.count_copies`."""
        from kebab_app.doctor import count_copies

        return count_copies(self)

    def count_waiting_passages(self) -> int:
        """Return how many passages wait for vectors. See `kebab_app.vector_coverage`."""
        from kebab_app.vector_coverage import count_waiting_passages

        return count_waiting_passages(self)

    def find_file(self, source_id: SourceId, path: WorkspacePath) -> Path | None:
        """Return where the file of a document lies, spelled as on disk. See `kebab_app.places.find_file`."""
        from kebab_app.places import find_file

        return find_file(self, source_id, path)

    def inspect_document(self, doc_id: DocumentId) -> CanonicalDocument:
        """Return a document as it was parsed. See `kebab_app.inspect`."""
        from kebab_app.inspect import inspect_document

        return inspect_document(self, doc_id)

    def inspect_chunk(self, chunk_id: ChunkId) -> IndexedChunk:
        """Return a chunk as it is stored. See `kebab_app.inspect`."""
        from kebab_app.inspect import inspect_chunk

        return inspect_chunk(self, chunk_id)

    def why(self, name: str | Path, *, query: SearchQuery | None = None) -> Explanation:
        """Explain why a file is found or not. See `kebab_app.diagnose.why`.

        Args:
            name: A path on disk, a path inside a source, or the id of a document.
            query: The query that should find it.
        """
        from kebab_app.diagnose import why

        return why(self, name, query=query)

    def doctor(self, *, repair: bool = False) -> HealthReport:
        """Check everything that kebab needs.

        Args:
            repair: First repair what can be repaired. See `kebab_app.doctor.repair`.
        """
        from kebab_app.doctor import doctor, repair as repair_damage

        repaired = repair_damage(self) if repair else None
        return replace(doctor(self), repaired=repaired)

    def schema(self) -> SchemaReport:
        """Return what this kebab can do and what it holds."""
        from kebab_app.introspection import describe

        return describe(self)

    def evaluate(
        self,
        folder: Path,
        options: EvaluateOptions,
        *,
        sink: EventSink | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> EvalRunV1:
        """Measure how well search finds what people judged. See `kebab_app.evaluate.evaluate`.

        Returns:
            The run.
        """
        from kebab_app.evaluate import evaluate

        return evaluate(self, folder, options, sink=sink, progress=progress)

    def evaluate_suite(
        self,
        path: Path,
        options: EvaluateOptions,
        *,
        sink: EventSink,
        progress: Callable[[int, int], None],
    ) -> EvalRunV1:
        """Measure search and answers on a golden suite. See `kebab_app.evaluate_suite.evaluate_suite`.

        Returns:
            The run.
        """
        from kebab_app.evaluate_suite import evaluate_suite

        return evaluate_suite(self, path, options, sink=sink, progress=progress)

    def list_eval_runs(self, *, limit: int = 20) -> EvalRunListV1:
        """Return the runs of evaluations that were kept, newest first."""
        from kebab_app.evaluate_runs import list_eval_runs

        return list_eval_runs(self, limit=limit)

    def show_eval_run(self, name: str) -> EvalRunV1:
        """Return one of them by its id, the beginning of it, or `last`."""
        from kebab_app.evaluate_runs import show_eval_run

        return show_eval_run(self, name)

    def compare_eval_runs(self, first: str, second: str) -> EvalCompareV1:
        """Compare two of them query by query. See `kebab_eval.compare_runs`.

        Returns:
            What changed.
        """
        from kebab_app.evaluate_runs import compare_eval_runs

        return compare_eval_runs(self, first, second)

    def reset(self, scope: ResetScope) -> ResetReport:
        """Delete what the configuration in force points to. See `kebab_app.reset`.

        Returns:
            What was deleted.
        """
        from kebab_app.reset import reset

        return reset(self, scope)
