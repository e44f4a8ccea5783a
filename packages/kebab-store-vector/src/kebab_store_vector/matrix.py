"""The matrix of a model: its rows in one file, made from the database and thrown away at will.

The file is a sequence of segments. Each has a head with its length, then the codes of vectors in 8 bits, their scales,
errors, keys and documents, the numbers of rows that are dead since, and a footer in JSON with the content version of the database
whose rows are in the segments up to this one. A segment counts once it is whole: what a killed writer or one at work
leaves at the end is not read. New rows are appended; when many rows are dead or appended, the file is written anew beside
its name, sorted by chunk id, and renamed. Readers that have the old one open keep it. Checksums are verified on opening,
since a flipped bit would silently change search results; 10 ms for 50,000 vectors.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from zlib import crc32

import numpy as np
from kebab_core import EmbeddingIdentity, Model
from pydantic import Field, ValidationError

from kebab_store_vector.rounded_vectors import (
    CODE,
    ERROR,
    SCALE,
    CodeFile,
    OpenFile,
    RoundedVectors,
)
from kebab_store_vector.rows import ID, KEY, MatrixRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_HEAD = struct.Struct("<8sQI")
"""Mark, length of what follows, CRC-32 of both."""
_MARK = b"kebabmx2"
_END = struct.Struct("<II")
"""Length of the footer, CRC-32 of all that follows the head and stands before this."""
_ROW = np.dtype("<u4")
_MAX_SEGMENTS = 200
"""A file of more segments is written anew: each takes some 20 microseconds to open."""
_BLOCK_BYTES = 1 << 20


class _Footer(Model):
    identity: EmbeddingIdentity
    content_version: str
    """Of the database whose rows are in the segments up to this one."""
    rows: int = Field(ge=0)
    """Number of rows in this segment, as the next two."""
    documents: int = Field(ge=0)
    dead: int = Field(ge=0)
    langs: tuple[str, ...]
    """Of all segments up to this one."""


class Matrix(NamedTuple):
    """An open matrix."""

    stamp: tuple[int, int, int]
    """Of the file; equal stamps are the same file."""
    content_version: str
    rows: MatrixRows
    end: int
    """Place behind the last whole segment."""
    sizes: Mapping[str, tuple[int, int]]
    """Number of rows, and of those that are dead, up to each segment, by its content version."""

    @property
    def is_whole(self) -> bool:
        """True if nothing stands behind the last whole segment."""
        return self.end == self.stamp[2]


class _Segment(NamedTuple):
    footer: _Footer
    end: int
    codes: CodeFile
    scales: NDArray[np.float32]
    errors: NDArray[np.float16]
    keys: NDArray[np.void]
    documents: NDArray[np.bytes_]
    dead: NDArray[np.uint32]


def stamp_of(path: Path) -> tuple[int, int, int] | None:
    """Return the stamp of a file, None where there is none."""
    try:
        return _stamp(path.stat())
    except OSError:
        return None


def _stamp(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size


def open_matrix(path: Path, identity: EmbeddingIdentity) -> Matrix | None:
    """Open the matrix of a model; None where it is missing, damaged from its start on, or of another model."""
    try:
        with path.open("rb") as file:
            return _read_matrix(file, identity)
    except OSError:
        return None


def _read_matrix(file: BinaryIO, identity: EmbeddingIdentity) -> Matrix | None:
    stamp, opened = _stamp(os.fstat(file.fileno())), OpenFile(file)
    segments: list[_Segment] = []
    end = 0
    with suppress(ValueError, ValidationError, struct.error):  # the segments before it are whole
        while end < stamp[2]:
            segment = _read_segment(file, opened, end, identity)
            segments.append(segment)
            end = segment.end
    if not segments:
        return None
    counts = np.cumsum([len(segment.keys) for segment in segments]).tolist()
    vectors = RoundedVectors(
        [segment.codes for segment in segments],
        np.concatenate([segment.scales for segment in segments]),
        np.concatenate([segment.errors for segment in segments]),
        dimensions=identity.dimensions,
    )
    rows = MatrixRows(
        vectors=vectors,
        keys=np.concatenate([segment.keys for segment in segments]),
        documents=np.concatenate([segment.documents for segment in segments]),
        langs=segments[-1].footer.langs,
        dead=np.concatenate([segment.dead for segment in segments]).astype(np.intp),
        ordered=counts[0],
    )
    dead = np.cumsum([len(segment.dead) for segment in segments]).tolist()
    versions = [segment.footer.content_version for segment in segments]
    sizes = dict(zip(versions, zip(counts, dead, strict=True), strict=True))
    return Matrix(stamp, segments[-1].footer.content_version, rows, end, sizes)


def _read_segment(file: BinaryIO, opened: OpenFile, start: int, identity: EmbeddingIdentity) -> _Segment:
    """Read a segment.

    Raises:
        ValueError: It is damaged, of another model, or not whole.
        struct.error: The file ends before it.
    """
    file.seek(start)
    head = file.read(_HEAD.size)
    mark, length, checksum = _HEAD.unpack(head)
    body = start + _HEAD.size
    if mark != _MARK or checksum != crc32(head[:-4]) or body + length > os.fstat(file.fileno()).st_size:
        raise ValueError
    checksum, rest = 0, length - _END.size
    while rest > 0 and (block := file.read(min(rest, _BLOCK_BYTES))):
        checksum, rest = crc32(block, checksum), rest - len(block)
    footer_length, expected = _END.unpack(file.read(_END.size))
    if rest or checksum != expected:
        raise ValueError
    file.seek(body + length - _END.size - footer_length)
    footer = _Footer.model_validate_json(file.read(footer_length))
    if footer.identity != identity:
        raise ValueError
    shape = (footer.rows, identity.dimensions)
    place = body + shape[0] * shape[1] * CODE.itemsize
    file.seek(place)

    def take(kind: np.dtype[Any], count: int) -> NDArray[Any]:
        return np.frombuffer(file.read(count * kind.itemsize), kind)

    return _Segment(
        footer,
        body + length,
        CodeFile(opened, start=body, shape=shape),
        scales=take(SCALE, footer.rows),
        errors=take(ERROR, footer.rows),
        keys=take(KEY, footer.rows),
        documents=take(ID, footer.documents),
        dead=take(_ROW, footer.dead),
    )


def write_matrix(path: Path, identity: EmbeddingIdentity, rows: MatrixRows, *, content_version: str) -> None:
    """Write the live rows of a model in place of the file, sorted by chunk id; durable on return.

    Raises:
        OSError: The file cannot be written; the old one stays.
    """
    live = np.ones(len(rows.keys), np.bool_)
    live[rows.dead] = False
    kept = np.flatnonzero(live)
    order = kept[np.argsort(rows.keys["chunk"][kept], kind="stable")]
    keys = np.array(rows.keys[order])
    used, keys["document"] = np.unique(keys["document"], return_inverse=True)
    segment = MatrixRows(
        rows.vectors.select(order),
        keys,
        np.ascontiguousarray(rows.documents[used]),
        rows.langs,
        rows.dead[:0],
        len(keys),
    )
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
            _write_segment(file, identity, segment, content_version)
        if path.is_dir():
            remove_path(path)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def append_to_matrix(
    path: Path, identity: EmbeddingIdentity, matrix: Matrix, rows: MatrixRows, *, content_version: str
) -> bool:
    """Append to the file what has changed since it was opened; durable on return.

    Args:
        path: The file.
        identity: The model.
        matrix: The file as it was opened.
        rows: Its rows, and the new ones behind them.
        content_version: Of the rows.

    Returns:
        False if it must be written anew instead: it is damaged, has many segments, or another process writes it.

    Raises:
        OSError: The file cannot be written; its segments stay.
    """
    if not matrix.is_whole or len(matrix.sizes) >= _MAX_SEGMENTS:
        return False
    first = len(matrix.rows.keys)
    new = np.arange(first, len(rows.keys))
    segment = MatrixRows(
        vectors=rows.vectors.select(new),
        keys=rows.keys[new],
        documents=rows.documents[len(matrix.rows.documents) :],
        langs=rows.langs,
        dead=np.setdiff1d(rows.dead, matrix.rows.dead),
        ordered=0,
    )
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        if _stamp(os.fstat(file.fileno())) != matrix.stamp:
            return False
        file.seek(matrix.end)
        _write_segment(file, identity, segment, content_version)
    return True


def _write_segment(
    file: BinaryIO, identity: EmbeddingIdentity, rows: MatrixRows, content_version: str
) -> None:
    footer = _Footer(
        identity=identity,
        content_version=content_version,
        rows=len(rows.keys),
        documents=len(rows.documents),
        dead=len(rows.dead),
        langs=rows.langs,
    )
    blocks: list[NDArray[Any]] = [block for _, block in rows.vectors.blocks()]
    pieces = [*blocks, rows.vectors.scales.astype(SCALE), rows.vectors.errors.astype(ERROR)]
    pieces += [rows.keys, rows.documents, rows.dead.astype(_ROW)]
    contents = [np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data for piece in pieces if piece.size]
    ending = footer.model_dump_json().encode()
    length = sum(content.nbytes for content in contents) + len(ending) + _END.size
    head = _HEAD.pack(_MARK, length, 0)[:-4]
    file.write(head + struct.pack("<I", crc32(head)))
    checksum = 0
    for content in (*contents, memoryview(ending)):
        checksum = crc32(content, checksum)
        file.write(content)
    file.write(_END.pack(len(ending), checksum))
    file.flush()
    os.fsync(file.fileno())


def remove_path(path: Path) -> None:
    """Delete a file or a folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
