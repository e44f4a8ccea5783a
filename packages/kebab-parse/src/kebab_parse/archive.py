"""Archives that documents are: ZIP files of Office, EPUB and HWPX, read in memory within bounds."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    Message,
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
_SIZES_FOLLOW = 0x8
"""Flag of a member whose checksum and sizes stand behind it, not in the header before it."""
_HEAD = struct.Struct("<4s5H3L2H")
"""The header before a member, whose last two numbers are the lengths of what stands between."""
_HEAD_SIGN, _SIGNS = b"PK\3\4", re.compile(rb"PK(?:\x03\x04|\x01\x02|\x07\x08)")
_UNKNOWN_SIZE = 0xFFFFFFFF
_NO_LIST = Message("the end of the file is missing, and perhaps parts of the document")
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError, ValueError)
"""What taking a damaged member raises."""


class ArchiveMembers(Mapping[str, bytes]):
    """The members of a ZIP file by name, unpacked when they are taken; nothing is written to disk.

    Taking a member raises `DocumentDamagedError` where it cannot be unpacked, and `DocumentTooLargeError` where all that
    was taken is more than `MAX_UNPACKED_BYTES`, whatever sizes the archive claims.
    """

    def __init__(
        self, archive: zipfile.ZipFile | None, infos: Sequence[zipfile.ZipInfo], content: bytes
    ) -> None:
        self.warnings: tuple[Message, ...] = () if archive is not None else (_NO_LIST,)
        """Says if the list of members is lost, and with it perhaps some of them."""
        self._archive = archive
        self._content = memoryview(content)
        self._infos = {_read_name(info): info for info in infos if not info.filename.endswith("/")}
        self._left = MAX_UNPACKED_BYTES

    @property
    def byte_len(self) -> int:
        """Bytes of the ZIP file."""
        return len(self._content)

    def __getitem__(self, name: str) -> bytes:
        info = self._find(name)
        if self._archive is None:
            content, is_whole = self.salvage(name)
            if not is_whole:
                raise DocumentDamagedError("{member} in it cannot be unpacked", member=name)
            return content
        self._require_room(info.file_size)
        try:
            with self._archive.open(info) as member:
                # Without a size, an archive that lies about it would fill the memory.
                content = member.read(max(info.file_size, 1))
        except _DAMAGE as error:
            raise DocumentDamagedError("{member} in it cannot be unpacked", member=name) from error
        self._left -= len(content)
        return content

    def _require_room(self, size: int) -> None:
        """Verify that so many bytes more may be unpacked.

        Raises:
            DocumentTooLargeError: They are beyond `MAX_UNPACKED_BYTES`.
        """
        if size > self._left:
            raise DocumentTooLargeError(
                "it unpacks to more than {megabytes} MB", megabytes=MAX_UNPACKED_BYTES >> 20
            )

    def _find(self, name: str) -> zipfile.ZipInfo:
        info = self._infos[name]
        if info.flag_bits & _ENCRYPTED:
            raise DocumentEncryptedError(
                "{member} needs a password",
                remedy=Remedy(advice=Message("open it in its own program and save it without protection")),
                member=name,
            )
        return info

    def salvage(self, name: str) -> tuple[bytes, bool]:
        """Take a member as far as it can be unpacked.

        Returns:
            Its bytes, and whether it is whole: all of it is there, with the checksum that the archive names.

        Raises:
            KeyError: There is no such member.
            DocumentDamagedError: Nothing of it can be unpacked.
            DocumentEncryptedError: It is encrypted.
            DocumentTooLargeError: As of taking it.
        """
        if self._archive is not None:
            with suppress(DocumentDamagedError):
                return self[name], True
        content, is_whole = self._unpack_pieces(self._find(name))
        is_whole = is_whole and self._archive is None
        if not content and not is_whole:
            raise DocumentDamagedError("{member} in it cannot be unpacked", member=name)
        self._require_room(1)
        return content, is_whole

    def _unpack_pieces(self, info: zipfile.ZipInfo) -> tuple[bytes, bool]:
        """Unpack a member up to the first byte that cannot be unpacked.

        Returns:
            The bytes, and whether that is all of it, by the checksum where the header has one.
        """
        head = self._content[info.header_offset :][: _HEAD.size]
        if len(head) < _HEAD.size:
            return b"", False
        start = info.header_offset + _HEAD.size + sum(_HEAD.unpack(head)[-2:])
        packed, limit = self._content[start : start + info.compress_size], min(info.file_size, self._left)
        pieces, size, is_ended = list[bytes](), 0, False
        if info.compress_type == zipfile.ZIP_STORED:
            pieces.append(bytes(packed[:limit]))
            is_ended = True
        elif info.compress_type == zipfile.ZIP_DEFLATED:
            unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
            with suppress(zlib.error):
                for at in range(0, len(packed), _PIECE_BYTES):
                    pieces.append(unpacker.decompress(packed[at : at + _PIECE_BYTES], max(limit - size, 1)))
                    size += len(pieces[-1])
                    if size >= limit:
                        break
            is_ended = unpacker.eof
        content = b"".join(pieces)[:limit]
        self._left -= len(content)
        is_known = not info.flag_bits & _SIZES_FOLLOW
        return content, is_ended and (not is_known or zlib.crc32(content) == info.CRC)

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


def open_archive(content: bytes) -> ArchiveMembers:
    """Open a ZIP file. One that lacks its list of members, as a file that is cut does, has those that are found one by one.

    Raises:
        DocumentDamagedError: It is none.
        DocumentTooLargeError: It has more than `MAX_MEMBERS` members.
    """
    archive: zipfile.ZipFile | None = None
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        infos = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        infos = list(islice(_find_members(content), MAX_MEMBERS + 1))
        if not infos:
            raise DocumentDamagedError("it is no ZIP archive, or a damaged one") from error
    if len(infos) > MAX_MEMBERS:
        raise DocumentTooLargeError("it has more than {members:,} members", members=MAX_MEMBERS)
    return ArchiveMembers(archive, infos, content)


def _find_members(content: bytes) -> Iterator[zipfile.ZipInfo]:
    """Yield the members by the headers before them. One without sizes reaches to what follows."""
    at = content.find(_HEAD_SIGN)
    while 0 <= at <= len(content) - _HEAD.size:
        _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _HEAD.unpack_from(
            content, at
        )
        start = at + _HEAD.size
        name = content[start : start + name_length]
        start += name_length + extra_length
        if flags & _SIZES_FOLLOW or packed == _UNKNOWN_SIZE:
            following = _SIGNS.search(content, start)
            packed, size = (following.start() if following else len(content)) - start, MAX_UNPACKED_BYTES
        info = zipfile.ZipInfo(name.decode("utf-8" if flags & _UTF8_NAME else "cp437", "replace"))
        info.header_offset, info.flag_bits, info.compress_type = at, flags, method
        info.CRC, info.compress_size, info.file_size = crc, packed, size
        yield info
        at = content.find(_HEAD_SIGN, start + packed)
