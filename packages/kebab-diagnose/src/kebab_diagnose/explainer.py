"""`explain_file`: why a file is found or not. Called by `App.why`."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kebab_core import Message, SearchQuery

from kebab_diagnose.explanation import ExclusionRule, Explanation, ExplanationTrace, FailureDetail
from kebab_diagnose.file_lookup import escape_name, find_file
from kebab_diagnose.index_explanation import IndexExplanation
from kebab_diagnose.ingest_explanation import IngestExplanation
from kebab_diagnose.search_explanation import SearchExplanation

if TYPE_CHECKING:
    from kebab_diagnose.access import IndexAccess, SearchAccess, SourceAccess
    from kebab_diagnose.explanation import PassageState
    from kebab_diagnose.file_lookup import LocatedFile


def explain_file(
    name: str,
    *,
    query: SearchQuery | None = None,
    sources: SourceAccess,
    index: IndexAccess | None,
    search: SearchAccess | None,
) -> Explanation:
    """Explain why a file is found or not: follow it through scan and ingest and, for a query, through search.

    Args:
        name: A path on disk, a path inside a source as hits show it, or the id of a document.
        query: The query that should find it; None asks only whether it can be found.
        sources: The sources.
        index: The index; None where nothing was ingested.
        search: The search; None without a query or an index.

    Returns:
        The explanation, with what to do where the file got no further.

    Raises:
        InvalidInputError: The name is a folder's or no file has it; or the query is empty or its syntax wrong.
        DocumentNotFoundError: The name is the id of no document.
    """
    file = find_file(name, sources=sources, index=index)
    trace = ExplanationTrace()
    stored_index = IndexExplanation(index, trace) if index else None
    stored = stored_index.read(file.tracked) if stored_index and file.tracked else None
    cause = IngestExplanation(sources, index, trace).explain(file, is_stored=stored is not None)
    passages: tuple[PassageState, ...] = ()
    terms = legs = None
    if index and stored_index and stored:
        stored_index.explain(stored, file.path)
        passages = stored_index.passages(stored)
        if query and search and trace.verdict is None:
            found = SearchExplanation(
                search=search,
                documents=index.documents,
                roots=sources.roots,
                trace=trace,
                stored=stored,
                modified_at=_modification_time(file),
                query=query,
            ).explain(passages)
            if found is not None:
                terms, legs, passages = found
    asked, last = escape_name(name), trace.decisive_step
    return Explanation(
        asked=asked,
        query=query,
        verdict=trace.verdict or ("indexed" if legs is None else "found"),
        summary=_summarize(trace, name=file.shown or asked, query=query),
        remedy=last.remedy if last else None,
        steps=tuple(trace.steps),
        source_id=file.location.source.id if file.location else None,
        doc_path=file.location.under if file.location else None,
        disk_path=str(file.path),
        rule=cause if isinstance(cause, ExclusionRule) else None,
        failure=cause if isinstance(cause, FailureDetail) else None,
        document=stored.state if stored else None,
        passages=passages,
        terms=terms,
        legs=legs,
    )


def _modification_time(file: LocatedFile) -> datetime | None:
    """Return the modification time of a file when it was indexed; None where it is not, or beyond the calendar."""
    with suppress(OverflowError, ValueError, OSError):
        return file.tracked and datetime.fromtimestamp(file.tracked.stamp.mtime_ns / 1e9, UTC)
    return None


def _summarize(trace: ExplanationTrace, *, name: str, query: SearchQuery | None) -> Message:
    last = trace.decisive_step
    if trace.verdict is not None and last is not None:
        return Message("{name} is not found: {reason}", name=name, reason=last.detail)
    if query is not None:
        place = next(step.detail for step in trace.steps if step.name == "order")
        return Message("{name} is found: {place}", name=name, place=place)
    if last is None:
        return Message("{name} is indexed", name=name)
    return Message("{name} is indexed, but {remark}", name=name, remark=last.detail)
