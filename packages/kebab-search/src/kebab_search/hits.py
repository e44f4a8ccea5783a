"""From a scored chunk to the hit that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from kebab_core import (
    Analyzer,
    Chunk,
    ChunkId,
    EmbeddingModelId,
    Evidence,
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
    """A chunk that was found.

    Attributes:
        found: The chunk.
        bm25: Its raw BM25; None where words did not find it.
        lexical_rank: Its rank by that, from 1; None likewise.
        score: What it is placed by, boosts included.
        vector_rank: Its rank among the passages that stand out most in their script, from 1; None where it is not among them.
        cosine: Of the query with it; None without a vector.
        standing: By how many deviations that is above the mean of its script; None likewise.
    """

    found: IndexedChunk
    bm25: float | None
    lexical_rank: int | None
    score: float
    vector_rank: int | None = None
    cosine: float | None = None
    standing: float | None = None

    @property
    def chunk_id(self) -> ChunkId:
        """The id of the chunk."""
        return self.found.chunk.chunk_id

    @property
    def depth(self) -> int:
        """How deep one has to look to find it, on the leg where that is least."""
        return min(rank for rank in (self.lexical_rank, self.vector_rank) if rank is not None)


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
    method: SearchMode = SearchMode.LEXICAL
    score_kind: ScoreKind = ScoreKind.BM25
    embedding_model: EmbeddingModelId | None = None

    def build(self, candidate: Candidate, *, rank: int) -> SearchHit:
        """Return the hit at a rank."""
        chunk, document = candidate.found.chunk, candidate.found.document
        terms = self._analyze(chunk.text)
        snippet = self._snippet(chunk, terms)
        around = self._analyze("\n".join((document.title, *chunk.heading_path)))
        return SearchHit(
            rank=rank,
            score=candidate.score,
            score_kind=self.score_kind,
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
                method=self.method,
                fusion_score=candidate.score,
                lexical_score=candidate.bm25,
                vector_score=candidate.cosine,
                lexical_rank=candidate.lexical_rank,
                vector_rank=candidate.vector_rank,
            ),
            evidence=self._evidence(candidate, terms=terms, around=around),
            index_version=self.index_version,
            embedding_model=self.embedding_model,
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

    def _evidence(self, candidate: Candidate, *, terms: Sequence[Term], around: Sequence[Term]) -> Evidence:
        words = passage_evidence(self.query, text=candidate.found.chunk.text, terms=terms, around=around)
        if candidate.cosine is None:
            return words
        return words.model_copy(update={"similarity": candidate.cosine, "margin": candidate.standing})

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
