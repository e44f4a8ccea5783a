"""Lays out the tokenizer as a table that is searched where it lies; its reader is `kebab_embed_local.unigram`.

Little-endian. First `KBPIECE1`, then offset and size of every section, two uint32 each; a section begins at a multiple
of 8. The sections:

1. children: uint32 for each node of a trie of bytes, and one more. The children of node n are the nodes from
   children[n] up to children[n + 1]; node 0 is the root.
2. labels: uint8 for each node, the byte that leads to it; they ascend among the children of a node.
3. ids: uint32 for each node, 1 + the id of the piece that ends there, or 0.
4. scores: float64 for each piece, by id, and at last that of a character which no piece covers.
5. replacements: UTF-8, by turns a sequence and what it is replaced by, a zero byte between every two.
6. to 12., UTF-8: the characters that extend others, spacing marks, those that precede others, consonants that are
   joined, their linkers, pictographs, and controls, as Unicode Standard Annex 29 has them.
"""

import struct
from collections.abc import Sequence

import numpy as np

from conversion import graphemes

TABLE_FILE = "tokenizer.bin"
MAGIC = b"KBPIECE1"

UNKNOWN_PENALTY = 10.0
"""How much less likely than the least likely piece a character is that no piece covers."""

_ALIGNMENT = 8


def build_table(pieces: Sequence[bytes], scores: Sequence[float], replacements: dict[str, str]) -> bytes:
    """Return the file."""
    children, labels, ids = build_trie(pieces)
    words = [text for pair in sorted(replacements.items()) for text in pair]
    classes = (
        graphemes.EXTEND,
        graphemes.SPACING,
        graphemes.PREPEND,
        graphemes.CONSONANT,
        graphemes.LINKER,
        graphemes.PICTOGRAPH,
        graphemes.CONTROL,
    )
    return _join([
        children.astype("<u4").tobytes(),
        labels.astype("u1").tobytes(),
        ids.astype("<u4").tobytes(),
        _all_scores(scores).astype("<f8").tobytes(),
        "\0".join(words).encode(),
        *(graphemes.expand(ranges).encode() for ranges in classes),
    ])  # fmt: skip


def _all_scores(scores: Sequence[float]) -> np.ndarray:
    known = np.array([published(score) for score in scores])
    return np.append(known, known.min() - UNKNOWN_PENALTY)


def published(score: float) -> float:
    """Return a score as the model's `tokenizer.json` has it.

    There the shortest decimal of the float32 was read by dividing its digits, a whole number, by a power of ten,
    which misses the nearest float64 by one step in a quarter of the cases. Two ways to cut a text that are equally
    likely are told apart by less than that.
    """
    digits = repr(score).lstrip("-")
    whole, _, fraction = digits.partition(".")
    return -float(int(whole + fraction)) / 10.0 ** len(fraction) if score else 0.0


def build_trie(pieces: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return children, labels and ids of a trie, its nodes by depth and then by bytes."""
    order = sorted(range(len(pieces)), key=pieces.__getitem__)
    lengths = np.array([len(pieces[number]) for number in order])
    width = int(lengths.max())
    padded = b"".join(pieces[number].ljust(width, b"\0") for number in order)
    table = np.frombuffer(padded, np.uint8).reshape(-1, width)
    labels, ids, parents = [np.zeros(1, np.uint8)], [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
    above = np.zeros(len(order), np.int64)
    count = 1
    for depth in range(width):
        column = table[:, depth]
        reaching = np.flatnonzero(lengths > depth)
        first = _starts(above[reaching], column[reaching])
        node = count + np.cumsum(first) - 1
        labels.append(column[reaching][first])
        parents.append(above[reaching][first])
        ending = np.zeros(int(first.sum()), np.int64)
        last = lengths[reaching] == depth + 1
        ending[node[last] - count] = np.array(order)[reaching][last] + 1
        ids.append(ending)
        above[reaching] = node
        count += len(ending)
    counted = np.bincount(np.concatenate(parents), minlength=count)
    children = np.concatenate([[1], 1 + np.cumsum(counted)])
    return children, np.concatenate(labels), np.concatenate(ids)


def _starts(above: np.ndarray, column: np.ndarray) -> np.ndarray:
    """Return where, among sorted pieces, parent or byte differ from the piece before."""
    starts = np.ones(len(above), bool)
    starts[1:] = (above[1:] != above[:-1]) | (column[1:] != column[:-1])
    return starts


def _join(sections: Sequence[bytes]) -> bytes:
    at = len(MAGIC) + 8 * len(sections)
    header, body = [MAGIC], []
    for section in sections:
        padding = -at % _ALIGNMENT
        body += [bytes(padding), section]
        at += padding
        header.append(struct.pack("<II", at, len(section)))
        at += len(section)
    return b"".join(header + body)
