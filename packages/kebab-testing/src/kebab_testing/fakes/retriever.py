"""A retriever without an index."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kebab_core import (
    Chunk,
    Clock,
    DocumentStore,
    Evidence,
    FurtherPassage,
    IndexedChunk,
    IndexVersion,
    InvalidInputError,
    LineCitation,
    LineSpan,
    MatchedRange,
    Message,
    NoHitReason,
    Remedy,
    RetrievalDetail,
    ScoreKind,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
    StaleCursorError,
)

_WORD = re.compile(r"\w+")
_MAX_MORE = 3
_Folded = tuple[IndexedChunk, tuple[FurtherPassage, ...]]
_VERSION = IndexVersion("lexical:overlap@1")


class OverlapRetriever:
    """Implements `Retriever`: a chunk scores the share of the words of the query that it holds. It knows no translations.

    Snippets are whole chunks; of a budget each costs its characters.
    """

    def __init__(self, store: DocumentStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def index_version(self) -> IndexVersion:
        """Return the fixed label."""
        return _VERSION

    def search(self, query: SearchQuery) -> SearchResponse:
        """Return hits, best first, equal ones in order of path and place.

        Raises:
            InvalidInputError: There is no word in the query.
            StaleCursorError: The cursor is none of this query and state of the store.
        """
        asked = frozenset(_words(query.text))
        if not asked:
            raise InvalidInputError("the query is empty")
        allowed = self._store.resolve_filters(query.filters)
        matching = [item for item in self._all() if asked & frozenset(_words(item.chunk.text))]
        found = [item for item in matching if allowed is None or item.document.doc_id in allowed]
        found.sort(key=lambda item: -len(asked & frozenset(_words(item.chunk.text))))
        coverage = self._store.coverage(now=self._clock.now(), stale_threshold_days=0)
        empty = NoHitReason.FILTERED_OUT if matching else NoHitReason.NOTHING_MATCHES
        folded = [(item, self._further(item, found, asked) if query.is_folded else ()) for item in found]
        if query.is_folded:
            best = {item.document.doc_id: item.chunk.chunk_id for item in reversed(found)}
            folded = [one for one in folded if one[0].chunk.chunk_id in best.values()]
        start = self._start(query, len(folded))
        shown = folded[start : start + query.k]
        end = start + len(shown)
        return SearchResponse(
            query=query,
            hits=tuple(
                self._hit(item, asked, rank).model_copy(
                    update={"more": further[:_MAX_MORE], "more_count": len(further)}
                )
                for rank, (item, further) in enumerate(shown, start=start + 1)
            ),
            next_cursor=self._cursor(query, end) if end < len(folded) else None,
            coverage=coverage.model_copy(
                update={
                    "legs": (SearchMode.LEXICAL,),
                    "documents_searched": coverage.documents_indexed if allowed is None else len(allowed),
                }
            ),
            no_hit_reason=None if found else empty if coverage.documents_indexed else NoHitReason.INDEX_EMPTY,
        )

    def _further(
        self, best: IndexedChunk, found: Sequence[IndexedChunk], asked: frozenset[str]
    ) -> tuple[FurtherPassage, ...]:
        return tuple(
            FurtherPassage(
                rank=rank,
                score=len(asked & frozenset(_words(item.chunk.text))) / len(asked),
                chunk_id=item.chunk.chunk_id,
                heading_path=item.chunk.heading_path,
                snippet=item.chunk.text,
                citation=_citation(item, item.chunk),
            )
            for rank, item in enumerate(found, start=1)
            if item.document.doc_id == best.document.doc_id and item.chunk.chunk_id != best.chunk.chunk_id
        )

    def _start(self, query: SearchQuery, count: int) -> int:
        starts = {self._cursor(query, end): end for end in range(1, count)}
        if query.cursor is None:
            return 0
        if query.cursor not in starts:
            raise StaleCursorError(
                "the cursor cannot be read", remedy=Remedy(advice=Message("search again without the cursor"))
            )
        return starts[query.cursor]

    def _cursor(self, query: SearchQuery, offset: int) -> str:
        return f"{self._store.corpus_revision()}/{query.filters.model_dump_json()}/{query.is_folded}/{query.text}/{offset}"

    def _all(self) -> list[IndexedChunk]:
        entries = sorted(self._store.list_entries(), key=lambda entry: entry.doc_path)
        chunks = (chunk for entry in entries for chunk in self._store.list_chunks(entry.doc_id))
        return self._store.get_chunks([chunk.chunk_id for chunk in chunks])

    def _hit(self, item: IndexedChunk, asked: frozenset[str], rank: int) -> SearchHit:
        chunk, document = item.chunk, item.document
        held = [match for match in _WORD.finditer(chunk.text) if match[0].lower() in asked]
        shared = len({match[0].lower() for match in held})
        return SearchHit(
            rank=rank,
            score=shared / len(asked),
            score_kind=ScoreKind.PROBABILITY,
            chunk_id=chunk.chunk_id,
            doc_id=document.doc_id,
            source_id=document.source_id,
            doc_path=document.doc_path,
            title=document.title,
            heading_path=chunk.heading_path,
            section_label=chunk.section_label,
            snippet=chunk.text,
            snippet_full_text=True,
            matched=tuple(MatchedRange(start=match.start(), end=match.end()) for match in held),
            citation=_citation(item, chunk),
            retrieval=RetrievalDetail(
                method=SearchMode.LEXICAL,
                fusion_score=float(shared),
                lexical_score=float(shared),
                vector_score=None,
                lexical_rank=rank,
                vector_rank=None,
            ),
            evidence=Evidence(coverage=shared / len(asked), bm25_ratio=shared / len(asked)),
            index_version=_VERSION,
            chunker_version=chunk.chunker_version,
            indexed_at=document.indexed_at,
            stale=document.is_stale(now=self._clock.now(), threshold_days=0),
            lang=document.lang,
            trust_level=document.trust_level,
            repo=document.repo,
            code_lang=document.code_lang,
        )


def _words(text: str) -> list[str]:
    return [match[0].lower() for match in _WORD.finditer(text)]


def _citation(item: IndexedChunk, chunk: Chunk) -> LineCitation:
    lines = [span for span in chunk.source_spans if isinstance(span, LineSpan)]
    return LineCitation(
        path=item.document.doc_path,
        source_id=item.document.source_id,
        start=min((span.start for span in lines), default=1),
        end=max((span.end for span in lines), default=1),
        section=chunk.section_label,
    )
