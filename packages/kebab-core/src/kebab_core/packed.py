"""A document on its way to a store, in the store's own shape."""

from __future__ import annotations

from dataclasses import dataclass

from kebab_core.asset import SourceId, WorkspacePath
from kebab_core.ids import AssetId, DocumentId
from kebab_core.versions import ChunkerVersion, ParserVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedDocument:
    """What a store made of a `DocumentRecord`, cheap to hand from one process to another.

    Only the kind of store that packed it can take it in.
    """

    doc_id: DocumentId
    source_id: SourceId
    workspace_path: WorkspacePath
    asset_id: AssetId
    byte_len: int
    """Length of the file, in bytes."""
    block_count: int
    chunk_count: int
    parser_version: ParserVersion
    chunker_version: ChunkerVersion
    warnings: tuple[str, ...]
    """What its parser was unsure of."""
    rows: object
    """Its content as the store writes it."""
