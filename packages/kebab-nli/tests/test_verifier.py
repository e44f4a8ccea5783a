from __future__ import annotations

import json
import threading
from itertools import permutations
from pathlib import Path

import pytest
from kebab_core import (
    ModelCorruptError,
    ModelMissingError,
    NliSettings,
    NliVerifier,
)
from kebab_nli import DEFAULT_MODEL, build_nli_verifier
from kebab_testing.laws.nli_verifier import ENTAILED, OPEN, WORDS, NliVerifierLaws
from kebab_testing.onnx_files import onnx_model, onnx_node, onnx_tensor, write_overlap_model


def build(folder: Path) -> NliVerifier:
    return build_nli_verifier(NliSettings(provider="onnx", model=folder.name), models_dir=folder.parent)


class TestModelInAFolder(NliVerifierLaws):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = write_overlap_model(tmp_path / "overlap", WORDS, window=self.window_tokens)

    def make_verifier(self) -> NliVerifier:
        return build(self.folder)


@pytest.mark.parametrize("labels", list(permutations(("Entailment", "NEUTRAL", "contradiction"))))
def test_the_order_of_labels_is_that_of_the_configuration(tmp_path: Path, labels: tuple[str, ...]) -> None:
    verifier = build(write_overlap_model(tmp_path / "overlap", WORDS, labels=labels))
    entailed, left_open = verifier.verify([ENTAILED[0], OPEN[0]])
    assert entailed.entailment > 0.9
    assert left_open.neutral > 0.8


@pytest.mark.parametrize(
    "labels",
    [
        ("LABEL_0", "LABEL_1", "LABEL_2"),
        ("entailment", "not_entailment"),
        ("entailment", "entailment", "neutral"),
    ],
)
def test_labels_that_say_something_else_are_refused(tmp_path: Path, labels: tuple[str, ...]) -> None:
    folder = write_overlap_model(tmp_path / "overlap", WORDS, labels=labels)
    with pytest.raises(ModelCorruptError):
        build(folder)


@pytest.mark.parametrize(
    "stated", ["{", "[]", "{}", '{"id2label": ["entailment", "neutral", "contradiction"]}']
)
def test_a_description_without_labels_is_refused(tmp_path: Path, stated: str) -> None:
    folder = write_overlap_model(tmp_path / "overlap", WORDS)
    (folder / "config.json").write_text(stated, "utf-8")
    with pytest.raises(ModelCorruptError):
        build(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_folder_without_one_of_its_files_is_a_missing_model(tmp_path: Path, name: str) -> None:
    folder = write_overlap_model(tmp_path / "overlap", WORDS)
    verifier = build(folder)
    (folder / name).unlink()
    with pytest.raises(ModelMissingError):
        verifier.verify([ENTAILED[0]])
    with pytest.raises(ModelMissingError):
        build(folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("keep", [0, 0.5])
def test_a_truncated_file_is_a_damaged_model(tmp_path: Path, name: str, keep: float) -> None:
    folder = write_overlap_model(tmp_path / "overlap", WORDS)
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(ModelCorruptError) as caught:
        build(folder).verify([ENTAILED[0]])
    assert caught.value.remedy


def test_a_model_that_was_not_pulled_says_what_pulls_it(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError) as caught:
        build(tmp_path / DEFAULT_MODEL.name)
    assert caught.value.remedy is not None
    assert (caught.value.remedy.kind, caught.value.remedy.name) == ("pull_model", DEFAULT_MODEL.name)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_results_that_are_no_numbers_are_refused(tmp_path: Path, value: float) -> None:
    write_constant(tmp_path / "overlap", [value, 0.0, 0.0])
    with pytest.raises(ModelCorruptError):
        build(tmp_path / "overlap").verify([ENTAILED[0]])


def test_a_graph_that_gives_another_number_of_results_is_refused(tmp_path: Path) -> None:
    write_constant(tmp_path / "overlap", [0.0, 0.0])
    with pytest.raises(ModelCorruptError):
        build(tmp_path / "overlap").verify([ENTAILED[0]])


def test_a_graph_without_types_of_tokens_gets_none(tmp_path: Path) -> None:
    write_constant(tmp_path / "overlap", [2.0, 0.0, 0.0])
    (found,) = build(tmp_path / "overlap").verify([OPEN[0]])
    assert found.entailment > 0.7


def test_several_threads_get_what_one_gets(tmp_path: Path) -> None:
    verifier = build(write_overlap_model(tmp_path / "overlap", WORDS))
    pairs = [*ENTAILED, *OPEN] * 8
    results: list[object] = []
    threads = [threading.Thread(target=lambda: results.append(verifier.verify(pairs))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [verifier.verify(pairs)] * 4


def write_constant(folder: Path, logits: list[float]) -> None:
    """Write a model that gives the same numbers for every pair, whose graph knows no types of tokens."""
    write_overlap_model(folder, WORDS)
    rows = [[0.0] * len(logits)] * (len(WORDS) + 4)
    graph = onnx_model(
        [
            onnx_node("Gather", ["rows", "input_ids"], "tokens"),
            onnx_node("ReduceMax", ["tokens"], "sum", axes=[1], keepdims=0),
            onnx_node("Add", ["sum", "bias"], "logits"),
        ],
        inputs={name: ["b", "t"] for name in ("input_ids", "attention_mask")},
        output=("logits", ["b", len(logits)]),
        weights=[onnx_tensor("rows", rows), onnx_tensor("bias", logits)],
    )
    (folder / "model.onnx").write_bytes(graph)
    assert json.loads((folder / "config.json").read_text())["id2label"]
