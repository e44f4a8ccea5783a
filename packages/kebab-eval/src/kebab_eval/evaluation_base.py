"""The knowledge base under evaluation, as `kebab_app` opens it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from kebab_core import (
    Analyzer,
    Answer,
    ChunkId,
    DocSummary,
    IndexedChunk,
    IndexedDocument,
    SearchHit,
    SearchMode,
    SearchQuery,
    SearchResponse,
)


class EvaluationBase(Protocol):
    """A knowledge base that is searched and asked by an evaluation."""

    @property
    def failed_documents(self) -> int:
        """Number of documents that could not be indexed for this evaluation."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of everything that decides about results, by name."""

    def list_documents(self) -> Sequence[DocSummary]:
        """List the documents in the index."""

    @property
    def analyzer(self) -> Analyzer:
        """Analyser of the lexical index."""

    def read_text(self, document: DocSummary | IndexedDocument) -> str:
        """Read the file of a document; empty where there is none."""

    def read_passages(self, chunk_ids: Sequence[ChunkId]) -> Sequence[IndexedChunk]:
        """Read passages in the order of their ids; unknown ones are left out."""

    def search(self, query: SearchQuery) -> SearchResponse:
        """Search as a user does."""

    def ask(self, question: str, *, mode: SearchMode, k: int | None) -> tuple[Answer, Sequence[SearchHit]]:
        """Ask as a user does, without storing the answer.

        Args:
            question: The question.
            mode: Mode of the search for evidence.
            k: Number of passages; None is the configured number.

        Returns:
            The answer and the hits of the search.
        """

    def read_citations(self, answer: Answer, hits: Sequence[SearchHit]) -> tuple[str, ...]:
        """Read the text of each citation with a marker, in order."""
