"""Matches of a query in the passages of one document, whether a search shows them or not; for `kebab why`."""

from __future__ import annotations

from collections.abc import Iterator
from math import isinf
from typing import TYPE_CHECKING, Literal, NamedTuple

from kebab_core import ChunkId, DocumentId, IndexedDocument, LexicalQuery

from kebab_search.lexical_search import LexicalSearch, QueryAnalysis
from kebab_search.query import is_bound, parse_query
from kebab_search.vector_search import VectorSearch

if TYPE_CHECKING:
    from kebab_core import Analyzer, DocumentStore, LexicalIndex

WordKind = Literal["term", "phrase", "prefix", "word", "raw"]


class MetWord(NamedTuple):
    """A part of a query, and the passages that hold it.

    Attributes:
        text: A term of the analyser, an exact phrase, the beginning of a word, a word as typed, or full-text syntax.
        kind: The kind of part.
        weight: Inverse document frequency; None for a part that only lets passages through.
        searched: True if the index is searched for it.
        in_index: Number of passages of the whole index that hold it; None: some.
        chunk_ids: Passages of the document that hold it, in the order of the index.
    """

    text: str
    kind: WordKind
    weight: float | None
    searched: bool
    in_index: int | None
    chunk_ids: tuple[ChunkId, ...]


class Nearness(NamedTuple):
    """The similarity of a passage to a query.

    Attributes:
        chunk_id: The passage.
        cosine: Of the query with it.
        z_score: Of the cosine among the passages of its script.
        min_z_score: Minimum of a hit by similarity alone; None if only passages with words of the query can be hits.
    """

    chunk_id: ChunkId
    cosine: float
    z_score: float
    min_z_score: float | None


class PassageExaminer:
    """Compares the passages of one document with a query. Thread-safe where its parts are.

    Args:
        index: Terms and where they stand.
        documents: The documents of its chunks.
        analyzer: The one that the index was made with.
    """

    def __init__(self, *, index: LexicalIndex, documents: DocumentStore, analyzer: Analyzer) -> None:
        self._index = index
        self._documents = documents
        self._lexical = LexicalSearch(index=index, documents=documents, analyzer=analyzer)

    def words(self, text: str, doc_id: DocumentId) -> list[MetWord]:
        """List the parts of a query, in its order: syntax alone, or phrases, terms, prefixes, words as typed.

        Words as typed are listed only if the document holds them but none of their terms.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: The index was made by another analyser.
        """
        self._lexical.require_index()
        analysis = self._lexical.analyze(parse_query(text))
        if analysis.lexical is not None and analysis.parsed.raw is not None:
            return [self._let_through("raw", analysis.parsed.raw, analysis.lexical, doc_id)]
        met = [*self._phrases(analysis, doc_id), *self._terms(analysis, doc_id)]
        held = {word.text for word in met if word.chunk_ids}
        return [*met, *self._surface_words(analysis, doc_id, held=held)]

    def nearness(self, text: str, vectors: VectorSearch, document: IndexedDocument) -> list[Nearness]:
        """Measure the similarity of the passages of a document, by ordinal; those with a vector only.

        Raises:
            InvalidInputError: The query is empty.
            NotIndexedError: There are no vectors yet.
            IndexModelMismatchError: There are, of other models only.
        """
        parsed = parse_query(text)
        query = vectors.embed_query(parsed.embedding_text)
        has_known_terms = bool(self._lexical.analyze(parsed).weighted.searched)
        min_score = vectors.min_score(query, has_known_terms=has_known_terms)
        chunk_ids = [chunk.chunk_id for chunk in self._documents.list_chunks(document.doc_id)]
        similarities = vectors.similarities(query, [(chunk_id, document.lang) for chunk_id in chunk_ids])
        least = {script: own.min_z_score(min_score) for script, own in query.by_script.items()}
        return [
            Nearness(
                chunk_id,
                one.cosine,
                one.z_score,
                None if is_bound(parsed) or isinf(least[one.script]) else least[one.script],
            )
            for chunk_id in chunk_ids
            if (one := similarities.get(chunk_id)) is not None
        ]

    def _phrases(self, analysis: QueryAnalysis, doc_id: DocumentId) -> Iterator[MetWord]:
        for phrase in analysis.phrases:
            lexical = (
                LexicalQuery(open_phrases=(phrase.words,))
                if phrase.is_open
                else LexicalQuery(phrases=(phrase.words,))
            )
            yield self._let_through("phrase", " ".join(phrase.words), lexical, doc_id)

    def _terms(self, analysis: QueryAnalysis, doc_id: DocumentId) -> Iterator[MetWord]:
        weighted = analysis.weighted
        frequencies = self._index.document_frequencies(weighted.weights)
        for text, weight in weighted.weights.items():
            held = self._holders(LexicalQuery(terms=(text,)), doc_id) if frequencies[text] else ()
            searched = text in weighted.searched
            met = _met("term", text, held, in_index=frequencies[text])
            yield met._replace(weight=weight, searched=searched)
        for prefix in weighted.prefixes:
            met = self._let_through("prefix", prefix, LexicalQuery(prefixes=(prefix,)), doc_id)
            yield met._replace(weight=weighted.prefix_weight)

    def _surface_words(
        self, analysis: QueryAnalysis, doc_id: DocumentId, *, held: set[str]
    ) -> Iterator[MetWord]:
        for word in analysis.surface_words:
            if any(term.text in held for term in word.terms):
                continue
            for form in word.forms():
                found = self._index.find_surface_words(
                    form, limit=self._passages(doc_id), documents=frozenset({doc_id})
                )
                if found.chunk_ids:
                    yield _met("word", form, found.chunk_ids, in_index=found.total)
                    break

    def _let_through(self, kind: WordKind, text: str, lexical: LexicalQuery, doc_id: DocumentId) -> MetWord:
        held = self._holders(lexical, doc_id)
        is_somewhere = bool(held) or self._index.count_matches(lexical) > 0
        return _met(kind, text, held, in_index=None if is_somewhere else 0)

    def _holders(self, lexical: LexicalQuery, doc_id: DocumentId) -> tuple[ChunkId, ...]:
        found = self._index.search(lexical, limit=self._passages(doc_id), documents=frozenset({doc_id}))
        return tuple(match.chunk_id for match in found)

    def _passages(self, doc_id: DocumentId) -> int:
        return max(1, len(self._documents.list_chunks(doc_id)))


def _met(kind: WordKind, text: str, chunk_ids: tuple[ChunkId, ...], *, in_index: int | None) -> MetWord:
    return MetWord(text, kind, weight=None, searched=True, in_index=in_index, chunk_ids=chunk_ids)
