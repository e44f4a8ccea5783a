"""The container of an HWP 5 document: streams of an OLE compound file, unpacked within bounds."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from kebab_core import (
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentTooLargeError,
    Message,
    Remedy,
)
from kebab_parse import cut_member

if TYPE_CHECKING:
    from olefile import OleFileIO

_MAX_UNPACKED_BYTES = 256 * 1024 * 1024
"""Bytes of all streams that are read, together. Records take twenty times less room than the XML of HWPX."""
_PIECE_BYTES = 4096
"""Bytes of a compressed stream that are unpacked at once: those before damage are kept."""
_UNPROTECTED = Remedy(advice=Message("open it in its own program and save it without protection"))
_SIGNATURE = b"HWP Document File"
_HEADER_BYTES = 40
_COMPRESSED, _PASSWORD, _DISTRIBUTED, _RIGHTS, _CERTIFIED = 1, 2, 4, 16, 256
_SUMMARY = "\x05HwpSummaryInformation"
_FACTS: Mapping[int, str] = {
    2: "title",
    3: "subject",
    4: "author",
    5: "keywords",
    6: "description",
    8: "last_modified_by",
    12: "created",
    13: "modified",
}
_FIRST_YEAR = 1980
"""Times before the program existed are those of fields that were never set: 1601."""


class Hwp5Container:
    """The streams of one HWP 5 document.

    Args:
        content: The file.

    Raises:
        DocumentDamagedError: It is no readable compound file, or one of another program.
        DocumentEncryptedError: It is protected by a password, a certificate, or as a distribution document.
    """

    def __init__(self, content: bytes) -> None:
        import olefile

        self.warnings: list[Message] = []
        """Streams that were read in part; each once."""
        try:
            self._file: OleFileIO = olefile.OleFileIO(io.BytesIO(content))
            header = self._stream(["FileHeader"]) if self._file.exists("FileHeader") else b""
        except _FAILURES as error:
            raise DocumentDamagedError("it is no compound file, or a damaged one") from error
        if len(header) < _HEADER_BYTES or not header.startswith(_SIGNATURE):
            raise DocumentDamagedError("it has no file header")
        (flags,) = struct.unpack_from("<I", header, 36)
        self._is_compressed = bool(flags & _COMPRESSED)
        self._left = _MAX_UNPACKED_BYTES
        if flags & (_PASSWORD | _RIGHTS | _CERTIFIED):
            raise DocumentEncryptedError("it is protected by a password", remedy=_UNPROTECTED)
        if flags & _DISTRIBUTED:
            raise DocumentEncryptedError(
                "it is a distribution document, whose text is encrypted", remedy=_UNPROTECTED
            )

    def read(self, *path: str) -> bytes:
        """Unpack a stream, as far as it goes; a warning says where that is not all.

        Raises:
            DocumentDamagedError: It is missing, or nothing of it can be unpacked.
            DocumentTooLargeError: The streams read so far are too large.
        """
        name = "/".join(path)
        try:
            data = self._stream(list(path))
        except _FAILURES as error:
            raise DocumentDamagedError("{member} in it cannot be unpacked", member=name) from error
        if self._is_compressed:
            data = self._unpack(data, name)
        if len(data) > self._left:
            raise DocumentTooLargeError(
                "it unpacks to more than {megabytes} MB", megabytes=_MAX_UNPACKED_BYTES >> 20
            )
        self._left -= len(data)
        return data

    def _unpack(self, data: bytes, name: str) -> bytes:
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        pieces, size = list[bytes](), 0
        try:
            for at in range(0, len(data), _PIECE_BYTES):
                pieces.append(unpacker.decompress(data[at : at + _PIECE_BYTES], self._left + 1 - size))
                size += len(pieces[-1])
                if unpacker.eof or size > self._left:
                    break
        except zlib.error:
            pass  # what came before is what there is
        if not size and not unpacker.eof:
            raise DocumentDamagedError("{member} in it cannot be unpacked", member=name)
        if not unpacker.eof and size <= self._left:
            self.warnings.append(cut_member(name.rpartition("/")[2]))
        return b"".join(pieces)

    def section_names(self) -> list[tuple[str, str]]:
        """Return the paths of the streams of all sections, in order.

        Raises:
            DocumentDamagedError: The list of streams cannot be read.
        """
        try:
            found = [path for path in self._file.listdir() if len(path) == 2 and path[0] == "BodyText"]  # noqa: PLR2004
        except _FAILURES as error:
            raise DocumentDamagedError("it is no compound file, or a damaged one") from error
        numbers = {path[1]: path[1].removeprefix("Section") for path in found}
        return sorted(
            (("BodyText", name) for name, digits in numbers.items() if digits.isascii() and digits.isdigit()),
            key=lambda path: (len(path[1]), path[1]),
        )

    def facts(self) -> dict[str, str]:
        """Return title, author and so on, by name; times as ISO 8601. Those that cannot be read are left out."""
        try:
            if not self._file.exists(_SUMMARY):
                return {}
            properties = self._file.getproperties(_SUMMARY, convert_time=True)
        except _FAILURES:
            return {}
        facts = {_FACTS[key]: _fact(value) for key, value in properties.items() if key in _FACTS}
        return {name: value for name, value in facts.items() if value}

    def _stream(self, path: list[str]) -> bytes:
        with self._file.openstream(path) as stream:
            return bytes(stream.read())


_FAILURES = (
    OSError,
    ValueError,
    IndexError,
    KeyError,
    TypeError,
    struct.error,
    RecursionError,
    OverflowError,
)
"""What olefile raises over damaged files."""


def _fact(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z" if value.year >= _FIRST_YEAR else ""
    # olefile reads texts of UTF-16 twice as long as they are.
    return value.partition("\0")[0].strip() if isinstance(value, str) else ""
