"""The pieces of words by which kebab tells divided words from compounds, and words from misspellings.

    python -m tools.word_pieces --write

They are of the vocabulary of the bundled embedding model, XLM-RoBERTa's (see `tools.character_frequencies`): the pieces in Latin letters that are not very rare. The file has a line
for each step of `-ln` of the probability with its pieces; `▁` begins a word.
"""

from __future__ import annotations

import argparse
import lzma
import unicodedata
from collections import defaultdict
from pathlib import Path

import kebab_text
from kebab_model_e5_small import files
from kebab_text import PIECE_FILE

from tools.character_frequencies import read_pieces

_STEP = 0.5
"""Width of a step of the file."""
_RAREST = -14.5
_MARK = "▁"


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
    best: dict[str, float] = {}
    for piece, score in read_pieces(folder / "tokenizer.bin"):
        folded = piece.casefold()
        letters = folded.removeprefix(_MARK)
        if _is_latin(letters) and (score >= _RAREST or len(letters) == 1):
            best[folded] = max(score, best.get(folded, score))
    steps: defaultdict[float, list[str]] = defaultdict(list)
    for piece, score in best.items():
        steps[round(-score / _STEP) * _STEP].append(piece)
    lines = [f"{step} {' '.join(sorted(pieces))}" for step, pieces in sorted(steps.items())]
    Path(kebab_text.__file__ or "").with_name(PIECE_FILE).write_bytes(
        lzma.compress("\n".join(lines).encode(), preset=9)
    )


def _is_latin(letters: str) -> bool:
    return letters.isalpha() and all(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)


if __name__ == "__main__":
    main()
