"""No document of any format hangs, crashes, or ends empty without a word: a sample of `bench.fuzz_formats`."""

from __future__ import annotations

import struct
import zlib
from functools import partial
from pathlib import Path
from pydoc import locate

import pytest
from kebab_core import (
    DocumentError,
    DocumentTooLargeError,
    Picture,
    UnsupportedMediaError,
)
from kebab_parse_image import PictureFile
from kebab_runtime import TaskLimits, WorkerPool
from kebab_testing.families import sample

from tests.integration.format_mutations import MUTATIONS, UNCHANGED, Trial
from tests.integration.format_samples import PICTURES, WRITERS
from tests.integration.fuzzed_formats import ingest_trials

FOUND = [
    Trial("odt", "sizes", 14),
    Trial("docx", "sizes", 28),
    Trial("pdf", "member", 113),
    Trial("xlsx", "member", 501),
    Trial("mbox", "members", 515),
]
"""Documents that met a bug once."""
TRIALS = [Trial(extension, mutation, 0) for extension in WRITERS for mutation in MUTATIONS]


@pytest.mark.thorough
def test_damaged_and_hostile_documents_end_as_documents_reasons_or_named_errors(tmp_path: Path) -> None:
    trials = [*FOUND, *sample(TRIALS)]
    found = ingest_trials(trials, tmp_path / "fuzzed")
    assert found.faults == []
    assert found.slow == []
    assert found.outcomes.total() == len(trials)


@pytest.mark.parametrize("function", ["open_picture", "decode_picture"])
def test_damaged_pictures_are_read_by_a_worker_or_refused_by_name(function: str) -> None:
    damages = ("bits", "truncated", "cut", "repeated", "sizes")
    trials = [Trial(kind, damage, seed) for kind in PICTURES for damage in damages for seed in range(86)]
    decoder = partial(locate, f"kebab_parse_image.{function}")
    limits = TaskLimits(cpu_s=20, memory_mb=2048)
    with WorkerPool(decoder, count=1) as pool:
        chosen = sample(trials)
        outcomes = pool.run_all((trial.content(), limits) for trial in chosen)
        found = {trial.name: outcome for trial, outcome in zip(chosen, outcomes, strict=True)}
        (bomb,) = pool.run_all([(_draw_bomb(), limits)])
    assert isinstance(bomb, DocumentTooLargeError)
    named = (Picture, PictureFile, DocumentError, UnsupportedMediaError)
    assert {name: outcome for name, outcome in found.items() if not isinstance(outcome, named)} == {}
    assert any(isinstance(outcome, Picture | PictureFile) for outcome in found.values())


def _draw_bomb() -> bytes:
    """A PNG of 900 million pixels; nothing but its head is ever read."""
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", b""), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def test_samples_themselves_are_read_where_their_format_is(tmp_path: Path) -> None:
    found = ingest_trials([Trial(extension, UNCHANGED, 0) for extension in WRITERS], tmp_path / "whole")
    assert {outcome for _, outcome in found.outcomes} <= {"document", "skipped"}
    assert {extension for extension, outcome in found.outcomes if outcome == "document"} >= {
        "md", "hwp", "hwpx", "pdf", "docx", "odt",
    }  # fmt: skip
