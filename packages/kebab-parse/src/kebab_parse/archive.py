"""Archives that documents are: ZIP files of Office, EPUB and HWPX, read in memory within bounds."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping

from kebab_core import DocumentDamagedError, DocumentEncryptedError, DocumentTooLargeError, Remedy

MAX_MEMBERS = 50_000
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
"""Bytes of all members that are read, together."""
_ENCRYPTED = 0x1


class ArchiveMembers(Mapping[str, bytes]):
    """The members of a ZIP file by name, unpacked when they are taken; nothing is written to disk.

    Taking a member raises `DocumentDamagedError` where it cannot be unpacked, and `DocumentTooLargeError` where all that
    was taken is more than `MAX_UNPACKED_BYTES`, whatever sizes the archive claims.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        infos = archive.infolist()
        self._infos = {info.filename: info for info in infos if not info.filename.endswith("/")}
        self._left = MAX_UNPACKED_BYTES

    def __getitem__(self, name: str) -> bytes:
        info = self._infos[name]
        if info.flag_bits & _ENCRYPTED:
            raise DocumentEncryptedError(
                "{member} needs a password", remedy=Remedy(kind="save_unprotected"), member=name
            )
        if info.file_size > self._left:
            raise _too_large()
        try:
            with self._archive.open(info) as member:
                # Without a size, an archive that lies about it would fill the memory.
                content = member.read(max(info.file_size, 1))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError) as error:
            raise DocumentDamagedError("{member} in it cannot be unpacked", member=name) from error
        self._left -= len(content)
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __contains__(self, name: object) -> bool:
        return name in self._infos


def _too_large() -> DocumentTooLargeError:
    return DocumentTooLargeError("it unpacks to more than {megabytes} MB", megabytes=MAX_UNPACKED_BYTES >> 20)


def open_archive(content: bytes) -> ArchiveMembers:
    """Open a ZIP file.

    Raises:
        DocumentDamagedError: It is none, or not all there.
        DocumentTooLargeError: It has more than `MAX_MEMBERS` members.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise DocumentDamagedError("it is no ZIP archive, or a damaged one") from error
    if len(archive.infolist()) > MAX_MEMBERS:
        raise DocumentTooLargeError("it has more than {members:,} members", members=MAX_MEMBERS)
    return ArchiveMembers(archive)
