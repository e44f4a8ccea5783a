"""Search for documents by the initial consonants of their names: ㅎㅇㄹ for 주간 회의록, as `kebab find` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import DocumentId, DocumentSet, DocumentStore
from kebab_text import fold_forms, initials_of, is_initials

from kebab_search.ranking import Candidate

if TYPE_CHECKING:
    from kebab_core import DocumentEntry

INITIALS = "initials@1"
"""Version of the order of names. Change it with the order, so that older cursors become stale."""
_MIN_INITIALS = 2
_LEAST_SCORE = 0.5
"""Score of a name in which the initials are next to nothing; all of a name has 1."""


def read_initials(text: str) -> str:
    """Return a query of initial consonants without spaces around it; empty for any other query."""
    wanted = " ".join(fold_forms(text).text.split())
    letters = wanted.replace(" ", "")
    return wanted if len(letters) >= _MIN_INITIALS and is_initials(letters) else ""


def find_by_initials(
    wanted: str, documents: DocumentStore, within: DocumentSet | None, *, limit: int
) -> list[Candidate]:
    """List the beginnings of the documents with a name that has these initials, the shortest name first.

    Args:
        wanted: As `read_initials` gives them.
        documents: The documents; all of their names are read.
        within: Only these; None is all of them.
        limit: Maximum number of documents.
    """
    scores: dict[DocumentId, float] = {}
    for entry in documents.list_entries():
        if within is None or entry.doc_id in within:
            share = max(_share(wanted, name) for name in _names(entry))
            if share:
                scores[entry.doc_id] = _LEAST_SCORE + (1 - _LEAST_SCORE) * share
    best = sorted(scores, key=lambda doc_id: -scores[doc_id])[:limit]
    first = [chunks[0].chunk_id for doc_id in best if (chunks := documents.list_chunks(doc_id))]
    return [
        Candidate(passage, None, rank, scores[passage.document.doc_id])
        for rank, passage in enumerate(documents.get_chunks(first), start=1)
    ]


def _names(entry: DocumentEntry) -> tuple[str, ...]:
    return (entry.title, entry.doc_path.stem, *entry.aliases)


def _share(wanted: str, name: str) -> float:
    initials = " ".join(initials_of(fold_forms(name).text).split())
    return len(wanted) / len(initials) if wanted in initials else 0.0
