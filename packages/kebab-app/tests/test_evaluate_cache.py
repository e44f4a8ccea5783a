"""Vectors that one evaluation makes are known to the next, and the user's own knowledge base stays as it is."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING

import pytest
from kebab_app.evaluate import ThrowAwayBase, index_documents
from kebab_core import EmbeddingKind, SearchMode

if TYPE_CHECKING:
    from kebab_testing.fakes.embedder import BagOfWordsEmbedder

    from conftest import Base

EMBEDDER = """
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

made = BagOfWordsEmbedder()


def build(_settings, _services):
    return made
"""


@pytest.fixture
def embedder(base: Base, monkeypatch: pytest.MonkeyPatch) -> BagOfWordsEmbedder:
    """The model of every evaluation; it counts what it is asked."""
    module = f"acme_{base.home.name}"
    site = base.install("acme-counting", {"kebab.embedders": {"counting": f"{module}:build"}}, monkeypatch)
    (site / f"{module}.py").write_text(EMBEDDER, encoding="utf-8")
    base.configure("models.embedding", provider="counting")
    for name in ("apples", "pears"):
        base.write(f"{name}.md", f"# {name}\n\nAll of {name}.\n")
    made: BagOfWordsEmbedder = import_module(module).made
    return made


def evaluate(base: Base, mode: SearchMode = SearchMode.VECTOR) -> int:
    """Index the notes as an evaluation does, in a data folder of its own; return the number of passages with a vector."""
    base.configure("storage", data_dir=str(base.home / "evaluation"))
    with closing(ThrowAwayBase(base.load(), cache_dir=base.home / "cache", clock=base.clock)) as opened:
        assert index_documents(opened, None, mode=mode, sink=lambda _: None) == 0
        model = opened.index.embeddings.latest_model()
        assert model is not None
        embedded = opened.index.embeddings.counts(model).committed
    shutil.rmtree(base.home / "evaluation")
    return embedded


def passages(embedder: BagOfWordsEmbedder) -> list[str]:
    asked = [text for texts, kind in embedder.asked if kind is EmbeddingKind.DOCUMENT for text in texts]
    embedder.asked.clear()
    return asked


def test_what_one_evaluation_made_the_next_one_knows(base: Base, embedder: BagOfWordsEmbedder) -> None:
    assert evaluate(base) == 2
    assert len(passages(embedder)) == 2
    base.write("plums.md", "# plums\n\nAll of plums.\n")
    assert evaluate(base) == 3
    assert ["plums" in text for text in passages(embedder)] == [True]
    assert not base.data_dir.exists()


def test_damaged_vectors_of_an_earlier_evaluation_are_made_again(
    base: Base, embedder: BagOfWordsEmbedder
) -> None:
    evaluate(base)
    passages(embedder)
    with closing(sqlite3.connect(base.home / "cache" / "eval" / "kebab.sqlite")) as connection, connection:
        changed = connection.execute("UPDATE vectors SET vector = zeroblob(length(vector))")
        assert changed.rowcount == 2
    assert evaluate(base) == 2
    assert len(passages(embedder)) == 2
    assert evaluate(base) == 2
    assert passages(embedder) == []


def test_the_cache_keeps_to_its_size(base: Base, embedder: BagOfWordsEmbedder) -> None:
    base.configure("storage", cache_mb=0)
    for _ in range(2):
        assert evaluate(base) == 2
        assert len(passages(embedder)) == 2


def test_a_cache_that_cannot_be_written_is_none(base: Base, embedder: BagOfWordsEmbedder) -> None:
    (base.home / "cache").write_text("in the way", encoding="utf-8")
    for _ in range(2):
        assert evaluate(base) == 2
        assert len(passages(embedder)) == 2


def test_an_evaluation_by_words_makes_no_cache(base: Base, embedder: BagOfWordsEmbedder) -> None:
    assert evaluate(base, SearchMode.LEXICAL) == 0
    assert embedder.asked == []
    assert not (base.home / "cache").exists()
