"""Which settings and versions make documents be processed again: exactly those that affect what is stored."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from kebab_app.recipe_rows import RECIPES, RecipeRow
from kebab_app.wiring import build_analyzer, build_extractor_services, build_processor, build_recipe
from kebab_config import config_keys
from kebab_core import (
    CanonicalDocument,
    Chunk,
    ChunkingSettings,
    ChunkPolicy,
    ChunkTerms,
    CodeIngestSettings,
    CodeMedia,
    ExtractContext,
    ExtractorServices,
    IngestSettings,
    LongDocument,
    MarkdownMedia,
    MediaType,
    Model,
    SourceSettings,
    TextMedia,
)
from kebab_parse_md import TextExtractor
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Base

PROCESSED_AGAIN: dict[str, object] = {
    "ingest.chunking.target_tokens": 200,
    "ingest.chunking.max_tokens": 500,
    "ingest.chunking.overlap_tokens": 10,
}
"""A value other than the default, by key."""

LEFT_ALONE: dict[str, object] = {
    "workspace.include": ["**/*.md"],
    "workspace.exclude": ["drafts/**"],
    "workspace.follow_symlinks": False,
    "storage.copy_threshold_mb": 1,
    "storage.cache_mb": 1,
    "ingest.workers": 2,
    "ingest.max_file_mb": 1,
    "ingest.extract_timeout_s": 1.5,
    "ingest.extract_memory_mb": 64,
    "ingest.code.skip_generated": False,
    "ingest.code.max_file_bytes": 1000,
    "ingest.code.max_file_lines": 10,
    "ingest.code.extra_skip_globs": ["*.gen.py"],
    "ingest.external.text_trust_level": "primary",
    "ingest.external.web_trust_level": "primary",
    "models.embedding.provider": "bundled",
    "models.embedding.model": "other",
    "models.embedding.version": "v2",
    "models.embedding.dimensions": 1024,
    "models.embedding.batch_tokens": 1024,
    "ingest.pdf.passwords": ["open sesame"],
    "ingest.image.gps": True,  # of pictures only
    "ingest.ocr.pictures": "all",  # what is read builds documents anew: test_picture_text
    "ingest.ocr.scans": False,
    "ingest.ocr.timeout_s": 10.0,
    "ingest.ocr.memory_mb": 1024,
    "ingest.asr.recordings": "off",  # what is heard builds documents anew: test_recordings
    "ingest.asr.language": "ko",
    "ingest.asr.timeout_s": 10.0,
    "ingest.asr.memory_mb": 1024,
    "ingest.caption.model": "llava",  # what is written builds documents anew: tests/cli/test_captions.py
    "ingest.caption.max_pages": 5,
    "ingest.extractors": {},  # sections of plugins: test_plugins
    "models.embedding.threads": 2,
    "models.embedding.nice": 10,
    "models.embedding.precision": "fp32",
    "models.embedding.endpoint": "http://127.0.0.1:1",
    "models.embedding.api_key_env": "A_KEY",
    "models.llm.provider": "ollama",
    "models.llm.model": "other",
    "models.llm.context_tokens": 1024,
    "models.llm.endpoint": "http://127.0.0.1:1",
    "models.llm.api_key_env": "A_KEY",
    "models.llm.temperature": 1.0,
    "models.llm.seed": 7,
    "models.llm.connect_timeout_s": 1.0,
    "models.llm.read_timeout_s": 1.0,
    "models.llm.total_timeout_s": 1.0,
    "models.llm.max_reply_mb": 1,
    "models.llm.keep_alive": "5m",
    "models.llm.threads": 2,
    "models.reranker": "other",
    "models.nli.provider": "onnx",
    "models.nli.model": "other",
    "storage.lake": "lake",
    "cluster.ray": "auto",
    "storage.refresh_s": 1,
    "storage.mirror": "copy",
    "storage.retention_h": 1,
    "storage.index_cache_mb": 16,
    "storage.vector_index": "lancedb",
    "search.default_k": 5,
    "search.hybrid_fusion": "rrf",
    "search.rrf_k": 10,
    "search.rerank": True,
    "search.snippet_chars": 100,
    "search.stale_threshold_days": 1,
    "search.link_template": "editor://{path}:{line}",
    "search.viewer": "okular --page {page} {path}",
    "rag.prompt_template_version": "rag-v1",
    "rag.score_gate": 0.5,
    "rag.max_context_tokens": 1024,
    "rag.nli_threshold": 0.5,
    "rag.multi_hop_max_depth": 1,
    "rag.multi_hop_max_sub_queries": 1,
    "mcp.ingest_roots": ["~/Downloads"],
    "mcp.http_host": "::1",
    "mcp.http_public_url": "https://notes.example",
    "logging.level": "debug",
    "logging.keep_runs": 1,
    "logging.retention_days": 1,
}

WHERE = {"schema_version", "workspace.root", "workspace.sources", "storage.data_dir", "storage.engine"}
"""Keys that name another knowledge base or other files; tested with the files."""


def test_every_key_of_the_configuration_has_its_row() -> None:
    assert {*PROCESSED_AGAIN, *LEFT_ALONE, *WHERE} == {key.key for key in config_keys()}
    assert not PROCESSED_AGAIN.keys() & LEFT_ALONE.keys()


@pytest.mark.thorough
@pytest.mark.parametrize("key", PROCESSED_AGAIN)
def test_setting_that_affects_the_stored_form_processes_documents_again(base: Base, key: str) -> None:
    _ingest_then_set(base, key, PROCESSED_AGAIN[key])

    assert base.ingest().counts == {"scanned": 1, "updated": 1}
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}


@pytest.mark.thorough
@pytest.mark.parametrize("key", LEFT_ALONE)
def test_setting_that_does_not_affect_the_stored_form_leaves_documents_alone(base: Base, key: str) -> None:
    _ingest_then_set(base, key, LEFT_ALONE[key])

    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}


@pytest.mark.parametrize(("name", "value"), [("trust_level", "secondary"), ("source_type", "reference")])
def test_what_a_source_says_of_its_documents_processes_only_them_again(
    base: Base, name: str, value: str
) -> None:
    first = {"id": "a", "root": str(base.home / "a")}
    second = {"id": "b", "root": str(base.home / "b")}
    base.set_sources(first, second)
    base.write("one.md", root=base.home / "a")
    base.write("two.md", root=base.home / "b")
    base.ingest()
    base.set_sources({**first, name: value}, second)

    assert base.ingest().counts == {"scanned": 2, "updated": 1, "unchanged": 1}
    assert getattr(base.documents()["a:one.md"], name).value == value


def test_change_of_one_mediums_parser_leaves_the_other_alone(base: Base) -> None:
    base.write("a.md", "# a")
    base.write("b.txt", "b")
    base.ingest()
    markdown, text, *_ = base.recipes()

    run = base.run_with(recipes=[replace(markdown, extractor=NewParser(markdown.extractor)), text])

    assert run.counts == {"scanned": 2, "updated": 1, "unchanged": 1}
    assert run.item("a.md").parser_version == "md-v9"
    assert base.paths() == ["a.md", "b.txt"]
    assert base.documents()["a.md"].parser_version == "md-v9"


def test_new_chunker_version_processes_documents_again(base: Base) -> None:
    base.write("a.md", "# a")
    base.ingest()
    recipes = [replace(recipe, chunker=NewChunker(recipe.chunker)) for recipe in base.recipes()]

    assert base.run_with(recipes=recipes).counts == {"scanned": 1, "updated": 1}
    assert base.documents()["a.md"].chunker_version == "md-heading-v9"


def test_new_analyser_version_processes_documents_again(base: Base) -> None:
    base.write("a.md", "# a")
    base.ingest()

    assert base.run_with(analyzer=NewAnalyzer()).counts == {"scanned": 1, "updated": 1}
    assert base.app.base.index.terms.analyzer_version() == NewAnalyzer.version


def test_version_that_changes_back_processes_documents_again(base: Base) -> None:
    base.write("a.md", "# a")
    base.ingest()
    base.run_with(analyzer=NewAnalyzer())

    assert base.ingest().counts == {"scanned": 1, "updated": 1}


def test_fingerprints_of_the_default_recipes_stay_as_they_were() -> None:
    plain = SourceSettings(id="default", root="/x")
    described = SourceSettings(id="a", root="/x", trust_level="secondary", source_type="reference")

    assert [
        _fingerprint(media, source)
        for media in (MarkdownMedia(), TextMedia())
        for source in (plain, described)
    ] == [
        "6752aa472233675c4edfe0a84a9b8754",
        "48ca5f7ba260b73e27b244594c79b014",
        "a22ded4f557d07e29a50965bef20a0d5",
        "d4efb029c66583602ec16d0ea9000070",
    ]


def test_settings_of_an_extractor_are_in_the_fingerprint_of_its_medium_only() -> None:
    markdown, text, *_ = RECIPES
    rows = (markdown, replace(text, settings="code"))
    changed = IngestSettings(code=CodeIngestSettings(max_file_lines=7))

    assert _fingerprint(TextMedia(), rows=rows) == _fingerprint(TextMedia())
    assert _fingerprint(TextMedia(), rows=rows, settings=changed) != _fingerprint(TextMedia())
    assert _fingerprint(MarkdownMedia(), rows=rows, settings=changed) == _fingerprint(MarkdownMedia())


@walk("code", [{"skip_generated": False}, {"max_file_lines": 7}])
def test_what_decides_by_content_is_in_the_fingerprint_of_source_code(code: dict[str, object]) -> None:
    changed = IngestSettings(code=CodeIngestSettings.model_validate(code))
    for media in (CodeMedia(lang="go"), CodeMedia(lang="yaml"), CodeMedia(lang="shell")):
        assert _fingerprint(media, settings=changed) != _fingerprint(media)


@walk("code", [{"max_file_bytes": 7}, {"extra_skip_globs": ("*.a",)}])
def test_what_leaves_files_out_unread_is_in_no_fingerprint(code: dict[str, object]) -> None:
    changed = IngestSettings(code=CodeIngestSettings.model_validate(code))
    assert _fingerprint(CodeMedia(lang="go"), settings=changed) == _fingerprint(CodeMedia(lang="go"))


def test_chunk_sizes_of_a_row_rank_above_the_settings() -> None:
    markdown, text, *_ = RECIPES
    small = ChunkingSettings(target_tokens=50, max_tokens=60, overlap_tokens=10)
    rows = (markdown, replace(text, policy=small))

    assert _fingerprint(TextMedia(), rows=rows) == _fingerprint(
        TextMedia(), settings=IngestSettings(chunking=small)
    )
    assert _fingerprint(MarkdownMedia(), rows=rows) == _fingerprint(MarkdownMedia())


def test_rows_may_share_a_label_and_a_document_keeps_its_own(base: Base) -> None:
    base.write("a.txt", "plain")
    base.write("b.txt", "scanned")
    reference = f"{__name__}:build_tiered"
    rows = [
        RecipeRow(media=kind, extractor=reference, chunker="md-heading-v4") for kind in ("markdown", "text")
    ]

    services = build_extractor_services()
    recipes = [build_recipe(row, IngestSettings(), services) for row in rows]
    run = base.run_with(recipes=recipes)

    assert {recipe.extractor.parser_version() for recipe in recipes} == {"tiered-v1"}
    assert [run.item(path).parser_version for path in ("a.txt", "b.txt")] == ["tiered-v1", "tiered-ocr-v1"]
    assert base.documents()["b.txt"].parser_version == "tiered-ocr-v1"
    assert base.run_with(recipes=recipes).counts == {"scanned": 2, "unchanged": 2}


def _fingerprint(
    media: MediaType,
    source: SourceSettings | None = None,
    *,
    rows: tuple[RecipeRow, ...] = RECIPES,
    settings: IngestSettings | None = None,
) -> str:
    processor = build_processor(settings or IngestSettings(), analyzer=build_analyzer(), recipes=rows)
    return processor.fingerprint(media, source or SourceSettings(id="default", root="/x"))


LISTS_PARSERS = """
import sys
from kebab_app.wiring import build_analyzer, build_processor
from kebab_core import IngestSettings, MarkdownMedia, OtherMedia
processor = build_processor(IngestSettings(), analyzer=build_analyzer())
print(processor.supports(MarkdownMedia()), processor.supports(OtherMedia()))
print(sorted(name for name in sys.modules if name.startswith("kebab_parse_") and "." not in name))
"""


def test_only_parsers_of_media_that_are_there_are_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", LISTS_PARSERS], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["True False", "['kebab_parse_md']"]


class TieredExtractor:
    """Reads text; what was scanned gets another label."""

    def __init__(self, services: ExtractorServices) -> None:
        self.inner = TextExtractor()

    def supports(self, media_type: MediaType) -> bool:
        return self.inner.supports(media_type)

    def parser_version(self) -> str:
        return "tiered-v1"

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        label = "tiered-ocr-v1" if content == b"scanned" else "tiered-v1"
        return self.inner.extract(context, content).model_copy(update={"parser_version": label})


def build_tiered(_settings: Model | None, services: ExtractorServices) -> TieredExtractor:
    return TieredExtractor(services)


def _ingest_then_set(base: Base, key: str, value: object) -> None:
    base.write("a.md", "# title\n\ntext\n")
    base.ingest()
    section, _, name = key.rpartition(".")
    base.configure(section, **{name: value})


class NewParser:
    def __init__(self, inner: object) -> None:
        self.inner = inner

    def supports(self, media_type: MediaType) -> bool:
        return self.inner.supports(media_type)

    def parser_version(self) -> str:
        return "md-v9"

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        return self.inner.extract(context, content).model_copy(update={"parser_version": "md-v9"})


class NewChunker:
    crosses_pages = False

    def __init__(self, inner: object) -> None:
        self.inner = inner

    def chunker_version(self) -> str:
        return "md-heading-v9"

    def policy_hash(self, policy: ChunkPolicy) -> str:
        return self.inner.policy_hash(policy)

    def chunk(self, document: LongDocument, policy: ChunkPolicy) -> list[Chunk]:
        chunks = self.inner.chunk(document, policy)
        return [chunk.model_copy(update={"chunker_version": "md-heading-v9"}) for chunk in chunks]


class NewAnalyzer:
    version = "another@2"

    def __init__(self) -> None:
        self.inner = build_analyzer()

    def analyze_chunk(self, **fields: object) -> ChunkTerms:
        return self.inner.analyze_chunk(**fields)
