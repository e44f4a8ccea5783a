"""Small writers of HWPX and HWP 5 files, with whatever content a test wants, damaged content included.

HWPX is XML in a ZIP. HWP 5 is an OLE compound file, which nothing in use writes, of streams of records.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping, Sequence
from xml.sax.saxutils import escape

_NAMESPACES = " ".join(
    f'xmlns:{prefix}="http://www.hancom.co.kr/hwpml/2011/{name}"'
    for prefix, name in {"hp": "paragraph", "hs": "section", "hh": "head", "hc": "core"}.items()
)
_HEADER = """<hh:head {namespaces}><hh:refList>
<hh:numberings><hh:numbering id="1"><hh:paraHead level="1" numFormat="DIGIT">제^1장</hh:paraHead>
<hh:paraHead level="2" numFormat="HANGUL_SYLLABLE">^2.</hh:paraHead></hh:numbering></hh:numberings>
<hh:paraProperties><hh:paraPr id="0"/>
<hh:paraPr id="1"><hh:heading type="OUTLINE" idRef="0" level="0"/></hh:paraPr>
<hh:paraPr id="2"><hh:heading type="OUTLINE" idRef="0" level="1"/></hh:paraPr>
<hh:paraPr id="3"><hh:heading type="BULLET" idRef="1" level="0"/></hh:paraPr>
<hh:paraPr id="4"><hh:heading type="NUMBER" idRef="1" level="1"/></hh:paraPr>
</hh:paraProperties></hh:refList></hh:head>"""
_SUMMARY = """<opf:package xmlns:opf="http://www.idpf.org/2007/opf/"><opf:metadata>{facts}</opf:metadata></opf:package>"""
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
_SECTOR, _MINI_SECTOR, _MINI_BELOW = 512, 64, 4096
_LONG_SIZE = 0xFFF


def hwpx_paragraph(content: str, *, shape: int = 0) -> str:
    """Return a paragraph of HWPX; `content` is text, or XML of a run if it begins with `<`.

    Shapes: 0 plain, 1 and 2 headings, 3 a bullet, 4 a number.
    """
    run = content if content.startswith("<") else f"<hp:t>{escape(content)}</hp:t>"
    return f'<hp:p paraPrIDRef="{shape}"><hp:run>{run}</hp:run></hp:p>'


def hwpx_table(rows: Sequence[Sequence[str]], *, down: Collection[str] = ()) -> str:
    """Return a table of HWPX; cells are text, or XML of paragraphs if they begin with `<`.

    Args:
        rows: The cells by row; an empty one is covered by that above it.
        down: The cells that cover the row below, too.
    """
    shown = ""
    for row, cells in enumerate(rows):
        shown += "<hp:tr>"
        for column, cell in ((at, cell) for at, cell in enumerate(cells) if cell):
            content = cell if cell.startswith("<") else hwpx_paragraph(cell)
            shown += f"<hp:tc><hp:subList>{content}</hp:subList>"
            shown += f'<hp:cellAddr colAddr="{column}" rowAddr="{row}"/>'
            shown += f'<hp:cellSpan colSpan="1" rowSpan="{1 + (cell in down)}"/></hp:tc>'
        shown += "</hp:tr>"
    return f"<hp:tbl>{shown}</hp:tbl>"


def write_hwpx(
    *sections: str, facts: Mapping[str, str] | None = None, parts: Mapping[str, bytes] | None = None
) -> bytes:
    """Write an HWPX.

    Args:
        sections: The paragraphs of each section, as XML.
        facts: `title`, and others as the summary names them: `creator`, `keyword`, `CreatedDate`.
        parts: More parts by name; they replace those written here.
    """
    told = "".join(
        f"<opf:title>{escape(value)}</opf:title>"
        if name == "title"
        else f'<opf:meta name="{name}" content="text">{escape(value)}</opf:meta>'
        for name, value in (facts or {}).items()
    )
    written: dict[str, bytes] = {
        "mimetype": b"application/hwp+zip",
        "Contents/header.xml": _HEADER.format(namespaces=_NAMESPACES).encode(),
        "Contents/content.hpf": _SUMMARY.format(facts=told).encode(),
    }
    for number, section in enumerate(sections):
        xml = f'<?xml version="1.0" encoding="UTF-8"?><hs:sec {_NAMESPACES}>{section}</hs:sec>'
        written[f"Contents/section{number}.xml"] = xml.encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**written, **(parts or {})}.items():
            archive.writestr(zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6)), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def record(tag: int, level: int, data: bytes = b"") -> bytes:
    """Return a record of HWP 5."""
    size = min(len(data), _LONG_SIZE)
    long_size = struct.pack("<I", len(data)) if size == _LONG_SIZE else b""
    return struct.pack("<I", tag | level << 10 | size << 20) + long_size + data


def hwp5_text(text: str) -> bytes:
    """Return a counted text."""
    units = text.encode("utf-16-le", "surrogatepass")
    return struct.pack("<H", len(units) // 2) + units


def hwp5_control(code: int, name: str) -> str:
    """Return the eight units that stand for a control in the text of a paragraph."""
    low, high = struct.unpack("<HH", name.encode("latin-1")[::-1])
    return chr(code) + chr(low) + chr(high) + "\0\0\0\0" + chr(code)


def hwp5_paragraph(text: str, *below: bytes, level: int = 0, shape: int = 0) -> bytes:
    """Return the records of a paragraph: its text, then what is below it, with a level one more than its own."""
    header = struct.pack("<IIHBBHHHI", len(text) + 1, 0, shape, 0, 0, 1, 0, 0, 0)
    units = (text + "\r").encode("utf-16-le", "surrogatepass")
    return record(66, level, header) + record(67, level + 1, units) + b"".join(below)


def hwp5_header(name: str, level: int, data: bytes = b"") -> bytes:
    """Return the header record of a control; what is below it follows with a level one more."""
    return record(71, level, name.encode("latin-1")[::-1] + data)


def hwp5_table(
    rows: Sequence[Sequence[str]], *, level: int = 1, caption: str = "", down: Collection[str] = ()
) -> bytes:
    """Return the records of a table, whose header has this level; rows and `down` as of `hwpx_table`."""
    out = hwp5_header("tbl ", level, bytes(40))
    if caption:
        out += record(72, level + 1, struct.pack("<HHI", 1, 0, 0) + bytes(14))
        out += hwp5_paragraph(caption, level=level + 1)
    out += record(77, level + 1, struct.pack("<IHH", 0, len(rows), max(map(len, rows))) + bytes(10))
    for row, cells in enumerate(rows):
        for column, cell in ((at, cell) for at, cell in enumerate(cells) if cell):
            place = struct.pack("<HHHH", column, row, 1, 1 + (cell in down))
            out += record(72, level + 1, struct.pack("<HHI", 1, 0, 0) + place + bytes(22))
            out += hwp5_paragraph(cell, level=level + 1)
    return out


def hwp5_styles() -> bytes:
    """Return the stream `DocInfo` with the shapes and the numbering that `write_hwpx` has."""
    levels = [("제^1장", 0), ("^2.", 8), *[("", 0)] * 5]
    numbering = b"".join(struct.pack("<IHHI", kind << 5, 0, 0, 0) + hwp5_text(text) for text, kind in levels)
    shapes = [(0, 0), (1, 0), (1, 1), (3, 0), (2, 1)]
    return record(23, 0, numbering + struct.pack("<H7I", 0, *[1] * 7)) + b"".join(
        record(
            25,
            0,
            struct.pack("<I", kind << 23 | level << 25) + bytes(26) + struct.pack("<H", kind > 1) + bytes(22),
        )
        for kind, level in shapes
    )


def write_hwp5(
    *sections: bytes, flags: int = 1, streams: Mapping[tuple[str, ...], bytes] | None = None
) -> bytes:
    """Write an HWP 5.

    Args:
        sections: The records of each section.
        flags: Properties of the file: 1 compressed, 2 with a password, 4 a distribution document.
        streams: More streams by path; they replace those written here.
    """
    header = b"HWP Document File".ljust(32, b"\0") + struct.pack("<II", 0x05000500, flags)
    written: dict[tuple[str, ...], bytes] = {
        ("FileHeader",): header.ljust(256, b"\0"),
        ("DocInfo",): _pack(hwp5_styles(), flags),
    }
    for number, section in enumerate(sections):
        written["BodyText", f"Section{number}"] = _pack(section, flags)
    return write_compound_file({**written, **(streams or {})})


def _pack(stream: bytes, flags: int) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(stream) + packer.flush() if flags & 1 else stream


def write_compound_file(streams: Mapping[tuple[str, ...], bytes]) -> bytes:
    """Write an OLE compound file of streams by their paths, in storages of one level."""
    names: list[tuple[str, ...]] = [(), *sorted({path[:1] for path in streams if len(path) > 1}), *streams]
    big = {path: data for path, data in streams.items() if len(data) >= _MINI_BELOW}
    small = {path: data for path, data in streams.items() if len(data) < _MINI_BELOW}
    mini, mini_fat, starts = _chain(small, _MINI_SECTOR)
    sectors, fat, big_starts = _chain({(): mini, **big}, _SECTOR)
    starts |= big_starts

    def siblings(parent: tuple[str, ...]) -> list[int]:
        inside = [n for n, path in enumerate(names) if path and path[:-1] == parent]
        return sorted(inside, key=lambda n: (len(names[n][-1]), names[n][-1].upper()))

    follower = {
        n: after
        for parent in {path[:-1] for path in names if path}
        for n, after in zip(siblings(parent), [*siblings(parent)[1:], _FREE], strict=True)
    }
    directory = b""
    for n, path in enumerate(names):
        name = (path[-1] if path else "Root Entry").encode("utf-16-le")
        children = siblings(path) if path not in streams else []
        kind = 5 if not path else 2 if path in streams else 1
        size = len(mini) if not path else len(streams.get(path, b""))
        directory += (name + b"\0\0").ljust(64, b"\0")
        directory += struct.pack(
            "<HBBIII", len(name) + 2, kind, 1, _FREE, follower.get(n, _FREE), (children or [_FREE])[0]
        )
        directory += bytes(36) + struct.pack("<IQ", starts.get(path, _END), size)
    mini_fat_data = struct.pack(f"<{len(mini_fat)}I", *mini_fat)
    first_directory, sectors = _append(sectors, fat, directory)
    first_mini_fat, sectors = _append(sectors, fat, mini_fat_data)
    count = 1
    while count * _SECTOR // 4 < len(fat) + count:
        count += 1
    own = range(len(fat), len(fat) + count)
    fat += [_FAT] * count
    table = struct.pack(f"<{len(fat)}I", *fat).ljust(count * _SECTOR, b"\xff")
    header = (
        bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH", 62, 3, 0xFFFE, 9, 6) + bytes(6)
    )
    header += struct.pack("<IIIII", 0, count, first_directory, 0, _MINI_BELOW)
    header += struct.pack("<IIII", first_mini_fat, len(mini_fat_data) // _SECTOR + 1, _END, 0)
    header += struct.pack(f"<{count}I", *own).ljust(436, b"\xff")
    return header + sectors + table


def _chain(
    streams: Mapping[tuple[str, ...], bytes], size: int
) -> tuple[bytes, list[int], dict[tuple[str, ...], int]]:
    """Lay streams into sectors; return these, their chains, and the first sector of each stream."""
    data = b""
    chain: list[int] = []
    starts: dict[tuple[str, ...], int] = {}
    for path, stream in streams.items():
        starts[path] = len(chain) if stream else _END
        data, chain = _lay(data, chain, stream, size)
    return data, chain, starts


def _append(sectors: bytes, fat: list[int], stream: bytes) -> tuple[int, bytes]:
    first = len(fat)
    data, fat[:] = _lay(sectors, fat, stream, _SECTOR)
    return (first if stream else _END), data


def _lay(data: bytes, chain: list[int], stream: bytes, size: int) -> tuple[bytes, list[int]]:
    count = -(-len(stream) // size)
    first = len(chain)
    links = [*range(first + 1, first + count), _END][:count]
    return data + stream.ljust(count * size, b"\0"), [*chain, *links]
