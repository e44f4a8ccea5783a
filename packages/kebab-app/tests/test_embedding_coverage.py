"""What a search says of documents that wait for their vectors."""

from __future__ import annotations

import shutil
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
    embedding.assert_complete()


def test_nothing_is_pending_where_no_model_is_configured(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Apple\n\nAn apple.")
    base.ingest(embed=False)
    assert embedding.counts().pending > 0
    base.embedder = None
    base.configure("models.embedding", provider="none")
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 0
    assert base.app.count_waiting_passages() == 0


def test_all_is_pending_where_the_vectors_were_reset(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Apple\n\nAn apple.")
    base.write("empty.md", "")
    base.ingest()
    base.app.reset(ResetScope.VECTOR_ONLY)
    assert coverage(base).documents_pending == 1
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 1


def test_a_document_is_pending_until_all_its_passages_have_a_vector(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# Apple\n\nAn apple.\n\n## Pear\n\nA pear.")
    base.write("b.md", "# Plum\n\nA plum.")
    base.ingest()
    embeddings = base.app.base.index.embeddings
    identity, doc_id = embedding.embedder.identity, base.documents()["a.md"].doc_id
    (first, _) = embeddings.text_hashes([doc_id])
    embeddings.delete([first])
    for mode in SearchMode:
        assert coverage(base, mode).documents_pending == 1
    assert embedding.counts()[:2] == (1, 2)
    assert embeddings.pending_documents(identity) == 1
    base.app.embed()
    assert coverage(base).documents_pending == 0


def test_nothing_is_pending_where_only_the_files_made_of_the_vectors_are_gone(
    base: Base, embedding: Embedding
) -> None:
    base.write("a.md", "# Apple\n\nAn apple.")
    base.ingest()
    shutil.rmtree(base.data_dir / "vectors")
    assert coverage(base).documents_pending == 0
    assert base.app.count_waiting_passages() == 0


def test_all_is_pending_where_a_model_came_after_the_documents(base: Base, embedding: Embedding) -> None:
    base.embedder = None
    base.write("a.md", "# Apple\n\nAn apple.")
    base.configure("models.embedding", provider="none")
    base.ingest()
    base.close()
    base.embedder = embedding.embedder
    assert coverage(base).documents_pending == 1
    assert coverage(base, SearchMode.LEXICAL).documents_pending == 1
