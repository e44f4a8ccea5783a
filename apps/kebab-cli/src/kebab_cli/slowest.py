"""The files that a run of ingest spent most time on."""

from __future__ import annotations

from kebab_core import AssetFinished, IngestEvent

from kebab_cli.progress import Sink
from kebab_cli.render import Console, count_of, safe_name

MAX_SHOWN = 5
LEAST_MS = 1000
"""What takes less needs no remark."""


class SlowestFiles:
    """Passes events on and remembers the slowest files, slowest first."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self.files: list[AssetFinished] = []

    def watch(self, event: IngestEvent) -> None:
        """Take note of an event and pass it on."""
        if isinstance(event, AssetFinished) and event.ms > LEAST_MS:
            self.files = sorted([*self.files, event], key=lambda file: -file.ms)[:MAX_SHOWN]
        self._sink(event)

    def render(self, console: Console) -> None:
        """Print a line for each of them."""
        for file in self.files:
            text = f"  slow {safe_name(file.path)}: {file.ms / 1000:.1f} s, {count_of(file.chunks, 'chunk')}"
            console.line(console.style(text, dim=True))
