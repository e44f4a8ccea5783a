"""Rows of `chunks`, to and from the domain."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from functools import cache

from kebab_core import Chunk

from kebab_store_sqlite.json_fields import json_array, json_text, span_json

ChunkRow = tuple[str, str, int, str, str, str | None, str, int, str, str, str, str, str | None]


def chunk_rows(chunks: Sequence[Chunk], *, doc_id: str, created_at: str) -> list[ChunkRow]:
    """Return the rows of a document's chunks without their numbers, in plain values."""
    heading_json = cache(json_text)
    return [
        (
            str(chunk.chunk_id),
            doc_id,
            chunk.ordinal,
            chunk.text,
            heading_json(chunk.heading_path),
            chunk.section_label,
            json_array([span_json(span) for span in chunk.source_spans]),
            chunk.token_estimate,
            chunk.chunker_version,
            chunk.policy_hash,
            json_text(chunk.block_ids),
            created_at,
            chunk.lead.model_dump_json() if chunk.lead else None,
        )
        for chunk in chunks
    ]


def chunk_of(row: sqlite3.Row) -> Chunk:
    """Return the chunk in a row of `chunks`, which before V005 has no `lead_json` (a reader may not migrate)."""
    lead = row["lead_json"] if "lead_json" in row.keys() else None  # noqa: SIM118 - `in` looks at a row's values
    return Chunk(
        chunk_id=row["chunk_id"],
        doc_id=row["doc_id"],
        ordinal=row["ordinal"],
        block_ids=json.loads(row["block_ids_json"]),
        text=row["text"],
        heading_path=json.loads(row["heading_path_json"]),
        section_label=row["section_label"],
        source_spans=json.loads(row["source_spans_json"]),
        token_estimate=row["token_estimate"],
        chunker_version=row["chunker_version"],
        policy_hash=row["policy_hash"],
        lead=json.loads(lead) if lead else None,
    )
