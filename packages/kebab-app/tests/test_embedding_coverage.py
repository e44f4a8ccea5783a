"""What a search says of documents that wait for their vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Coverage, SearchMode, SearchQuery

if TYPE_CHECKING:
    from conftest import Base, Embedding


def coverage(base: Base, mode: SearchMode = SearchMode.HYBRID) -> Coverage:
    return base.app.search(SearchQuery(text="apple", mode=mode)).coverage


def test_documents_without_vectors_are_pending_until_they_have_them(base: Base, embedding: Embedding) -> None:
    base.write("old.md", "# Apple\n\nAn old apple.")
    base.ingest()
    assert coverage(base).documents_pending == 0
    base.write("new.md", "# Apple\n\nA new apple.")
    base.ingest(embed=False)
    assert coverage(base).documents_pending == 1
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 1
    base.app.embed()
    assert coverage(base).documents_pending == 0
    embedding.assert_in_step()


def test_nothing_is_pending_where_no_model_is_configured(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Apple\n\nAn apple.")
    base.ingest(embed=False)
    assert embedding.counts().pending > 0
    base.vectors = None
    base.configure("models.embedding", provider="none")
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 0
