"""Files of sources: their paths, stamps, scan entries, and stored records."""

from __future__ import annotations

import errno
import re
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NewType, Self

from pydantic import StringConstraints

from kebab_core.errors import InvalidInputError, StorageError
from kebab_core.remedies import Remedy

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from kebab_core.ids import DocumentId
    from kebab_core.media import MediaType

SourceId = NewType("SourceId", str)
"""Name of a configured source: letters and digits of any script, `.`, `_` and `-`; by default `default`."""
SourceName = Annotated[SourceId, StringConstraints(pattern=r"^[\w.-]+$")]
"""The same, validated."""

_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}
_NO_EXTENSION = re.compile(r"\d+|\d.*[^A-Za-z\d].*|.*(?:\s|[^\x00-\x7f]).*", re.DOTALL)
"""End of a name, behind its last dot, that is no extension: of `python3.11-README`, `1.소개`, `memo 2026.05.03`."""
_UNSPELLABLE = re.compile("[\x00\ud800-\udfff]")


class WorkspacePath(str):
    """A path inside a source: relative, POSIX separators, NFC, no `./`, no doubled slashes.

    The spelling on disk may differ (NFD names); this is the identity, `SourceEntry.disk_path` opens the file.
    """

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        """Return the normalised path.

        Raises:
            InvalidInputError: The path is empty, absolute, leaves the source by `..`, or holds what no text can
                spell: a NUL, or a byte of a file name that was not UTF-8 (a lone surrogate).
        """
        if _UNSPELLABLE.search(value):
            raise InvalidInputError("{value!r} is not a path that can be written as text", _value=value)
        parts = [part for part in unicodedata.normalize("NFC", value).split("/") if part not in {"", "."}]
        if not parts or ".." in parts or value.startswith("/"):
            raise InvalidInputError("{path!r} is not a path inside a source", path=value)
        return super().__new__(cls, "/".join(parts))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that validates and normalises a plain string."""
        from pydantic_core import core_schema

        def normalise(value: str) -> WorkspacePath:
            try:
                return cls(value)
            except InvalidInputError as error:
                raise ValueError(error.message) from error

        text = core_schema.no_info_after_validator_function(normalise, core_schema.str_schema(min_length=1))

        # A run over unchanged files meets each of its paths six times.
        def accept(value: object, validate: Callable[[object], WorkspacePath]) -> WorkspacePath:
            return value if isinstance(value, cls) else validate(value)

        return core_schema.no_info_wrap_validator_function(accept, text)

    @property
    def name(self) -> str:
        """The last component."""
        return self.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The last component without its extension, as `split_extension` tells it."""
        return split_extension(self.name)[0]


def split_extension(name: str) -> tuple[str, str]:
    """Return the stem of a name, before its last dot, and its extension, behind it.

    The extension is empty where there is none: no dot, only the first character, or, behind the last dot, a number, blanks or
    letters that are not of ASCII.
    """
    head, _, extension = name.rpartition(".")
    return (head, extension) if head and not _NO_EXTENSION.fullmatch(extension) else (name, "")


def spelling_of(disk_path: str, workspace_path: WorkspacePath) -> str:
    """Return the path on disk where it differs in spelling from the path in the source, else an empty text.

    A renaming from one normal form of Unicode to the other changes neither the path in the source nor the stamp.
    """
    return "" if disk_path.endswith(workspace_path) else disk_path


def is_utf8(name: str) -> bool:
    """Return True if a name from the file system is UTF-8."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


class FileStamp(NamedTuple):
    """Metadata of a file from the file system. Equal stamps mean: very likely unchanged.

    A plain tuple for speed: a run over unchanged files makes two for each and little else.
    """

    byte_len: int
    mtime_ns: int
    inode: int
    ctime_ns: int
    """Last change of content or attributes, which no program can set back."""


FileState = NewType("FileState", str)
"""Stamp and fingerprint of a file in one text, as `file_state` writes it; a file with an equal state is not read."""


def file_state(stamp: FileStamp, fingerprint: str, spelling: str = "") -> FileState:
    """Return the state of a file as one text: a run compares it with the stored one to find changed files.

    Args:
        stamp: Metadata from the file system.
        fingerprint: Hash of every setting and version that affects what is stored of the file.
        spelling: As `spelling_of` returns it.
    """
    byte_len, mtime_ns, inode, ctime_ns = stamp
    state = f"{byte_len} {mtime_ns} {inode} {ctime_ns} {fingerprint}"
    return FileState(f"{state} {spelling}" if spelling else state)


class ByteProgress(NamedTuple):
    """Progress of a download, a backup or its import."""

    file: str
    """File in work, by its own name."""
    done_bytes: int
    """Of all files together, or of the part in hand where `total_bytes` is of that."""
    total_bytes: int | None
    """None while it is not known."""


ByteSink = Callable[[ByteProgress], None]
"""Gets the progress, in order."""


class SourceEntry(NamedTuple):
    """A file found by a scan: its name and stat, unread."""

    source_id: SourceId
    workspace_path: WorkspacePath
    disk_path: str
    """Absolute path as spelled on disk, for opening."""
    stamp: FileStamp
    media_type: MediaType
    """By name only; reading may correct it."""


class TrackedFile(NamedTuple):
    """Stored record of one ingested file, enough to detect a change."""

    doc_id: DocumentId
    source_id: SourceId
    workspace_path: WorkspacePath
    disk_path: str
    """Path at the last look, as spelled on disk."""
    checksum: str
    stamp: FileStamp
    fingerprint: str
    failed: bool = False
    """The last attempt to read a newer version failed; try again."""


@contextmanager
def writing_mapped(folder: object) -> Iterator[None]:
    """Map errors of writing into a folder.

    Args:
        folder: Its path; named in the error.

    Yields:
        Nothing.

    Raises:
        StorageError: Something could not be written.
    """
    try:
        yield
    except OSError as error:
        path = str(folder)
        space, permissions = Remedy(kind="free_space"), Remedy(kind="check_permissions", path=path)
        first, second = (permissions, space) if error.errno in _NOT_ALLOWED else (space, permissions)
        raise StorageError(
            "cannot write into {path!r}: {reason}",
            remedy=first.model_copy(update={"otherwise": second}),
            path=path,
            _reason=error.strerror or str(error),
        ) from error
