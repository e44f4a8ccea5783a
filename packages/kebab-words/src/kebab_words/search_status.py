"""Status of a search in phrases: how it was searched, what may be missing, why nothing was found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message, NoHitReason, SearchMode

from kebab_words.phrases import Phrases

if TYPE_CHECKING:
    from kebab_core import Coverage, SearchResponse

_WORDS_ONLY = Message("by words")
_WORDS_AND_MEANING = Message("by words and meaning")
_MEANING_MISSING = Message("by words only")
_STILL_READING = Message("Still being read: more may be found later")
_INTERRUPTED = Message("Reading was interrupted")
_NO_DOCUMENTS = Message(
    "There are no documents: nothing has been read, or the folders have none that kebab reads"
)
_FILTERED_OUT = Message("The filters leave nothing")
_NOTHING_FOUND = Message("Nothing found")


def list_status(response: SearchResponse, *, with_failed: bool = True) -> list[Message]:
    """Say what was found, how it was searched, in how many documents, and what may be missing.

    Args:
        response: The response.
        with_failed: Whether files that could not be read count.
    """
    coverage, said = response.coverage, []
    if response.hits:
        count = len({hit.doc_id for hit in response.hits})
        said.append(Phrases.first_documents(count) if response.next_cursor else Phrases.documents(count))
    said += [_describe_mode(response), Phrases.of_searched(coverage.documents_searched)]
    return said + list_gaps(coverage, with_failed=with_failed)


def _describe_mode(response: SearchResponse) -> Message:
    """Say whether a search went by words, or by words and meaning."""
    if response.query.mode is SearchMode.LEXICAL:
        return _WORDS_ONLY
    return _MEANING_MISSING if response.coverage.missing_legs else _WORDS_AND_MEANING


def list_gaps(coverage: Coverage, *, with_failed: bool = True) -> list[Message]:
    """Say what may be missing from the hits; empty where nothing is.

    Args:
        coverage: What was searched.
        with_failed: Whether files that could not be read count.
    """
    said = []
    if coverage.ingest_running:
        said.append(_STILL_READING)
    if coverage.ingest_interrupted:
        said.append(_INTERRUPTED)
    if coverage.documents_pending:
        said.append(_waiting_passages(coverage.documents_pending))
    if coverage.documents_failed and with_failed:
        said.append(
            Message(
                "{count} file could not be read",
                plural="{count} files could not be read",
                count=coverage.documents_failed,
            )
        )
    return said


def describe_no_hit(response: SearchResponse) -> Message:
    """Say why nothing was found."""
    match response.no_hit_reason:
        case NoHitReason.INDEX_EMPTY:
            return _NO_DOCUMENTS
        case NoHitReason.STILL_INDEXING:
            return _STILL_READING
        case NoHitReason.FILTERED_OUT:
            return _FILTERED_OUT
        case _:
            return _NOTHING_FOUND


def _waiting_passages(count: int) -> Message:
    """Count documents that are searched by words alone so far."""
    return Message(
        "{count} document by words only so far", plural="{count} documents by words only so far", count=count
    )
