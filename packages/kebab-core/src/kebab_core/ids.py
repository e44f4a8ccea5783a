"""Identifiers: the first 32 hex digits of BLAKE3 over canonical JSON of a tuple that names its kind.

Ids depend on content, path and versions only: never on a machine, a clock, an embedding model or the order in
which files were found. Seed: system design, section 4.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from blake3 import blake3

from kebab_core.canonical_json import JsonValue, canonical_json
from kebab_core.errors import InvalidInputError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

    from kebab_core.asset import WorkspacePath
    from kebab_core.span import SourceSpan

_HEX_32 = re.compile(r"[0-9a-fA-F]{32}")
DEFAULT_SOURCE_ID = "default"


class HexId(str):
    """32 hex digits, lower case; upper case is accepted and folded.

    A subclass of `str` for each kind of id, so that a bare string never passes for one.
    """

    __slots__ = ()

    def __new__(cls, value: str) -> Self:
        """Return the id in lower case.

        Raises:
            InvalidInputError: The value is not 32 hex digits.
        """
        if not _HEX_32.fullmatch(value):
            raise InvalidInputError(
                f"{value!r} is not a {cls.__name__}: expected 32 hexadecimal digits", value=value
            )
        return super().__new__(cls, value.lower())

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema of strings of the right shape; the JSON Schema carries the pattern."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(
            cls, core_schema.str_schema(pattern=r"^[0-9a-fA-F]{32}$")
        )


class AssetId(HexId):
    """Content: equal bytes have equal asset ids."""

    __slots__ = ()


class DocumentId(HexId):
    """Content at a path, as one parser version reads it."""

    __slots__ = ()


class BlockId(HexId):
    """One block of a document."""

    __slots__ = ()


class ChunkId(HexId):
    """One retrievable piece of a document under one chunker version and policy."""

    __slots__ = ()


class EmbeddingId(HexId):
    """One chunk's vector by one exact model."""

    __slots__ = ()


class IndexId(HexId):
    """One vector index: collection, exact model and index parameters."""

    __slots__ = ()


def hash_bytes(content: bytes) -> str:
    """Return the BLAKE3 of `content` as 64 lower-case hex digits."""
    return blake3(content).hexdigest()


def hash_canonical(value: JsonValue) -> str:
    """Return the BLAKE3 of a value's canonical JSON as 64 lower-case hex digits."""
    return blake3(canonical_json(value)).hexdigest()


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
    return BlockId(
        _id({
            "kind": "block",
            "doc_id": doc_id,
            "block_kind": block_kind,
            "heading_path": list(heading_path),
            "ordinal": ordinal,
            "source_span": source_span.model_dump(mode="json", exclude_none=True),
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
