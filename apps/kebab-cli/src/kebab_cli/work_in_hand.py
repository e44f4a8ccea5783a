"""What a run is at: files while they are read, batches of passages while vectors are made."""

from __future__ import annotations

from typing import Literal

from kebab_core import AssetStarted, EmbedBatchStarted, Heartbeat, IngestEvent, ScanStarted

from kebab_cli.progress import Sink

Piece = Literal["file", "batch"]


class WorkInHand:
    """Passes events on and knows what the run will finish before it stops.

    Args:
        sink: Gets every event.
        piece: What the run begins with.
    """

    def __init__(self, sink: Sink, *, piece: Piece) -> None:
        self._sink = sink
        self.piece: Piece = piece

    def watch(self, event: IngestEvent) -> None:
        """Take note of an event and pass it on."""
        match event:
            case EmbedBatchStarted() | Heartbeat(phase="embed"):
                self.piece = "batch"
            case ScanStarted() | AssetStarted():
                self.piece = "file"
        self._sink(event)
