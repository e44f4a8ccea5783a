"""The demo shows kebab at work and leaves nothing behind."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from kebab_app import IngestOptions, open_demo
from kebab_core import FetchChunk, SearchMode, SearchQuery
from kebab_model_e5_small import files

WORDS_ONLY = IngestOptions(embed=False)


def test_demo_finds_passages_in_both_languages_leaves_nothing_behind_and_does_not_read_the_users_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("KEBAB_STORAGE_DATA_DIR", str(tmp_path / "data"))

    with open_demo() as app:
        report = app.ingest(options=WORDS_ONLY)
        assert report.counts.new >= 2
        for text in ("검색", "search"):
            response = app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL))
            assert response.hits
            assert app.fetch(FetchChunk(chunk_id=response.hits[0].chunk_id)).chunk is not None
        assert app.base.data_dir.is_relative_to(temporary)
        data_dir = app.base.data_dir

    assert not data_dir.exists()
    assert list(tmp_path.iterdir()) == [temporary]
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(files() is None, reason="the model comes without weights here")
def test_vectors_of_the_guides_come_with_kebab_and_are_those_of_the_model() -> None:
    with open_demo() as app:
        app.ingest(options=WORDS_ONLY)
        repo, embedder = app.base.index.embeddings, app.base.embedder
        assert embedder is not None
        texts = repo.text_hashes([entry.doc_id for entry in app.base.index.documents.list_entries()])
        shipped = repo.find_vectors(embedder.identity, sorted(texts))
        assert shipped.keys() == texts, "run `python -m tools.docs.generate`"
        few = sorted(texts)[::60]
        repo.delete(few)
        made = app.embed().embedding
        assert made is not None
        assert (made.computed, made.pending) == (len(few), 0)
        for text_hash, vector in repo.find_vectors(embedder.identity, sorted(texts)).items():
            assert struct.unpack("<384e", vector) == pytest.approx(
                struct.unpack("<384e", shipped[text_hash]), abs=0.002
            )


def test_demo_that_fails_cleans_up_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def fail() -> None:
        with open_demo() as app:
            app.ingest_text("# Note", title="Note")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []
