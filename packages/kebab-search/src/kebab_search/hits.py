"""From a scored chunk to the hit that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from kebab_core import (
    Analyzer,
    Chunk,
    IndexedChunk,
    IndexVersion,
    RetrievalDetail,
    ScoreKind,
    SearchHit,
    SearchMode,
    Term,
    is_stale,
)

from kebab_search.citations import build_citation
from kebab_search.opening import body_start
from kebab_search.passage_evidence import passage_evidence
from kebab_search.phrases import Phrase
from kebab_search.snippets import Match, Snippet, cut_snippet
from kebab_search.weighting import WeightedQuery
from kebab_search.written import WrittenWord, read_again


class Candidate(NamedTuple):
    """A chunk that the index found: its raw BM25, its rank by that (from 1), and its score with boosts."""

    found: IndexedChunk
    bm25: float
    lexical_rank: int
    score: float


class HitBuilder(NamedTuple):
    """Makes the hits of one search: all that is the same for each of them."""

    analyzer: Analyzer
    query: WeightedQuery
    phrases: tuple[Phrase, ...]
    snippet_chars: int
    stale_threshold_days: int
    now: datetime
    index_version: IndexVersion
    written: tuple[WrittenWord, ...] = ()
    looked_up: Mapping[str, str] = MappingProxyType({})

    def build(self, candidate: Candidate, *, rank: int) -> SearchHit:
        """Return the hit at a rank."""
        chunk, document = candidate.found.chunk, candidate.found.document
        terms = self._analyze(chunk.text)
        snippet = self._snippet(chunk, terms)
        around = self._analyze("\n".join((document.title, *chunk.heading_path)))
        return SearchHit(
            rank=rank,
            score=candidate.score,
            score_kind=ScoreKind.BM25,
            chunk_id=chunk.chunk_id,
            doc_id=document.doc_id,
            source_id=document.source_id,
            doc_path=document.doc_path,
            title=document.title,
            heading_path=chunk.heading_path,
            section_label=chunk.section_label,
            snippet=snippet.text,
            snippet_full_text=snippet.is_full_text,
            matched=snippet.matched,
            citation=build_citation(candidate.found),
            retrieval=RetrievalDetail(
                method=SearchMode.LEXICAL,
                fusion_score=candidate.score,
                lexical_score=candidate.bm25,
                lexical_rank=candidate.lexical_rank,
            ),
            evidence=passage_evidence(self.query, text=chunk.text, terms=terms, around=around),
            index_version=self.index_version,
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
        )

    def _analyze(self, text: str) -> list[Term]:
        terms = self.analyzer.analyze(text)
        return read_again(text, terms, words=self.written, looked_up=self.looked_up)

    def _snippet(self, chunk: Chunk, terms: Sequence[Term]) -> Snippet:
        start = body_start(chunk.text, chunk.heading_path)
        matches = [
            match._replace(start=match.start - start, end=match.end - start)
            for match in self._matches(chunk.text, terms)
            if match.start >= start
        ]
        return cut_snippet(chunk.text[start:], matches, max_chars=self.snippet_chars)

    def _matches(self, text: str, terms: Sequence[Term]) -> list[Match]:
        matches = [
            Match(term.start, term.end, term.text, weight)
            for term in terms
            if (weight := self.query.match_weight(term.text))
        ]
        if self.phrases:
            matches += self._phrase_matches(self.analyzer.surface(text))
        return sorted(matches)

    def _phrase_matches(self, words: Sequence[Term]) -> Iterator[Match]:
        # As much as all single words together: the window must show the phrase.
        weight = 1.0 + sum(self.query.weights.values())
        for phrase in self.phrases:
            for start, end in phrase.places(words):
                yield Match(start, end, " ".join(phrase.words), weight)
