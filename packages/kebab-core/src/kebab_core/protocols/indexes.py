"""Protocols of what is looked up in a database: terms, and the symbols of source code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kebab_core.chunk import ChunkTerms
    from kebab_core.code import StoredSymbol
    from kebab_core.ids import AnalyzerVersion, DocumentId
    from kebab_core.protocols.stores import Selection
    from kebab_core.search import LexicalMatch, LexicalQuery, SurfaceMatches


class LexicalIndex(Protocol):
    """BM25 search over terms, without languages, boosts or snippets; and the symbols that passages of source code define.

    A symbol is found by the last part of its name, folded by `fold_name`.
    """

    def search(
        self, query: LexicalQuery, *, limit: int, documents: Selection | None = None
    ) -> list[LexicalMatch]:
        """Return the best chunks, best first, ties by document path and ordinal.

        Args:
            query: Terms as the index's analyser makes them.
            limit: Maximum number of chunks, at least 1.
            documents: Only chunks of these; None is all of them. Applied before ranking.

        Returns:
            Chunks with at least one of the terms and prefixes, if there are any, and all of the phrases.

        Raises:
            NotIndexedError: The index was built by another analyser.
        """
        ...

    def count_matches(
        self,
        query: LexicalQuery,
        *,
        limit: int = 1,
        documents: Selection | None = None,
        without: Collection[DocumentId] = (),
    ) -> int:
        """Count the chunks that `search` with the same arguments returns; may be faster, since nothing needs to be ranked.

        Args:
            query: As for `search`.
            limit: As for `search`.
            documents: As for `search`.
            without: No chunk of these few.
        """
        ...

    def find_surface_words(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> SurfaceMatches:
        """Return chunks with a surface word that starts with `beginning`, in text or headings.

        Args:
            beginning: Start of a word as `Analyzer.surface` gives it; an empty one matches nothing.
            limit: Maximum number of chunks, at least 1.
            documents: Only chunks of these; None is all of them.

        Returns:
            The first chunks by document path and ordinal, and the number of chunks in all documents.
        """
        ...

    def has_surface_word(self, beginning: str) -> bool:
        """Return True if a chunk has a surface word that starts with `beginning`; False for an empty one."""
        ...

    def document_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return the number of chunks with each term; every given term is a key."""
        ...

    def list_terms(self, beginnings: Iterable[str]) -> Mapping[str, int]:
        """Return the terms that start with one of some texts, and the number of chunks with each; reads all of them."""
        ...

    def read_terms(self, doc_id: DocumentId) -> Sequence[ChunkTerms]:
        """Return the terms of a document's chunks, by ordinal; those of columns that are indexed as one are all in `body`."""
        ...

    def corpus_size(self) -> int:
        """Count the chunks."""
        ...

    @property
    def ranking(self) -> str:
        """Label of the formula and the weights of columns; part of the version of an order."""
        ...

    def analyzer_version(self) -> AnalyzerVersion | None:
        """Return the version of the analyser that made the terms; None while the index is empty."""
        ...

    def find_symbols(
        self, names: Collection[str], *, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the symbols with one of these folded names, by document path, ordinal and place.

        Args:
            names: Folded names of last parts.
            documents: Only symbols of these; None is all of them.
        """
        ...

    def find_symbols_beginning(
        self, beginning: str, *, limit: int, documents: Selection | None = None
    ) -> list[StoredSymbol]:
        """Return the first symbols with a name that begins so, by name, then as `find_symbols`.

        Args:
            beginning: Beginning of a folded name; an empty one matches nothing.
            limit: Maximum number of symbols, at least 1.
            documents: Only symbols of these; None is all of them.
        """
        ...

    def list_symbol_names(self) -> list[str]:
        """Return the folded names of all symbols, each once, sorted."""
        ...
