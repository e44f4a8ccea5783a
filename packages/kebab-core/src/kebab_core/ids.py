"""Kinds of identifiers and the hash they are made with; `id_recipes` says of what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Self

from blake3 import blake3

from kebab_core.canonical import JsonValue, canonical_json
from kebab_core.errors import InvalidInputError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

_HEX_32 = re.compile(r"[0-9a-fA-F]{32}")
DEFAULT_SOURCE_ID = "default"


class HexId(str):
    """32 hex digits, lower case; upper case is accepted and folded.

    A subclass of `str` for each kind of id, so that a bare string never passes for one.
    """

    __slots__ = ()
    _noun: ClassVar[str] = "an id"

    def __new__(cls, value: str) -> Self:
        """Return the id in lower case.

        Raises:
            InvalidInputError: The value is not 32 hex digits.
        """
        if not _HEX_32.fullmatch(value):
            raise InvalidInputError(
                f"{value!r} is not {cls._noun}: those have 32 hexadecimal digits", value=value
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
    _noun = "the id of an asset"


class DocumentId(HexId):
    """Content at a path, as one parser version reads it."""

    __slots__ = ()
    _noun = "the id of a document"


class BlockId(HexId):
    """One block of a document."""

    __slots__ = ()
    _noun = "the id of a block"


class ChunkId(HexId):
    """One retrievable piece of a document under one chunker version and policy."""

    __slots__ = ()
    _noun = "the id of a chunk"


class EmbeddingId(HexId):
    """One chunk's vector by one exact model."""

    __slots__ = ()
    _noun = "the id of an embedding"


class IndexId(HexId):
    """One vector index: collection, exact model and index parameters."""

    __slots__ = ()
    _noun = "the id of a vector index"


def hash_bytes(content: bytes) -> str:
    """Return the BLAKE3 of `content` as 64 lower-case hex digits."""
    return blake3(content).hexdigest()


def hash_canonical(value: JsonValue) -> str:
    """Return the BLAKE3 of a value's canonical JSON as 64 lower-case hex digits."""
    return blake3(canonical_json(value)).hexdigest()
