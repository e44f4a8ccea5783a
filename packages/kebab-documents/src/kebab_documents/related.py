"""Documents related to another one or to a part of it: by links, by names of source code, and by meaning from stored vectors.

A passage that is near to everything, such as a list of credits, is near to any given one as well. So a pair counts by the
smaller of two z-scores: that of its cosine among the cosines of the one passage with a sample of the base, and among those
of the other one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from kebab_core import (
    Analyzer,
    LineSpan,
    build_citation,
    list_links,
)

from kebab_documents.code_calls import CallFinder, CallSearch
from kebab_documents.code_relations import CodeRelations
from kebab_documents.document_parts import cite_span, is_in_part
from kebab_documents.relations import RelatedDocument, Relation

if TYPE_CHECKING:
    from kebab_core import (
        DocumentEntry,
        DocumentId,
        DocumentStore,
        EmbeddingIdentity,
        EmbeddingRepo,
        IndexedChunk,
        LexicalIndex,
        SampledVector,
        VectorMatrix,
        VectorStore,
    )
    from numpy.typing import NDArray

    from kebab_documents.address_lookup import FoundAddress
    from kebab_documents.links import Links

_PASSAGES_LOOKED_AT = 200
"""Passages of other documents that are compared one by one: the nearest to the mean of its own."""
_OWN_PASSAGES = 64
"""Its own passages that they are compared with, spread over a long document."""
_SAMPLE = 1000
"""Passages that tell what is chance."""

MIN_Z_SCORE = 3.0
"""Least z-score of a pair on both sides, chosen on two Korean vaults on 2026-11-28; docs/quality.md has the figures."""
_FEW_VECTORS = 30
"""Fewer of a language say too little about its spread; those of all languages count then."""
_LEAST_VECTORS = 8
"""Fewer in all say nothing."""
_LEAST_DEVIATION = 1e-4


class RelatedDocuments(NamedTuple):
    """All that is related to an address."""

    address: str
    documents: tuple[RelatedDocument, ...]
    """What source code is related to by names, then documents that it links to in the order of the links, then those that link
    to it by path, then similar ones, nearest first. One that links and is linked to is in both; similar ones are neither."""
    linked_from_count: int
    """Documents that link to it, those that are not listed included."""
    has_vectors: bool
    """False where no passage of it has a vector yet."""
    call_search: CallSearch | None = None
    """Of a definition of source code: where calls of its name in other files were looked for; None: nowhere."""


@dataclass(frozen=True, kw_only=True)
class RelatedFinder:
    """Finds related documents."""

    documents: DocumentStore
    links: Links
    embeddings: EmbeddingRepo | None
    """None where there are no vectors."""
    vectors: VectorStore | None
    index: LexicalIndex
    """The words and the symbols of source code."""
    analyzer: Analyzer

    def find(self, found: FoundAddress, *, limit: int) -> RelatedDocuments:
        """Find what is related to a document, or to a part of it by its own links and passages.

        Args:
            found: What an address names. Links to the part are links to the document.
            limit: Maximum number of documents of each relation.
        """
        entries = self.links.entries
        own = next(entry for entry in entries if entry.doc_id == found.document.doc_id)
        targets = self._list_targets(found, own)
        linking = self.links.find_linking(own)
        known = {own.doc_id, *(each.entry.doc_id for each in targets), *(each.doc_id for each in linking)}
        backlinks = [self._describe_link(each, own) for each in linking[:limit]]
        similar, has_vectors = self._list_similar(found, known, entries, limit)
        of_code, call_search = self._list_code_relations(found, entries, limit)
        return RelatedDocuments(
            address=found.address,
            documents=(
                *of_code,
                *targets[:limit],
                *backlinks,
                *similar,
            ),
            linked_from_count=len(linking),
            has_vectors=has_vectors,
            call_search=call_search,
        )

    def _list_code_relations(
        self, found: FoundAddress, entries: Sequence[DocumentEntry], limit: int
    ) -> tuple[list[RelatedDocument], CallSearch | None]:
        if found.document.media != "code":
            return [], None
        document = self.documents.get_document(found.document.doc_id)
        calls = CallFinder(
            documents=self.documents, index=self.index, analyzer=self.analyzer, entries=entries
        )
        relations = CodeRelations(documents=self.documents, index=self.index, calls=calls, entries=entries)
        return ([], None) if document is None else relations.find(found, document, limit=limit)

    def _list_targets(self, found: FoundAddress, own: DocumentEntry) -> list[RelatedDocument]:
        document = self.documents.get_document(own.doc_id)
        targets: dict[str, RelatedDocument] = {}
        for block in () if document is None else document.blocks:
            for span, link in list_links(block):
                line = span.start if isinstance(span, LineSpan) else None
                entry = self.links.resolver.resolve(own, link.href)
                if entry is None or entry.doc_id == own.doc_id or not is_in_part(found.citation, span):
                    continue
                targets.setdefault(
                    entry.doc_id,
                    RelatedDocument(
                        entry, Relation.LINKS_TO, entry.to_address(), link.text or link.href, line
                    ),
                )
        return list(targets.values())

    def _describe_link(self, linking: DocumentEntry, own: DocumentEntry) -> RelatedDocument:
        """Describe the first link of a document to another one."""
        document = self.documents.get_document(linking.doc_id)
        for block in () if document is None else document.blocks:
            for span, link in list_links(block):
                line = span.start if isinstance(span, LineSpan) else None
                first = span if line is None else LineSpan(start=line, end=line)
                place = cite_span(linking.source_id, linking.doc_path, first)
                if self.links.resolver.resolve(linking, link.href) == own and place is not None:
                    return RelatedDocument(
                        linking, Relation.LINKED_FROM, place.to_address(), link.text or link.href, line
                    )
        return RelatedDocument(linking, Relation.LINKED_FROM, linking.to_address(), "")

    def _list_similar(
        self, found: FoundAddress, known: set[DocumentId], entries: Sequence[DocumentEntry], limit: int
    ) -> tuple[list[RelatedDocument], bool]:
        if self.embeddings is None or self.vectors is None:
            return [], False
        active = self.embeddings.active_model()
        identity = self.embeddings.latest_model() if active is None else active.identity
        own = None if identity is None else self._read_own(found, self.embeddings, identity)
        if identity is None or own is None:
            return [], False
        others = frozenset(entry.doc_id for entry in entries if entry.doc_id not in known)
        if not others:
            return [], True
        hits = self.vectors.search(identity, _mean(own), limit=_PASSAGES_LOOKED_AT, documents=others)
        passages = self.documents.get_chunks([hit.chunk_id for hit in hits])
        near = self._find_near(own, passages, self.embeddings, identity)
        by_id = {entry.doc_id: entry for entry in entries}
        similar = [
            RelatedDocument(
                by_id[passage.document.doc_id],
                Relation.SIMILAR,
                build_citation(passage).to_address(),
                passage.chunk.heading_path[-1] if passage.chunk.heading_path else "",
                similarity=cosine,
            )
            for passage, cosine in near[:limit]
        ]
        return similar, True

    def _read_own(
        self, found: FoundAddress, embeddings: EmbeddingRepo, identity: EmbeddingIdentity
    ) -> Passages | None:
        """Read the passages of what an address names; None where none has a vector."""
        document = found.document
        own = [
            chunk
            for chunk in self.documents.list_chunks(document.doc_id)
            if (found.chunk_id in {None, chunk.chunk_id})
            and any(is_in_part(found.citation, span) for span in chunk.source_spans)
        ]
        step = max(1, -(-len(own) // _OWN_PASSAGES))
        found_vectors = embeddings.chunk_vectors(identity, [chunk.chunk_id for chunk in own[::step]])
        stored = [*dict.fromkeys(found_vectors.values())]
        if not stored:
            return None
        return Passages(
            vectors=read_vectors(stored, identity.dimensions),
            documents=[document.doc_id] * len(stored),
            langs=[document.lang] * len(stored),
        )

    def _find_near(
        self,
        own: Passages,
        passages: Sequence[IndexedChunk],
        embeddings: EmbeddingRepo,
        identity: EmbeddingIdentity,
    ) -> list[tuple[IndexedChunk, float]]:
        """Find the passages that are near beyond chance, one of each document, with their cosines."""
        stored = embeddings.chunk_vectors(identity, [each.chunk.chunk_id for each in passages])
        known = [(each, stored[each.chunk.chunk_id]) for each in passages if each.chunk.chunk_id in stored]
        if not known:
            return []
        candidates = Passages(
            vectors=read_vectors([vector for _, vector in known], identity.dimensions),
            documents=[each.document.doc_id for each, _ in known],
            langs=[each.document.lang for each, _ in known],
        )
        near = find_near_passages(own, candidates, embeddings.sample_vectors(identity, limit=_SAMPLE))
        return [(known[one.row][0], one.cosine) for one in near]


def _mean(own: Passages) -> VectorMatrix:
    """Return the mean of vectors, shape (1, d), of unit norm."""
    total = own.vectors.mean(axis=0, keepdims=True)
    norm = float((total**2).sum()) ** 0.5
    return memoryview((total / max(norm, 1e-9)).astype("f"))


class NearPassage(NamedTuple):
    """A passage that is near to one of a document, beyond chance."""

    row: int
    """Its number among the candidates."""
    z_score: float
    """The smaller of the two."""
    cosine: float


@dataclass(frozen=True, kw_only=True)
class Passages:
    """Passages of documents with their vectors."""

    vectors: NDArray[np.float32]
    """Shape (n, d), of unit norm."""
    documents: Sequence[str]
    langs: Sequence[str]


def find_near_passages(own: Passages, others: Passages, sample: Sequence[SampledVector]) -> list[NearPassage]:
    """Find the nearest passage of each other document with a passage near to one of its own, best first, ties by row.

    Args:
        own: The passages of one document; at least one.
        others: Candidates.
        sample: A random sample of the base.
    """
    chance = _Chance(sample, dimensions=own.vectors.shape[1])
    of_own, of_others = own.vectors @ chance.vectors.T, others.vectors @ chance.vectors.T
    cosines = own.vectors @ others.vectors.T
    found: list[NearPassage] = []
    names = np.array(others.documents, dtype=object)
    for document in dict.fromkeys(others.documents):
        rows = np.flatnonzero(names == document)
        there = chance.choose(others.langs[rows[0]], without=(own.documents[0], document))
        here = chance.choose(own.langs[0], without=(own.documents[0], document))
        if min(len(there), len(here)) < _LEAST_VECTORS:
            continue
        pairs = cosines[:, rows]
        z_scores = np.minimum(
            _z_scores(pairs, of_own[:, there]), _z_scores(pairs.T, of_others[np.ix_(rows, here)]).T
        )
        at, best = np.unravel_index(int(z_scores.argmax()), z_scores.shape)
        if z_scores[at, best] >= MIN_Z_SCORE:
            cosine = min(1.0, max(-1.0, float(pairs[at, best])))
            found.append(NearPassage(int(rows[best]), float(z_scores[at, best]), cosine))
    return sorted(found, key=lambda one: (-one.z_score, one.row))


class _Chance:
    """The sample, by document and language."""

    def __init__(self, sample: Sequence[SampledVector], *, dimensions: int) -> None:
        self.vectors = read_vectors([each.vector for each in sample], dimensions)
        self._documents = np.array([each.doc_id for each in sample], dtype=object)
        self._langs = np.array([each.lang for each in sample], dtype=object)

    def choose(self, lang: str, *, without: tuple[str, ...]) -> NDArray[np.intp]:
        """Choose the rows of a language, of all where there are few, without those of some documents."""
        kept = ~np.isin(self._documents, without)
        of_lang = np.flatnonzero(kept & (self._langs == lang))
        return of_lang if len(of_lang) >= _FEW_VECTORS else np.flatnonzero(kept)


def read_vectors(stored: Sequence[bytes], dimensions: int) -> NDArray[np.float32]:
    """Read stored vectors: shape (n, d), of unit norm."""
    rows = np.frombuffer(b"".join(stored), "<f2").reshape(len(stored), dimensions).astype(np.float32)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    read: NDArray[np.float32] = rows / np.maximum(norms, np.float32(1e-9))
    return read


def _z_scores(cosines: NDArray[np.float32], chance: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the z-scores of cosines, shape (n, k), among those of chance, shape (n, s), row by row."""
    mean, deviation = chance.mean(axis=1, keepdims=True), chance.std(axis=1, keepdims=True)
    scores: NDArray[np.float32] = (cosines - mean) / np.maximum(deviation, _LEAST_DEVIATION)
    return scores
