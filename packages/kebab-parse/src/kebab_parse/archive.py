"""Archives that documents are: ZIP files of Office, EPUB and HWPX, read in memory within bounds."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress

from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    Remedy,
    UnsupportedMediaError,
)

from kebab_parse.decoding import decode_text

MAX_MEMBERS = 50_000
MAX_UNPACKED_BYTES = 512 * 1024 * 1024
"""Bytes of all members that are read, together."""
_ENCRYPTED, _UTF8_NAME = 0x1, 0x800
_PIECE_BYTES = 512
"""Packed bytes of a damaged member that are unpacked at once: those before damage are kept."""
_HEAD_BYTES = 30
"""Of the header before a member, whose last four bytes are the lengths of what stands between."""
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError)
"""What taking a damaged member raises."""


class ArchiveMembers(Mapping[str, bytes]):
    """The members of a ZIP file by name, unpacked when they are taken; nothing is written to disk.

    Taking a member raises `DocumentDamagedError` where it cannot be unpacked, and `DocumentTooLargeError` where all that
    was taken is more than `MAX_UNPACKED_BYTES`, whatever sizes the archive claims.
    """

    def __init__(self, archive: zipfile.ZipFile, content: bytes) -> None:
        self._archive = archive
        self._content = memoryview(content)
        infos = archive.infolist()
        self._infos = {_read_name(info): info for info in infos if not info.filename.endswith("/")}
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
        except _DAMAGE as error:
            raise DocumentDamagedError("{member} in it cannot be unpacked", member=name) from error
        self._left -= len(content)
        return content

    def salvage(self, name: str) -> tuple[bytes, bool]:
        """Take a member as far as it can be unpacked.

        Returns:
            Its bytes, and whether it is whole: all of it is there, with the checksum that the archive names.

        Raises:
            KeyError: There is no such member.
            DocumentDamagedError: Nothing of it can be unpacked.
            DocumentEncryptedError: It is encrypted. Likewise `DocumentTooLargeError`, as of taking it.
        """
        try:
            return self[name], True
        except DocumentDamagedError:
            if content := self._unpack_pieces(name):
                return content, False
            raise

    def _unpack_pieces(self, name: str) -> bytes:
        """Unpack a member up to the first byte that cannot be unpacked, without a look at its checksum."""
        info = self._infos[name]
        head = self._content[info.header_offset :][:_HEAD_BYTES]
        if len(head) < _HEAD_BYTES:
            return b""
        start = info.header_offset + _HEAD_BYTES + sum(struct.unpack("<HH", head[-4:]))
        packed, limit = self._content[start : start + info.compress_size], min(info.file_size, self._left)
        pieces, size = list[bytes](), 0
        if info.compress_type == zipfile.ZIP_STORED:
            pieces.append(bytes(packed[:limit]))
        elif info.compress_type == zipfile.ZIP_DEFLATED:
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
            with suppress(zlib.error):
                for at in range(0, len(packed), _PIECE_BYTES):
                    pieces.append(unpacker.decompress(packed[at : at + _PIECE_BYTES], max(limit - size, 1)))
                    size += len(pieces[-1])
                    if size >= limit:
                        break
        content = b"".join(pieces)[:limit]
        self._left -= len(content)
        return content

    def __iter__(self) -> Iterator[str]:
        return iter(self._infos)

    def __len__(self) -> int:
        return len(self._infos)

    def __contains__(self, name: object) -> bool:
        return name in self._infos


def _read_name(info: zipfile.ZipInfo) -> str:
    """Return the name of a member; one that does not say to be UTF-8 is in the encoding of the program that wrote it."""
    if info.filename.isascii() or info.flag_bits & _UTF8_NAME:
        return info.filename
    try:
        return decode_text(info.filename.encode("cp437")).text
    except UnsupportedMediaError:
        return info.filename


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
    return ArchiveMembers(archive, content)
