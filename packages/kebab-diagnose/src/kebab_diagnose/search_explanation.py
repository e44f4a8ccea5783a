"""The steps of an explanation for a query: filters, words, meaning, order, and the evidence gate before an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kebab_core import (
    MODEL_FAILURES,
    Budget,
    DocFilter,
    LegFailure,
    Message,
    Moment,
    NotIndexedError,
    Remedy,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchTrace,
    join_messages,
)

from kebab_diagnose.explanation import SearchPosition
from kebab_diagnose.near_values import find_near_values

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from kebab_core import ChunkId, DocumentStore, KebabError, SourceId
    from kebab_search import Nearness, ParsedQuery

    from kebab_diagnose.access import SearchAccess
    from kebab_diagnose.explanation import ExplanationTrace, PassageState, QueryTerm
    from kebab_diagnose.index_explanation import StoredDocument

_MODES = {
    SearchMode.LEXICAL: (SearchMode.LEXICAL,),
    SearchMode.VECTOR: (SearchMode.VECTOR,),
    SearchMode.HYBRID: (SearchMode.LEXICAL, SearchMode.VECTOR, SearchMode.HYBRID),
}
"""Modes that are looked at for a query of each mode; its own is the last."""
_MAX_NAMED_TERMS = 8
_MAX_K = 1000
"""Hits that one search can be asked for; a little more is ranked for them."""
_ONE_HIT = Budget(1, lambda _hit: 2)
"""The first hit is there whatever it takes."""


@dataclass(frozen=True, kw_only=True)
class SearchExplanation:
    """Follows a stored document through a search."""

    search: SearchAccess
    documents: DocumentStore
    roots: Mapping[SourceId, Path]
    """Folder of each source, by its id."""
    trace: ExplanationTrace
    stored: StoredDocument
    modified_at: datetime | None
    """Modification time of the file when it was indexed, where it is known."""
    query: SearchQuery

    def explain(
        self, passages: Sequence[PassageState]
    ) -> tuple[tuple[QueryTerm, ...], tuple[SearchPosition, ...], tuple[PassageState, ...]] | None:
        """Add the steps.

        Args:
            passages: The passages of the document.

        Returns:
            The terms of the query, the position of the document in each search mode, and its passages with what the
            query finds in them; None where the index cannot be searched.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            StorageError: The words cannot be searched.
        """
        query, document = self.query, self.stored.document
        ordinals = {chunk.chunk_id: chunk.ordinal for chunk in self.stored.chunks}
        try:
            terms = self.search.find_terms(query.text, document.doc_id, ordinals)
        except NotIndexedError as error:
            self.trace.stop("not_searchable", "words", error.message, remedy=error.remedy)
            return None
        blocking = self._explain_filters()
        requirement = self.search.find_requirement(query.text)
        are_searched = query.mode is not SearchMode.VECTOR or requirement is not None
        self._explain_terms(terms, are_searched=are_searched)
        similarities: Sequence[Nearness] | LegFailure = ()
        if query.mode is not SearchMode.LEXICAL:
            similarities = self._find_similarities()
            self._explain_similarities(similarities, ordinals)
        legs = self._find_positions(blocking)
        self._explain_order(legs[-1], terms, similarities, requirement)
        if self.trace.verdict is None:
            self._explain_gate()
        by_chunk = {} if isinstance(similarities, LegFailure) else {one.chunk_id: one for one in similarities}
        found = tuple(_complete(passage, terms, by_chunk.get(passage.chunk_id)) for passage in passages)
        return terms, legs, found

    def _explain_filters(self) -> tuple[str, ...]:
        """Add the step `filters`, where there are any, and name the fields that keep the document out."""
        filters = self.query.filters
        if filters.is_empty:
            return ()
        blocking = tuple(name for name, value in filters if value and self._blocks(name, value))
        if not blocking:
            self.trace.ok("filters", Message("it passes every filter"))
            return ()
        what = join_messages("; ", [self._describe_filter(name) for name in blocking])
        near = find_near_values(filters, blocking, documents=self.documents, roots=self.roots)
        remedy = Remedy(
            kind="search_without_filters",
            names=tuple(self.search.filter_names[name] for name in blocking),
            otherwise=Remedy(kind="did_you_mean", names=tuple(near.values())) if near else None,
        )
        self.trace.stop("filtered_out", "filters", Message("excluded by {what}", what=what), remedy=remedy)
        return blocking

    def _blocks(self, name: str, value: object) -> bool:
        allowed = self.documents.resolve_filters(SearchFilters.model_validate({name: value}))
        return allowed is not None and self.stored.document.doc_id not in allowed

    def _describe_filter(self, name: str) -> Message:
        document, flag = self.stored.document, f"--{self.search.filter_names[name].replace('_', '-')}"
        listed = self.documents.list_documents(DocFilter(doc_id=(document.doc_id,)))
        own_date = Moment(listed[0].updated_at, seconds=True) if listed else ""
        if name == "tags_any":
            tags = [tag for one in listed for tag in one.tags]
            if not tags:
                return Message("{flag} (the file has no tags)", flag=flag)
            return Message("{flag} (the file has {value})", flag=flag, value=", ".join(tags))
        values = {
            "lang": document.lang,
            "path_glob": document.doc_path,
            "trust_min": document.trust_level.value,
            "media": document.media,
            "ingested_after": Moment(document.indexed_at, seconds=True),
            "since": own_date,
            "until": own_date,
            "modified_since": "" if self.modified_at is None else Moment(self.modified_at, seconds=True),
            "doc_id": document.doc_id,
            "repo": document.repo or "none",
            "code_lang": document.code_lang or "none",
            "source_id": document.source_id,
            "source_type": document.source_type.value,
        }
        if name not in values:
            return Message("{flag}", flag=flag)
        return Message("{flag} (the file has {value})", flag=flag, value=values[name])

    def _explain_terms(self, terms: Sequence[QueryTerm], *, are_searched: bool) -> None:
        """Add the step `words`: the terms that the file holds, that only other files hold, and that none does.

        Args:
            terms: The terms of the query.
            are_searched: Whether words find anything; in vector mode they do not.
        """
        held = [term.text for term in terms if term.passages]
        nowhere = [term.text for term in terms if term.in_index == 0]
        elsewhere = [term.text for term in terms if not term.passages and term.in_index != 0]
        parts = [
            _name_terms(Message("{held} of {terms} occur in it", held=len(held), terms=len(terms)), held)
        ]
        if elsewhere:
            parts.append(_name_terms(Message("only in other files"), elsewhere))
        if nowhere:
            parts.append(_name_terms(Message("in no passage of the index"), nowhere))
        detail = join_messages("; ", parts) if terms else Message("the query has no word to look up")
        if not are_searched:
            self.trace.ok("words", Message("{found}; vector mode does not search them", found=detail))
        elif held:
            self.trace.ok("words", detail)
        else:
            self.trace.note("words", detail)

    def _find_similarities(self) -> Sequence[Nearness] | LegFailure:
        try:
            return self.search.find_similarities(self.query.text, self.stored.document)
        except MODEL_FAILURES as error:
            return _failure_of(error)

    def _explain_similarities(
        self, similarities: Sequence[Nearness] | LegFailure, ordinals: Mapping[ChunkId, int]
    ) -> None:
        """Add the step `meaning`: the z-score of the best passage, and the minimum."""
        if isinstance(similarities, LegFailure):
            self.trace.note(
                "meaning",
                Message("not asked: {reason}", reason=similarities.message),
                remedy=similarities.remedy,
            )
            return
        best = _best_similarity(similarities)
        if best is None:
            self.trace.note(
                "meaning", Message("no passage of it has a vector yet"), remedy=Remedy(kind="embed")
            )
            return
        passage = ordinals[best.chunk_id] + 1
        if best.min_z_score is None:
            self.trace.ok(
                "meaning",
                Message(
                    "passage {passage}: similarity z-score {z_score:.1f} (cosine {cosine:.2f}); similarity "
                    "only reorders the word matches of this query",
                    passage=passage,
                    z_score=best.z_score,
                    cosine=best.cosine,
                ),
            )
            return
        detail = Message(
            "passage {passage}: similarity z-score {z_score:.1f}, minimum {minimum:.1f} (cosine {cosine:.2f})",
            passage=passage,
            z_score=best.z_score,
            minimum=best.min_z_score,
            cosine=best.cosine,
        )
        if best.z_score >= best.min_z_score:
            self.trace.ok("meaning", detail)
        else:
            self.trace.note("meaning", detail)

    def _find_positions(self, blocking: tuple[str, ...]) -> tuple[SearchPosition, ...]:
        """Find the document in each search mode, without the filters that keep it out."""
        defaults = {name: SearchFilters.model_fields[name].default for name in blocking}
        filters = self.query.filters.model_copy(update=defaults)
        found = (self._find_position(mode, filters) for mode in _MODES[self.query.mode])
        return tuple(replace(position, filtered=not blocking) for position in found)

    def _find_position(self, mode: SearchMode, filters: SearchFilters) -> SearchPosition:
        """Find the position of the document's best passage in a search.

        The search is the one that users make, for as many hits as there may be: the rank is the one that they see.
        """
        # One hit is built, whatever is asked for, and the trace has all of them.
        changes = {
            "mode": mode,
            "filters": filters,
            "k": _MAX_K,
            "cursor": None,
            "trace": True,
        }
        deep = self.query.model_copy(update=changes)
        try:
            response = self.search.retriever.search(deep, budget=_ONE_HIT)
        except MODEL_FAILURES as error:  # only by meaning alone: the other modes go on by words
            return SearchPosition(mode=mode, failure=_failure_of(error))
        trace = (response.trace if response.hits else None) or SearchTrace()
        chunk_ids = {chunk.chunk_id for chunk in self.stored.chunks}
        order = [
            (one.hit_rank if deep.is_folded else rank, one)
            for rank, one in enumerate(trace.rrf_inputs, start=1)
        ]
        ranked = [(rank, one) for rank, one in order if rank is not None]
        rank, best = next(((rank, one) for rank, one in ranked if one.chunk_id in chunk_ids), (None, None))
        shown = next((one.chunk_id for at, one in ranked if at == rank), None)
        alone = {"filters": SearchFilters(doc_id=(self.stored.document.doc_id,)), "k": 1}
        return SearchPosition(
            mode=mode,
            rank=rank,
            score=best.fusion_score if best else None,
            score_kind=response.hits[0].score_kind if best and response.hits else None,
            chunk_id=best.chunk_id if best else None,
            translation=None
            if shown in chunk_ids
            else next(
                (one.doc_path for one in (*trace.lexical, *trace.vector) if one.chunk_id == shown), None
            ),
            looked_at=max((rank for rank, _ in ranked), default=0),
            matches=bool(
                best or (response.hits and self.search.retriever.search(deep.model_copy(update=alone)).hits)
            ),
            failure=response.coverage.leg_failure,
        )

    def _explain_order(
        self,
        position: SearchPosition,
        terms: Sequence[QueryTerm],
        similarities: Sequence[Nearness] | LegFailure,
        requirement: ParsedQuery | None,
    ) -> None:
        """Add the step `order`: the document's position among the hits, or the first reason why it has none.

        Args:
            position: In the mode of the query.
            terms: Of the query.
            similarities: Of the passages with vectors, or the error of the vector search.
            requirement: Of the query on every hit.
        """
        if position.rank is not None:
            self._explain_rank(position, position.rank)
        elif position.matches:
            detail = Message(
                "it matches, but is not among the best {looked_at} hits", looked_at=position.looked_at
            )
            words = Message("ask with words that only it has")
            remedy = Remedy(advice=words, otherwise=self._search_document)
            self.trace.stop("too_deep", "order", detail, remedy=remedy)
        elif position.failure is not None and self.query.mode is SearchMode.VECTOR:
            is_pending = position.failure.code == NotIndexedError.code and self.stored.embedded is not None
            self.trace.stop(
                "vectors_pending" if is_pending else "not_searchable",
                "order",
                position.failure.message,
                remedy=position.failure.remedy,
            )
        elif requirement is not None:
            detail, remedy = self._describe_requirement(requirement, terms)
            self.trace.stop("no_match", "order", detail, remedy=remedy)
        else:
            self._explain_no_match(terms, similarities)

    @property
    def _search_document(self) -> Remedy:
        return Remedy(kind="search_document", document=self.stored.document.doc_id)

    def _explain_rank(self, position: SearchPosition, rank: int) -> None:
        query = self.query
        subject = Message("its best passage") if len(self.stored.chunks) > 1 else Message("it")
        if position.translation is not None:
            subject = Message("its copy or translation {path}", path=position.translation)
        detail = Message(
            "{subject} is hit {rank} of {hits}", subject=subject, rank=rank, hits=position.looked_at
        )
        if not position.filtered:
            detail = Message("{found} without these filters", found=detail)
        if rank > query.k:
            more = Remedy(kind="use_argument", name="k", value=rank)
            remedy = more if rank <= _MAX_K else self._search_document
            detail = Message("{found}; the first {k} are shown", found=detail, k=query.k)
            self.trace.stop("beyond_k", "order", detail, remedy=remedy)
        elif self.trace.verdict is None and query.max_tokens is not None and not self._is_shown():
            detail = Message(
                "{found}, but the hits before it take up all {max_tokens} tokens",
                found=detail,
                max_tokens=query.max_tokens,
            )
            self.trace.stop("over_budget", "order", detail, remedy=Remedy(kind="next_page"))
        else:
            self.trace.ok("order", detail)

    def _is_shown(self) -> bool:
        doc_id = self.stored.document.doc_id
        hits = self.search.retriever.search(self.query, budget=self.search.budget).hits
        return any(doc_id in {hit.doc_id, *(one.doc_id for one in hit.translations)} for hit in hits)

    def _explain_no_match(
        self, terms: Sequence[QueryTerm], similarities: Sequence[Nearness] | LegFailure
    ) -> None:
        other_query = self._other_query(terms)
        too_little = Message("no passage has enough evidence for the query, so search finds nothing")
        no_words = (
            Message("vector mode does not search words")
            if self.query.mode is SearchMode.VECTOR
            else Message("no word of the query finds it")
        )
        if self.query.mode is not SearchMode.VECTOR and any(
            term.searched and term.passages for term in terms
        ):
            self.trace.stop("below_floor", "order", too_little, remedy=other_query)
            return
        if self.query.mode is SearchMode.LEXICAL:
            self.trace.stop("no_match", "order", no_words, remedy=other_query)
            return
        if isinstance(similarities, LegFailure):
            remedy = similarities.remedy or other_query
            self.trace.stop(
                "no_match",
                "order",
                Message("{no_words}, and vectors were not searched", no_words=no_words),
                remedy=remedy,
            )
            return
        best = _best_similarity(similarities)
        if self.stored.pending:
            detail = Message("{no_words}, and not all of its passages have a vector yet", no_words=no_words)
            self.trace.stop("vectors_pending", "order", detail, remedy=Remedy(kind="embed"))
        elif best is None or best.min_z_score is None:
            self.trace.stop("no_match", "order", Message("no part of the query finds it"), remedy=other_query)
        elif best.z_score >= best.min_z_score:
            self.trace.stop("below_floor", "order", too_little, remedy=other_query)
        else:
            detail = Message(
                "{no_words}, and its similarity z-score {z_score:.1f} is below the minimum {minimum:.1f}",
                no_words=no_words,
                z_score=best.z_score,
                minimum=best.min_z_score,
            )
            self.trace.stop("below_floor", "order", detail, remedy=other_query)

    def _other_query(self, terms: Sequence[QueryTerm]) -> Remedy:
        if self.query.mode is not SearchMode.VECTOR:
            return self._other_words
        other = None if any(term.searched and term.passages for term in terms) else self._other_words
        return Remedy(kind="use_argument", name="mode", value="hybrid", then=other)

    @property
    def _other_words(self) -> Remedy:
        title = self.stored.document.title
        words = Message('ask with words that stand in it, such as those of its title: "{value}"', value=title)
        return Remedy(advice=words)

    def _describe_requirement(
        self, required: ParsedQuery, terms: Sequence[QueryTerm]
    ) -> tuple[Message, Remedy]:
        """Describe what the document lacks of it, and what to search for instead."""
        if required.raw is not None:
            detail = Message(
                "none of its passages is what the full-text syntax asks for: {syntax}", syntax=required.raw
            )
            return detail, Remedy(
                advice=Message("search in plain words, without raw: or the single quotes around it")
            )
        if required.phrases:
            return _describe_phrases(terms), Remedy(advice=Message("search without the quotation marks"))
        if not required.prefixes:
            return Message("the query has no word to look for"), self._other_words
        beginnings = " or ".join(f'"{prefix}"' for prefix in required.prefixes)
        detail = Message(
            "no word in it begins with {beginnings}, and a query of prefixes alone is not searched by vectors",
            beginnings=beginnings,
        )
        return detail, Remedy(advice=Message("ask in whole words, without *"), otherwise=self._other_words)

    def _explain_gate(self) -> None:
        """Add the step `answer`: whether an answer would be looked for, and the score of the file's own evidence."""
        gate = self.search.check_gate(self.query, self.stored.document.doc_id)
        if gate is None:
            return
        evidence = Message("evidence {best}, of this file {own}", best=gate.best, own=gate.own)
        if gate.passed:
            self.trace.ok(
                "answer",
                Message(
                    "an answer would be looked for: {evidence} (gate {gate})",
                    evidence=evidence,
                    gate=gate.threshold,
                ),
            )
        else:
            self.trace.note(
                "answer",
                Message(
                    "an answer would be refused: {evidence}, below rag.score_gate {gate}",
                    evidence=evidence,
                    gate=gate.threshold,
                ),
                remedy=Remedy(
                    advice=Message("search finds it; for an answer, rephrase using the file's own words")
                ),
            )


def _describe_phrases(terms: Sequence[QueryTerm]) -> Message:
    phrases = [term for term in terms if term.kind == "phrase"]
    missing = [term.text for term in phrases if not term.passages]
    if missing:
        return Message('the phrase "{phrase}" occurs in none of its passages', phrase=missing[0])
    if phrases:
        return Message("none of its passages contains every phrase")
    return Message("a phrase has no word to look for")


def _name_terms(where: Message, terms: Sequence[str]) -> Message:
    if not terms:
        return where
    named = Message("{where}: {terms}", where=where, terms=", ".join(terms[:_MAX_NAMED_TERMS]))
    rest = len(terms) - _MAX_NAMED_TERMS
    return Message("{named} and {rest} more", named=named, rest=rest) if rest > 0 else named


def _complete(passage: PassageState, terms: Sequence[QueryTerm], similarity: Nearness | None) -> PassageState:
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


def _best_similarity(similarities: Sequence[Nearness]) -> Nearness | None:
    """Choose the passage whose z-score is farthest above the minimum, or nearest below it."""
    return max(similarities, key=lambda one: one.z_score - (one.min_z_score or 0), default=None)


def _failure_of(error: KebabError) -> LegFailure:
    return LegFailure(code=error.code, message=error.message, remedy=error.remedy)
