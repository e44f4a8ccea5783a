"""A model begins to load as soon as a search is known to ask it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import ModelMissingError, SearchMode, SearchQuery
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from conftest import Base, Embedding


class Preparing(BagOfWordsEmbedder):
    """Counts how often it was told that it will be asked, and may be gone by then."""

    prepared = 0
    is_gone = False

    def prepare(self) -> None:
        self.prepared += 1
        if self.is_gone:
            raise ModelMissingError("gone")


@pytest.fixture
def model(base: Base, embedding: Embedding) -> Preparing:
    made = Preparing()
    base.embedder = made
    base.write("a.md", "# 색인\n\n색인은 매일 밤 만든다.\n")
    base.ingest()
    return made


@pytest.mark.parametrize(
    ("mode", "times"), [(SearchMode.HYBRID, 1), (SearchMode.VECTOR, 1), (SearchMode.LEXICAL, 0)]
)
def test_the_model_is_told_of_searches_by_meaning_only(
    base: Base, model: Preparing, mode: SearchMode, times: int
) -> None:
    assert base.app.search(SearchQuery(text="색인", mode=mode)).hits
    assert model.prepared == times


def test_a_model_that_cannot_be_prepared_spoils_no_search(base: Base, model: Preparing) -> None:
    model.is_gone = True
    assert base.app.search(SearchQuery(text="색인", mode=SearchMode.HYBRID)).hits
    assert model.prepared == 1


def test_a_model_of_which_no_passage_has_a_vector_is_not_loaded(base: Base, embedding: Embedding) -> None:
    made = Preparing()
    base.embedder = made
    base.write("a.md", "# 색인\n\n색인은 매일 밤 만든다.\n")
    base.ingest(embed=False)
    found = base.app.search(SearchQuery(text="색인", mode=SearchMode.HYBRID))
    assert found.hits
    assert found.coverage.missing_legs == (SearchMode.VECTOR,)
    assert (made.prepared, list(made.asked)) == (0, [])
