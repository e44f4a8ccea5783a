import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_model_e5_small import manifest

MEMBER = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _conversion(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.syspath_prepend(MEMBER)
        yield


@pytest.mark.parametrize(
    ("system", "machine"),
    [("darwin", "arm64"), ("win32", "AMD64"), ("linux", "aarch64"), ("darwin", "x86_64")],
)
def test_a_build_on_another_platform_makes_a_manifest_without_files(system: str, machine: str) -> None:
    from conversion.files import make_files, write_manifest

    files = make_files(system, machine)
    manifest = json.loads(write_manifest(files))
    assert files == {}
    assert (manifest["files"], manifest["weights_hash"]) == ({}, None)
    assert (manifest["model_id"], manifest["dimensions"]) == ("multilingual-e5-small", 384)


def test_a_file_that_is_not_the_examined_one_ends_the_build() -> None:
    from conversion.files import ChangedInputError, check

    check("weights", b"abc", hashlib.sha256(b"abc").hexdigest())
    with pytest.raises(ChangedInputError):
        check("weights", b"abd", hashlib.sha256(b"abc").hexdigest())


def test_the_installed_files_are_those_that_every_build_comes_to() -> None:
    from conversion.files import RESULT_SHA256

    installed = {name: entry["sha256"] for name, entry in manifest()["files"].items()}
    assert installed in ({}, RESULT_SHA256)


@pytest.mark.parametrize("data", [b"", b"E5S2" + bytes(80), b"GGUF" + bytes(80)])
def test_weights_in_another_format_are_refused(data: bytes) -> None:
    from conversion.source import read_source

    with pytest.raises(ValueError, match="not a model file"):
        read_source(data)


@given(pieces=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=40, unique=True))
def test_every_piece_stands_at_the_end_of_its_path_in_the_trie_and_nothing_else_does(
    pieces: list[str],
) -> None:
    from conversion.pieces import build_trie

    encoded = [piece.encode("utf-8", "replace") for piece in pieces]
    encoded = list(dict.fromkeys(encoded))
    children, labels, ids = (part.tolist() for part in build_trie(encoded))
    found = {}
    waiting = [(0, b"")]
    while waiting:
        node, path = waiting.pop()
        below = labels[children[node] : children[node + 1]]
        assert below == sorted(set(below))
        waiting += [(children[node] + at, path + bytes([label])) for at, label in enumerate(below)]
        if ids[node]:
            found[path] = ids[node] - 1
    assert found == {piece: number for number, piece in enumerate(encoded)}


@pytest.mark.parametrize(
    ("score", "expected"),
    [(0.0, 0.0), (-3.625642776489258, -3.625642776489258), (-7.4715776443481445, -7.471577644348144)],
)
def test_scores_are_read_as_the_published_file_has_them(score: float, expected: float) -> None:
    from conversion.pieces import published

    assert published(score) == expected


def test_a_replacement_that_a_shorter_one_hides_is_left_out() -> None:
    from conversion.normalization import join_replacements

    assert join_replacements({"ª": "a"}, {"ª\u0301": "á", "e\u0301": "é"}) == {"ª": "a", "e\u0301": "é"}


def test_large_tensors_begin_at_pages() -> None:
    import numpy as np
    from conversion.weights import PAGE, Weights

    weights = Weights()
    weights.add("small", np.ones(3, np.float32))
    weights.add("large", np.ones(1 << 15, np.float32))
    assert weights.places["large"].offset % PAGE == 0
    place = weights.places["small"]
    assert weights.content()[place.offset : place.offset + place.size] == np.ones(3, np.float32).tobytes()
    assert len(weights.content()) == weights.size
