"""What kebab says of itself is read off what it has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kebab_app.recipe_rows import RECIPES

if TYPE_CHECKING:
    import pytest

    from conftest import Base, Embedding


def test_capabilities_follow_what_is_registered(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    before = base.app.schema().capabilities
    markdown = RECIPES[0]
    rows = (replace(markdown, media="image"), markdown)
    monkeypatch.setattr("kebab_app.introspection.RECIPES", rows)

    after = base.app.schema().capabilities

    assert (before["media_pdf"], after["media_pdf"]) == (True, False)
    assert (before["media_text"], after["media_text"]) == (True, False)
    assert after["media_markdown"]
    assert after["media_image"]


def test_capabilities_claim_what_works_and_nothing_more(base: Base) -> None:
    claimed = {name for name, has in base.app.schema().capabilities.items() if has}

    assert claimed - {"mcp_server", "http_daemon"} == {  # faces, there or not
        "answer_verification",
        "chat_models",
        "multi_hop",
        "rag_multi_turn",
        "ingest_cancellation",
        "incremental_ingest",
        "single_file_ingest",
        "lexical_search",
        "bulk_search",
        "ask",
        "streaming_ask",
        "media_markdown",
        "media_text",
        "media_pdf",
        "media_office",
        "media_html",
        "media_epub",
        "media_email",
        "media_chat",
        "media_hwp",
        "media_image",
        "media_subtitles",
        "media_code",
        "media_structured",
        "media_archive",
    }


def test_model_that_is_configured_without_its_weights_is_no_capability(
    base: Base, embedding: Embedding
) -> None:
    assert base.app.schema().capabilities["vector_search"]
    assert embedding.embedder.asked == []
    base.embedder = None
    base.configure("models.embedding", provider="onnx", model="nowhere")

    assert not base.app.schema().capabilities["vector_search"]


def test_schema_of_a_fresh_machine_counts_nothing_and_makes_nothing(base: Base) -> None:
    report = base.app.schema()

    assert (report.stats.doc_count, report.stats.schema_version) == (0, 0)
    assert not base.data_dir.exists()


def test_statistics_name_their_units_and_count_what_is_there(base: Base) -> None:
    base.write("a.md", "# one\n\none two three four five\n\n# two\n\nsix seven eight nine ten\n")
    base.write("b.txt", "plain")
    base.write("c.txt", "plain")
    base.ingest()

    report = base.app.schema()
    stats = report.stats

    assert (stats.doc_count, stats.chunk_count, stats.asset_count) == (3, 4, 2)
    assert stats.docs_by_media == {"markdown": 1, "text": 2}
    assert stats.asset_bytes == sum(path.stat().st_size for path in (base.data_dir / "assets").glob("*/*"))
    assert (report.stale_document_count, stats.failed_file_count, stats.held_document_count) == (0, 0, 0)
    assert stats.last_ingest_at == base.clock.now()


def test_models_name_the_versions_at_work(base: Base) -> None:
    base.write("a.md")
    base.ingest()

    models = base.app.schema().models

    assert (models.parser_version, models.chunker_version) == ("md-v7", "md-heading-v4")
    assert models.active_parsers == ("md-v7",)
    assert models.analyzer_version == base.app.base.analyzer.version
    assert models.index_version
    assert models.embedding_model is None
    assert models.corpus_revision == base.app.base.index.documents.corpus_revision()


def test_sizes_are_those_of_the_files_and_of_the_tables(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# A\n\napple")
    base.ingest()
    report = base.app.schema()

    assert report.data_bytes.keys() == {path.name for path in base.data_dir.iterdir()}
    assert report.data_bytes["kebab.sqlite"] == (base.data_dir / "kebab.sqlite").stat().st_size
    assert report.data_bytes["vectors"] == sum(
        path.stat().st_size for path in (base.data_dir / "vectors").rglob("*") if path.is_file()
    )
    assert report.table_bytes["vectors"] > 0
    assert sum(report.table_bytes.values()) <= report.data_bytes["kebab.sqlite"] + report.data_bytes.get(
        "kebab.sqlite-wal", 0
    )
