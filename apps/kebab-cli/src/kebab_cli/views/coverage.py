"""Coverage of a search for people: documents searched, remarks on what was left out, reasons for an empty result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kebab_app import filter_argument
from kebab_core import Coverage, NoHitReason, SearchResponse

from kebab_cli.remedies import hint_of
from kebab_cli.render import count_of, one_line

if TYPE_CHECKING:
    from kebab_config import LoadedSettings

_INTERRUPTED = ("nothing found so far; an ingest was interrupted", "kebab ingest")
_REASONS = {
    NoHitReason.INDEX_EMPTY: ("the index is empty", "kebab ingest"),
    NoHitReason.STILL_INDEXING: (
        "nothing found so far; an ingest is running",
        "search again when it is done",
    ),
    NoHitReason.FILTERED_OUT: ("nothing matches within the filters", "try it with fewer filters"),
    NoHitReason.NOTHING_MATCHES: (
        "nothing matches",
        "try other words, or fewer; kebab why FILE --query TEXT tells what keeps a file back",
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
        return _INTERRUPTED
    if reason is NoHitReason.FILTERED_OUT:
        reason_of_filters, advice = _filter_reason(response)
        meant = ", ".join(repr(one_line(value)) for value in near_values.values())
        return reason_of_filters, f"{advice}; did you mean {meant}?" if meant else advice
    words, advice = _REASONS[reason or NoHitReason.NOTHING_MATCHES]
    if reason is NoHitReason.NOTHING_MATCHES:
        advice = _missing_leg_hint(coverage, loaded) or advice
    return words, advice


def _filter_reason(response: SearchResponse) -> tuple[str, str]:
    reason, advice = _REASONS[NoHitReason.FILTERED_OUT]
    if not response.coverage.documents_searched:
        reason = "the filters leave no document"
    flags = [f"--{filter_argument(field).replace('_', '-')}" for field in response.filtered_out_by]
    used = sum(bool(value) for _, value in response.query.filters)
    if len(flags) == used > 1:
        return reason, f"{advice} than {', '.join(flags)}"
    is_of_disk = any(glob.startswith(("/", "~")) for glob in response.query.filters.path_glob)
    inside = ", whose paths begin inside a source" if is_of_disk and flags[-1:] == ["--path-glob"] else ""
    return reason, f"try it without {' or '.join(flags)}{inside}" if flags else advice


def count_documents(coverage: Coverage) -> str:
    """Count of documents searched, and of how many."""
    searched, indexed = coverage.documents_searched, coverage.documents_indexed
    documents = count_of(indexed, "document")
    return documents if searched == indexed else f"{searched} of {documents}"


def list_remarks(coverage: Coverage, loaded: LoadedSettings) -> list[str]:
    """Remarks on what may be missing in a result; a missing leg only where it would matter."""
    legs = _missing_legs(coverage, loaded) if coverage.documents_indexed else []
    return [*_unread_query(coverage), *legs, *_missing_roots(loaded), *_gaps(coverage)]


def _unread_query(coverage: Coverage) -> list[str]:
    """Remarks on the parts of a long query that were not searched for."""
    limits = (
        ("words are read from", coverage.lexical_query_chars),
        ("meaning goes by", coverage.vector_query_chars),
    )
    return [
        f"the query is long: {what} its first {chars:,} characters"
        for what, chars in limits
        if chars is not None
    ]


def _missing_roots(loaded: LoadedSettings) -> list[str]:
    return [
        f"{one_line(str(source.root))} is missing, so what was found there may be outdated (kebab doctor)"
        for source in loaded.paths.sources
        if source.settings.is_folder and not source.root.is_dir()
    ]


def _missing_legs(coverage: Coverage, loaded: LoadedSettings) -> list[str]:
    if not coverage.missing_legs:
        return []
    legs = ", ".join(leg.value for leg in coverage.missing_legs)
    failure = coverage.leg_failure
    if failure is None or loaded.settings.models.embedding.provider == "none":
        return [f"not searched by {legs}: no embedding model is configured"]
    hint = _missing_leg_hint(coverage, loaded)
    return [f"not searched by {legs}: {one_line(failure.message)}{f' ({hint})' if hint else ''}"]


def _missing_leg_hint(coverage: Coverage, loaded: LoadedSettings) -> str:
    """Hint for a leg that failed; empty where none did."""
    failure = coverage.leg_failure
    if failure is None or loaded.settings.models.embedding.provider == "none":
        return ""
    return one_line(hint_of(failure) or "")


def _gaps(coverage: Coverage) -> list[str]:
    remarks = []
    if coverage.ingest_interrupted:
        remarks.append("an ingest was interrupted, so the index may be incomplete (kebab ingest)")
    elif coverage.ingest_running:
        remarks.append("an ingest is running, so more may be found later")
    for count, noun, state in (
        (coverage.documents_pending, "document", "without vectors so far"),
        (coverage.documents_failed, "document", "that could not be read (kebab doctor)"),
        (coverage.documents_stale, "stale document", "(kebab ingest)"),
        (coverage.documents_held, "document", "gone from disk but kept (kebab ingest --prune)"),
    ):
        if count:
            remarks.append(f"{count_of(count, noun)} {state}")
    return remarks
