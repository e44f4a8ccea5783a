"""The state of a source before a run, as the store has it. A scan compares files with it to find the unchanged ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    ExternalSettings,
    FileState,
    MediaType,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceId,
    SourceSettings,
    TrackedFile,
    TrustLevel,
    WorkspacePath,
    file_state,
    media_type_of,
    spelling_of,
)

from kebab_ingest.disk_files import folders_of, held_files
from kebab_ingest.external_documents import limit_trust
from kebab_ingest.names import NameReader, add_names
from kebab_ingest.preparation import ContentFilter, FileTask

if TYPE_CHECKING:
    from kebab_core import SourceFileStore

    from kebab_ingest.document_processor import DocumentProcessor


class Fingerprints(NamedTuple):
    """Everything that decides what becomes of files of one medium and source, besides their bytes."""

    document: str
    skip: str
    """Of being left out for their content."""


@dataclass(frozen=True, kw_only=True)
class Fingerprinter:
    """Makes the fingerprints of media and sources, each pair once: hashing is not free."""

    processor: DocumentProcessor
    content: ContentFilter
    external: ExternalSettings
    """Limits of the trust of external documents."""
    _made: dict[tuple[str, TrustLevel | None, MediaType], Fingerprints | None] = field(default_factory=dict)
    """By source, trust and medium."""

    def fingerprints(self, media: MediaType, source: SourceSettings) -> Fingerprints | None:
        """Fingerprints of a medium in a source, with the settings of one of its paths; None if nothing can read it."""
        key = (source.id, source.trust_level, media)
        if key not in self._made:
            self._made[key] = self._make(media, source)
        return self._made[key]

    def _make(self, media: MediaType, source: SourceSettings) -> Fingerprints | None:
        if not self.processor.supports(media):
            return None
        document = self.processor.fingerprint(media, source)
        return Fingerprints(document, self.content.fingerprint(document))


@dataclass(kw_only=True)
class PreviousState:
    """Files of one source as the store has them; asked once for every file that a scan finds."""

    source: SourceSettings
    fingerprinter: Fingerprinter
    names: NameReader | None = None
    """None where no file needs another one."""
    states: Mapping[str, FileState] = field(default_factory=dict)
    """Of every file that has a document, by path; empty where it must be read again in any case."""
    source_files: SourceFileStore | None = None
    """Has the documents of the source where `states` holds some of them only."""
    skips: Mapping[str, tuple[FileState, SkipReason]] = field(default_factory=dict)
    """State and reason of files that were left out for their content, by path."""
    trusts_states: bool = True
    """Whether a file of equal state is taken as unchanged."""
    trusts_checksums: bool = True
    """Whether a file of equal checksum and fingerprint is taken as unchanged."""
    lost_contents: Collection[str] = frozenset()
    """Checksums of assets whose kept copy is gone or damaged."""
    failed: Collection[str] = ()
    """Paths of files that could not be processed."""
    _last: tuple[MediaType | None, SourceSettings | None, Fingerprints | None] = (None, None, None)
    """Neighbours are mostly of one medium, and comparing it would take longer than all the rest."""

    def count_documents(self) -> int:
        """Count the documents of the source."""
        if self.source_files is None:
            return len(self.states)
        return len(self.source_files.file_states(SourceId(self.source.id)))

    def fingerprints(self, entry: SourceEntry) -> Fingerprints | None:
        """Fingerprints that a file is compared by; None if nothing can read it."""
        media, source = entry.media_type, self._settings_of(entry)
        if media is not self._last[0] or source is not self._last[1]:
            self._last = (media, source, self.fingerprinter.fingerprints(media, source))
        found = self._last[2]
        if found is not None and (names := self._find_names(entry)):
            return found._replace(document=add_names(found.document, names))
        return found

    def _find_names(self, entry: SourceEntry) -> Mapping[str, str]:
        return {} if self.names is None else self.names.read(entry.workspace_path)

    def is_unchanged(self, entry: SourceEntry, fingerprints: Fingerprints) -> bool:
        """Whether a file is the stored one and would be stored in the same way today."""
        known = self.states.get(entry.workspace_path)
        spelling = spelling_of(entry.disk_path, entry.workspace_path)
        return self.trusts_states and known == file_state(entry.stamp, fingerprints.document, spelling)

    @cached_property
    def _attached(self) -> Mapping[str, list[WorkspacePath]]:
        """Files that others hold, by the path of the other: those beneath the path of a file, of which nothing is a folder."""
        return held_files(self.states, list(dict.fromkeys((*self.states, *self.failed))))

    def find_attached(self, path: WorkspacePath) -> Sequence[WorkspacePath]:
        """Return the files that a file held when it was last read, by path; those that failed are among them."""
        held = self._attached.get(path)
        return sorted(held) if held else ()

    @cached_property
    def _attached_skips(self) -> Mapping[str, list[SkippedPath]]:
        found = defaultdict[str, list[SkippedPath]](list)
        for path, (_, reason) in self.skips.items():
            for holder in folders_of(path):
                found[holder].append(SkippedPath(workspace_path=WorkspacePath(path), reason=reason))
        return found

    def find_skipped(self, path: WorkspacePath) -> Sequence[SkippedPath]:
        """Return the files that a file held when it was last read and that were left out for their content."""
        return self._attached_skips.get(path, ())

    def is_attached_unchanged(self, outer: SourceEntry, path: WorkspacePath) -> bool:
        """Whether a file that another one holds would be stored in the same way today, where the other is unchanged."""
        return path in self.states and self.states[path] == self._attached_state(outer, path)

    def _attached_state(self, outer: SourceEntry, path: WorkspacePath) -> FileState | None:
        media = media_type_of(path.name)
        fingerprints = self.fingerprinter.fingerprints(media, self._settings_of(outer))
        inside = path.removeprefix(outer.workspace_path)
        spelling = spelling_of(f"{outer.disk_path}{inside}", path)
        return None if fingerprints is None else file_state(outer.stamp, fingerprints.document, spelling)

    def skip_reason(self, entry: SourceEntry, fingerprints: Fingerprints) -> SkipReason | None:
        """Reason why an unchanged file was left out by the rules that hold today; None for any other file."""
        if not self.trusts_states or entry.workspace_path not in self.skips:
            return None
        state, reason = self.skips[entry.workspace_path]
        return reason if state == file_state(entry.stamp, fingerprints.skip) else None

    def make_task(self, entry: SourceEntry, tracked: TrackedFile | None, *, at: datetime) -> FileTask:
        """Make the task to prepare a file that is not known to be unchanged.

        Args:
            entry: The file.
            tracked: What the store holds of its path.
            at: Stamp of the processing.
        """
        source = self._settings_of(entry)
        fingerprints = self.fingerprints(entry)
        is_current = (
            tracked is not None
            and fingerprints is not None
            and self.trusts_checksums
            and tracked.checksum not in self.lost_contents
            and tracked.fingerprint == fingerprints.document
            and not any(
                self._must_read(entry, path, tracked) for path in self.find_attached(entry.workspace_path)
            )
        )
        return FileTask(
            entry=entry,
            source=source,
            known_checksum=tracked.checksum if tracked is not None and is_current else None,
            at=at,
            is_risky=self.fingerprinter.processor.is_isolated(entry.media_type),
            names=self._find_names(entry),
        )

    def _must_read(self, outer: SourceEntry, path: WorkspacePath, tracked: TrackedFile) -> bool:
        """Whether a file that another one holds must be read again even where the content of the other is the same."""
        before = outer._replace(stamp=tracked.stamp, disk_path=tracked.disk_path)
        return not self.is_attached_unchanged(before, path)

    def _settings_of(self, entry: SourceEntry) -> SourceSettings:
        return limit_trust(self.source, entry.workspace_path, self.fingerprinter.external)


@dataclass(frozen=True, kw_only=True)
class PreviousStateReader:
    """Reads the previous state of sources; of each once, however many parts of it a run looks at."""

    source_files: SourceFileStore
    fingerprinter: Fingerprinter
    verify: bool
    """Compare checksums even where size, time and inode are equal."""
    force: bool
    """Process every file again."""
    known_roots: Mapping[SourceId, str]
    """Folder of each source when it was last scanned to its end."""
    lost_contents: Collection[str]
    """Checksums of assets whose kept copy is gone or damaged."""
    _read: dict[tuple[SourceId, tuple[WorkspacePath, ...]], PreviousState] = field(default_factory=dict)

    def read(
        self,
        source: SourceSettings,
        *,
        root: str,
        among: tuple[WorkspacePath, ...] = (),
        names: NameReader | None = None,
    ) -> PreviousState:
        """Read the previous state of a source, or where files and folders are named, of these.

        Where its folder has moved since, every file is looked into: the stored paths must be renewed.
        """
        source_id = SourceId(source.id)
        key = (source_id, among)
        if key not in self._read:
            skips = self.source_files.remembered_skips(source_id)
            has_moved = self.known_roots.get(source_id) not in {None, root}
            self._read[key] = PreviousState(
                source=source,
                fingerprinter=self.fingerprinter,
                names=names,
                states=self._states(source_id, among),
                source_files=self.source_files if among else None,
                skips={s.workspace_path: (file_state(s.stamp, s.fingerprint), s.reason) for s in skips},
                trusts_states=not (self.verify or self.force or has_moved),
                trusts_checksums=not self.force,
                lost_contents=self.lost_contents,
                failed=[
                    each.workspace_path
                    for each in self.source_files.list_failures()
                    if each.source_id == source_id
                ],
            )
        return self._read[key]

    def _states(self, source_id: SourceId, among: Sequence[WorkspacePath]) -> Mapping[str, FileState]:
        states = self.source_files.file_states(source_id, among=among)
        if not self.lost_contents:
            return states
        lost = [f for f in self.source_files.tracked_files(source_id) if f.checksum in self.lost_contents]
        return {**states, **{str(file.workspace_path): FileState("") for file in lost}}
