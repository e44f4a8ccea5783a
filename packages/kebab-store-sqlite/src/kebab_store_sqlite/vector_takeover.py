"""Takeover of vectors from schema 6, which kept them in the derivation cache and in a folder beside the database."""

from __future__ import annotations

import json
import shutil
import sqlite3
import struct
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from kebab_core import (
    EmbeddingIdentity,
    EmbeddingModelId,
    EmbeddingVersion,
    hash_canonical,
    passage_text,
    text_hash_of,
    vector_index_of,
)

FORMER_FOLDER = "lancedb"
"""Of the vectors, below the data folder."""
_UNIT_TOLERANCE = 0.01
_KEY = struct.Struct("<16s8x")
"""Chunk id, then numbers of its document and language."""
_ROW = struct.Struct("<I")
_VALUE_BYTES = 2


def register_functions(connection: sqlite3.Connection, data_dir: Path) -> None:
    """Give a connection the SQL functions of the migration to schema 7.

    - `passage_hash(title, heading_path_json, text)`: the hash of a passage's text.
    - `passage_key(model_id, model_version, dimensions, title, heading_path_json, text)`: its key in the derivation cache.
    - `cached_vector(dimensions, payload)`: a vector of the cache in half precision, NULL if it is damaged or missing.
    - `indexed_vector(model_id, model_version, dimensions, chunk_id)`: the vector of a chunk from the folder, or NULL.
    """
    indexes = cache(lambda *identity: _FormerIndex(data_dir / FORMER_FOLDER, *identity))
    functions: dict[str, tuple[int, Callable[..., bytes | str | None]]] = {
        "passage_hash": (3, lambda *passage: text_hash_of(_text_of(*passage))),
        "passage_key": (6, _key_of),
        "cached_vector": (2, _halved),
        "indexed_vector": (4, lambda *key: indexes(*key[:3]).find(key[3])),
    }
    for name, (arguments, function) in functions.items():
        connection.create_function(name, arguments, function, deterministic=True)


def remove_former_vectors(data_dir: Path) -> None:
    """Delete the folder of schema 6, whose vectors are in the database now; what kebab did not put there stays."""
    folder = data_dir / FORMER_FOLDER
    if folder.is_symlink() or not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.suffix in {".lance", ".matrix"} and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
    with suppress(OSError):
        folder.rmdir()


def _text_of(title: str, heading_path_json: str, text: str) -> str:
    return passage_text(title=title, heading_path=json.loads(heading_path_json), text=text)


def _key_of(model_id: str, model_version: str, dimensions: int, *passage: str) -> str:
    return hash_canonical({
        "model_id": model_id,
        "model_version": model_version,
        "dimensions": dimensions,
        "kind": "document",
        "text": _text_of(*passage),
    })


def _halved(dimensions: int, payload: bytes | None) -> bytes | None:
    """Round a vector in single precision; None unless it has these dimensions and unit norm."""
    if payload is None or len(payload) != 4 * dimensions:
        return None
    values = struct.unpack(f"={dimensions}f", payload)
    return struct.pack(f"<{dimensions}e", *values) if _is_unit(values) else None


def _is_unit(values: tuple[float, ...]) -> bool:
    return abs(sum(value * value for value in values) - 1) <= _UNIT_TOLERANCE


class _FormerIndex:
    """The matrix of one model: a folder with a manifest and files of keys, vectors and deleted rows.

    Whatever cannot be read there is as if it were missing: its passages are embedded again.
    """

    def __init__(self, folder: Path, model_id: str, model_version: str, dimensions: int) -> None:
        identity = EmbeddingIdentity(
            model_id=EmbeddingModelId(model_id),
            model_version=EmbeddingVersion(model_version),
            dimensions=dimensions,
        )
        self._dimensions = dimensions
        self._rows: dict[bytes, int] = {}
        self._vectors = Path()
        with suppress(OSError, ValueError, KeyError, TypeError, struct.error):
            self._open(folder / f"{vector_index_of(identity)}.matrix", identity)

    def find(self, chunk_id: str) -> bytes | None:
        """Return the vector of a chunk in half precision, None without one."""
        row = self._rows.get(bytes.fromhex(chunk_id))
        if row is None:
            return None
        size, vector = self._dimensions * _VALUE_BYTES, b""
        with suppress(OSError), self._vectors.open("rb") as file:
            file.seek(row * size)
            vector = file.read(size)
        is_whole = len(vector) == size and _is_unit(struct.unpack(f"<{self._dimensions}e", vector))
        return vector if is_whole else None

    def _open(self, matrix: Path, identity: EmbeddingIdentity) -> None:
        manifest = json.loads((matrix / "current.json").read_bytes())
        if EmbeddingIdentity.model_validate(manifest["identity"]) != identity:
            return
        generation, count = manifest["generation"], manifest["rows"]
        keys = (matrix / f"{generation}.keys").read_bytes()[: count * _KEY.size]
        dead = (matrix / f"{generation}.dead").read_bytes()[: manifest["dead"] * _ROW.size]
        deleted = {number for (number,) in _ROW.iter_unpack(dead)}
        rows = enumerate(_KEY.iter_unpack(keys))
        self._rows = {chunk: row for row, (chunk,) in rows if row not in deleted}
        self._vectors = matrix / f"{generation}.vectors"
