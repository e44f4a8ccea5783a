"""Documents related to another one or to a part of it: by links, by names of source code, and by meaning from stored vectors."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    LineSpan,
    build_citation,
    list_links,
    passage_text,
    text_hash_of,
)

from kebab_documents.code_relations import CodeRelations
from kebab_documents.document_parts import cite_span, is_in_part
from kebab_documents.links import LinkResolver, find_linking
from kebab_documents.relations import RelatedDocument, Relation

if TYPE_CHECKING:
    from kebab_core import (
        Chunk,
        DocumentEntry,
        DocumentId,
        DocumentStore,
        EmbeddingIdentity,
        EmbeddingRepo,
        LanguageDistribution,
        SymbolIndex,
        TextHash,
        VectorMatrix,
        VectorStore,
    )

    from kebab_documents.address_lookup import FoundAddress

_MIN_Z_SCORE = 2.0
"""Deviations above the mean similarity with all passages of a language from which on a passage is near in meaning."""
_FEW_VECTORS = 30
"""Fewer say too little about the spread of a language."""
_PASSAGES_LOOKED_AT = 200


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


@dataclass(frozen=True, kw_only=True)
class RelatedFinder:
    """Finds related documents."""

    documents: DocumentStore
    embeddings: EmbeddingRepo | None
    """None where there are no vectors."""
    vectors: VectorStore | None
    symbols: SymbolIndex | None = None
    """The symbols of source code; None: there are none."""

    def find(self, found: FoundAddress, *, limit: int) -> RelatedDocuments:
        """Find what is related to a document, or to a part of it by its own links and passages.

        Args:
            found: What an address names. Links to the part are links to the document.
            limit: Maximum number of documents of each relation.
        """
        entries = self.documents.list_entries()
        own = next(entry for entry in entries if entry.doc_id == found.document.doc_id)
        targets = self._list_targets(found, own, entries)
        linking = find_linking(own, self.documents.list_links(), entries)
        known = {own.doc_id, *(each.entry.doc_id for each in targets), *(each.doc_id for each in linking)}
        backlinks = [self._describe_link(each, own, entries) for each in linking[:limit]]
        similar, has_vectors = self._list_similar(found, known, entries, limit)
        return RelatedDocuments(
            address=found.address,
            documents=(
                *self._list_code_relations(found, entries, limit),
                *targets[:limit],
                *backlinks,
                *similar,
            ),
            linked_from_count=len(linking),
            has_vectors=has_vectors,
        )

    def _list_code_relations(
        self, found: FoundAddress, entries: Sequence[DocumentEntry], limit: int
    ) -> list[RelatedDocument]:
        if self.symbols is None or found.document.media != "code":
            return []
        document = self.documents.get_document(found.document.doc_id)
        relations = CodeRelations(documents=self.documents, symbols=self.symbols, entries=entries)
        return [] if document is None else relations.find(found, document, limit=limit)

    def _list_targets(
        self, found: FoundAddress, own: DocumentEntry, entries: Sequence[DocumentEntry]
    ) -> list[RelatedDocument]:
        document = self.documents.get_document(own.doc_id)
        resolver = LinkResolver(entries)
        targets: dict[str, RelatedDocument] = {}
        for block in () if document is None else document.blocks:
            for span, link in list_links(block):
                line = span.start if isinstance(span, LineSpan) else None
                entry = resolver.resolve(own, link.href)
                if entry is None or entry.doc_id == own.doc_id or not is_in_part(found.citation, span):
                    continue
                targets.setdefault(
                    entry.doc_id,
                    RelatedDocument(
                        entry, Relation.LINKS_TO, entry.to_address(), link.text or link.href, line
                    ),
                )
        return list(targets.values())

    def _describe_link(
        self, linking: DocumentEntry, own: DocumentEntry, entries: Sequence[DocumentEntry]
    ) -> RelatedDocument:
        """Describe the first link of a document to another one."""
        document = self.documents.get_document(linking.doc_id)
        resolver = LinkResolver(entries)
        for block in () if document is None else document.blocks:
            for span, link in list_links(block):
                line = span.start if isinstance(span, LineSpan) else None
                first = span if line is None else LineSpan(start=line, end=line)
                place = cite_span(linking.source_id, linking.doc_path, first)
                if resolver.resolve(linking, link.href) == own and place is not None:
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
        mean = None if identity is None else self._mean_vector(found, self.embeddings, identity)
        if identity is None or mean is None:
            return [], False
        least = _min_cosines(self.vectors.cosine_distributions(identity, mean))
        others = frozenset(entry.doc_id for entry in entries if entry.doc_id not in known)
        if not others:
            return [], True
        hits = self.vectors.search(identity, mean, limit=_PASSAGES_LOOKED_AT, documents=others)
        near = [hit for hit in hits if hit.cosine >= least[hit.lang]]
        by_id = {entry.doc_id: entry for entry in entries}
        similar: dict[str, RelatedDocument] = {}
        for hit, passage in zip(
            near, self.documents.get_chunks([hit.chunk_id for hit in near]), strict=False
        ):
            doc_id = passage.document.doc_id
            if doc_id not in similar and len(similar) < limit:
                similar[doc_id] = RelatedDocument(
                    by_id[doc_id],
                    Relation.SIMILAR,
                    build_citation(passage).to_address(),
                    passage.chunk.heading_path[-1] if passage.chunk.heading_path else "",
                    similarity=hit.cosine,
                )
        return list(similar.values()), True

    def _mean_vector(
        self, found: FoundAddress, embeddings: EmbeddingRepo, identity: EmbeddingIdentity
    ) -> VectorMatrix | None:
        """Return the mean of the vectors of the passages, shape (1, d), of unit norm; None where none has one."""
        chunks = self.documents.list_chunks(found.document.doc_id)
        own = [
            chunk
            for chunk in chunks
            if (found.chunk_id in {None, chunk.chunk_id})
            and any(is_in_part(found.citation, span) for span in chunk.source_spans)
        ]
        hashes = {_hash_of(chunk, title=found.document.title) for chunk in own}
        stored = embeddings.find_vectors(identity, hashes).values()
        return _mean(stored, identity.dimensions) if stored else None


def _min_cosines(distributions: Sequence[LanguageDistribution]) -> dict[str, float]:
    """Return the least cosine by language; a language with few vectors shares that of all."""
    count = sum(each.vectors for each in distributions)
    mean = sum(each.vectors * each.mean for each in distributions) / count
    variance = (
        sum(each.vectors * (each.deviation**2 + (each.mean - mean) ** 2) for each in distributions) / count
    )
    least = mean + _MIN_Z_SCORE * sqrt(variance)
    return {
        each.lang: each.mean + _MIN_Z_SCORE * each.deviation if each.vectors >= _FEW_VECTORS else least
        for each in distributions
    }


def _hash_of(chunk: Chunk, *, title: str) -> TextHash:
    return text_hash_of(
        passage_text(
            title=title, heading_path=chunk.heading_path, text=chunk.text, is_code=chunk.role is not None
        )
    )


def _mean(stored: Iterable[bytes], dimensions: int) -> VectorMatrix | None:
    rows = [struct.unpack(f"<{dimensions}e", row) for row in stored]
    sums = [sum(column) for column in zip(*rows, strict=True)]
    norm = sqrt(sum(value * value for value in sums))
    if not norm:
        return None
    flat = array("f", (value / norm for value in sums))
    return memoryview(flat).cast("B").cast("f", (1, dimensions))
