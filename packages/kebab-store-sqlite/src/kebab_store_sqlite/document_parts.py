"""Parts of documents, the compressed rows of `document_parts`: passages in a row, their terms, the blocks before them.

A part is small, so that reading one passage unpacks few others. Terms and blocks repeat the words of the passages and
are compressed with them as the dictionary: a third to a half smaller than each compressed alone (2026-11).
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kebab_store_sqlite.column_formats import json_text

if TYPE_CHECKING:
    from kebab_core import Block
    from pydantic import TypeAdapter

PARTS_SCHEMA = 8
"""The first schema with `document_parts`."""
PASSAGES_PER_PART = 8
"""Passages of a part. With 16 the rows are a twentieth smaller, and reading one passage takes longer (2026-11)."""
_LEVEL = 6
_HREF = re.compile(rb'"href":"((?:[^"\\]|\\.)*)"')
_WINDOW = 32 * 1024
"""Bytes that DEFLATE looks back."""

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
        blocks: JSON of the blocks; those of a row are about the ones that its passages were cut from.
    """
    parts = max(1, -(-len(contents) // PASSAGES_PER_PART)) if contents or blocks else 0
    for part in range(parts):
        passages = slice(part * PASSAGES_PER_PART, (part + 1) * PASSAGES_PER_PART)
        own = blocks[len(blocks) * part // parts : len(blocks) * (part + 1) // parts]
        lines = "\n".join(contents[passages]).encode()
        yield PartRow(
            passage_count=len(contents[passages]),
            chunks=_pack(lines),
            terms=_pack_terms(lines, terms[passages]),
            blocks=_pack(f"[{','.join(own)}]".encode(), lines),
        )


def pack_terms(chunks: bytes, terms: Sequence[TermsRow]) -> bytes:
    """Return the column `terms` of a part, given its column `chunks`.

    Raises:
        ValueError: The row is damaged.
    """
    return _pack_terms(_unpack(chunks), terms)


def check_size(row: tuple[bytes, bytes, bytes], *, most: int) -> None:
    """Verify that none of the columns of a part, in the order of `PartRow`, unpacks to more bytes.

    Raises:
        ValueError: One does, or is damaged.
    """
    chunks, *others = row
    dictionary = _unpack(chunks, most=most)
    for packed in others:
        _unpack(packed, dictionary, most=most)


def passage_contents(chunks: bytes) -> list[bytes]:
    """Return the JSON of each passage of a part.

    Raises:
        ValueError: The row is damaged.
    """
    lines = _unpack(chunks)
    return lines.split(b"\n") if lines else []


@lru_cache(maxsize=2)
def passage_terms(chunks: bytes, terms: bytes) -> tuple[TermsRow, ...]:
    """Return the terms of each passage of a part.

    Raises:
        ValueError: The row is damaged.
    """
    return tuple(map(tuple, json.loads(_unpack(terms, _unpack(chunks)))))


def read_blocks(chunks: bytes, blocks: bytes) -> tuple[Block, ...]:
    """Return the blocks of a part.

    Raises:
        ValueError: The row is damaged.
    """
    return blocks_of_json(unpack_blocks(chunks, blocks))


def blocks_of_json(blocks: str | bytes) -> tuple[Block, ...]:
    """Return the blocks in a JSON array."""
    return _blocks_type().validate_json(blocks)


def read_link_addresses(blocks: bytes) -> list[str]:
    """Return the addresses of the links in the JSON of blocks, in order, without building the blocks.

    An unescaped `"href":"` is a key: in a value its quotation marks have backslashes before them.
    """
    return [json.loads(b'"%b"' % found) for found in _HREF.findall(blocks)]


def unpack_blocks(chunks: bytes, blocks: bytes) -> bytes:
    """Return the JSON of the blocks of a part.

    Raises:
        ValueError: The row is damaged.
    """
    return _unpack(blocks, _unpack(chunks))


def register_functions(connection: sqlite3.Connection) -> None:
    """Give a connection the SQL functions of parts; `place` counts the passages of a part from 0.

    - `passage_content(chunks, place)`: the JSON of a passage, as a BLOB.
    - `passage_terms(chunks, terms, place, column)`: one of the four columns of its terms; the view `chunk_terms` has them.
    """
    functions: dict[str, tuple[int, Callable[..., str | bytes]]] = {
        "passage_content": (2, lambda chunks, place: passage_contents(chunks)[place]),
        "passage_terms": (
            4,
            lambda chunks, terms, place, column: passage_terms(chunks, terms)[place][column],
        ),
    }
    for name, (arguments, function) in functions.items():
        connection.create_function(name, arguments, function, deterministic=True)


def has_parts(connection: sqlite3.Connection) -> bool:
    """True unless the database is of an older schema, which it may be where nothing can be written."""
    (version,) = connection.execute("SELECT value FROM schema_meta WHERE key = 'schema_version'").fetchone()
    return int(version) >= PARTS_SCHEMA


def _pack_terms(lines: bytes, terms: Sequence[TermsRow]) -> bytes:
    return _pack(json_text(terms).encode(), lines)


def _pack(data: bytes, dictionary: bytes = b"") -> bytes:
    packer = zlib.compressobj(_LEVEL, zdict=dictionary[-_WINDOW:])
    return packer.compress(data) + packer.flush()


def _unpack(packed: bytes, dictionary: bytes = b"", *, most: int = 0) -> bytes:
    unpacker = zlib.decompressobj(zdict=dictionary[-_WINDOW:])
    try:
        data = unpacker.decompress(packed, most)  # 0 is no limit
    except zlib.error as error:
        raise ValueError("compressed data is damaged") from error
    if unpacker.unconsumed_tail:
        raise ValueError("compressed data is too large")
    if not unpacker.eof:
        raise ValueError("compressed data is cut off")
    return data


@cache
def _blocks_type() -> TypeAdapter[tuple[Block, ...]]:
    from kebab_core import Block
    from pydantic import TypeAdapter

    return TypeAdapter(tuple[Block, ...])
