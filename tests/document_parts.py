"""Rows of `document_parts`, read and written by the module of the database that is not public."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

_PARTS: Any = import_module("kebab_store_sqlite.document_parts")


def read_passages(chunks: bytes) -> list[dict[str, Any]]:
    """Return the passages of a row."""
    return [json.loads(one) for one in _PARTS.PassageContents(chunks)]


def read_blocks(chunks: bytes, blocks: bytes) -> list[dict[str, Any]]:
    """Return the blocks of a row."""
    found: list[dict[str, Any]] = json.loads(_PARTS.unpack_blocks(chunks, blocks))
    return found


def write_passages(
    passages: list[dict[str, Any]], *, chunks: bytes, terms: bytes, blocks: bytes
) -> tuple[bytes, bytes, bytes]:
    """Return the columns of a row with other passages: passages, terms, blocks."""
    kept = [_to_json(block) for block in read_blocks(chunks, blocks)]
    (row,) = _PARTS.part_rows([_to_json(one) for one in passages], _PARTS.passage_terms(chunks, terms), kept)
    return row.chunks, row.terms, row.blocks


def _to_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
