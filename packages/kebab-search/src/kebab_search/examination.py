"""What a query meets in the passages of one document, whether a search shows them or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from kebab_core import (
    Analyzer,
    ChunkId,
    DocumentId,
    DocumentStore,
    IndexedDocument,
    LexicalIndex,
    LexicalQuery,
)

from kebab_search.joined import is_bound
from kebab_search.lexical_leg import LexicalLeg
from kebab_search.query import parse_query
from kebab_search.question import Question
from kebab_search.vector_leg import VectorLeg

WordKind = Literal["term", "phrase", "prefix", "word", "raw"]


class MetWord(NamedTuple):
    """Something that a query asks for, and where it stands.

    Attributes:
        text: A term of the analyser, an exact phrase, the beginning of a word, a word as typed, or full-text syntax.
        kind: Which of these.
        weight: How much it tells: inverse frequency; None where it only lets passages through.
        searched: Whether the index is asked for it.
        in_index: How many passages of the whole index hold it; None: some.
        chunk_ids: Those of the document that hold it, in the order of the index.
    """

    text: str
    kind: WordKind
    weight: float | None
    searched: bool
    in_index: int | None
    chunk_ids: tuple[ChunkId, ...]


class Nearness(NamedTuple):
    """How near a passage is to a query.

    Attributes:
        chunk_id: The passage.
        cosine: Of the query with it.
        standing: By how many deviations it is nearer than the mean of its script.
        floor: How many it takes to be a hit for that alone; None where only what holds words can be one.
    """

    chunk_id: ChunkId
    cosine: float
    standing: float
    floor: float | None


class PassageExaminer:
    """Asks both indexes about the passages of one document. Thread-safe where its parts are.

    Args:
        index: Where terms are looked up.
        documents: What passages belong to.
        analyzer: The one that the index was made with.
    """

    def __init__(self, *, index: LexicalIndex, documents: DocumentStore, analyzer: Analyzer) -> None:
        self._index = index
        self._documents = documents
        self._leg = LexicalLeg(index=index, documents=documents, analyzer=analyzer)

    def words(self, text: str, doc_id: DocumentId) -> list[MetWord]:
        """Return all that a query asks for, in its order: syntax alone, or phrases, terms, prefixes, words as typed.

        Words as typed are told of only where they are in the document though none of their terms is.

        Raises:
            InvalidInputError: The query is empty or its full-text syntax is wrong.
            NotIndexedError: The index was made by another analyser.
        """
        self._leg.require_index()
        question = self._leg.read(parse_query(text))
        if question.lexical is not None and question.lexical.raw is not None:
            return [self._let_through("raw", question.lexical.raw, question.lexical, doc_id)]
        met = [*self._phrases(question, doc_id), *self._terms(question, doc_id)]
        held = {word.text for word in met if word.chunk_ids}
        return [*met, *self._written(question, doc_id, held=held)]

    def nearness(self, text: str, vectors: VectorLeg, document: IndexedDocument) -> list[Nearness]:
        """Return how near the passages of a document are, by ordinal; those with a vector only.

        Raises:
            InvalidInputError: The query is empty.
            NotIndexedError: There are no vectors yet.
            IndexModelMismatchError: There are, of other models only.
        """
        parsed = parse_query(text)
        near = vectors.read(parsed.meant)
        floor = vectors.floor(near, knows_words=bool(self._leg.read(parsed).weighted.searched))
        chunk_ids = [chunk.chunk_id for chunk in self._documents.list_chunks(document.doc_id)]
        placed = vectors.place(near, [(chunk_id, document.lang) for chunk_id in chunk_ids])
        return [
            Nearness(
                chunk_id,
                place.cosine,
                place.standing,
                None
                if is_bound(parsed)
                else floor.abroad
                if near.sides[place.script].is_foreign
                else floor.at_home,
            )
            for chunk_id in chunk_ids
            if (place := placed.get(chunk_id)) is not None
        ]

    def _phrases(self, question: Question, doc_id: DocumentId) -> Iterator[MetWord]:
        for phrase in question.phrases:
            asked = (
                LexicalQuery(open_phrases=(phrase.words,))
                if phrase.goes_on
                else LexicalQuery(phrases=(phrase.words,))
            )
            yield self._let_through("phrase", " ".join(phrase.words), asked, doc_id)

    def _terms(self, question: Question, doc_id: DocumentId) -> Iterator[MetWord]:
        weighted = question.weighted
        frequencies = self._index.document_frequencies(weighted.weights)
        for text, weight in weighted.weights.items():
            held = self._holders(LexicalQuery(terms=(text,)), doc_id) if frequencies[text] else ()
            searched = text in weighted.searched
            met = _met("term", text, held, in_index=frequencies[text])
            yield met._replace(weight=weight, searched=searched)
        for prefix in weighted.prefixes:
            met = self._let_through("prefix", prefix, LexicalQuery(prefixes=(prefix,)), doc_id)
            yield met._replace(weight=weighted.prefix_weight)

    def _written(self, question: Question, doc_id: DocumentId, *, held: set[str]) -> Iterator[MetWord]:
        for word in question.written:
            if any(term.text in held for term in word.terms):
                continue
            for beginning in word.beginnings():
                found = self._index.find_written(
                    beginning, limit=self._passages(doc_id), documents=frozenset({doc_id})
                )
                if found.chunk_ids:
                    yield _met("word", beginning, found.chunk_ids, in_index=found.total)
                    break

    def _let_through(self, kind: WordKind, text: str, asked: LexicalQuery, doc_id: DocumentId) -> MetWord:
        held = self._holders(asked, doc_id)
        is_somewhere = bool(held) or bool(self._index.search(asked, limit=1))
        return _met(kind, text, held, in_index=None if is_somewhere else 0)

    def _holders(self, asked: LexicalQuery, doc_id: DocumentId) -> tuple[ChunkId, ...]:
        found = self._index.search(asked, limit=self._passages(doc_id), documents=frozenset({doc_id}))
        return tuple(match.chunk_id for match in found)

    def _passages(self, doc_id: DocumentId) -> int:
        return max(1, len(self._documents.list_chunks(doc_id)))


def _met(kind: WordKind, text: str, chunk_ids: tuple[ChunkId, ...], *, in_index: int | None) -> MetWord:
    return MetWord(text, kind, weight=None, searched=True, in_index=in_index, chunk_ids=chunk_ids)
