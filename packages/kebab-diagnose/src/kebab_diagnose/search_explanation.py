"""The steps of an explanation for a query: filters, words, meaning, order, and the evidence gate before an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    DocFilter,
    LegFailure,
    NotIndexedError,
    Remedy,
    SearchFilters,
    SearchMode,
    SearchQuery,
)

from kebab_diagnose.near_values import find_near_values
from kebab_diagnose.search_outcome import SearchOutcome, best_similarity, find_position

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_core import ChunkId, DocumentStore, SourceId

    from kebab_diagnose.access import SearchAccess, Similarity
    from kebab_diagnose.explanation import ExplanationTrace, PassageState, QueryTerm, SearchPosition
    from kebab_diagnose.index_explanation import StoredDocument

_MODES = {
    SearchMode.LEXICAL: (SearchMode.LEXICAL,),
    SearchMode.VECTOR: (SearchMode.VECTOR,),
    SearchMode.HYBRID: (SearchMode.LEXICAL, SearchMode.VECTOR, SearchMode.HYBRID),
}
"""Modes that are looked at for a query of each mode; its own is the last."""
_MAX_NAMED_TERMS = 8


@dataclass(frozen=True, kw_only=True)
class SearchExplanation:
    """Follows a stored document through a search."""

    search: SearchAccess
    documents: DocumentStore
    roots: Mapping[SourceId, Path]
    """Folder of each source, by its id."""
    trace: ExplanationTrace

    def explain(
        self, stored: StoredDocument, passages: Sequence[PassageState], query: SearchQuery
    ) -> tuple[tuple[QueryTerm, ...], tuple[SearchPosition, ...], tuple[PassageState, ...]] | None:
        """Add the steps.

        Args:
            stored: The document.
            passages: Its passages.
            query: The query.

        Returns:
            The terms of the query, the position of the document in each search mode, and its passages with what the
            query finds in them; None where the index cannot be searched.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
        """
        ordinals = {chunk.chunk_id: chunk.ordinal for chunk in stored.chunks}
        try:
            terms = self.search.find_terms(query.text, stored.document.doc_id, ordinals)
        except NotIndexedError as error:
            self.trace.stop("not_searchable", "words", error.message, remedy=error.remedy)
            return None
        blocking = self._explain_filters(stored, query.filters)
        requirement = self.search.find_requirement(query.text)
        are_searched = query.mode is not SearchMode.VECTOR or requirement is not None
        self._explain_terms(terms, are_searched=are_searched)
        similarities: Sequence[Similarity] | LegFailure = ()
        if query.mode is not SearchMode.LEXICAL:
            similarities = self._find_similarities(query.text, stored)
            self._explain_similarities(similarities, ordinals)
        legs = self._find_positions(stored, query, blocking)
        SearchOutcome(
            search=self.search,
            query=query,
            stored=stored,
            terms=terms,
            position=legs[-1],
            similarities=similarities,
            requirement=requirement,
            trace=self.trace,
        ).explain()
        if self.trace.verdict is None:
            self._explain_gate(query, stored)
        by_chunk = {} if isinstance(similarities, LegFailure) else {one.chunk_id: one for one in similarities}
        found = tuple(_complete(passage, terms, by_chunk.get(passage.chunk_id)) for passage in passages)
        return terms, legs, found

    def _explain_filters(self, stored: StoredDocument, filters: SearchFilters) -> tuple[str, ...]:
        """Add the step `filters`, where there are any, and name the fields that keep the document out."""
        if filters.is_empty:
            return ()
        blocking = tuple(name for name, value in filters if value and self._blocks(name, value, stored))
        if not blocking:
            self.trace.ok("filters", "every filter lets it through")
            return ()
        what = "; ".join(self._describe_filter(stored, name) for name in blocking)
        near = find_near_values(filters, blocking, documents=self.documents, roots=self.roots)
        remedy = Remedy(
            kind="search_without_filters",
            names=tuple(self.search.filter_name(name) for name in blocking),
            otherwise=Remedy(kind="did_you_mean", names=tuple(near.values())) if near else None,
        )
        self.trace.stop("filtered_out", "filters", f"kept out by {what}", remedy=remedy)
        return blocking

    def _blocks(self, name: str, value: object, stored: StoredDocument) -> bool:
        allowed = self.documents.resolve_filters(SearchFilters.model_validate({name: value}))
        return allowed is not None and stored.document.doc_id not in allowed

    def _describe_filter(self, stored: StoredDocument, name: str) -> str:
        document, flag = stored.document, f"--{self.search.filter_name(name).replace('_', '-')}"
        if name == "tags_any":
            listed = self.documents.list_documents(DocFilter(doc_id=(document.doc_id,)))
            tags = [tag for one in listed for tag in one.tags]
            return f"{flag} (the file has {', '.join(tags) if tags else 'no tags'})"
        values = {
            "lang": document.lang,
            "path_glob": document.doc_path,
            "trust_min": document.trust_level.value,
            "media": document.media,
            "ingested_after": f"{document.indexed_at:%Y-%m-%d %H:%M:%S} UTC",
            "doc_id": document.doc_id,
            "repo": document.repo or "none",
            "code_lang": document.code_lang or "none",
            "source_id": document.source_id,
            "source_type": document.source_type.value,
        }
        return f"{flag} (the file has {values[name]})" if name in values else flag

    def _explain_terms(self, terms: Sequence[QueryTerm], *, are_searched: bool) -> None:
        """Add the step `words`: the terms that the file holds, that only other files hold, and that none does.

        Args:
            terms: The terms of the query.
            are_searched: Whether words find anything; in vector mode they do not.
        """
        held = [term.text for term in terms if term.passages]
        nowhere = [term.text for term in terms if term.in_index == 0]
        elsewhere = [term.text for term in terms if not term.passages and term.in_index != 0]
        parts = [f"{len(held)} of {len(terms)} stand in it{_name_terms(held, ': ')}"]
        if elsewhere:
            parts.append(f"only in other files{_name_terms(elsewhere, ': ')}")
        if nowhere:
            parts.append(f"in no passage of the index{_name_terms(nowhere, ': ')}")
        detail = "; ".join(parts) if terms else "the query has no word to look up"
        if not are_searched:
            detail = f"{detail}; they are not searched, as only meaning is asked for"
            self.trace.ok("words", detail)
        elif held:
            self.trace.ok("words", detail)
        else:
            self.trace.note("words", detail)

    def _find_similarities(self, text: str, stored: StoredDocument) -> Sequence[Similarity] | LegFailure:
        try:
            return self.search.find_similarities(text, stored.document)
        except MODEL_FAILURES as error:
            return LegFailure(code=error.code, message=error.message, remedy=error.remedy)

    def _explain_similarities(
        self, similarities: Sequence[Similarity] | LegFailure, ordinals: Mapping[ChunkId, int]
    ) -> None:
        """Add the step `meaning`: the z-score of the best passage, and the minimum."""
        if isinstance(similarities, LegFailure):
            self.trace.note("meaning", f"not asked: {similarities.message}", remedy=similarities.remedy)
            return
        best = best_similarity(similarities)
        if best is None:
            self.trace.note("meaning", "no passage of it has a vector yet", remedy=Remedy(kind="embed"))
            return
        detail = f"passage {ordinals[best.chunk_id] + 1}: similarity z-score {best.z_score:.1f}"
        cosine = f"(cosine {best.cosine:.2f})"
        if best.min_z_score is None:
            self.trace.ok("meaning", f"{detail} {cosine}; of this query it only ranks what words find")
            return
        detail = f"{detail}, minimum {best.min_z_score:.1f} {cosine}"
        if best.z_score >= best.min_z_score:
            self.trace.ok("meaning", detail)
        else:
            self.trace.note("meaning", detail)

    def _find_positions(
        self, stored: StoredDocument, query: SearchQuery, blocking: tuple[str, ...]
    ) -> tuple[SearchPosition, ...]:
        """Find the document in each search mode, without the filters that keep it out."""
        defaults = {name: SearchFilters.model_fields[name].default for name in blocking}
        allowed = query.model_copy(update={"filters": query.filters.model_copy(update=defaults)})
        found = (
            find_position(self.search.retriever, allowed.model_copy(update={"mode": mode}), stored)
            for mode in _MODES[query.mode]
        )
        return tuple(replace(position, filtered=not blocking) for position in found)

    def _explain_gate(self, query: SearchQuery, stored: StoredDocument) -> None:
        """Add the step `answer`: whether an answer would be looked for, and the score of the file's own evidence."""
        gate = self.search.check_gate(query, stored.document.doc_id)
        if gate is None:
            return
        detail = f"evidence {gate.best}, of this file {gate.own}"
        if gate.passed:
            self.trace.ok("answer", f"an answer would be looked for: {detail} (gate {gate.threshold})")
        else:
            self.trace.note(
                "answer",
                f"an answer would be refused: {detail}, below rag.score_gate {gate.threshold}",
                remedy=Remedy(kind="search_nearer_words"),
            )


def _name_terms(terms: Sequence[str], before: str) -> str:
    if not terms:
        return ""
    rest = len(terms) - _MAX_NAMED_TERMS
    return f"{before}{', '.join(terms[:_MAX_NAMED_TERMS])}{f' and {rest} more' if rest > 0 else ''}"


def _complete(
    passage: PassageState, terms: Sequence[QueryTerm], similarity: Similarity | None
) -> PassageState:
    held = tuple(term.text for term in terms if passage.ordinal in term.passages)
    if similarity is None:
        return replace(passage, terms=held)
    return replace(
        passage,
        terms=held,
        cosine=similarity.cosine,
        z_score=similarity.z_score,
        min_z_score=similarity.min_z_score,
    )
