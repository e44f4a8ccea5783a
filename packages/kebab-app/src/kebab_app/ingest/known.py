"""What is known of the files of a source before it is scanned: which of them need no look."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kebab_core import (
    DocumentStore,
    FileState,
    MediaType,
    SkipReason,
    SourceEntry,
    SourceId,
    SourceSettings,
    file_state,
    spelling_of,
)

from kebab_app.ingest.file import FileIngest
from kebab_app.ingest.fingerprint import Fingerprints


@dataclass(kw_only=True)
class KnownFiles:
    """The files of one source as the store has them; asked once for every file that a scan finds."""

    source: SourceSettings
    files: FileIngest
    states: Mapping[str, FileState] = field(default_factory=dict)
    """Of every file that has a document, by path; empty where it must be read again in any case."""
    skips: Mapping[str, tuple[FileState, SkipReason]] = field(default_factory=dict)
    """State and reason of files that their content keeps out, by path."""
    is_trusted: bool = True
    """Whether an equal state is taken for an equal file."""
    _last: tuple[MediaType | None, SourceSettings | None, Fingerprints | None] = (None, None, None)
    """Neighbours are mostly of one medium, and comparing it would take longer than all the rest."""

    def fingerprints(self, entry: SourceEntry) -> Fingerprints | None:
        """Return what a file is compared by; None if nothing can read it."""
        media, source = entry.media_type, self.files.limit_trust(self.source, entry.workspace_path)
        if media is not self._last[0] or source is not self._last[1]:
            self._last = (media, source, self.files.fingerprints(media, source))
        return self._last[2]

    def is_unchanged(self, entry: SourceEntry, fingerprints: Fingerprints) -> bool:
        """Return whether a file is the one that is stored, and would be stored in the same way today."""
        known = self.states.get(entry.workspace_path)
        spelling = spelling_of(entry.disk_path, entry.workspace_path)
        return self.is_trusted and known == file_state(entry.stamp, fingerprints.document, spelling)

    def skip_reason(self, entry: SourceEntry, fingerprints: Fingerprints) -> SkipReason | None:
        """Return why a file is left out whose content was judged before by the rules of today, or None."""
        if not self.is_trusted or entry.workspace_path not in self.skips:
            return None
        state, reason = self.skips[entry.workspace_path]
        return reason if state == file_state(entry.stamp, fingerprints.skip) else None


@dataclass(frozen=True, kw_only=True)
class KnownFilesReader:
    """Reads what is known of sources; of each once, however many parts of it a run looks at."""

    documents: DocumentStore
    files: FileIngest
    known_roots: Mapping[SourceId, str]
    """Folder of each source when it was last scanned to its end."""
    lost_contents: Collection[str]
    """Checksums of assets whose kept copy is gone or damaged."""
    _known: dict[SourceId, KnownFiles] = field(default_factory=dict)

    def read(self, source: SourceSettings, *, root: str) -> KnownFiles:
        """Return what is known of a source.

        Where its folder has moved since, every file is looked into: what is stored of places must be renewed.
        """
        source_id = SourceId(source.id)
        if source_id not in self._known:
            skips = self.documents.remembered_skips(source_id)
            self._known[source_id] = KnownFiles(
                source=source,
                files=self.files,
                states=self._states(source_id),
                skips={s.workspace_path: (file_state(s.stamp, s.fingerprint), s.reason) for s in skips},
                is_trusted=self.files.trusts_stamps and self.known_roots.get(source_id) in {None, root},
            )
        return self._known[source_id]

    def _states(self, source_id: SourceId) -> Mapping[str, FileState]:
        states = self.documents.file_states(source_id)
        if not self.lost_contents:
            return states
        lost = [f for f in self.documents.tracked_files(source_id) if f.checksum in self.lost_contents]
        return {**states, **{str(file.workspace_path): FileState("") for file in lost}}
