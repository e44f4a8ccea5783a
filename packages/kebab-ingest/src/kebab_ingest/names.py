"""Names for ids: those of the users of an exported chat, for instance, which stand in another file of the source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kebab_core import SourceEntry, StorageError, WorkspacePath, hash_canonical

if TYPE_CHECKING:
    from kebab_core import AttachedFile, Clock, SourceConnector, SourceScope


@dataclass(frozen=True)
class NameFiles:
    """Rules for files with names for ids: where one is, and how it is read."""

    find: Callable[[WorkspacePath], WorkspacePath | None]
    """Finds the path of the file with the names for a path; None where it needs none."""
    read: Callable[[bytes], Mapping[str, str]]
    """Reads the names, by ids; none where the file is another one."""

    def read_held(self, name: str, files: Sequence[AttachedFile]) -> Mapping[str, str]:
        """Return the names for ids in one of the files of an archive, which another one of them has."""
        place = self.find(WorkspacePath(name))
        return next((self.read(file.content) for file in files if file.name == place), {})


@dataclass(frozen=True)
class NameReader:
    """Reads the names for ids in files of one source, of each file with names once."""

    files: NameFiles
    connector: SourceConnector
    scope: SourceScope
    """The whole source."""
    clock: Clock
    _read: dict[WorkspacePath, Mapping[str, str]] = field(default_factory=dict)

    def read(self, path: WorkspacePath) -> Mapping[str, str]:
        """Return the names for a file; none where it needs none, or no file of the source has them."""
        place = self.files.find(path)
        if place is None:
            return {}
        if place not in self._read:
            self._read[place] = self._read_file(place)
        return self._read[place]

    def _read_file(self, place: WorkspacePath) -> Mapping[str, str]:
        try:
            found = next(iter(self.connector.scan(self.scope.model_copy(update={"under": place}))), None)
            if not isinstance(found, SourceEntry):
                return {}
            return self.files.read(self.connector.read(found, discovered_at=self.clock.now()).content)
        except StorageError:
            return {}


def add_names(fingerprint: str, names: Mapping[str, str]) -> str:
    """Return the fingerprint of a document that also depends on names for ids in it."""
    return hash_canonical({"document": fingerprint, "names": dict(names)})[:32]
