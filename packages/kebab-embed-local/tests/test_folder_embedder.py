import os
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

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
from kebab_embed_local.graph import Graph
from kebab_testing.laws.embedder import EmbedderLaws

QUERY, DOCUMENT = EmbeddingKind.QUERY, EmbeddingKind.DOCUMENT


def _build(settings: EmbeddingSettings, folder: Path) -> Embedder:
    embedder = build_embedder(settings, models_dir=folder.parent)
    assert embedder is not None
    return embedder


def _vector(embedder: Embedder, text: str, kind: EmbeddingKind = DOCUMENT) -> np.ndarray:
    return np.asarray(embedder.embed([text], kind))[0]


class TestModelInAFolder(EmbedderLaws):
    @pytest.fixture(autouse=True)
    def _embedder(self, make_model, onnx_settings) -> None:
        self.embedder = _build(onnx_settings(), make_model())

    def make_embedder(self) -> Embedder:
        return self.embedder


class TestModelInAFolderWithSmallBatchesOnSeveralThreads(EmbedderLaws):
    @pytest.fixture(autouse=True)
    def _embedder(self, make_model, onnx_settings) -> None:
        self.embedder = _build(onnx_settings(batch_tokens=16, threads=4), make_model(window=8))

    def make_embedder(self) -> Embedder:
        return self.embedder


def test_vector_is_the_mean_of_prefix_and_text_between_start_and_end(
    make_model, onnx_settings, words
) -> None:
    folder = make_model()
    expected = _unit(words[word] for word in ("<s>", "query", ":", "cat", "fish", "</s>"))
    assert _vector(_build(onnx_settings(), folder), "Cat fish", QUERY) == pytest.approx(expected, abs=1e-5)


def test_model_of_another_family_is_told_no_prefix_and_read_at_its_first_token(
    make_model, onnx_settings, words
) -> None:
    embedder = _build(onnx_settings("bge-m3"), make_model("bge-m3"))
    assert _vector(embedder, "cat fish", QUERY) == pytest.approx(_unit([words["<s>"]]), abs=1e-5)


def test_pooling_that_the_folder_states_counts_more_than_the_name(make_model, onnx_settings, words) -> None:
    folder = make_model("bge-m3")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_lasttoken": true}', "utf-8")
    embedder = _build(onnx_settings("bge-m3"), folder)
    assert _vector(embedder, "cat fish", QUERY) == pytest.approx(_unit([words["</s>"]]), abs=1e-5)


def test_text_longer_than_the_window_is_the_mean_of_its_windows_by_tokens(
    make_model, onnx_settings, words
) -> None:
    embedder = _build(onnx_settings(), make_model(window=8))
    around = [words[word] for word in ("<s>", "passage", ":", "</s>")]
    first = _unit([*around, *(words[word] for word in ("cat",) * 4)])
    second = _unit([*around, *(words[word] for word in ("fish",) * 4)])
    third = _unit([*around, *(words[word] for word in ("milk",) * 3)])
    found = _vector(embedder, "cat cat cat cat fish fish fish fish milk milk milk")
    assert found == pytest.approx(_unit([8 * first, 8 * second, 7 * third]), abs=1e-5)


def test_graph_that_needs_fewer_inputs_gets_only_those(make_model, onnx_settings) -> None:
    whole = _build(onnx_settings(), make_model())
    small = _build(onnx_settings("small-e5-test"), make_model("small-e5-test", inputs=["input_ids"]))
    assert _vector(small, "cat fish") == pytest.approx(_vector(whole, "cat fish"), abs=1e-6)


def test_graph_that_wants_unknown_inputs_is_refused(make_model, onnx_settings) -> None:
    embedder = _build(onnx_settings(), make_model(inputs=["input_ids", "pixel_values"]))
    with pytest.raises(ModelCorruptError):
        embedder.embed(["cat"], DOCUMENT)


def test_several_threads_give_exactly_what_one_gives(make_model, onnx_settings) -> None:
    folder, texts = make_model(), ["cat fish " * length for length in range(40)]
    one, four = (_build(onnx_settings(threads=count, batch_tokens=16), folder) for count in (1, 4))
    assert one.embed(texts, DOCUMENT).tobytes() == four.embed(texts, DOCUMENT).tobytes()


@pytest.mark.skipif(sys.platform != "linux", reason="a thread has no niceness of its own there")
@pytest.mark.parametrize("threads", [1, 4])
def test_passages_are_embedded_at_the_given_niceness_and_queries_are_not(
    make_model, onnx_settings, monkeypatch, threads: int
) -> None:
    def find_niceness() -> int:
        return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def record(graph: Graph, *inputs: Any) -> Any:
        met.add(find_niceness())
        return run(graph, *inputs)

    run, met, before = Graph.run, set[int](), find_niceness()
    monkeypatch.setattr(Graph, "run", record)
    settings = onnx_settings(threads=threads, batch_tokens=16, nice=before + 3)
    embedder = _build(settings, make_model())
    texts = ["cat fish " * 8] * 8
    embedder.embed(texts, DOCUMENT)
    assert met == {before + 3}
    met.clear()
    embedder.embed(texts, QUERY)
    assert met == {before}
    assert find_niceness() == before


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 0.0])
def test_vector_without_a_direction_is_refused(make_model, onnx_settings, words, bad: float) -> None:
    embedder = _build(onnx_settings(), make_model(table=np.full((len(words), 48), bad, dtype=np.float32)))
    with pytest.raises(ModelCorruptError):
        embedder.embed(["cat"], DOCUMENT)


def test_vectors_of_another_length_than_the_settings_say_are_refused(make_model, onnx_settings) -> None:
    embedder = _build(onnx_settings(dimensions=47), make_model())
    with pytest.raises(ModelCorruptError) as caught:
        embedder.embed(["cat"], DOCUMENT)
    assert (caught.value.details["dimensions"], caught.value.details["expected"]) == (48, 47)


def test_dimensions_that_the_folder_contradicts_are_refused_before_anything_is_loaded(
    make_model, onnx_settings
) -> None:
    folder = make_model()
    (folder / "config.json").write_text('{"hidden_size": 384}', "utf-8")
    with pytest.raises(ConfigInvalidError):
        _build(onnx_settings(), folder)


def test_folder_without_a_model_is_a_missing_model(tmp_path: Path, onnx_settings) -> None:
    with pytest.raises(ModelMissingError):
        _build(onnx_settings(), tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_folder_without_one_of_its_files_is_a_missing_model(make_model, onnx_settings, name: str) -> None:
    folder = make_model()
    (folder / name).unlink()
    with pytest.raises(ModelMissingError):
        _build(onnx_settings(), folder)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_file_that_goes_after_the_start_is_a_missing_model(make_model, onnx_settings, name: str) -> None:
    folder = make_model()
    embedder = _build(onnx_settings(), folder)
    (folder / name).unlink()
    with pytest.raises(ModelMissingError):
        embedder.embed(["cat"], DOCUMENT)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("keep", [0, 0.5])
def test_truncated_file_is_a_damaged_model(make_model, onnx_settings, name: str, keep: float) -> None:
    folder = make_model()
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: int(len(whole) * keep)])
    with pytest.raises(ModelCorruptError) as caught:
        _build(onnx_settings(), folder).embed(["cat"], DOCUMENT)
    assert caught.value.details["file"] == str(folder / name)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["config.json", "tokenizer_config.json"])
def test_description_that_is_no_json_is_a_damaged_model(make_model, onnx_settings, name: str) -> None:
    folder = make_model()
    (folder / name).write_text("{", "utf-8")
    with pytest.raises(ModelCorruptError):
        _build(onnx_settings(), folder)


def _unit(states: Iterable[np.ndarray]) -> np.ndarray:
    total = np.sum(list(states), axis=0)
    return np.asarray(total / np.linalg.norm(total))


def test_prepared_model_is_loaded_beside_other_work(make_model, onnx_settings) -> None:
    folder = make_model()
    expected = _vector(_build(onnx_settings(), folder), "cat fish")
    embedder = _build(onnx_settings(), folder)
    embedder.prepare()
    _wait_for_the_model()
    (graph,) = folder.rglob("*.onnx")
    graph.unlink()
    assert _vector(embedder, "cat fish") == pytest.approx(expected)


def test_preparing_a_damaged_model_leaves_the_complaint_to_the_first_text(
    make_model, onnx_settings, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = make_model()
    (graph,) = folder.rglob("*.onnx")
    graph.write_bytes(b"no graph")
    embedder = _build(onnx_settings(), folder)
    embedder.prepare()
    _wait_for_the_model()
    assert capfd.readouterr().err == ""
    with pytest.raises(ModelCorruptError):
        embedder.embed(["cat"], QUERY)


def _wait_for_the_model() -> None:
    for thread in threading.enumerate():
        if thread.name == "load-model":
            thread.join()
