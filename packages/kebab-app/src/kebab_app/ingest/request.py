"""What a run of ingest is asked to do, and how it is told to stop."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from kebab_core import SourceSettings, WorkspacePath


@dataclass(frozen=True, kw_only=True)
class SourceTarget:
    """One source, whole or in part."""

    source: SourceSettings
    root: Path
    """Absolute."""
    under: WorkspacePath | None = None


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """One run."""

    targets: tuple[SourceTarget, ...]
    verify: bool = False
    """Compare checksums even where size, time and inode are equal."""
    force: bool = False
    """Process every file again."""
    prune: bool = False
    """Remove documents even where much is gone."""
    is_everything: bool = False
    """Whether the targets are all configured sources whole."""
    is_given: bool = False
    """Whether the targets are single files that a caller gave."""
    keep_items: bool = True
    """List every file in the report that was looked into."""
    embed: bool = True
    """Make the vectors of what was read, too."""
    is_watched: bool = True
    """Whether anybody wants events of files that were not looked into."""


@dataclass
class CancelToken:
    """Asks a run to stop after the file in hand."""

    _event: threading.Event = field(default_factory=threading.Event)

    def cancel(self) -> None:
        """Ask; may be called from a signal handler, and more than once."""
        self._event.set()

    def wait(self, timeout_s: float) -> bool:
        """Return whether anybody asked, after waiting for it at most so long."""
        return self._event.wait(timeout_s)

    @property
    def is_cancelled(self) -> bool:
        """Whether anyone asked."""
        return self._event.is_set()
