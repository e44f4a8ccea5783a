"""Parts of other distributions, at work without a line changed in kebab."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.wiring import PreparerRecipe
from kebab_core import (
    AnswerFinal,
    CodeIngestSettings,
    ConfigInvalidError,
    FetchChunk,
    FetchDocument,
    IngestSettings,
    PackedDocument,
    PluginConflictError,
    SearchMode,
    SearchQuery,
    SourceEntry,
    SourceId,
    SourceScope,
    SourceSettings,
    TimeCitation,
    parse_citation,
)
from kebab_ingest import FileTask, Workers
from kebab_source_fs import FilesystemConnector

if TYPE_CHECKING:
    from conftest import Base

ACME = Path(__file__).parent / "acme_kebab_srt"
SUBTITLES = """1
00:00:01,000 --> 00:00:04,500
Welcome to the talk about backups.

2
00:01:02,250 --> 00:01:07,000
Restore a backup with the command rewind.
"""


CUE_CHUNKER = """
from kebab_chunk import HeadingChunker

class CueChunker(HeadingChunker):
    def chunker_version(self):
        return "acme-cue-v1"

    def chunk(self, document, policy):
        chunks = super().chunk(document, policy)
        return [chunk.model_copy(update={"chunker_version": "acme-cue-v1"}) for chunk in chunks]
"""
EMBEDDER = """
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

def build(settings, services):
    return BagOfWordsEmbedder(settings.dimensions)
"""
RUNAWAY = """
import os
from kebab_parse_md import TextExtractor

class RunawayExtractor(TextExtractor):
    def supports(self, media_type):
        return media_type.kind == "other"

    def extract(self, context, content):
        while content == b"loop":
            pass
        return super().extract(context, f"parsed by process {os.getpid()}".encode())

class SafeExtractor(RunawayExtractor):
    isolated = False

def build(settings, services):
    return RunawayExtractor()

def build_safe(settings, services):
    return SafeExtractor()
"""
MAILBOX = """
from kebab_testing.fakes.source import MemorySource

def build(source):
    return MemorySource(source.root, {"inbox/one.md": b"# Backup\\n\\nRestore it with rewind.\\n"})
"""


@pytest.fixture
def acme(base: Base, monkeypatch: pytest.MonkeyPatch, one_process: None) -> Base:
    """A knowledge base with the plugin installed and one file of subtitles, which this process reads."""
    base.install_project(ACME, monkeypatch)
    base.write("talk.sub", SUBTITLES)
    return base


def test_file_of_an_unknown_kind_is_left_out_without_a_plugin(base: Base) -> None:
    base.write("talk.sub", SUBTITLES)

    assert base.ingest().counts == {"scanned": 1, "skipped": 1}


def test_plugin_reads_files_that_are_found_cited_and_opened(acme: Base) -> None:
    assert acme.ingest().counts == {"scanned": 1, "new": 1}
    assert acme.ingest().counts == {"scanned": 1, "unchanged": 1}
    (hit,) = acme.app.search(SearchQuery(text="rewind", mode=SearchMode.LEXICAL)).hits

    assert isinstance(hit.citation, TimeCitation)
    assert hit.citation.to_uri() == "talk.sub#t=00:01:02.250,00:01:07.000"
    assert parse_citation(hit.citation.to_uri()) == hit.citation
    document = acme.documents()["talk.sub"]
    assert document.parser_version == "acme-srt-v1"
    blocks = acme.app.inspect_document(document.doc_id).blocks
    assert [block.text for block in blocks][1] == "Restore a backup with the command rewind."
    chunk = acme.app.fetch(FetchChunk(chunk_id=hit.chunk_id)).chunk
    assert chunk is not None
    assert "with the command rewind." in chunk.chunk.text
    assert "with the command rewind." in str(acme.app.fetch(FetchDocument(doc_id=document.doc_id)).text)


def test_plugin_answers_a_question_with_a_citation_by_time(acme: Base) -> None:
    acme.configure("models.llm", provider="acme-parrot", model="polly")
    acme.ingest()

    *_, last = acme.app.ask_stream(AskRequest(question="backups talk", mode=SearchMode.LEXICAL))

    assert isinstance(last, AnswerFinal)
    assert (last.answer.grounded, last.answer.model.id) == (True, "polly")
    assert last.answer.answer == "“Welcome to the talk about backups.” [1]"
    assert [each.citation.to_uri() for each in last.answer.citations] == [
        "talk.sub#t=00:00:01.000,00:00:04.500"
    ]


def test_worker_processes_read_files_of_a_plugin(acme: Base) -> None:
    recipe = PreparerRecipe(ingest=IngestSettings(), data_dir=acme.data_dir, copy_threshold_bytes=1000)
    source = SourceSettings(id="default", root=str(acme.root))  # type: ignore[arg-type]
    scan = FilesystemConnector(CodeIngestSettings()).scan(SourceScope(root=str(acme.root)))
    tasks = [FileTask(entry=entry, source=source, known_checksum=None, at=acme.clock.now()) for entry in scan]

    with Workers(recipe, count=1) as workers:
        (prepared,) = workers.prepare_all(tasks)

    assert isinstance(prepared.outcome, PackedDocument)
    assert prepared.outcome.parser_version == "acme-srt-v1"


def test_file_of_a_plugin_past_its_limits_is_an_error_and_the_rest_goes_on(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = base.install("acme-runaway", {"kebab.extractors": {"sub": "acme_runaway:build"}}, monkeypatch)
    (site / "acme_runaway.py").write_text(RUNAWAY, encoding="utf-8")
    base.configure("ingest", extract_timeout_s=0.3)
    base.write("a.sub", "loop")
    base.write("b.sub", "text")

    outcome = base.ingest()

    assert outcome.counts == {"scanned": 2, "new": 1, "errors": 1}
    error = outcome.item("a.sub").error
    assert error is not None
    assert error.code == "timeout"


@pytest.mark.parametrize(("factory", "is_here"), [("build", False), ("build_safe", True)])
def test_files_of_a_plugin_are_read_by_another_process_unless_it_is_not_isolated(
    base: Base, monkeypatch: pytest.MonkeyPatch, factory: str, is_here: bool
) -> None:
    plugins = {"kebab.extractors": {"sub": f"acme_runaway:{factory}"}}
    site = base.install("acme-runaway", plugins, monkeypatch)
    (site / "acme_runaway.py").write_text(RUNAWAY, encoding="utf-8")
    base.write("a.sub", "text")
    base.ingest()
    (hit,) = base.app.search(SearchQuery(text="process", mode=SearchMode.LEXICAL)).hits

    assert (f"process {os.getpid()}" in hit.snippet) is is_here


def test_new_file_of_a_plugin_is_explained_without_parsing_it(acme: Base) -> None:
    acme.ingest()
    acme.write("late.sub", SUBTITLES)
    acme.write("wrong.sub", "nothing")

    assert acme.app.why("late.sub").verdict == "not_ingested"
    assert acme.app.why("wrong.sub").verdict == "not_ingested"
    acme.ingest()
    assert acme.app.why("wrong.sub").verdict == "left_out"


def test_chunker_plugin_cuts_what_the_extractor_of_its_name_reads(
    acme: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = acme.install("acme-cues", {"kebab.chunkers": {"sub": "acme_cues:CueChunker"}}, monkeypatch)
    (site / "acme_cues.py").write_text(CUE_CHUNKER, encoding="utf-8")
    acme.ingest()

    assert acme.documents()["talk.sub"].chunker_version == "acme-cue-v1"


def test_embedder_plugin_makes_the_vectors(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    site = base.install("acme-vectors", {"kebab.embedders": {"acme": "acme_vectors:build"}}, monkeypatch)
    (site / "acme_vectors.py").write_text(EMBEDDER, encoding="utf-8")
    base.configure("models.embedding", provider="acme", dimensions=48)
    base.write("a.md", "# Backup\n\nRestore a backup with rewind.\n")
    base.ingest()

    assert base.app.base.embedder.identity.dimensions == 48
    assert base.app.search(SearchQuery(text="rewind", mode=SearchMode.VECTOR)).hits


def test_schema_lists_plugins_without_importing_them(acme: Base) -> None:
    shown = acme.app.schema()

    assert [(each.group, each.name, each.distribution, each.version) for each in shown.plugins] == [
        ("kebab.extractors", "sub", "acme-kebab-srt", "1.2.0"),
        ("kebab.language_models", "acme-parrot", "acme-kebab-srt", "1.2.0"),
    ]
    assert shown.capabilities["chat_models"]
    assert "acme_kebab_srt" not in sys.modules


def test_plugin_that_no_file_needs_is_not_imported(acme: Base) -> None:
    (acme.root / "talk.sub").unlink()
    acme.write("a.md")
    acme.write("b.png", b"picture")
    acme.ingest()

    assert "acme_kebab_srt" not in sys.modules


def test_two_distributions_of_one_name_are_an_error_that_names_both(
    acme: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme.install("other-srt", {"kebab.extractors": {"sub": "other:build"}}, monkeypatch)

    with pytest.raises(PluginConflictError, match="acme-kebab-srt and other-srt"):
        acme.ingest()
    (check,) = [check for check in acme.app.doctor().checks if check.name == "plugins"]
    assert not check.ok
    assert "acme-kebab-srt and other-srt" in check.detail


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        ("operator:is_", "is no Extractor"),
        ("nowhere:build", "cannot be imported"),
        ("sys:version", "is no factory"),
        ("math:sqrt", "cannot be built"),
    ],
)
def test_plugin_that_is_no_extractor_is_an_error_with_its_distribution(
    base: Base, monkeypatch: pytest.MonkeyPatch, reference: str, problem: str
) -> None:
    base.install("broken-srt", {"kebab.extractors": {"sub": reference}}, monkeypatch)
    base.write("talk.sub", SUBTITLES)

    with pytest.raises(PluginConflictError, match=f"broken-srt 1.0 .*{problem}"):
        base.ingest()


def test_names_that_are_built_in_are_never_looked_up(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = {
        "kebab.extractors": {"markdown": "nowhere:x"},
        "kebab.language_models": {"extractive": "nowhere:x"},
    }
    base.install("usurper", groups, monkeypatch)
    base.write("a.md", "# Backup\n\nRestore a backup with rewind.\n")

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert base.app.ask(AskRequest(question="restore a backup", mode=SearchMode.LEXICAL)).grounded


def test_provider_that_nobody_offers_is_an_error_with_the_known_names(acme: Base) -> None:
    acme.configure("models.llm", provider="gpt")
    acme.ingest()

    with pytest.raises(
        ConfigInvalidError, match=r"models\.llm\.provider: 'gpt' .*extractive, .*ollama.*, acme-parrot"
    ):
        acme.app.ask(AskRequest(question="backups", mode=SearchMode.LEXICAL))
    acme.configure("models.embedding", provider="gpt")
    with pytest.raises(ConfigInvalidError, match=r"models\.embedding\.provider: 'gpt' .*bundled.*none"):
        acme.app.search(SearchQuery(text="rewind", mode=SearchMode.VECTOR))


def test_doctor_lists_plugins_and_takes_a_model_of_one(acme: Base) -> None:
    acme.configure("models.llm", provider="acme-parrot")
    acme.ingest()
    checks = {check.name: check for check in acme.app.doctor().checks}

    assert all(check.ok for check in checks.values())
    assert "kebab.extractors sub (acme-kebab-srt)" in checks["plugins"].detail
    assert checks["language_model"].detail == "provider 'acme-parrot' is a plugin"


def test_file_that_a_plugin_refuses_is_left_out_alone(acme: Base) -> None:
    acme.write("empty.sub", "nothing")

    outcome = acme.ingest()

    assert outcome.counts == {"scanned": 2, "new": 1, "skipped": 1}


def test_section_of_an_extractor_changes_its_documents_and_no_others(acme: Base) -> None:
    acme.write("a.md")
    acme.ingest()
    acme.configure("ingest.extractors.sub", min_chars=0)
    assert acme.ingest().counts == {"scanned": 2, "unchanged": 2}

    acme.configure("ingest.extractors.sub", min_chars=35)

    assert acme.ingest().counts == {"scanned": 2, "updated": 1, "unchanged": 1}
    document = acme.documents()["talk.sub"]
    assert [block.text for block in acme.app.inspect_document(document.doc_id).blocks] == [
        "Restore a backup with the command rewind."
    ]


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("min_chars", -1, "ingest.extractors.sub.min_chars: must be from 0 to 1000 (got -1"),
        ("min_chars", "9", "ingest.extractors.sub.min_chars: must be a whole number"),
        ("min_char", 9, "ingest.extractors.sub.min_char: unknown key, did you mean `min_chars`?"),
    ],
)
def test_section_that_an_extractor_does_not_take_is_an_error_with_its_distribution(
    acme: Base, key: str, value: object, problem: str
) -> None:
    acme.configure("ingest.extractors.sub", **{key: value})

    with pytest.raises(ConfigInvalidError) as caught:
        acme.ingest()
    assert caught.value.message.startswith(problem)
    assert "plugin 'sub' of acme-kebab-srt 1.2.0" in caught.value.message
    assert caught.value.details["key"] == f"ingest.extractors.sub.{key}"
    assert problem in _check_plugins(acme)


def test_section_of_an_extractor_without_settings_is_an_error(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.install("plain-srt", {"kebab.extractors": {"sub": "operator:is_"}}, monkeypatch)
    base.configure("ingest.extractors.sub", min_chars=1)
    base.write("talk.sub", SUBTITLES)

    with pytest.raises(ConfigInvalidError, match=r"'sub' of plain-srt 1\.0 takes no settings"):
        base.ingest()


def test_section_of_an_extractor_that_nobody_offers_is_told_by_doctor(acme: Base) -> None:
    acme.configure("ingest.extractors.vtt", min_chars=1)

    assert "ingest.extractors.vtt has no effect" in _check_plugins(acme)


@pytest.fixture
def mail(base: Base, monkeypatch: pytest.MonkeyPatch) -> Base:
    """A knowledge base of a folder and of a source that a plugin reads."""
    site = base.install("acme-mail", {"kebab.sources": {"mailbox": "acme_mail:build"}}, monkeypatch)
    (site / "acme_mail.py").write_text(MAILBOX, encoding="utf-8")
    base.set_sources(
        {"id": "default", "root": str(base.root)},
        {"id": "mail", "root": str(base.home / "mail"), "kind": "mailbox"},
    )
    base.write("a.md")
    return base


def test_source_of_a_plugin_is_read_searched_and_explained(mail: Base) -> None:
    assert mail.ingest().counts == {"scanned": 2, "new": 2}
    assert mail.ingest().counts == {"scanned": 2, "unchanged": 2}
    (hit,) = mail.app.search(SearchQuery(text="rewind", mode=SearchMode.LEXICAL)).hits
    assert (hit.citation.to_uri(), hit.stale) == ("mail:inbox/one.md#L1-L3", False)
    assert not mail.app.fetch(FetchChunk(chunk_id=hit.chunk_id)).document.changed_on_disk
    assert mail.app.why("inbox/one.md").verdict == "indexed"
    assert all(check.ok for check in mail.app.doctor().checks)


def test_provenance_names_the_plugin_that_found_a_file(mail: Base) -> None:
    mail.ingest()
    found = {
        path: mail.app.inspect_document(document.doc_id).provenance.events[0].agent
        for path, document in mail.documents().items()
    }

    assert found == {"a.md": "kebab-source-fs", "mail:inbox/one.md": "mailbox"}


def test_worker_processes_read_files_of_a_source_of_a_plugin(mail: Base) -> None:
    resources = build_ingest_resources(mail.app.base)
    (_, source) = mail.app.base.loaded.paths.sources
    scope = SourceScope(source_id=SourceId("mail"), root=str(source.root))
    (entry,) = resources.connector.scan(scope)
    assert isinstance(entry, SourceEntry)
    factory = resources.worker_factory
    assert isinstance(factory, PreparerRecipe)
    task = FileTask(entry=entry, source=source.settings, known_checksum=None, at=mail.clock.now())

    with Workers(factory, count=1) as workers:
        (prepared,) = workers.prepare_all([task])

    assert isinstance(prepared.outcome, PackedDocument)


def test_kind_of_source_that_nobody_offers_is_an_error_with_the_nearest_name(base: Base) -> None:
    base.set_sources({"id": "default", "root": str(base.root), "kind": "foldr"})

    with pytest.raises(ConfigInvalidError, match=r"workspace\.sources\.kind: 'foldr'") as caught:
        base.ingest()
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == "folder"
    assert "'foldr' is neither part of this version nor a plugin" in _check_plugins(base)


def test_connector_that_is_none_is_an_error_with_its_distribution(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.install("broken-mail", {"kebab.sources": {"mailbox": "builtins:repr"}}, monkeypatch)
    base.set_sources({"id": "default", "root": str(base.root), "kind": "mailbox"})

    with pytest.raises(PluginConflictError, match=r"broken-mail 1\.0 .*is no SourceConnector"):
        base.ingest()


def test_provider_that_nobody_offers_is_told_with_the_nearest_name(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.install("acme-vectors", {"kebab.embedders": {"acme": "acme_vectors:build"}}, monkeypatch)
    base.configure("models.embedding", provider="acne")
    base.write("a.md")

    failure = base.ingest().report.embedding.failure
    assert failure is not None
    assert "'acne' is neither part of this version nor a plugin; known names: bundled" in failure.message
    assert failure.message.endswith(", none, acme")
    assert failure.remedy is not None
    assert failure.remedy.value == "acme"
    (check,) = [check for check in base.app.doctor().checks if check.name == "embedding_model"]
    assert (check.ok, check.remedy) == (False, failure.remedy)


def _check_plugins(base: Base) -> str:
    """Return the detail of the failed check of plugins."""
    (check,) = [check for check in base.app.doctor().checks if check.name == "plugins"]
    assert not check.ok
    return check.detail
