"""What filters mean, written a second time so that a store can be compared with it."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fnmatch import fnmatchcase

from kebab_core import DocumentRecord, SearchFilters


def passes_filters(record: DocumentRecord, filters: SearchFilters) -> bool:
    """Return whether a document may be found or listed under the filters; the limits of a listing are left aside."""
    metadata = record.document.metadata
    return (
        _passes_labels(record, filters)
        and (filters.trust_min is None or metadata.trust_level.rank <= filters.trust_min.rank)
        and (filters.ingested_after is None or record.indexed_at > filters.ingested_after)
        and _among(record.document.doc_id, filters.doc_id)
        and _among(metadata.repo, filters.repo)
        and _among(metadata.code_lang, filters.code_lang)
        and _among(metadata.source_type, filters.source_type)
    )


def _passes_labels(record: DocumentRecord, criteria: SearchFilters) -> bool:
    document = record.document
    return (
        _among(document.source_id, criteria.source_id)
        and _among(record.asset.media_type.kind, criteria.media)
        and (not criteria.tags_any or not set(criteria.tags_any).isdisjoint(document.metadata.tags))
        and _among(document.lang, criteria.lang)
        and (not criteria.path_glob or _path_matches(criteria.path_glob, document.workspace_path))
    )


def _among(value: str | None, allowed: Sequence[str]) -> bool:
    return not allowed or value in allowed


def _path_matches(globs: Sequence[str], path: str) -> bool:
    spelt = [unicodedata.normalize("NFC", glob).split("/") for glob in globs]
    return any(_names_match(names, path.split("/")) for names in spelt)


def _names_match(globs: Sequence[str], names: Sequence[str]) -> bool:
    # `**` stands for any number of names, at the end for at least one.
    if not globs:
        return not names
    if globs[0] == "**":
        if len(globs) == 1:
            return bool(names)
        return any(_names_match(globs[1:], names[start:]) for start in range(len(names) + 1))
    return bool(names) and fnmatchcase(names[0], globs[0]) and _names_match(globs[1:], names[1:])
