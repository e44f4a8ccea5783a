"""What identifiers are made of: the first 32 hex digits of a hash over a tuple that names its kind.

Ids depend on content, path and versions only: never on a machine, a clock, an embedding model or the order in
which files were found. Seed: system design, section 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_core.ids import (
    DEFAULT_SOURCE_ID,
    AssetId,
    BlockId,
    ChunkId,
    DocumentId,
    EmbeddingId,
    IndexId,
    hash_canonical,
)

if TYPE_CHECKING:
    from kebab_core.asset import WorkspacePath
    from kebab_core.canonical import JsonValue
    from kebab_core.span import SourceSpan


def _id(parts: dict[str, JsonValue]) -> str:
    return hash_canonical(parts)[:32]


def asset_id_for(asset_blake3: str) -> AssetId:
    """Return the id of an asset from the full BLAKE3 hex (64 digits) of its bytes."""
    return AssetId(_id({"kind": "asset", "asset_blake3": asset_blake3}))


def document_id_for(
    *, workspace_path: WorkspacePath, asset_id: AssetId, parser_version: str, source_id: str
) -> DocumentId:
    """Return the id of a document; `source_id` takes part only when it is not the default source."""
    parts: dict[str, JsonValue] = {
        "kind": "doc",
        "workspace_path": workspace_path,
        "asset_id": asset_id,
        "parser_version": parser_version,
    }
    if source_id != DEFAULT_SOURCE_ID:
        parts["source_id"] = source_id
    return DocumentId(_id(parts))


def block_id_for(
    *, doc_id: DocumentId, block_kind: str, heading_path: Sequence[str], ordinal: int, source_span: SourceSpan
) -> BlockId:
    """Return the id of a block.

    Args:
        doc_id: The document.
        block_kind: `Block.kind`.
        heading_path: Headings above the block, outermost first.
        ordinal: Position from 0 among the blocks of equal kind and heading path, in document order.
        source_span: Where it stands; absent optional fields take no part, so that adding one keeps ids.
    """
    if source_span.kind == "line":
        # Every block of every text comes by here, and asking the model for its JSON is half of the work.
        span: JsonValue = {"kind": "line", "start": source_span.start, "end": source_span.end}
    else:
        span = source_span.model_dump(mode="json", exclude_none=True)
    return BlockId(
        _id({
            "kind": "block",
            "doc_id": doc_id,
            "block_kind": block_kind,
            "heading_path": list(heading_path),
            "ordinal": ordinal,
            "source_span": span,
        })
    )


def chunk_id_for(
    *,
    doc_id: DocumentId,
    chunker_version: str,
    block_ids: Sequence[BlockId],
    policy_hash: str,
    part: int | None = None,
) -> ChunkId:
    """Return the id of a chunk.

    `part` counts from 0 among chunks made from the same blocks and must be None where there is only one.
    """
    parts: dict[str, JsonValue] = {
        "kind": "chunk",
        "doc_id": doc_id,
        "chunker_version": chunker_version,
        "block_ids": list(block_ids),
        "policy_hash": policy_hash,
    }
    if part is not None:
        parts["part"] = part
    return ChunkId(_id(parts))


def embedding_id_for(*, chunk_id: ChunkId, model_id: str, model_version: str, dimensions: int) -> EmbeddingId:
    """Return the id of one chunk's vector. `model_version` is `<version>+<12 hex of the weights' hash>`."""
    return EmbeddingId(
        _id({
            "kind": "embedding",
            "chunk_id": chunk_id,
            "model_id": model_id,
            "model_version": model_version,
            "dimensions": dimensions,
        })
    )


def index_id_for(
    *,
    collection: str,
    embedding_model: str,
    embedding_version: str,
    dimensions: int,
    index_version: str,
    index_kind: str,
    index_params_hash: str,
) -> IndexId:
    """Return the id of a vector index: any change of model, version, width or shape is another index."""
    return IndexId(
        _id({
            "kind": "index",
            "collection": collection,
            "embedding_model": embedding_model,
            "embedding_version": embedding_version,
            "dimensions": dimensions,
            "index_version": index_version,
            "index_kind": index_kind,
            "index_params_hash": index_params_hash,
        })
    )
