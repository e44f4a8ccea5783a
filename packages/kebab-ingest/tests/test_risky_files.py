"""Files that are risky to parse: each is prepared in a worker process with limits, and past them it fails alone."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import AssetFinished, IngestReport, IngestResult, ParserVersion
from kebab_ingest import MIN_FILES_FOR_WORKERS, DocumentProcessor, Recipe
from kebab_runtime import TaskLimits
from kebab_testing.documents import make_policy
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.recipes import recipe_finder

if TYPE_CHECKING:
    from kebab_testing.fakes.source import MemorySource

    from conftest import Pipeline

LIMITS = TaskLimits(cpu_s=0.3, memory_mb=256)


@pytest.fixture(autouse=True)
def modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this process and its workers find the modules of the tests."""
    folder = str(Path(__file__).parent)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", folder)


def ingest(pipeline: Pipeline, *, workers: int = 1) -> IngestReport:
    from risky_files import RunawayFactory, make_processor

    return pipeline.ingest(
        processor=make_processor(),
        worker_factory=RunawayFactory(pipeline.source),
        workers=workers,
        limits=LIMITS,
    )


def errors_of(report: IngestReport) -> dict[str, tuple[str, str]]:
    """Code and message of each failure."""
    return {
        str(item.doc_path): (item.error.code, item.error.message)
        for item in report.items or ()
        if item.error is not None
    }


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its address space")
def test_a_file_past_its_limits_or_that_ends_its_process_fails_and_the_rest_goes_on(
    pipeline: Pipeline,
) -> None:
    files = {"a": "text", "b": "loop", "c": "text", "d": "eat", "e": "kill", "f": "exit", "g": "text"}
    files["h"] = "abort"  # as C++ and Rust end where an allocation fails
    for name, content in files.items():
        pipeline.source.write(f"{name}.txt", content.encode())
    report = ingest(pipeline)
    errors = errors_of(report)
    assert pipeline.paths == ["a.txt", "c.txt", "g.txt"]
    assert {path: code for path, (code, _) in errors.items()} == {
        "b.txt": "timeout",
        "d.txt": "io_error",
        "e.txt": "internal",
        "f.txt": "internal",
        "h.txt": "io_error",
    }
    assert "more than 0.3 s of CPU time" in errors["b.txt"][1]
    assert "more than 256 MB" in errors["d.txt"][1]
    assert "more than 256 MB" in errors["h.txt"][1]
    assert "exit code -9" in errors["e.txt"][1]
    assert "exit code 3" in errors["f.txt"][1]
    assert_parsed_elsewhere(pipeline)
    assert pipeline.events[-1].kind == "completed"


def assert_parsed_elsewhere(pipeline: Pipeline) -> None:
    titles = {document.title for document in pipeline.read_documents().values()}
    assert titles
    assert f"pid {os.getpid()}" not in titles


def test_limits_hold_in_a_run_with_many_processes_which_parse_all_of_them(pipeline: Pipeline) -> None:
    for number in range(MIN_FILES_FOR_WORKERS):
        pipeline.source.write(f"{number:02}.txt", b"loop" if number == 5 else b"text")
    report = ingest(pipeline, workers=2)
    assert {path: code for path, (code, _) in errors_of(report).items()} == {"05.txt": "timeout"}
    assert len(pipeline.paths) == MIN_FILES_FOR_WORKERS - 1
    assert_parsed_elsewhere(pipeline)


def test_the_earlier_version_of_such_a_file_stays_and_the_next_run_tries_it_again(pipeline: Pipeline) -> None:
    pipeline.source.write("a.txt", b"text")
    ingest(pipeline)
    pipeline.source.write("a.txt", b"exit")
    (item,) = ingest(pipeline).items or ()
    assert item.kind is IngestResult.ERROR
    assert pipeline.paths == ["a.txt"]
    pipeline.source.write("a.txt", b"better")
    assert ingest(pipeline).counts.updated == 1


def test_the_start_of_a_worker_process_is_no_time_of_a_file(pipeline: Pipeline) -> None:
    from risky_files import RunawayFactory, make_processor

    class SlowFactory(RunawayFactory):
        """Handed over, as it is once for each process, time passes."""

        def __reduce__(self) -> tuple[type, tuple[MemorySource]]:
            pipeline.clock.advance(timedelta(seconds=5))
            return RunawayFactory, (self.source,)

    pipeline.source.write("a.txt", b"text")
    pipeline.ingest(processor=make_processor(), worker_factory=SlowFactory(pipeline.source), limits=LIMITS)
    (finished,) = [event for event in pipeline.events if isinstance(event, AssetFinished)]
    assert pipeline.clock.monotonic_ms() >= 5000
    assert finished.ms == 0


def ingest_with_fallback(pipeline: Pipeline, *, workers: int = 1) -> IngestReport:
    from risky_files import RunawayFactory, make_processor

    return pipeline.ingest(
        processor=make_processor(has_fallback=True),
        worker_factory=RunawayFactory(pipeline.source),
        workers=workers,
        limits=LIMITS,
    )


def assert_read_as_plain_text(pipeline: Pipeline, path: str) -> None:
    """The fallback read this file alone."""
    for at, document in pipeline.read_documents().items():
        warnings = [str(warning) for warning in document.provenance.warnings]
        told = f"read as plain text: the process that read {path} died (exit code 3)"
        assert warnings == ([told] if at == path else [])


def test_of_many_files_one_over_which_its_process_dies_is_read_by_the_fallback_in_this_one(
    pipeline: Pipeline,
) -> None:
    for number in range(MIN_FILES_FOR_WORKERS):
        pipeline.source.write(f"{number:03}.txt", b"exit" if number == 1 else b"text")
    report = ingest_with_fallback(pipeline, workers=2)
    assert (report.counts.new, report.counts.errors) == (MIN_FILES_FOR_WORKERS, 0)
    assert_read_as_plain_text(pipeline, "001.txt")


def test_a_file_that_the_fallback_read_is_read_again_by_the_next_version_of_its_parser(
    pipeline: Pipeline,
) -> None:
    from risky_files import PlainExtractor

    from conftest import ParagraphChunker

    class NextExtractor(PlainExtractor):
        def parser_version(self) -> ParserVersion:
            return ParserVersion("runaway-v2")

    pipeline.source.write("000.txt", b"text")
    pipeline.source.write("001.txt", b"exit")
    report = ingest_with_fallback(pipeline)
    assert (report.counts.new, report.counts.errors) == (2, 0)
    assert_read_as_plain_text(pipeline, "001.txt")
    assert ingest_with_fallback(pipeline).counts.unchanged == 2
    recipe = Recipe(extractor=NextExtractor(), chunker=ParagraphChunker(), policy=make_policy())
    newer = pipeline.ingest(
        processor=DocumentProcessor(find_recipe=recipe_finder([recipe]), analyzer=WordAnalyzer())
    )
    assert newer.counts.updated == 2
    for document in pipeline.read_documents().values():
        assert (document.parser_version, document.provenance.warnings) == ("runaway-v2", ())
