"""The frequencies of characters by which kebab-parse tells encodings apart, from the vocabulary of the bundled embedding model.

    python -m tools.character_frequencies --write

XLM-RoBERTa's vocabulary has the probability of 250,000 pieces of words in text of 100 languages (Conneau et al. 2020; MIT licence).
A character is as frequent as the pieces that hold it. The file has a line for each script and step of `-ln` of the frequency in
the script, with the characters of that step.
"""

from __future__ import annotations

import argparse
import struct
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import exp, log
from pathlib import Path
from unicodedata import normalize

from kebab_model_e5_small import files
from kebab_parse import FREQUENCY_FILE, WITHOUT_COUNTS, find_script

_SECTIONS = 12
_STEP = 0.25
"""Width of a step of the file."""
_SINGLE_LETTERS = {ord(normalize("NFKC", letter)): letter for letter in map(chr, range(0x3131, 0x3164))}
"""Letters of Hangul that stand alone; the vocabulary has them in NFKC."""
_MARK = "▁"
"""Stands for the blank before a word."""


def main() -> None:
    """Write the file.

    Raises:
        SystemExit: The model was built without weights.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", required=True)
    parser.parse_args()
    folder = files()
    if folder is None:
        raise SystemExit("kebab-model-e5-small was built without weights")
    scripts: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for piece, score in read_pieces(folder / "tokenizer.bin"):
        for char in piece.replace(_MARK, " ").translate(_SINGLE_LETTERS):
            scripts[find_script(char)][char] += exp(score)
    FREQUENCY_FILE.write_text("".join(_list_lines(scripts)), "utf-8")


def read_pieces(table: Path) -> Iterator[tuple[str, float]]:
    """Yield the pieces of a `tokenizer.bin` with the logarithm of their probability (`conversion/pieces.py` has the layout)."""
    content = table.read_bytes()
    sections = [struct.unpack_from("<II", content, 8 + 8 * number) for number in range(_SECTIONS)]
    children, labels, ids, scores = (
        array(code, content[start : start + size])
        for (start, size), code in zip(sections, "IBId", strict=False)
    )
    nodes = [(0, b"")]
    while nodes:
        node, path = nodes.pop()
        score = scores[ids[node] - 1] if ids[node] else 0.0
        if score:  # 0 is that of special tokens
            yield path.decode("utf-8", "ignore"), score
        nodes += [
            (child, path + bytes([labels[child]])) for child in range(children[node], children[node + 1])
        ]


def _list_lines(scripts: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    for script, counts in sorted(scripts.items()):
        if script in WITHOUT_COUNTS:
            continue
        total = sum(counts.values())
        steps: defaultdict[float, list[str]] = defaultdict(list)
        for char, count in counts.items():
            steps[round(-log(count / total) / _STEP) * _STEP].append(char)
        for step, chars in sorted(steps.items()):
            yield f"{script} {step} {''.join(sorted(chars))}\n"


if __name__ == "__main__":
    main()
