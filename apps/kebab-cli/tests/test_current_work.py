"""The unit of work that a run finishes before it stops."""

from __future__ import annotations

from datetime import UTC, datetime

from kebab_cli.progress import CurrentWork
from kebab_core import AssetStarted, EmbedBatchStarted, Heartbeat, IngestEvent, WorkspacePath

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def test_files_are_in_hand_until_vectors_are_made() -> None:
    seen: list[IngestEvent] = []
    work = CurrentWork(seen.append, piece="file")
    reading = AssetStarted(ts=NOW, idx=1, total=1, path=WorkspacePath("a.md"), media="markdown")
    work.watch(reading)
    assert work.piece == "file"
    making = EmbedBatchStarted(ts=NOW, n_chunks=1, total=1)
    work.watch(making)
    assert work.piece == "batch"
    assert seen == [reading, making]


def test_a_model_that_is_loading_has_a_batch_to_come() -> None:
    work = CurrentWork(lambda _: None, piece="file")
    work.watch(Heartbeat(ts=NOW, phase="embed"))
    assert work.piece == "batch"
