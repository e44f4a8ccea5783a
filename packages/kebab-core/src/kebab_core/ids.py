"""Identifiers, the hashes and canonical JSON that they are made of, and version labels.

An id is the first 32 hex digits of a hash over its kind and parts; the functions `asset_id_for`, `document_id_for`,
`block_id_for`, `chunk_id_for`, `embedding_id_for` and `index_id_for` stand beside the models that they identify. Ids
depend on content, path and versions only: never on a machine, a clock, an embedding model (but for embeddings and vector
indexes) or the order in which files were found.

Canonical JSON is RFC 8785 (JCS) over NFC text. RFC 8785 leaves Unicode normalisation to the application (section
3.1), so every string, keys included, is brought to NFC first: a Hangul file name in Jamo and the same name in
syllables give equal bytes.

Version labels name the code or model that produced a thing. They are compared for equality only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, NewType, Self, TypeVar, cast

import rfc8785
from blake3 import blake3

from kebab_core.errors import InvalidInputError

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


_HEX_32 = re.compile(r"[0-9a-fA-F]{32}")
DEFAULT_SOURCE_ID = "default"

ParserVersion = NewType("ParserVersion", str)
"""`md-v1`, `text-v1`, …: changes when a parser reads the same bytes differently."""
ChunkerVersion = NewType("ChunkerVersion", str)
"""`md-heading-v1`, …: changes when a chunker cuts the same document differently."""
EmbeddingModelId = NewType("EmbeddingModelId", str)
EmbeddingVersion = NewType("EmbeddingVersion", str)
"""`<version>+<first 12 hex of the weights' hash>`."""
IndexVersion = NewType("IndexVersion", str)
"""Shape of the index that served a search, such as `lexical:ko-en@1`."""
PromptTemplateVersion = NewType("PromptTemplateVersion", str)
AnalyzerVersion = NewType("AnalyzerVersion", str)
"""`<analyser id>@<version>`: index and query must agree on it."""

JsonValue = None | bool | int | float | str | Sequence["JsonValue"] | Mapping[str, "JsonValue"]
"""A JSON value. Integers must lie within ±(2**53 - 1), floats must be finite."""


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
                "{value!r} is not {noun}: those have 32 hexadecimal digits", value=value, _noun=cls._noun
            )
        return super().__new__(cls, value.lower())

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema of strings of the right shape; the JSON Schema carries the pattern. An id is taken as it is."""
        from pydantic_core import core_schema

        text = core_schema.no_info_after_validator_function(
            lambda value: str.__new__(cls, value.lower()),
            core_schema.str_schema(pattern=r"^[0-9a-fA-F]{32}$"),
        )
        given = core_schema.no_info_wrap_validator_function(
            lambda value, check: value if type(value) is cls else check(value), text
        )
        return core_schema.json_or_python_schema(text, given)


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


_Id = TypeVar("_Id", bound=HexId)


def hash_bytes(content: bytes) -> str:
    """Return the BLAKE3 of `content` as 64 lower-case hex digits."""
    return blake3(content).hexdigest()


def hash_file(file: BinaryIO) -> str:
    """Return the `hash_bytes` of a file from its start, a megabyte at a time; it is at its start again afterwards."""
    hasher = blake3()
    file.seek(0)
    while block := file.read(1 << 20):
        hasher.update(block)
    file.seek(0)
    return hasher.hexdigest()


def hash_canonical(value: JsonValue) -> str:
    """Return the BLAKE3 of a value's canonical JSON as 64 lower-case hex digits."""
    return blake3(canonical_json(value)).hexdigest()


def hash_parts(kind: str, **parts: JsonValue) -> str:
    """The 32 hex digits of an id: the hash of its parts and its kind."""
    return hash_canonical({"kind": kind, **parts})[:32]


def id_of_json(kind: type[_Id], text: str) -> _Id | None:
    """The id that `hash_parts` gives, for parts that are written as canonical JSON already but for NFC.

    Returns:
        The id; None where the text is not in NFC or has a lone surrogate, since only the parts can be normalised.
    """
    if not unicodedata.is_normalized("NFC", text):
        return None
    try:
        content = text.encode()
    except UnicodeEncodeError:
        return None
    return str.__new__(kind, hash_bytes(content)[:32])


@lru_cache(maxsize=256)
def json_of_texts(texts: tuple[str, ...]) -> str:
    """JSON array of texts, such as a heading path, which many blocks in a row have."""
    return _write(texts)


def canonical_json(value: JsonValue) -> bytes:
    """Serialise a value so that equal values give equal bytes on every platform.

    Args:
        value: JSON data. Array order is kept; object keys are sorted by UTF-16 code units.

    Returns:
        UTF-8 bytes without insignificant white space.

    Raises:
        InvalidInputError: A number JSON cannot carry exactly, a lone surrogate, a value that is not JSON (bytes
            included), or two keys of one object that are equal after NFC.
    """
    try:
        with suppress(_NotSimpleError):  # four times as fast as `rfc8785`
            text = _write(value)
            # No sign of JSON composes with what follows it, so the whole is NFC exactly when every string is.
            if unicodedata.is_normalized("NFC", text):
                return text.encode()
        return rfc8785.dumps(_nfc(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InvalidInputError(
            "value cannot be written as canonical JSON: {error}", _error=str(error)
        ) from error


_MAX_INTEGER = 2**53 - 1


class _NotSimpleError(Exception):
    """A value whose canonical form may differ from what Python's own JSON encoder writes."""


def _write(value: object) -> str:
    """Return the JSON of a value without floats and without keys whose UTF-16 order differs from Python's.

    Raises:
        _NotSimpleError: The value has a float or such a key, or is not JSON.
    """
    if isinstance(value, str):
        return encode_basestring(value)
    kind = type(value)
    if kind is dict:
        return _write_object(cast("dict[object, object]", value))
    if kind is list or kind is tuple:
        return f"[{','.join([_write(item) for item in cast('Sequence[object]', value)])}]"
    if kind is int and -_MAX_INTEGER <= cast("int", value) <= _MAX_INTEGER:
        return str(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    raise _NotSimpleError


def _write_object(value: dict[object, object]) -> str:
    keys = [key for key in value if type(key) is str and key.isascii()]
    if len(keys) != len(value):
        raise _NotSimpleError
    keys.sort()
    return f"{{{','.join([f'{encode_basestring(key)}:{_write(value[key])}' for key in keys])}}}"


def _nfc(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, Mapping):
        folded = {_nfc_key(key): _nfc(item) for key, item in value.items()}
        if len(folded) != len(value):
            raise InvalidInputError("two keys of one JSON object are equal after NFC")
        return folded
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [_nfc(item) for item in value]
    return value


def _nfc_key(key: object) -> str:
    if not isinstance(key, str):
        raise InvalidInputError("{key} is not a key of a JSON object: keys are strings", _key=repr(key))
    return unicodedata.normalize("NFC", key)
