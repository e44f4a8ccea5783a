"""The archive of a backup: a ZIP file with a manifest of the size and SHA-256 of every file in it.

| file | content |
|---|---|
| `manifest.json` | `BackupManifest`, written last |
| `config.toml` | the configuration, where there is a file |
| `kebab.sqlite` | the database |
| `assets/<2 digits>/<id>` | copies of originals, as in the data folder |
| `external/source-<id>/<path>` | external documents of a source |
| `runs/<run>/<file>` | reports of evaluations |

An archive is data of somebody else until it is checked: names are compared with this table, sizes and hashes with
the manifest, and nothing is written outside of the folder that the caller names.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Literal, NoReturn, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, LargeZipFile, ZipFile, ZipInfo

from kebab_core import (
    ByteProgress,
    ByteSink,
    Count,
    InvalidInputError,
    Message,
    Model,
    Position,
    Remedy,
    SchemaTooNewError,
    SchemaTooOldError,
    StorageError,
    UtcDatetime,
)

from kebab_store_sqlite.database_file import open_private_file
from kebab_store_sqlite.schema import OLDEST_SCHEMA, SCHEMA_VERSION

FORMAT_VERSION = 1
"""Rises with every change that an older kebab would read wrongly."""
CONFIG_NAME = "config.toml"
_MANIFEST_NAME = "manifest.json"
_MAX_CONFIG_BYTES = 1024 * 1024
"""It is read whole, before anything else is checked."""
_MANIFEST_BYTES = 4096
_MANIFEST_BYTES_PER_FILE = 512
_JSON_BYTES_PER_CHARACTER = 6
"""Maximum sizes of the parts of a manifest: an archive of few files has a short one, however well it is compressed."""
RUN_FILE = re.compile(
    r"\d{8}T\d{6}Z-[^/\ud800-\udfff]{1,255}-[0-9a-f]{4}/(?:per_(?:query|search|answer)\.jsonl|report\.md)"
)
"""Path of a file of a stored evaluation below the folder `runs`: text in UTF-8. Other files there are the user's own."""
_NAMES = re.compile(
    rf"config\.toml|kebab\.sqlite|assets/([0-9a-f]{{2}})/\1[0-9a-f]{{30}}|external/source-[^/]+/.+|runs/{RUN_FILE.pattern}",
    re.DOTALL,
)
_NOT_NAMES = {"", ".", ".."}
_BLOCK_BYTES = 1024 * 1024
_PRIVATE = 0o600
_EPOCH = (1980, 1, 1, 0, 0, 0)
_COMPRESSION_LEVEL = 1
"""A database of 82.6 MB took 2.1 s and became 26.1 MB; at level 6, zlib's default, 5.4 s and 23.2 MB (2026-11-23)."""
_MAX_GROWTH = 100
"""Bytes of the files for each byte of the archive; databases have 3 to 4 (2026-11-23), DEFLATE allows 1,032."""
_SMALL_BYTES = 1 << 30
"""Files of so many bytes may have any rate."""
_DAMAGE = (
    BadZipFile, LargeZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError,
    OverflowError,
)  # fmt: skip
"""Exceptions of zipfile and of the decoding of the manifest that mean a damaged archive."""


class ProgressMeter:
    """Sums up bytes for a sink of progress."""

    def __init__(self, sink: ByteSink, *, total_bytes: int) -> None:
        self._sink = sink
        self._total = total_bytes
        self._done = 0

    def add(self, file: str, count: int) -> None:
        """Add a block of a file."""
        self._done += count
        self._sink(ByteProgress(file, self._done, self._total))


class ArchivedFile(Model):
    """A file of an archive."""

    name: str
    """POSIX path inside the archive."""
    size_bytes: Count
    sha256: str


class BackupManifest(Model):
    """The manifest of an archive."""

    format: Literal["kebab-backup"] = "kebab-backup"
    format_version: Position = FORMAT_VERSION
    kebab_version: str
    """Version that wrote it."""
    database_schema_version: Position
    created_at: UtcDatetime
    files: tuple[ArchivedFile, ...]
    """All files but the manifest, in the order in which they were written."""

    @property
    def has_configuration(self) -> bool:
        """True if the configuration is among the files."""
        return any(file.name == CONFIG_NAME for file in self.files)

    @property
    def copies(self) -> int:
        """Number of copies of originals."""
        return self._count("assets/")

    @property
    def external_documents(self) -> int:
        """Number of external documents."""
        return self._count("external/")

    @property
    def evaluation_files(self) -> int:
        """Number of files of stored evaluations."""
        return self._count("runs/")

    def _count(self, folder: str) -> int:
        return sum(file.name.startswith(folder) for file in self.files)


class ArchiveWriter:
    """Writes an archive, which is complete once `finish` has returned; a context manager.

    Args:
        path: The file to write; replaced, readable by its owner only.
    """

    def __init__(self, path: Path) -> None:
        self._stream = open_private_file(path)
        self._zip = ZipFile(self._stream, "w", ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL)
        self._files: list[ArchivedFile] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError, ValueError):  # what is not finished is thrown away
            self._zip.close()
        with suppress(OSError):
            self._stream.close()

    def add(self, name: str, source: BinaryIO, meter: ProgressMeter) -> None:
        """Add a file.

        Args:
            name: POSIX path inside the archive, not used before.
            source: Read from where it stands to its end.
            meter: Gets the size of each block that was written.

        Raises:
            OSError: It cannot be read, or the archive not be written.
        """
        digest, size = sha256(), 0
        with self._zip.open(_entry(name), "w", force_zip64=True) as entry:
            while block := source.read(_BLOCK_BYTES):
                entry.write(block)
                digest.update(block)
                size += len(block)
                meter.add(name, len(block))
        self._files.append(ArchivedFile(name=name, size_bytes=size, sha256=digest.hexdigest()))

    def finish(
        self, *, kebab_version: str, database_schema_version: int, created_at: UtcDatetime
    ) -> BackupManifest:
        """Write the manifest and close the file, flushed to the disk.

        Raises:
            OSError: The archive cannot be written.
        """
        manifest = BackupManifest(
            kebab_version=kebab_version,
            database_schema_version=database_schema_version,
            created_at=created_at,
            files=tuple(self._files),
        )
        self._zip.writestr(_entry(_MANIFEST_NAME), manifest.model_dump_json(indent=1) + "\n")
        self._zip.close()
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self._stream.close()
        return manifest


def _entry(name: str) -> ZipInfo:
    entry = ZipInfo(name, _EPOCH)
    entry.compress_type = ZIP_DEFLATED
    entry.external_attr = (stat.S_IFREG | _PRIVATE) << 16
    return entry


class BackupArchive:
    """An open archive whose list of files has been checked; made by `open_archive`."""

    def __init__(self, opened: ZipFile, manifest: BackupManifest, path: Path) -> None:
        self._zip = opened
        self._path = path
        self.manifest = manifest
        self._files = {file.name: file for file in manifest.files}

    @property
    def total_bytes(self) -> int:
        """Size of all files, unpacked."""
        return sum(file.size_bytes for file in self.manifest.files)

    def __contains__(self, name: str) -> bool:
        """True if the archive has a file of this name."""
        return name in self._files

    def read_blocks(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file in blocks; it is right only if none of them raised an error.

        Raises:
            InvalidInputError: It has not the size and the hash of the manifest.
        """
        file = self._files[name]
        digest, size = sha256(), 0
        with _reading_mapped(self._path), self._zip.open(name) as source:
            while block := source.read(_BLOCK_BYTES):
                size += len(block)
                if size > file.size_bytes:
                    break
                digest.update(block)
                yield block
        if size != file.size_bytes or digest.hexdigest() != file.sha256:
            _refuse_damaged(self._path, name)

    def extract(self, name: str, target: Path, meter: ProgressMeter) -> None:
        """Write a file that only its owner may read; its folder is made.

        Raises:
            InvalidInputError: It has not the size and the hash of the manifest.
            StorageError: The archive cannot be read.
            OSError: The file cannot be written.
        """
        with open_private_file(target) as copy:
            for block in self.read_blocks(name):
                copy.write(block)
                meter.add(name, len(block))


@contextmanager
def open_archive(path: Path) -> Iterator[BackupArchive]:
    """Open an archive and check its list of files; contents are checked as they are read.

    Args:
        path: The file.

    Yields:
        The archive.

    Raises:
        InvalidInputError: There is no such file, it is no backup of kebab, or it is damaged.
        SchemaTooOldError: The schema of its database is older than the initial migration.
        SchemaTooNewError: A newer kebab has written it.
        StorageError: It cannot be read.
    """
    if not path.is_file():
        raise InvalidInputError(
            "there is no file {path!r}",
            remedy=Remedy(advice=Message("check {path!r}", path=str(path))),
            path=str(path),
        )
    with _reading_mapped(path):
        opened = ZipFile(path)
    with opened:
        with _reading_mapped(path):
            manifest = _read_manifest(opened, path)
            _require_listed(opened, manifest, path)
            _require_plausible_size(manifest, path)
        if manifest.database_schema_version > SCHEMA_VERSION:
            _refuse_newer(path, manifest.kebab_version)
        if manifest.database_schema_version < OLDEST_SCHEMA:
            raise SchemaTooOldError(
                "the backup {path!r} was written by an older kebab ({kebab_version}), whose database this one cannot read; nothing "
                "was changed. It is a ZIP file: notes and copies of single files lie below external/ in it",
                remedy=Remedy(kind="give_backup"),
                path=str(path),
                kebab_version=manifest.kebab_version,
            )
        yield BackupArchive(opened, manifest, path)


def _read_manifest(opened: ZipFile, path: Path) -> BackupManifest:
    entry, names = opened.getinfo(_MANIFEST_NAME), opened.namelist()
    most = _MANIFEST_BYTES + _MANIFEST_BYTES_PER_FILE * len(names)
    most += _JSON_BYTES_PER_CHARACTER * sum(map(len, names))
    if entry.file_size > most:
        _refuse_damaged(path, f"{_MANIFEST_NAME} has {entry.file_size} bytes")
    with opened.open(entry) as source:
        content = source.read(most)
    values = json.loads(content)
    version = values["format_version"] if values["format"] == "kebab-backup" else 0
    if isinstance(version, int) and version > FORMAT_VERSION:
        _refuse_newer(path, str(values.get("kebab_version")))
    return BackupManifest.model_validate_json(content)


def _require_listed(opened: ZipFile, manifest: BackupManifest, path: Path) -> None:
    """Verify that the archive holds exactly the files of its manifest, each an ordinary file with a safe name.

    Raises:
        InvalidInputError: It does not.
    """
    entries = {entry.filename: entry for entry in opened.infolist()}
    entries.pop(_MANIFEST_NAME)
    sizes = {file.name: file.size_bytes for file in manifest.files}
    if len(entries) + 1 != len(opened.infolist()) or len(sizes) != len(manifest.files):
        _refuse_damaged(path, "duplicate names")
    if {name: entry.file_size for name, entry in entries.items()} != sizes or "kebab.sqlite" not in sizes:
        _refuse_damaged(path, "files other than those of its manifest")
    for name, entry in entries.items():
        kind = stat.S_IFMT(entry.external_attr >> 16)
        is_plain = kind in {0, stat.S_IFREG} and entry.compress_type in {ZIP_STORED, ZIP_DEFLATED}
        if name == CONFIG_NAME and entry.file_size > _MAX_CONFIG_BYTES:
            _refuse_damaged(path, f"{name} has {entry.file_size} bytes")
        if not (is_plain and _NAMES.fullmatch(name)) or _NOT_NAMES.intersection(name.split("/")):
            _refuse_damaged(path, name)


def _require_plausible_size(manifest: BackupManifest, path: Path) -> None:
    """Verify that the files are not far larger than what an archive of its size holds.

    Raises:
        InvalidInputError: They are.
    """
    size, unpacked = path.stat().st_size, sum(file.size_bytes for file in manifest.files)
    if unpacked > _MAX_GROWTH * size + _SMALL_BYTES:
        raise InvalidInputError(
            "{path!r} has {size} bytes and would unpack to {unpacked}, more than a backup does",
            remedy=Remedy(kind="give_backup"),
            path=str(path),
            _size=size,
            _unpacked=unpacked,
        )


@contextmanager
def _reading_mapped(path: Path) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        _refuse_damaged(path, str(error) or type(error).__name__)
    except OSError as error:
        if error.errno == errno.EINVAL:  # a place before the beginning of the file
            _refuse_damaged(path, str(error))
        raise StorageError(
            "cannot read {path!r}: {reason}",
            remedy=Remedy(kind="check_permissions", path=str(path)),
            path=str(path),
            _reason=error.strerror or str(error),
        ) from error


def _refuse_damaged(path: Path, found: str) -> NoReturn:
    raise InvalidInputError(
        "{path!r} is not a backup of kebab, or damaged ({found}); nothing was changed",
        remedy=Remedy(kind="give_backup"),
        path=str(path),
        _found=found,
    )


def _refuse_newer(path: Path, kebab_version: str) -> NoReturn:
    raise SchemaTooNewError(
        "the backup {path!r} was written by a newer kebab ({kebab_version})",
        remedy=Remedy(advice=Message("use a newer kebab")),
        path=str(path),
        kebab_version=kebab_version,
    )
