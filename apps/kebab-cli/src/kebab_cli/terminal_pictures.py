"""Pictures on terminals: the protocol that a terminal speaks, and a PNG written in it."""

from __future__ import annotations

import os
import re
import select
import struct
import sys
import termios
import time
import tty
import zlib
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fcntl import ioctl
from typing import Literal

from kebab_core import InternalError

PictureProtocol = Literal["kitty", "iterm", "sixel"]

_KITTY_VARIABLES = ("KITTY_WINDOW_ID", "GHOSTTY_RESOURCES_DIR", "KONSOLE_VERSION")
_KITTY_TERMS = ("kitty", "ghostty")
_ITERM_PROGRAMS = {"iTerm.app", "WezTerm", "mintty"}
_MULTIPLEXERS = ("TMUX", "STY")
"""Variables of programs between kebab and the terminal, which pass no escape sequences on that they do not know."""
_ATTRIBUTES = re.compile(rb"\x1b\[\?([0-9;]*)c")
"""Answer of a terminal to the question for its device attributes; 4 is Sixel."""
_SIXEL = b"4"
_ANSWER_S = 0.5
_CHUNK = 4096
"""Bytes of a piece of a picture in the protocol of kitty."""
_CELL_WIDTH = 8
"""Pixels of a column where the terminal does not tell."""
_PNG_HEADER = struct.Struct(">IIBBBBB")
_RGB = (8, 2, 0, 0, 0)
_LEVELS = 6
"""Shades of each of red, green and blue in Sixel."""
_BAND = 6
"""Rows of pixels that one row of Sixel holds."""
_REPEATED = re.compile(rb"(.)\1{3,}", re.DOTALL)


def find_protocol(environ: Mapping[str, str]) -> PictureProtocol | None:
    """Find how the terminal of this process shows pictures: by its environment, else by asking it; None if it does not."""
    if not any(environ.get(name) for name in _MULTIPLEXERS):
        if any(environ.get(name) for name in _KITTY_VARIABLES) or any(
            name in environ.get("TERM", "") for name in _KITTY_TERMS
        ):
            return "kitty"
        if environ.get("TERM_PROGRAM") in _ITERM_PROGRAMS or environ.get("LC_TERMINAL") == "iTerm2":
            return "iterm"
    return "sixel" if _SIXEL in _ask_attributes() else None


def _ask_attributes() -> Sequence[bytes]:
    """Return the device attributes of the terminal; none where nothing answers within half a second."""
    with suppress(OSError, termios.error, AttributeError, ValueError):
        keyboard, screen = sys.stdin.fileno(), sys.stdout.fileno()
        before = termios.tcgetattr(keyboard)
        tty.setcbreak(keyboard, termios.TCSANOW)
        try:
            os.write(screen, b"\x1b[c")
            return _read_attributes(keyboard)
        finally:
            termios.tcsetattr(keyboard, termios.TCSANOW, before)
    return ()


def _read_attributes(keyboard: int) -> Sequence[bytes]:
    answer, end = b"", time.monotonic() + _ANSWER_S
    while (left := end - time.monotonic()) > 0 and select.select([keyboard], [], [], left)[0]:
        answer += os.read(keyboard, _CHUNK)
        if found := _ATTRIBUTES.search(answer):
            return found[1].split(b";")
    return ()


def measure_terminal(max_columns: int) -> tuple[int, int]:
    """Return the columns that a picture may take, and their width in pixels.

    Args:
        max_columns: Columns at most.
    """
    columns = width = 0
    with suppress(OSError):
        _, columns, width, _ = struct.unpack("HHHH", ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, bytes(8)))
    taken = min(columns or max_columns, max_columns)
    return taken, taken * (width // columns if width and columns else _CELL_WIDTH)


def draw_picture(png: bytes, protocol: PictureProtocol, *, columns: int) -> str:
    """Return what shows a picture when it is written to the terminal.

    Args:
        png: Colours of 8 bits without transparency or interlacing, as kebab draws pages.
        protocol: That of the terminal.
        columns: Its width there; Sixel has that of its pixels.
    """
    if protocol == "sixel":
        return _encode_sixel(*_decode_png(png))
    data = b64encode(png).decode("ascii")
    if protocol == "iterm":
        options = f"inline=1;size={len(png)};width={columns};preserveAspectRatio=1"
        return f"\x1b]1337;File={options}:{data}\x07"
    pieces = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    first = f"f=100,a=T,q=2,c={columns},"
    return "".join(
        f"\x1b_G{first if at == 0 else ''}m={int(at < len(pieces) - 1)};{piece}\x1b\\"
        for at, piece in enumerate(pieces)
    )


def _decode_png(png: bytes) -> tuple[int, list[bytes]]:
    """Return the width of a PNG and its rows, three bytes a pixel.

    Raises:
        InternalError: It is not one as kebab draws it.
    """
    chunks = dict[bytes, bytes]()
    at = 8
    while at < len(png):
        length, name = struct.unpack_from(">I4s", png, at)
        chunks[name] = chunks.get(name, b"") + png[at + 8 : at + 8 + length]
        at += length + 12
    width, height, *form = _PNG_HEADER.unpack(chunks[b"IHDR"])
    pixels, stride = zlib.decompress(chunks[b"IDAT"]), 3 * width + 1
    rows = [pixels[start : start + stride] for start in range(0, height * stride, stride)]
    if tuple(form) != _RGB or any(row[0] for row in rows):
        raise InternalError("a page was drawn in a form of PNG that cannot be shown here")
    return width, [row[1:] for row in rows]


def _encode_sixel(width: int, rows: Sequence[bytes]) -> str:
    shades = [[level * 100 // (_LEVELS - 1) for level in _split(colour)] for colour in range(_LEVELS**3)]
    palette = "".join(f"#{colour};2;{red};{green};{blue}" for colour, (red, green, blue) in enumerate(shades))
    indexed = [_index_colours(row, width) for row in rows]
    bands = [b"".join(_encode_band(indexed[at : at + _BAND])) for at in range(0, len(indexed), _BAND)]
    return f'\x1bPq"1;1;{width};{len(rows)}{palette}{b"-".join(bands).decode("ascii")}\x1b\\'


def _split(colour: int) -> tuple[int, int, int]:
    return colour // _LEVELS**2, colour // _LEVELS % _LEVELS, colour % _LEVELS


_WEIGHTED = [
    bytes(round(value * (_LEVELS - 1) / 255) * weight for value in range(256))
    for weight in (_LEVELS**2, _LEVELS, 1)
]


def _index_colours(row: bytes, width: int) -> bytes:
    """Return the colour of each pixel. Rows are added as numbers, of which no byte overflows: quick without an array."""
    total = sum(int.from_bytes(row[at::3].translate(table)) for at, table in enumerate(_WEIGHTED))
    return total.to_bytes(width)


def _encode_band(rows: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the pixels of each colour in up to six rows."""
    for colour in sorted(set().union(*rows)):
        total = 0
        for number, row in enumerate(rows):
            total += int.from_bytes(row.translate(bytes(colour) + bytes([1 << number]) + bytes(255 - colour)))
        sixels = bytes(bits + 63 for bits in total.to_bytes(len(rows[0])))
        shown = _REPEATED.sub(lambda found: b"!%d%b" % (len(found[0]), found[1]), sixels)
        yield b"#%d%b$" % (colour, shown)
