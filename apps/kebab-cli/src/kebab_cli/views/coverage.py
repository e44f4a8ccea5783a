"""Coverage of a search for people: documents searched, remarks on what was left out, reasons for an empty result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kebab_app import filter_argument
from kebab_core import Coverage, Message, NoHitReason, SearchResponse

from kebab_cli.language import localize, tr
from kebab_cli.render import count_of, list_or, one_line

if TYPE_CHECKING:
    from kebab_config import LoadedSettings

_INTERRUPTED = Message("nothing found so far; an ingest was interrupted")
_REASONS = {
    NoHitReason.INDEX_EMPTY: (Message("the index is empty"), "kebab ingest"),
    NoHitReason.STILL_INDEXING: (
        Message("nothing found so far; an ingest is running"),
        Message("search again when it is done"),
    ),
    NoHitReason.FILTERED_OUT: (
        Message("nothing matches within the filters"),
        Message("try it with fewer filters"),
    ),
    NoHitReason.NOTHING_MATCHES: (
        Message("nothing matches"),
        Message("try other or fewer words; kebab why FILE --query TEXT explains why a file is not found"),
    ),
}


def explain_nothing(
    response: SearchResponse, near_values: Mapping[str, str], loaded: LoadedSettings
) -> tuple[str, str]:
    """Reason why a search found nothing, and the next step.

    Args:
        response: One without hits.
        near_values: Probable meaning of each filter value that no document has.
        loaded: The settings of the search.
    """
    reason, coverage = response.no_hit_reason, response.coverage
    if coverage.ingest_interrupted and reason is not NoHitReason.FILTERED_OUT:
        return localize(_INTERRUPTED), "kebab ingest"
    if reason is NoHitReason.FILTERED_OUT:
        reason_of_filters, advice = _filter_reason(response)
        meant = ", ".join(repr(one_line(value)) for value in near_values.values())
        if meant:
            advice = tr("{advice}; did you mean {names}?", advice=advice, names=meant)
        return reason_of_filters, advice
    words, advice = map(localize, _REASONS[reason or NoHitReason.NOTHING_MATCHES])
    if reason is NoHitReason.NOTHING_MATCHES:
        advice = _missing_leg_hint(coverage, loaded) or advice
    return words, advice


def _filter_reason(response: SearchResponse) -> tuple[str, str]:
    reason, advice = map(localize, _REASONS[NoHitReason.FILTERED_OUT])
    if not response.coverage.documents_searched:
        reason = tr("the filters leave no document")
    flags = [f"--{filter_argument(field).replace('_', '-')}" for field in response.filtered_out_by]
    used = sum(bool(value) for _, value in response.query.filters)
    if len(flags) == used > 1:
        return reason, tr("try it with fewer filters than {flags}", flags=", ".join(flags))
    if not flags:
        return reason, advice
    named = list_or(flags)
    is_of_disk = any(glob.startswith(("/", "~")) for glob in response.query.filters.path_glob)
    if is_of_disk and flags[-1] == "--path-glob":
        return reason, tr("try it without {flags}, whose paths begin inside a source", flags=named)
    return reason, tr("try it without {flags}", flags=named)


def count_documents(coverage: Coverage) -> str:
    """Count of documents searched, and of how many."""
    searched, indexed = coverage.documents_searched, coverage.documents_indexed
    documents = count_of(indexed, "document")
    if searched == indexed:
        return documents
    return tr("{searched} of {documents}", searched=searched, documents=documents)


def list_remarks(coverage: Coverage, loaded: LoadedSettings) -> list[str]:
    """Remarks on what may be missing in a result; a missing leg only where it would matter."""
    legs = _missing_legs(coverage, loaded) if coverage.documents_indexed else []
    return [*_unread_query(coverage), *legs, *_missing_roots(loaded), *_gaps(coverage)]


def _unread_query(coverage: Coverage) -> list[str]:
    """Remarks on the parts of a long query that were not searched for."""
    remarks = []
    if (chars := coverage.lexical_query_chars) is not None:
        remarks.append(
            tr("the query is long: full-text search uses its first {chars:,} characters", chars=chars)
        )
    if (chars := coverage.vector_query_chars) is not None:
        remarks.append(
            tr("the query is long: vector search uses its first {chars:,} characters", chars=chars)
        )
    return remarks


def _missing_roots(loaded: LoadedSettings) -> list[str]:
    return [
        tr(
            "{folder} is missing, so what was found there may be outdated (kebab doctor)",
            folder=one_line(str(source.root)),
        )
        for source in loaded.paths.sources
        if source.settings.is_folder and not source.root.is_dir()
    ]


def _missing_legs(coverage: Coverage, loaded: LoadedSettings) -> list[str]:
    if not coverage.missing_legs:
        return []
    legs = ", ".join(leg.value for leg in coverage.missing_legs)
    failure = coverage.leg_failure
    if failure is None or loaded.settings.models.embedding.provider == "none":
        reason: str = Message("no embedding model is configured")
    else:
        hint = _missing_leg_hint(coverage, loaded)
        reason = f"{one_line(failure.message)}{f' ({hint})' if hint else ''}"
    return [tr("not searched by {legs}: {reason}", legs=legs, reason=reason)]


def _missing_leg_hint(coverage: Coverage, loaded: LoadedSettings) -> str:
    """Hint for a leg that failed; empty where none did."""
    failure = coverage.leg_failure
    if failure is None or loaded.settings.models.embedding.provider == "none":
        return ""
    from kebab_cli.remedies import hint_of

    return one_line(hint_of(failure) or "")


def _gaps(coverage: Coverage) -> list[str]:
    remarks = []
    if coverage.ingest_interrupted:
        remarks.append(tr("an ingest was interrupted, so the index may be incomplete (kebab ingest)"))
    elif coverage.ingest_running:
        remarks.append(tr("an ingest is running, so more may be found later"))
    if count := coverage.documents_pending:
        remarks.append(tr("{documents} without vectors so far", documents=count_of(count, "document")))
    if count := coverage.documents_failed:
        documents = count_of(count, "document")
        remarks.append(tr("{documents} that could not be read (kebab doctor)", documents=documents))
    if count := coverage.documents_stale:
        remarks.append(f"{count_of(count, 'stale document')} (kebab ingest)")
    if count := coverage.documents_held:
        documents = count_of(count, "document")
        remarks.append(tr("{documents} gone from disk but kept (kebab ingest --prune)", documents=documents))
    return remarks
