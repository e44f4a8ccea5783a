"""Parts of documents, the compressed rows of `document_parts`: passages in a row, their terms, the blocks before them.

A part is small, so that reading one passage unpacks few others. It has the blocks that its passages were cut from. Terms and
blocks repeat the words of the passages and are compressed with them as the dictionary: a third to a half smaller than each
compressed alone (2026-11). What every part repeats, the names of fields, is a dictionary of its own. Ids of blocks are hashes,
which do not compress: they stand before the passages, 16 bytes each, once for the passages and blocks that name them.

Terms are stored by column, words as written first, and their dictionary is the passages in lower case without punctuation:
long runs of words are the same there, and terms a quarter smaller than after the passages as they are (2026-11).
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_store_sqlite.schema import json_text, pack, unpack

if TYPE_CHECKING:
    from kebab_core import Block
    from pydantic import TypeAdapter

PASSAGES_PER_PART = 8
"""Passages of a part. With 16 the rows are a twentieth smaller, and reading one passage takes longer (2026-11)."""
_HREF = re.compile(rb'"(?:href|src)":"((?!data:)(?:[^"\\]|\\.)*)"')
_LINE_BREAK = b"\\n"
_ASCII = 0x80
_WORDS = bytes(
    byte if byte >= _ASCII or chr(byte).isalnum() else ord(" ") for byte in bytes(range(256)).lower()
)
"""ASCII letters in lower case and digits, and all bytes of other characters; a blank for every other byte."""
_OTHER_LETTERS = re.compile(rb"([\x80-\xff]+)")
_COMMON = (
    " also then need there want make here see after before between without through each their they what would could "
    "because however example following first using these some into only time should been were which other more than when "
    "where how any all new one may such most does same must set out used use has have not can will you your it this that "
    "with from are was for and the of to in is as be on by or an at if "
    " 그런데 그러나 하지만 그래서 그리고 또한 따라서 때문에 이렇게 어떻게 여기서 이러한 다음과 같은 같이 모든 다른 여러 가장 많이 함께 대해 "
    "대한 위해 위한 통해 따라 의해 관한 경우에는 동안 이후 이상 하나의 것이다. 것입니다. 것은 것을 것이 것으로 때는 때에 수도 있고 있는 있다. "
    "없는 없다. 않는다. 않고 않은 않는 되는 되었다. 된다. 하였다. 했다. 한다. 하는 하고 하면 하지 해야 하기 이라는 이라고 라고 라는 이다. "
    "에서는 에서 에는 에게 으로 부터 까지 보다 이나 습니다. 입니다. 합니다. 됩니다. 있습니다. 없습니다. 않습니다. 했습니다. 수 있습니다. 할 수 있다. "
).encode()
"""What texts in both languages repeat; they are a thirtieth smaller with it (2026-11)."""
_FIELDS = _COMMON + (
    b'","inlines":[{"kind":"link","text":"","href":"https://www."}]},{"block_id":"","heading_path":["","source_span":'
    b'{"kind":"page","page":,"end":},"kind":"code","lang":"","text":"","columns":["rows":[["header":["},"kind":"list",'
    b'"ordered":false,"items":[{"text":"","inlines":[],"source_span":{"kind":"line","start":,"end":}},"kind":"heading",'
    b'"level":,"text":""},{"block_id":"","heading_path":[""],"source_span":{"kind":"line","start":,"end":},'
    b'"kind":"paragraph","text":"","inlines":[]}],"tables":[{"header":"","lead":{"end":,"source_span":{"kind":"line",'
    b'"start":1,"end":1}}","heading_path":["","section_label":"","source_spans":[{"kind":"line","start":,"end":}],'
    b'"token_estimate":,"chunker_version":"md-heading-v4","policy_hash":"","symbols":[],"role":""}\n{"block_ids":'
    b'[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"text":"'
)
"""Dictionary of all parts; not to be changed, since what is stored is read with it."""
_ID_BYTES = 16
_HAS_IDS = b"\x01"
"""First byte of the passages where ids of blocks stand before them; DEFLATE begins otherwise."""
_COUNT_BYTES = 4
_ID = re.compile(rb"[0-9a-f]{32}")
_ID_OF_BLOCK = re.compile(rb'"block_id":"([0-9a-f]{32})"')
_IDS_OF_PASSAGE = re.compile(rb'\{"block_ids":\[((?:"[0-9a-f]{32}",?)*)\]')
_PLACES_OF_PASSAGE = re.compile(rb'\{"block_ids":\[([0-9,]*)\]')
_NO_ID = b'"block_id":""'
_ABSENT_ID = re.compile(_NO_ID)

TermsRow = tuple[str, str, str, str]
"""Terms of a passage: of its title, headings and body, and its words as written."""


class PartRow(NamedTuple):
    """A row of `document_parts` without its number and document."""

    passage_count: int
    """Not stored."""
    chunks: bytes
    terms: bytes
    blocks: bytes


def part_rows(contents: Sequence[str], terms: Sequence[TermsRow], blocks: Sequence[str]) -> Iterator[PartRow]:
    """Yield the rows of consecutive passages and blocks of a document.

    Args:
        contents: The passages: JSON objects with the fields of `Chunk` but its ids and ordinal.
        terms: One for each passage.
        blocks: JSON of the blocks. Those of a row reach to the last one that its passages name, of the last row to the end.
    """
    packed_blocks = [block.encode() for block in blocks]
    places = {found[1]: place for place, found in enumerate(map(_ID_OF_BLOCK.search, packed_blocks)) if found}
    start = 0
    for first in range(0, len(contents) or bool(blocks), PASSAGES_PER_PART):
        passages = slice(first, first + PASSAGES_PER_PART)
        named = [
            places.get(block_id, -1) for each in contents[passages] for block_id in _ids_of(each.encode())
        ]
        end = max([start, *(place + 1 for place in named)]) if passages.stop < len(contents) else len(blocks)
        json_of_blocks = b"[%b]" % b",".join(packed_blocks[start:end])
        start = end
        ids = _ID_OF_BLOCK.findall(json_of_blocks)
        lines = b"\n".join(_with_places(contents[passages], ids))
        yield PartRow(
            passage_count=len(contents[passages]),
            chunks=_pack_ids(ids) + pack(lines, _FIELDS),
            terms=_pack_terms(terms[passages], lines),
            blocks=pack(_ID_OF_BLOCK.sub(_NO_ID, json_of_blocks), _FIELDS + lines),
        )


def pack_terms(chunks: bytes, terms: Sequence[TermsRow]) -> bytes:
    """Return the terms of a part as they are stored, given the column of its passages.

    Raises:
        ValueError: The column is damaged.
    """
    return _pack_terms(terms, _split(chunks)[1])


def _pack_terms(terms: Sequence[TermsRow], lines: bytes) -> bytes:
    return pack(json_text([*zip(*terms, strict=True)][::-1]).encode(), _words(lines))


def _ids_of(content: bytes) -> list[bytes]:
    """Return the ids of blocks that a passage names, given its JSON."""
    found = _IDS_OF_PASSAGE.match(content)
    return _ID.findall(found[1]) if found else []


def _words(lines: bytes) -> bytes:
    """Return the words of passages, about as terms write them; by rules that no version of Unicode changes."""
    text = lines.replace(_LINE_BREAK, b" ").translate(_WORDS)
    if not text.isascii():  # half as fast
        text = b" ".join(_OTHER_LETTERS.split(text))
    return b" ".join(text.split())


def _with_places(contents: Iterable[str], ids: list[bytes]) -> Iterator[bytes]:
    """Yield passages with the places of their blocks among `ids` in place of the ids; those that are not there are added."""
    places: dict[bytes, int] = {}
    for place, block_id in enumerate(ids):
        places.setdefault(block_id, place)
    for content in map(str.encode, contents):
        found = _IDS_OF_PASSAGE.match(content)
        if found is None:
            yield content
            continue
        numbers = []
        for block_id in _ID.findall(found[1]):
            if block_id not in places:
                places[block_id] = len(ids)
                ids.append(block_id)
            numbers.append(b"%d" % places[block_id])
        yield b'{"block_ids":[%b]%b' % (b",".join(numbers), content[found.end() :])


def _pack_ids(ids: Sequence[bytes]) -> bytes:
    """Return ids, given as hex digits, as they stand before the passages."""
    return _HAS_IDS + len(ids).to_bytes(_COUNT_BYTES) + bytes.fromhex(b"".join(ids).decode()) if ids else b""


def _split(chunks: bytes, *, most: int = 0) -> tuple[bytes, bytes]:
    """Return the ids of blocks in a row, and the passages without them.

    Raises:
        ValueError: The row is damaged.
    """
    if not chunks.startswith(_HAS_IDS):
        return b"", unpack(chunks, _FIELDS, most=most)
    start = len(_HAS_IDS) + _COUNT_BYTES
    end = start + int.from_bytes(chunks[len(_HAS_IDS) : start]) * _ID_BYTES
    return chunks[start:end], unpack(chunks[end:], _FIELDS, most=most)


def _id_at(ids: bytes, place: int) -> bytes:
    """Return an id as hex digits.

    Raises:
        ValueError: There is none.
    """
    found = ids[place * _ID_BYTES : (place + 1) * _ID_BYTES]
    if len(found) < _ID_BYTES:
        raise ValueError("the id of a block is missing")
    return found.hex().encode()


class PassageContents(Sequence[bytes]):
    """The JSON of each passage of a part; each is made when it is asked for.

    Args:
        chunks: The column of the part.

    Raises:
        ValueError: The row is damaged.
    """

    def __init__(self, chunks: bytes) -> None:
        self._ids, lines = _split(chunks)
        self._lines = lines.split(b"\n") if lines else []

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, place: Any) -> Any:
        """Return the JSON of a passage.

        Raises:
            ValueError: It names a block whose id is missing.
        """
        line = self._lines[place]
        found = _PLACES_OF_PASSAGE.match(line)
        if found is None or not found[1]:
            return line
        own = b",".join([b'"%b"' % _id_at(self._ids, int(place)) for place in found[1].split(b",")])
        return b'{"block_ids":[%b]%b' % (own, line[found.end() :])


def check_part(row: tuple[bytes, bytes, bytes], *, most: int = 0, are_terms_known: bool = False) -> int:
    """Unpack the columns of a part, in the order of `PartRow`; each has a checksum, of its dictionary too.

    Args:
        row: The columns.
        most: Bytes that each may unpack to; 0 is no limit.
        are_terms_known: Whether the terms of all passages have been unpacked already.

    Returns:
        The number of its passages.

    Raises:
        ValueError: One is damaged, belongs to other passages or is too large, or the id of a block is missing.
    """
    chunks, terms, blocks = row
    ids, lines = _split(chunks, most=most)
    if not (are_terms_known and lines):
        unpack(terms, _words(lines), most=most)
    named = unpack(blocks, _FIELDS + lines, most=most).count(_NO_ID)
    passages = lines.split(b"\n") if lines else []
    for found in filter(None, map(_PLACES_OF_PASSAGE.match, passages)):
        named = max(named, *(int(place) + 1 for place in found[1].split(b",") if place), 0)
    if len(ids) < named * _ID_BYTES:
        raise ValueError("the id of a block is missing")
    return len(passages)


class TermsReader:
    """Reads the terms of parts; those of the last one are kept. Usable from several threads."""

    def __init__(self) -> None:
        self._last: tuple[tuple[bytes, bytes], tuple[TermsRow, ...]] | None = None
        self._kept: dict[tuple[bytes, bytes], bytes] = {}
        self._free_bytes = 0

    def __call__(self, chunks: bytes, terms: bytes) -> tuple[TermsRow, ...]:
        """Return the terms of each passage of a part.

        Raises:
            ValueError: The row is damaged.
        """
        part, last = (chunks, terms), self._last
        if last is not None and last[0] == part:  # as it mostly is; a hash would cost more
            return last[1]
        text = self._kept.get(part)
        if text is None:
            text = unpack(terms, _words(_split(chunks)[1]))
            if (size := len(chunks) + len(terms) + len(text)) <= self._free_bytes:
                self._free_bytes -= size
                self._kept[part] = text
        found = tuple(zip(*json.loads(text)[::-1], strict=True))
        self._last = part, found
        return found

    @contextmanager
    def keeping(self, most_bytes: int) -> Iterator[None]:
        """Keep the first parts that are read in the block, for what reads them all again.

        Yields:
            Nothing.
        """
        self._free_bytes = most_bytes
        try:
            yield
        finally:
            self._free_bytes = 0
            self._kept.clear()


passage_terms = TermsReader()


def read_blocks(chunks: bytes, blocks: bytes) -> tuple[Block, ...]:
    """Return the blocks of a part.

    Raises:
        ValueError: The row is damaged.
    """
    return _blocks_type().validate_json(unpack_blocks(chunks, blocks))


def read_link_addresses(blocks: bytes) -> list[str]:
    """Return the addresses of the links in the JSON of blocks, in order, without building the blocks.

    An unescaped `"href":"` or `"src":"`, which pictures have, is a key: in a value its quotation marks have backslashes before them.
    """
    return [json.loads(b'"%b"' % found) for found in _HREF.findall(blocks)]


def unpack_blocks(chunks: bytes, blocks: bytes) -> bytes:
    """Return the JSON of the blocks of a part.

    Raises:
        ValueError: The row is damaged.
    """
    ids, lines = _split(chunks)
    places = count()
    return _ABSENT_ID.sub(
        lambda _: b'"block_id":"%b"' % _id_at(ids, next(places)), unpack(blocks, _FIELDS + lines)
    )


def register_functions(connection: sqlite3.Connection) -> None:
    """Give a connection the SQL functions of parts; `place` counts the passages of a part from 0.

    - `passage_content(chunks, place)`: the JSON of a passage, as a BLOB.
    - `passage_terms(chunks, terms, place, column)`: one of the four columns of its terms; the view `chunk_terms` has them.
    """
    functions: dict[str, tuple[int, Callable[..., str | bytes]]] = {
        "passage_content": (2, lambda chunks, place: PassageContents(chunks)[place]),
        "passage_terms": (
            4,
            lambda chunks, terms, place, column: passage_terms(chunks, terms)[place][column],
        ),
    }
    for name, (arguments, function) in functions.items():
        connection.create_function(name, arguments, function, deterministic=True)


@cache
def _blocks_type() -> TypeAdapter[tuple[Block, ...]]:
    from kebab_core import Block
    from pydantic import TypeAdapter

    return TypeAdapter(tuple[Block, ...])
