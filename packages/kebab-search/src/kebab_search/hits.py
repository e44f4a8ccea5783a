"""Hits as they are shown: snippet, citation and evidence of a candidate, and the method of their search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    MODULE_SYMBOL,
    TOP_LEVEL_SYMBOL,
    Chunk,
    ChunkId,
    CodeCitation,
    CodeSpan,
    CodeSymbol,
    DocumentId,
    EmbeddingModelId,
    Evidence,
    FoundTerms,
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
    Term,
    Translation,
    build_citation,
)
from kebab_text import fold_text, lower_case

from kebab_search.folding import Translations
from kebab_search.lexical_search import QueryAnalysis
from kebab_search.ranking import Candidate, find_words
from kebab_search.score import is_less_likely
from kebab_search.signals import passage_evidence
from kebab_search.snippets import Match, Snippet, body_start, cut_snippet
from kebab_search.surface_lookup import add_surface_terms

if TYPE_CHECKING:
    from kebab_core import Analyzer

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


class _Passage(NamedTuple):
    """What a hit shows of its passage, whatever the length of its snippet.

    Attributes:
        text: The text that the snippet is cut from.
        matches: Of the query in it.
        skipped: The headings and label fields before it.
        is_source: Whether it is of the file.
        evidence: Of the passage.
    """

    text: str
    matches: Sequence[Match]
    skipped: str
    is_source: bool
    evidence: Evidence


@dataclass
class HitBuilder:
    """Builds the hits of one search. A passage is analysed once, however often a budget has its hit built."""

    analyzer: Analyzer
    analysis: QueryAnalysis
    method: Method
    stale_threshold_days: int
    now: datetime
    translations: Translations
    copies: Copies
    read_source: SourceReader | None
    """Reads the text that a snippet is cut from; None: that of the chunk."""
    cites_symbols: bool
    """Whether a hit is a symbol, and not the passage that defines it."""
    _passages: dict[ChunkId, _Passage] = field(default_factory=dict, init=False)

    def build(self, candidate: Candidate, *, rank: int, snippet_chars: int, most_further: int) -> SearchHit:
        """Build the hit at a rank, with a snippet of so many code points and so many further passages at most."""
        method = self.method
        chunk, document = candidate.passage.chunk, candidate.passage.document
        passage = self._passages.get(chunk.chunk_id)
        if passage is None:
            passage = self._passages[chunk.chunk_id] = self._read(candidate)
        symbol = candidate.symbol or next(iter(chunk.symbols), None)
        cited = symbol if self.cites_symbols else None
        if cited is not None:
            snippet = cut_snippet(_text_from(chunk, cited), (), max_chars=snippet_chars, is_code=True)
            header_row = None
        else:
            snippet = cut_snippet(
                passage.text, passage.matches, max_chars=snippet_chars, is_code=chunk.role is not None
            )
            header_row = _find_header(chunk, passage, snippet)
        copies = self.copies.get(document.doc_id, ())
        name, signature = (symbol.symbol, symbol.signature) if symbol else _continued(chunk)
        return SearchHit(
            rank=rank,
            score=candidate.score,
            score_kind=method.score_kind,
            less_likely=method.score_kind is ScoreKind.PROBABILITY
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
            citation=build_citation(candidate.passage)
            if cited is None
            else _cite_symbol(candidate.passage, cited),
            retrieval=RetrievalDetail(
                method=method.mode,
                fusion_score=candidate.score,
                lexical_score=candidate.bm25,
                vector_score=candidate.cosine,
                lexical_rank=candidate.lexical_rank,
                vector_rank=candidate.vector_rank,
                rerank_score=candidate.rerank_score,
            ),
            evidence=passage.evidence,
            index_version=method.index_version,
            embedding_model=method.embedding_model,
            chunker_version=chunk.chunker_version,
            indexed_at=document.indexed_at,
            stale=document.is_stale(now=self.now, threshold_days=self.stale_threshold_days),
            lang=document.lang,
            trust_level=document.trust_level,
            repo=document.repo,
            code_lang=document.code_lang,
            symbol=name,
            signature=signature or None,
            role=chunk.role,
            more=tuple(self._further(*each, snippet_chars) for each in candidate.further[:most_further]),
            more_count=len(candidate.further),
            translations=tuple(map(_translation, self.translations.get(document.doc_id, ()))),
            copies=tuple(one.to_address() for one in copies[:_MAX_COPIES]),
            copy_count=len(copies),
        )

    def _further(self, rank: int, candidate: Candidate, snippet_chars: int) -> FurtherPassage:
        """Build a further passage. Its words are looked for as letters: to analyse it would cost as much as a hit."""
        chunk = candidate.passage.chunk
        text = chunk.text[body_start(chunk.text, chunk.heading_path) :]
        weighted = self.analysis.weighted
        folded = fold_text(text)
        matches = [
            Match(*folded.source_range(at, at + len(form)), form, weighted.word_weights[forms])
            for forms, (form, places) in find_words(weighted, lower_case(folded.text)).items()
            for at in places
        ]
        return FurtherPassage(
            rank=rank,
            score=candidate.score,
            chunk_id=chunk.chunk_id,
            heading_path=chunk.heading_path,
            snippet=cut_snippet(text, sorted(matches), max_chars=min(snippet_chars, _FURTHER_CHARS)).text,
            citation=build_citation(candidate.passage),
        )

    def _read(self, candidate: Candidate) -> _Passage:
        """Find what the query has in a passage: where it matches, and the evidence."""
        chunk, document = candidate.passage.chunk, candidate.passage.document
        text, terms = chunk.text, self._find_terms(chunk.text)
        around = self._find_terms("\n".join((document.title, *chunk.heading_path)))
        evidence = passage_evidence(self.analysis.weighted, text=text, terms=terms, around=around.terms)
        if candidate.cosine is not None:
            evidence = evidence.model_copy(
                update={"similarity": candidate.cosine, "z_score": candidate.z_score}
            )
        source = None
        if self.read_source is not None and not self.cites_symbols:
            source = self.read_source(candidate.passage)
        if source is not None:
            text, terms = source, self._find_terms(source)
        elif chunk.role is not None and chunk.lead is not None:
            text = f"{text[: chunk.lead.end]}{_LEFT_OUT}{text[chunk.lead.end :]}"
        matches = self._matches(text, terms.terms)
        start = 0 if chunk.role is not None else _snippet_start(text, chunk.heading_path, matches)
        kept = [
            match._replace(start=match.start - start, end=match.end - start)
            for match in matches
            if match.start >= start
        ]
        return _Passage(text[start:], kept, text[:start], source is not None, evidence)

    def _find_terms(self, text: str) -> FoundTerms:
        weighted = self.analysis.weighted
        return add_surface_terms(
            text,
            self.analyzer.find_terms(text, weighted.weights.keys(), beginnings=weighted.prefixes),
            words=self.analysis.surface_words,
            forms=self.analysis.surface_forms,
        )

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


def _find_header(chunk: Chunk, passage: _Passage, snippet: Snippet) -> HeaderRow | None:
    """Find the header row of the table in which the snippet of a passage begins."""
    offset = len(passage.skipped) + snippet.start
    if passage.is_source and isinstance(first := chunk.source_spans[0], LineSpan):
        text = passage.skipped + passage.text
        line = first.start + text.count("\n", 0, offset)
        return chunk.find_header(LineSpan(start=line, end=line))
    return chunk.find_header(offset)


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


def _continued(chunk: Chunk) -> tuple[str | None, str]:
    """Return the symbol that a chunk is a further part of, and the signature that it repeats, in one line."""
    span = chunk.source_spans[0] if chunk.source_spans else None
    symbol = span.symbol if isinstance(span, CodeSpan) else None
    repeated = chunk.lead.end if chunk.role is not None and chunk.lead is not None else 0
    return (
        None if symbol in {MODULE_SYMBOL, TOP_LEVEL_SYMBOL} else symbol,
        " ".join(chunk.text[:repeated].split()),
    )


def _translation(document: IndexedDocument) -> Translation:
    return Translation(
        doc_id=document.doc_id,
        source_id=document.source_id,
        doc_path=document.doc_path,
        title=document.shown_title,
        lang=document.lang,
    )
