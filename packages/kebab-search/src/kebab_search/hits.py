"""Hits as they are shown: snippet, citation and evidence of a candidate, and the method of their search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from kebab_core import (
    MODULE_SYMBOL,
    TOP_LEVEL_SYMBOL,
    Analyzer,
    Chunk,
    ChunkId,
    CodeCitation,
    CodeSpan,
    CodeSymbol,
    DocumentId,
    EmbeddingModelId,
    Evidence,
    FurtherPassage,
    HeaderRow,
    IndexedChunk,
    IndexedDocument,
    IndexVersion,
    LegFailure,
    LineSpan,
    RetrievalDetail,
    ScoreKind,
    SearchHit,
    SearchMode,
    SourceSpan,
    Term,
    Translation,
    build_citation,
    is_stale,
)
from kebab_text import fold_text, lower_case

from kebab_search.evidence import passage_evidence
from kebab_search.folding import FoldedHit
from kebab_search.lexical_search import QueryAnalysis
from kebab_search.ranking import Candidate, find_words
from kebab_search.score import is_less_likely
from kebab_search.snippets import Match, Snippet, body_start, cut_snippet
from kebab_search.surface_lookup import add_surface_terms
from kebab_search.translations import Translations

SourceReader = Callable[[IndexedChunk], str | None]
"""Reads the lines of a passage as they stand in its file; None where the text of the chunk is to be shown."""

_LEFT_OUT = "…\n"
"""Between the repeated signature and the lines of a long definition that a passage goes on with."""
Copies = Mapping[DocumentId, Sequence[IndexedDocument]]
"""Documents that are told beside a hit as its copies, by the id of its document."""
_MAX_COPIES = 3
"""Addresses of copies that a hit tells; the others are counted."""
_FURTHER_CHARS = 80
"""Code points of the snippet of a further passage, at most."""


class Method(NamedTuple):
    """The method of a search.

    Attributes:
        mode: The search that found the hits.
        score_kind: Of their scores.
        index_version: Label of the analyser and model.
        missing: Searches of the mode that are not available.
        failure: The reason why the first of those is missing.
        embedding_model: The model of the vectors, if any took part.
    """

    mode: SearchMode
    score_kind: ScoreKind
    index_version: IndexVersion
    missing: tuple[SearchMode, ...] = ()
    failure: LegFailure | None = None
    embedding_model: EmbeddingModelId | None = None

    @property
    def legs(self) -> tuple[SearchMode, ...]:
        """The searches that took part."""
        both = (SearchMode.LEXICAL, SearchMode.VECTOR)
        of_mode = both if self.mode is SearchMode.HYBRID else (self.mode,)
        return tuple(leg for leg in of_mode if leg not in self.missing)


class HitBuilder(NamedTuple):
    """Builds the hits of one search; its fields are the same for all of them."""

    analyzer: Analyzer
    analysis: QueryAnalysis
    method: Method
    snippet_chars: int
    stale_threshold_days: int
    now: datetime
    most_further: int
    translations: Translations
    copies: Copies
    find_source_text: Callable[[ChunkId], str | None]
    """Finds the text that a snippet is cut from; None: that of the chunk."""
    cites_symbols: bool
    """Whether a hit is a symbol, and not the passage that defines it."""

    def build(self, found: FoldedHit, *, rank: int) -> SearchHit:
        """Build the hit at a rank."""
        candidate = found.best
        chunk, document = candidate.passage.chunk, candidate.passage.document
        symbol = candidate.symbol or next(iter(chunk.symbols), None)
        terms = self._analyze(chunk.text)
        if self.cites_symbols and symbol is not None:
            snippet = cut_snippet(_text_from(chunk, symbol), (), max_chars=self.snippet_chars, is_code=True)
            header_row = None
        else:
            snippet, header_row = self._snippet(chunk, terms)
        around = self._analyze("\n".join((document.title, *chunk.heading_path)))
        return SearchHit(
            rank=rank,
            score=candidate.score,
            score_kind=self.method.score_kind,
            less_likely=self.method.score_kind is ScoreKind.PROBABILITY
            and is_less_likely(candidate, self.analysis),
            chunk_id=chunk.chunk_id,
            doc_id=document.doc_id,
            source_id=document.source_id,
            doc_path=document.doc_path,
            title=document.shown_title,
            heading_path=chunk.heading_path,
            section_label=chunk.section_label,
            snippet=snippet.text,
            snippet_full_text=snippet.is_full_text,
            matched=snippet.matched,
            header_row=header_row,
            citation=_cite_symbol(candidate.passage, symbol)
            if self.cites_symbols and symbol is not None
            else build_citation(candidate.passage),
            retrieval=RetrievalDetail(
                method=self.method.mode,
                fusion_score=candidate.score,
                lexical_score=candidate.bm25,
                vector_score=candidate.cosine,
                lexical_rank=candidate.lexical_rank,
                vector_rank=candidate.vector_rank,
            ),
            evidence=self._evidence(candidate, terms=terms, around=around),
            index_version=self.method.index_version,
            embedding_model=self.method.embedding_model,
            chunker_version=chunk.chunker_version,
            indexed_at=document.indexed_at,
            stale=is_stale(
                last_complete_scan_at=document.last_complete_scan_at,
                indexed_at=document.indexed_at,
                changed_on_disk=document.changed_on_disk,
                now=self.now,
                threshold_days=self.stale_threshold_days,
            ),
            lang=document.lang,
            trust_level=document.trust_level,
            repo=document.repo,
            code_lang=document.code_lang,
            symbol=_continued_symbol(chunk) if symbol is None else symbol.symbol,
            signature=(_continued_signature(chunk) if symbol is None else symbol.signature) or None,
            role=chunk.role,
            more=tuple(self._further(*each) for each in found.further[: self.most_further]),
            more_count=len(found.further),
            translations=tuple(map(_translation, self.translations.get(document.doc_id, ()))),
            copies=tuple(one.to_address() for one in self.copies.get(document.doc_id, ())[:_MAX_COPIES]),
            copy_count=len(self.copies.get(document.doc_id, ())),
        )

    def _further(self, rank: int, candidate: Candidate) -> FurtherPassage:
        """Build a further passage. Its words are looked for as letters: to analyse it would cost as much as a hit."""
        chunk = candidate.passage.chunk
        text = chunk.text[body_start(chunk.text, chunk.heading_path) :]
        weighted = self.analysis.weighted
        folded = fold_text(text)
        matches = [
            Match(*folded.source_range(at, at + len(form)), form, weighted.word_weight(forms))
            for forms, (form, places) in find_words(weighted, lower_case(folded.text)).items()
            for at in places
        ]
        return FurtherPassage(
            rank=rank,
            score=candidate.score,
            chunk_id=chunk.chunk_id,
            heading_path=chunk.heading_path,
            snippet=cut_snippet(
                text, sorted(matches), max_chars=min(self.snippet_chars, _FURTHER_CHARS)
            ).text,
            citation=build_citation(candidate.passage),
        )

    def _evidence(self, candidate: Candidate, *, terms: Sequence[Term], around: Sequence[Term]) -> Evidence:
        words = passage_evidence(
            self.analysis.weighted, text=candidate.passage.chunk.text, terms=terms, around=around
        )
        if candidate.cosine is None:
            return words
        return words.model_copy(update={"similarity": candidate.cosine, "z_score": candidate.z_score})

    def _analyze(self, text: str) -> list[Term]:
        terms = self.analyzer.analyze(text)
        return add_surface_terms(
            text, terms, words=self.analysis.surface_words, forms=self.analysis.surface_forms
        )

    def _snippet(self, chunk: Chunk, terms: Sequence[Term]) -> tuple[Snippet, HeaderRow | None]:
        """Cut the snippet of a chunk; also return the header row of the table in which it begins."""
        source_text = self.find_source_text(chunk.chunk_id)
        text = chunk.text if source_text is None else source_text
        if source_text is not None:
            terms = self._analyze(text)
        elif chunk.role is not None and chunk.lead is not None:
            text = f"{chunk.text[: chunk.lead.end]}{_LEFT_OUT}{chunk.text[chunk.lead.end :]}"
        found = self._matches(text, terms)
        start = 0 if chunk.role is not None else _snippet_start(text, chunk.heading_path, found)
        matches = [
            match._replace(start=match.start - start, end=match.end - start)
            for match in found
            if match.start >= start
        ]
        snippet = cut_snippet(
            text[start:], matches, max_chars=self.snippet_chars, is_code=chunk.role is not None
        )
        offset = start + snippet.start
        place: int | SourceSpan = offset
        if source_text is not None and isinstance(first := chunk.source_spans[0], LineSpan):
            line = first.start + text.count("\n", 0, offset)
            place = LineSpan(start=line, end=line)
        return snippet, chunk.find_header(place)

    def _matches(self, text: str, terms: Sequence[Term]) -> list[Match]:
        matches = [
            Match(term.start, term.end, term.text, weight)
            for term in terms
            if (weight := self.analysis.weighted.match_weight(term.text))
        ]
        if self.analysis.phrases:
            matches += self._phrase_matches(self.analyzer.surface(text))
        return sorted(matches)

    def _phrase_matches(self, words: Sequence[Term]) -> Iterator[Match]:
        # As much as all single words together: the window must show the phrase.
        weight = 1.0 + sum(self.analysis.weighted.weights.values())
        for phrase in self.analysis.phrases:
            for start, end in phrase.places(words):
                yield Match(start, end, " ".join(phrase.words), weight)


def _snippet_start(text: str, heading_path: Sequence[str], matches: Sequence[Match]) -> int:
    """Find where a snippet may begin: below leading headings, and below label fields if no word matches only there."""
    start, below = body_start(text, heading_path), body_start(text, heading_path, skips_labels=True)
    first, others = ({match.word for match in matches if match.start >= at} for at in (start, below))
    return below if below and first <= others else start


def _cite_symbol(passage: IndexedChunk, symbol: CodeSymbol) -> CodeCitation:
    """Build the citation of a symbol that a chunk defines: of its own lines."""
    document = passage.document
    return CodeCitation(
        path=document.doc_path,
        source_id=document.source_id,
        line_start=symbol.line_start,
        line_end=symbol.line_end,
        symbol=symbol.symbol,
        lang=document.code_lang,
    )


def _text_from(chunk: Chunk, symbol: CodeSymbol) -> str:
    """Return the text of a chunk from the first line of a symbol that it defines."""
    own = chunk.text[0 if chunk.lead is None else chunk.lead.end :]
    first = min((span.line_start for span in chunk.source_spans if isinstance(span, CodeSpan)), default=1)
    return "\n".join(own.split("\n")[symbol.line_start - first :])


def _continued_symbol(chunk: Chunk) -> str | None:
    """Return the symbol that a chunk is a further part of."""
    span = chunk.source_spans[0] if chunk.source_spans else None
    symbol = span.symbol if isinstance(span, CodeSpan) else None
    return None if symbol in {MODULE_SYMBOL, TOP_LEVEL_SYMBOL} else symbol


def _continued_signature(chunk: Chunk) -> str | None:
    """Return the signature that a chunk of source code repeats, in one line."""
    if chunk.role is None or chunk.lead is None:
        return None
    return " ".join(chunk.text[: chunk.lead.end].split())


def _translation(document: IndexedDocument) -> Translation:
    return Translation(
        doc_id=document.doc_id,
        source_id=document.source_id,
        doc_path=document.doc_path,
        title=document.shown_title,
        lang=document.lang,
    )
