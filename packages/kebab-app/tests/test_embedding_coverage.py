"""What a search says of documents that wait for their vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_app import ResetScope
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
    assert base.app.count_waiting_passages() == 0
    base.ingest(embed=False)
    assert base.app.count_waiting_passages() == 1
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
    assert base.app.count_waiting_passages() == 0


def test_all_is_pending_where_rows_and_vectors_were_reset(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Apple\n\nAn apple.")
    base.write("empty.md", "")
    base.ingest()
    base.app.reset(ResetScope.VECTOR_ONLY)
    for table in embedding.store.tables():
        embedding.store.drop(table.index_id)
    assert coverage(base).documents_pending == 1
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 1


def test_all_is_pending_where_the_vectors_are_gone_behind_the_rows(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Apple\n\nAn apple.")
    base.ingest()
    for table in embedding.store.tables():
        embedding.store.drop(table.index_id)
    assert embedding.counts().pending == 0
    assert coverage(base).documents_pending == 1


def test_all_is_pending_where_a_model_came_after_the_documents(base: Base, embedding: Embedding) -> None:
    vectors, base.vectors = base.vectors, None
    base.write("a.md", "# Apple\n\nAn apple.")
    base.configure("models.embedding", provider="none")
    base.ingest()
    assert embedding.counts().pending == 0
    base.close()
    base.vectors = vectors
    assert coverage(base).documents_pending == 1
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 1
