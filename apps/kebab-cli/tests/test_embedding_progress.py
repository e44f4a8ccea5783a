"""How far vectors are, as lines for whoever has no terminal."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from kebab_cli.language import speak
from kebab_cli.progress import PlainProgress
from kebab_cli.render import Console
from kebab_core import (
    AssetFinished,
    EmbedBatchFinished,
    EmbedBatchStarted,
    Heartbeat,
    IngestResult,
    ScanCompleted,
    WorkspacePath,
)

START = datetime(2026, 1, 2, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_passages_done_speed_and_time_left_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    progress = PlainProgress(Console.detect(json=False, quiet=False, environ={"TERM": "dumb"}))
    progress.show(EmbedBatchStarted(ts=at(0), n_chunks=32, done=0, total=100))
    progress.show(Heartbeat(ts=at(2), phase="embed", idx=0, total=100))
    progress.show(EmbedBatchFinished(ts=at(4), n_chunks=20, ms=4000, done=20, total=100))
    progress.show(EmbedBatchStarted(ts=at(4), n_chunks=20, done=20, total=100))
    progress.show(EmbedBatchFinished(ts=at(5), n_chunks=20, ms=1000, done=40, total=100))
    for second in (10, 11, 12):
        progress.show(Heartbeat(ts=at(second), phase="embed", idx=40, total=100))
    assert capsys.readouterr().err.splitlines() == [
        "100 passages have no vectors yet; full-text search finds them already",
        "embedded 20/100 (5.0 passages/s, 16 s left)",
        "embedded 40/100 (4.0 passages/s, 15 s left)",
    ]


def test_lines_say_nothing_twice(capsys: pytest.CaptureFixture[str]) -> None:
    progress = PlainProgress(Console.detect(json=False, quiet=False, environ={"TERM": "dumb"}))
    for second in (1, 2):
        progress.show(Heartbeat(ts=at(second), phase="embed"))
    progress.show(EmbedBatchStarted(ts=at(3), n_chunks=1, done=0, total=1))
    for second in (4, 5, 6):
        progress.show(Heartbeat(ts=at(second), phase="embed", idx=0, total=1))
    progress.show(EmbedBatchFinished(ts=at(7), n_chunks=1, ms=4000, done=1, total=1))
    for second in (8, 9, 10):
        progress.show(Heartbeat(ts=at(second), phase="embed", idx=1, total=1))
    assert capsys.readouterr().err.splitlines() == [
        "still running: embed",
        "1 passage has no vector yet; full-text search finds it already",
        "embedded 1/1 (0.2 passages/s, 0 s left)",
    ]


def test_time_until_the_first_file_is_told_says_nothing_of_the_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = PlainProgress(Console.detect(json=False, quiet=False, environ={"TERM": "dumb"}))
    progress.show(ScanCompleted(ts=at(0), total=36, removals=0))
    for second, done in ((10, 1), (11, 2), (12, 5), (14, 6)):
        path = WorkspacePath(f"{done}.md")
        progress.show(AssetFinished(ts=at(second), idx=done, total=36, path=path, result=IngestResult.NEW))
    assert capsys.readouterr().err.splitlines() == [
        "36 files found",
        "1/36 1.md",
        "5/36 (2.0 files/s, 16 s left) 5.md",
        "6/36 (1.2 files/s, 24 s left) 6.md",
    ]


def test_every_part_of_a_run_has_a_name_in_korean(capsys: pytest.CaptureFixture[str]) -> None:
    progress = PlainProgress(Console.detect(json=False, quiet=False, environ={"TERM": "dumb"}))
    with speak("ko"):
        for second, phase in enumerate(("ingest", "ocr", "asr", "caption", "embed", "finish")):
            progress.show(Heartbeat(ts=at(second), phase=phase))
    assert not any(char.isascii() and char.isalpha() for char in capsys.readouterr().err)


def test_passages_known_from_before_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    progress = PlainProgress(Console.detect(json=False, quiet=False, environ={"TERM": "dumb"}))
    progress.show(EmbedBatchStarted(ts=at(0), n_chunks=4, done=0, total=4))
    progress.show(EmbedBatchFinished(ts=at(4), n_chunks=4, ms=4000, done=4, reused=3, total=4))
    assert capsys.readouterr().err.splitlines() == [
        "4 passages have no vectors yet; full-text search finds them already",
        "embedded 4/4, 3 reused (1.0 passages/s, 0 s left)",
    ]
