"""The request for an ingest run: its sources and options, and the token that cancels it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import SourceSettings, WorkspacePath


@dataclass(frozen=True, kw_only=True)
class SourceTarget:
    """One source, whole or in part."""

    source: SourceSettings
    root: Path
    """Absolute."""
    under: WorkspacePath | None = None
    """File or folder inside the source; None is all of it."""
    among: tuple[WorkspacePath, ...] = ()
    """Files and folders inside the source, in place of `under`; documents of those that do not exist are gone."""

    @property
    def places(self) -> tuple[WorkspacePath | None, ...]:
        """The parts of the source; a single None is all of it."""
        return self.among or (self.under,)

    @property
    def path(self) -> Path:
        """Place on disk, by the spelling of `under`."""
        return self.root / self.under if self.under else self.root

    @property
    def exists(self) -> bool:
        """Whether something lies at `path`, a broken link included."""
        return os.path.lexists(self.path)

    @property
    def has_root(self) -> bool:
        """Whether the source's folder is there; False where looking is forbidden."""
        return os.path.isdir(self.root)  # noqa: PTH112 - does not raise where looking is forbidden


@dataclass(frozen=True, kw_only=True)
class IngestRequest:
    """Sources and options of one run."""

    targets: tuple[SourceTarget, ...]
    verify: bool = False
    """Compare checksums even where size, time and inode are equal."""
    force: bool = False
    """Process every file again."""
    prune: bool = False
    """Remove documents even where much is gone."""
    is_everything: bool = False
    """Whether the targets are all configured sources whole."""
    is_single_files: bool = False
    """Whether the targets are single files that the caller named; vectors are then made for these alone."""
    keep_items: bool = True
    """List in the report every file that was looked into."""
    is_watched: bool = True
    """Whether events of files that were not looked into are wanted."""
    reads_all_pictures: bool = False
    """Recognise text in pictures that the settings leave unread, too."""
    reads_pictures_again: bool = False
    """Try again to recognise text in pictures where it failed."""
    embed_for_s: float | None = None
    """Seconds after which the embedding pass begins no further batch; None is no limit."""

    @property
    def is_partial(self) -> bool:
        """Whether every target names its files; the run then does no work that grows with the sources."""
        return all(target.among for target in self.targets)
