"""What models made of texts is known to the next evaluation, and the user's own knowledge base stays as it is."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from kebab_app.evaluate import ThrowAwayBase, index_documents
from kebab_core import SearchMode

if TYPE_CHECKING:
    from conftest import Base


def evaluated(base: Base) -> closing[ThrowAwayBase]:
    return closing(ThrowAwayBase(base.load(), cache_dir=base.home / "cache", clock=base.clock))


def test_what_one_evaluation_made_the_next_one_knows(base: Base) -> None:
    for known in ({}, {"key": b"vector"}):
        with evaluated(base) as opened:
            opened.open_for_writing()
            assert opened.derivation_cache.get_many("embedding", ["key"], at=base.clock.now()) == known
            opened.derivation_cache.put_many("embedding", {"key": b"vector"}, at=base.clock.now())
    assert base.app.base.derivation_cache.size_bytes() == 0


def test_a_cache_that_cannot_be_written_is_none(base: Base) -> None:
    (base.home / "cache").write_text("in the way", encoding="utf-8")
    with evaluated(base) as opened:
        opened.open_for_writing()
        opened.derivation_cache.put_many("embedding", {"key": b"vector"}, at=base.clock.now())
        assert opened.derivation_cache.size_bytes() == len(b"vector")


def test_an_evaluation_by_words_makes_no_cache(base: Base) -> None:
    base.write("a.md", "# A\n\ntext")
    with evaluated(base) as opened:
        assert index_documents(opened, None, mode=SearchMode.LEXICAL, sink=lambda _: None) == 0
    assert not (base.home / "cache").exists()
