"""A search in whose middle another process deletes the index."""

from __future__ import annotations

from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from kebab_app import App, ResetScope
from kebab_core import DocFilter, KebabError, NotIndexedError, SearchMode, SearchQuery
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kebab_core import EmbeddingKind, VectorMatrix

    from conftest import Base


class Interrupted(BagOfWordsEmbedder):
    """Does something else before the first question."""

    def __init__(self) -> None:
        super().__init__()
        self.then: Callable[[], None] | None = None

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        then, self.then = self.then, None
        if then is not None:
            then()
        return super().embed(texts, kind)


@pytest.mark.parametrize("is_filled_again", [False, True])
@pytest.mark.parametrize("is_seen_by_another_thread", [False, True])
def test_a_search_during_a_reset_ends_in_a_clear_state(
    base: Base, is_filled_again: bool, is_seen_by_another_thread: bool
) -> None:
    base.write("a.md", "# a\n\napples\n")
    base.ingest()
    base.close()
    embedder = Interrupted()
    base.embedder = embedder
    base.ingest()
    told: list[KebabError] = []

    def look() -> None:
        try:
            base.app.search(SearchQuery(text="apples", mode=SearchMode.LEXICAL))
            base.app.list_documents(DocFilter())
        except KebabError as error:
            told.append(error)

    def delete() -> None:
        with App(base.load(), clock=base.clock) as other:
            other.reset(ResetScope.DATA_ONLY)
            if is_filled_again:
                other.ingest()
        if is_seen_by_another_thread:
            thread = Thread(target=look)
            thread.start()
            thread.join()

    embedder.then = delete
    with suppress(NotIndexedError):
        hits = base.app.search(SearchQuery(text="apples", mode=SearchMode.HYBRID)).hits
        assert {str(hit.doc_path) for hit in hits} <= {"a.md"}
    assert {error.code for error in told} <= {"not_indexed"}
    if is_filled_again:
        assert len(base.app.search(SearchQuery(text="apples", mode=SearchMode.LEXICAL)).hits) == 1
    else:
        with pytest.raises(NotIndexedError):
            base.app.search(SearchQuery(text="apples"))
