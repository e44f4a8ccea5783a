import random
import struct
from pathlib import Path

import pytest
from kebab_core import ModelCorruptError, ModelMissingError, Remedy
from kebab_embed_local.unigram import UnigramTokenizer

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "b", "▁a", "ab", "▁ab"]
REMEDY = Remedy(kind="retry")
SCORES = [0.0, 0.0, 0.0, 0.0, -2.0, -3.0, -3.5, -2.5, -4.5, -9.0, -19.0]


def _table(replacements: str = "A\0a\0\n\0 ") -> bytes:
    names = sorted({piece.encode()[:end] for piece in PIECES for end in range(len(piece.encode()) + 1)})
    names.sort(key=lambda name: (len(name), name))
    below = [[at for at, child in enumerate(names) if child and child[:-1] == name] for name in names]
    ids = [
        PIECES.index(name.decode("utf-8", "ignore")) + 1 if name.decode("utf-8", "replace") in PIECES else 0
        for name in names
    ]
    starts, count = [], 1
    for children in below:
        starts.append(count)
        count += len(children)
    sections = [
        struct.pack(f"<{len(names) + 1}I", *starts, count),
        bytes(name[-1] if name else 0 for name in names),
        struct.pack(f"<{len(names)}I", *ids),
        struct.pack(f"<{len(SCORES)}d", *SCORES),
        *(text.encode() for text in (replacements, "\u0301", "\u0903", "\u0600", "क", "\u094d", "™", "\0\n")),
    ]
    at, header, body = 8 + 8 * len(sections), b"KBPIECE1", b""
    for section in sections:
        padding = -at % 8
        header += struct.pack("<II", at + padding, len(section))
        body += bytes(padding) + section
        at += padding + len(section)
    return header + body


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tokenizer.bin"
    path.write_bytes(_table())
    return path


def _names(tokenizer: UnigramTokenizer, text: str) -> list[str]:
    return [PIECES[number] for number in tokenizer.encode([text])[0]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("ab", ["▁a", "b"]),
        ("a  a", ["▁a", "▁a"]),
        ("Ab", ["▁a", "b"]),
        ("a\na", ["▁a", "▁a"]),
        ("xyz", ["▁", "<unk>"]),
        ("xaz", ["▁", "<unk>", "a", "<unk>"]),
        ("a<pad>b", ["▁a", "<pad>", "▁", "b"]),
    ],
)
def test_text_is_cut_into_its_most_likely_pieces(text: str, names: list[str], file: Path) -> None:
    assert _names(UnigramTokenizer(file, remedy=REMEDY), text) == names


def test_texts_are_cut_one_by_one_in_their_order(file: Path) -> None:
    tokenizer = UnigramTokenizer(file, remedy=REMEDY)
    texts = ["ab", "", "b", "ab"]
    assert tokenizer.encode(texts) == [tokenizer.encode([text])[0] for text in texts]


def test_a_table_that_is_not_there_is_a_missing_model(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError) as caught:
        UnigramTokenizer(tmp_path / "none.bin", remedy=REMEDY)
    assert caught.value.remedy == REMEDY


@pytest.mark.parametrize(
    "content", [b"", b"x", b"GGUF" + bytes(500), b"KBPIECE1" + bytes(500), _table() + b"x"]
)
def test_another_file_is_a_corrupt_model(content: bytes, file: Path) -> None:
    file.write_bytes(content)
    with pytest.raises(ModelCorruptError):
        UnigramTokenizer(file, remedy=REMEDY)


def test_a_table_that_is_cut_off_anywhere_is_a_corrupt_model(file: Path) -> None:
    whole = file.read_bytes()
    for size in range(0, len(whole), 7):
        file.write_bytes(whole[:size])
        with pytest.raises(ModelCorruptError):
            UnigramTokenizer(file, remedy=REMEDY)


def test_a_replacement_without_its_sequence_is_a_corrupt_model(file: Path) -> None:
    file.write_bytes(_table(replacements="A\0a\0B"))
    with pytest.raises(ModelCorruptError):
        UnigramTokenizer(file, remedy=REMEDY)


@pytest.mark.parametrize("seed", range(40))
def test_a_table_with_changed_bytes_gives_ids_or_says_that_it_is_corrupt(seed: int, file: Path) -> None:
    content = bytearray(file.read_bytes())
    chance = random.Random(seed)  # noqa: S311
    for _ in range(30):
        content[chance.randrange(8, len(content))] = chance.randrange(256)
    file.write_bytes(content)
    try:
        ids = UnigramTokenizer(file, remedy=REMEDY).encode(["abA\n xa b", "▁a"])
    except ModelCorruptError:
        return
    assert all(isinstance(number, int) for text in ids for number in text)
