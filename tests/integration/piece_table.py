"""Reads the bundled tokenizer's table in another way than kebab does: all of it, at once."""

import struct
from dataclasses import dataclass
from pathlib import Path

SECTIONS = 12
CHILDREN, LABELS, IDS, SCORES, REPLACEMENTS, CLASSES = range(6)


@dataclass(frozen=True)
class PieceTable:
    """What the table holds."""

    pieces: list[str]
    """By id."""
    scores: list[float]
    """By id."""
    replacements: dict[str, str]
    classes: list[str]
    """Characters of each class."""


def read_piece_table(path: Path) -> PieceTable:
    """Return the content of a `tokenizer.bin`."""
    data = path.read_bytes()
    bounds = struct.unpack_from(f"<{SECTIONS * 2}I", data, 8)
    parts = [data[start : start + size] for start, size in zip(bounds[::2], bounds[1::2], strict=True)]
    texts = [part.decode() for part in parts[REPLACEMENTS:]]
    words = texts[0].split("\0")
    scores = list(struct.unpack(f"<{len(parts[SCORES]) // 8}d", parts[SCORES]))
    return PieceTable(
        pieces=_pieces(parts),
        scores=scores[:-1],
        replacements=dict(zip(words[::2], words[1::2], strict=True)),
        classes=texts[1:],
    )


def _pieces(parts: list[bytes]) -> list[str]:
    nodes = len(parts[LABELS])
    children = struct.unpack(f"<{nodes + 1}I", parts[CHILDREN])
    ids = struct.unpack(f"<{nodes}I", parts[IDS])
    names = [b""]
    for node in range(nodes):
        names += [
            names[node] + parts[LABELS][at : at + 1] for at in range(children[node], children[node + 1])
        ]
    by_id = {number - 1: name.decode() for number, name in zip(ids, names, strict=True) if number}
    return [by_id[number] for number in range(len(by_id))]
