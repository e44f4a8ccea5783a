"""The embedder with the model that is installed with kebab."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from kebab_core import (
    ConfigInvalidError,
    Embedder,
    EmbeddingKind,
    EmbeddingSettings,
    ModelCorruptError,
    ModelMissingError,
)
from kebab_embed_local import build_embedder
from kebab_model_e5_small import files, manifest
from kebab_testing.laws.embedder import EmbedderLaws

from tests.remedies import say

DOCUMENT, QUERY = EmbeddingKind.DOCUMENT, EmbeddingKind.QUERY
_LARGE_BYTES = 1_000_000

AVX2 = frozenset({"sse2", "avx", "avx2", "fma"})
VNNI = AVX2 | {"avx512f", "avx512_vnni"}

needs_weights = pytest.mark.skipif(files() is None, reason="built without weights on this platform")


def _build(
    folder: Path | None,
    *,
    hashes: Path | None = None,
    cpu_flags: frozenset[str] | None = None,
    **changes: object,
) -> Embedder:
    settings = EmbeddingSettings.model_validate({"provider": "bundled", "threads": 1, **changes})
    embedder = build_embedder(
        settings, models_dir=Path("models"), bundled=folder, hashes=hashes, cpu_flags=cpu_flags
    )
    assert embedder is not None
    return embedder


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return _build(files())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the model that nothing is written into."""
    folder = files()
    assert folder is not None
    return shutil.copytree(folder, tmp_path_factory.mktemp("whole") / "model")


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """Return a copy of the model that may be damaged; its large files are links, to be replaced by `_replace`."""

    def copy(source: str, target: str) -> None:
        is_large = Path(source).stat().st_size > _LARGE_BYTES
        (os.link if is_large else shutil.copy2)(source, target)

    return shutil.copytree(whole, tmp_path / "model", copy_function=copy)


def _replace(file: Path, content: bytes | bytearray) -> None:
    """Put another file in the place of one that may be a link."""
    file.unlink()
    file.write_bytes(content)


@needs_weights
class TestBundledEmbedder(EmbedderLaws):
    @pytest.fixture(autouse=True)
    def _shared(self, embedder: Embedder) -> None:
        self.embedder = embedder

    def make_embedder(self) -> Embedder:
        return self.embedder


@needs_weights
@pytest.mark.parametrize(("precision", "suffix"), [("fp32", ""), ("int8", "-int8")])
def test_identity_is_the_models_name_the_hash_of_its_weights_and_its_precision(
    precision: str, suffix: str
) -> None:
    identity = _build(files(), cpu_flags=VNNI, precision=precision).identity
    assert (identity.model_id, identity.dimensions) == ("multilingual-e5-small", 384)
    assert identity.model_version == f"v1+{(manifest()['weights_hash'] or '')[:12]}{suffix}"


@needs_weights
def test_question_in_one_language_is_nearer_to_its_answer_in_the_other_than_to_other_things(
    embedder: Embedder,
) -> None:
    (question,) = np.asarray(embedder.embed(["색인은 언제 만드나요?"], QUERY))
    answer, other = np.asarray(
        embedder.embed(["The index is made every night.", "My cat likes fish."], DOCUMENT)
    )
    assert question @ answer > question @ other


@needs_weights
def test_one_thread_and_several_give_the_same_vectors(embedder: Embedder) -> None:
    texts = ["색인은 매일 밤에 만든다.", "The index is made every night.", "짧다"]
    several = np.asarray(_build(files(), threads=2).embed(texts, DOCUMENT))
    assert several == pytest.approx(np.asarray(embedder.embed(texts, DOCUMENT)), abs=1e-4)


@needs_weights
def test_questions_together_have_the_vectors_that_each_has_alone(embedder: Embedder) -> None:
    questions = [
        "색인은 언제 다시 만들어지나요?",
        "표",
        "how long does a rollback take, and who decides?",
        "stale 문서",
    ]
    together = np.asarray(embedder.embed(questions, QUERY))
    alone = np.vstack([np.asarray(embedder.embed([question], QUERY)) for question in questions])
    assert together == pytest.approx(alone, abs=1e-6)


@needs_weights
def test_intact_model_is_verified(embedder: Embedder) -> None:
    embedder.verify()  # type: ignore[attr-defined]


def test_model_without_weights_is_missing() -> None:
    with pytest.raises(ModelMissingError) as caught:
        _build(None)
    assert say(caught.value)


@pytest.mark.thorough
@needs_weights
@pytest.mark.parametrize(
    "name", ["model.onnx", "model-int8.onnx", "tokenizer.bin", "weights.bin", "weights-int8.bin"]
)
@pytest.mark.parametrize("damage", ["gone", "cut", "empty"])
def test_file_that_is_gone_or_cut_is_noticed_at_the_start(copied: Path, name: str, damage: str) -> None:
    content = (copied / name).read_bytes()
    if damage == "gone":
        (copied / name).unlink()
    else:
        _replace(copied / name, content[: len(content) // 2 if damage == "cut" else 0])
    with pytest.raises(ModelCorruptError) as caught:
        _build(copied)
    assert caught.value.details["file"] == str(copied / name)
    assert "kebab-model-e5-small" in (say(caught.value) or "")


@pytest.mark.thorough
@needs_weights
@pytest.mark.parametrize(
    "name", ["model.onnx", "model-int8.onnx", "tokenizer.bin", "weights.bin", "weights-int8.bin"]
)
def test_file_of_the_right_size_with_another_byte_is_found_by_verification(copied: Path, name: str) -> None:
    damaged = _build(copied)
    _turn_a_bit(copied / name)
    with pytest.raises(ModelCorruptError):
        damaged.verify()  # type: ignore[attr-defined]


def _turn_a_bit(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    _replace(file, content)


@pytest.mark.thorough
@needs_weights
@pytest.mark.parametrize(
    "name", ["model.onnx", "model-int8.onnx", "tokenizer.bin", "weights.bin", "weights-int8.bin"]
)
@pytest.mark.parametrize("kept", [True, False])
def test_file_of_the_right_size_with_another_byte_gives_no_vector(
    copied: Path, tmp_path: Path, name: str, kept: bool
) -> None:
    hashes = tmp_path / "cache" / "files.json" if kept else None
    _build(copied, hashes=hashes).embed(["cat"], QUERY)
    _turn_a_bit(copied / name)
    damaged = _build(copied, hashes=hashes)
    for _ in range(2):
        with pytest.raises(ModelCorruptError) as caught:
            damaged.embed(["cat"], QUERY)
    assert "kebab-model-e5-small" in (say(caught.value) or "")


@needs_weights
def test_files_that_were_found_whole_are_not_read_again_until_they_change(
    copied: Path, tmp_path: Path
) -> None:
    hashes, file = tmp_path / "cache" / "files.json", copied / "weights.bin"
    _replace(file, file.read_bytes())
    _build(copied, hashes=hashes).embed(["cat"], QUERY)
    times = file.stat()
    with file.open("r+b") as stream:
        stream.seek(times.st_size - 1)
        last = stream.read(1)[0]
        stream.seek(times.st_size - 1)
        stream.write(bytes([last ^ 1]))
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    trusting = _build(copied, hashes=hashes)
    trusting.embed(["cat"], QUERY)
    with pytest.raises(ModelCorruptError):
        trusting.verify()  # type: ignore[attr-defined]
    with pytest.raises(ModelCorruptError):
        _build(copied, hashes=hashes).embed(["cat"], QUERY)


@pytest.mark.thorough
@needs_weights
@pytest.mark.parametrize("content", ["", "[]", '{"x": 1}'])
def test_spoilt_record_of_whole_files_costs_another_look(copied: Path, tmp_path: Path, content: str) -> None:
    hashes = tmp_path / "cache" / "files.json"
    hashes.parent.mkdir()
    hashes.write_text(content, "utf-8")
    _turn_a_bit(copied / "weights.bin")
    with pytest.raises(ModelCorruptError):
        _build(copied, hashes=hashes).embed(["cat"], QUERY)


@needs_weights
def test_graph_that_goes_on_otherwise_is_damaged(copied: Path) -> None:
    graph = bytearray((copied / "model.onnx").read_bytes())
    graph[200:] = b"\xff" * (len(graph) - 200)
    (copied / "model.onnx").write_bytes(graph)
    with pytest.raises(ModelCorruptError):
        _build(copied).embed(["cat"], DOCUMENT)


@pytest.mark.thorough
@needs_weights
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"files": {}}', b"\xff", b"\0" * 700])
def test_manifest_that_says_too_little_is_damage(copied: Path, content: bytes) -> None:
    (copied / "manifest.json").write_bytes(content)
    with pytest.raises(ModelCorruptError):
        _build(copied)


@needs_weights
@pytest.mark.parametrize(
    "change",
    [
        {"files": []},
        {"files": {"weights.bin": 3}},
        {"files": {"weights.bin": {"size": "3", "sha256": "ab"}}},
        {"weights_hash": None},
        {"weights_hash": "ab"},
        {"max_tokens": "many"},
        {"model_id": 3},
    ],
)
def test_manifest_that_says_what_it_cannot_mean_is_damage(copied: Path, change: dict[str, object]) -> None:
    (copied / "manifest.json").write_text(json.dumps({**manifest(), **change}), "utf-8")
    with pytest.raises(ModelCorruptError) as caught:
        _build(copied)
    assert caught.value.details["file"] == str(copied / "manifest.json")


@needs_weights
@pytest.mark.parametrize("change", [{"model": "bge-m3"}, {"dimensions": 1024}])
def test_settings_that_name_another_model_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        _build(files(), **change)
    assert caught.value.details["key"] == f"models.embedding.{next(iter(change))}"


def _precision(embedder: Embedder) -> object:
    return getattr(embedder, "precision", None)


@needs_weights
@pytest.mark.parametrize(
    ("flags", "expected"),
    [(VNNI, "int8"), (AVX2 | {"avx_vnni"}, "int8"), (AVX2, "fp32"), (frozenset(), "fp32")],
)
def test_precision_is_int8_where_the_cpu_sums_products_of_8_bits(
    flags: frozenset[str], expected: str
) -> None:
    assert _precision(_build(files(), cpu_flags=flags)) == expected


@needs_weights
@pytest.mark.parametrize(("precision", "flags"), [("fp32", VNNI), ("int8", VNNI), ("int8", frozenset())])
def test_precision_of_the_settings_counts_more_than_the_cpu(precision: str, flags: frozenset[str]) -> None:
    assert _precision(_build(files(), cpu_flags=flags, precision=precision)) == precision


@needs_weights
def test_int8_is_refused_where_its_sums_would_overflow() -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        _build(files(), cpu_flags=AVX2, precision="int8")
    assert caught.value.details["key"] == "models.embedding.precision"
    assert "auto" in (say(caught.value) or "")


def _replace_graph(folder: Path, content: bytes | None) -> None:
    """Have the manifest describe another int8 graph, or none."""
    entries = dict(manifest()["files"])
    del entries["model-int8.onnx"]
    if content is None:
        (folder / "model-int8.onnx").unlink()
    else:
        (folder / "model-int8.onnx").write_bytes(content)
        entries["model-int8.onnx"] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    (folder / "manifest.json").write_text(json.dumps({**manifest(), "files": entries}), "utf-8")


@needs_weights
def test_fp32_is_computed_where_the_int8_graph_is_not_there(copied: Path) -> None:
    _replace_graph(copied, None)
    fallen, fp32 = _build(copied, cpu_flags=VNNI), _build(files(), precision="fp32")
    assert (_precision(fallen), fallen.identity) == ("fp32", fp32.identity)
    texts = ["색인은 매일 밤에 만든다.", "The index is made every night."]
    assert (np.asarray(fallen.embed(texts, DOCUMENT)) == np.asarray(fp32.embed(texts, DOCUMENT))).all()


@needs_weights
@pytest.mark.parametrize("precision", ["auto", "int8"])
def test_int8_graph_that_cannot_be_loaded_is_an_error(copied: Path, precision: str) -> None:
    _replace_graph(copied, b"no graph")
    with pytest.raises(ModelCorruptError) as caught:
        _build(copied, cpu_flags=VNNI, precision=precision).embed(["cat"], QUERY)
    assert "kebab-model-e5-small" in (say(caught.value) or "")
