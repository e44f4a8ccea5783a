"""`kebab models`: which models there are, and how one comes here."""

from __future__ import annotations

import json
from pathlib import Path

from kebab_wire import ModelPullV1, parse_wire

SOURCE = {
    "repository": "Qdrant/multilingual-e5-large-onnx",
    "revision": "ab" * 20,
    "files": {"model.onnx": 3},
}


def _put_model(data: Path) -> Path:
    model = data / "models" / "multilingual-e5-large"
    model.mkdir(parents=True)
    (model / "model.onnx").write_bytes(b"abc")
    (model / "kebab-model.json").write_text(json.dumps(SOURCE), "utf-8")
    return model


def test_bundled_model_and_those_that_can_be_pulled_are_listed(kb) -> None:  # type: ignore[no-untyped-def]
    listed = kb("models", "list", "--json").last["models"]
    assert [(model["name"], model["provider"]) for model in listed] == [
        ("multilingual-e5-small", "bundled"),
        ("multilingual-e5-large", "fastembed"),
        ("multilingual-e5-small", "fastembed"),
    ]
    assert listed[1]["state"] == "pullable"


def test_pulled_model_is_listed_with_its_place(kb) -> None:  # type: ignore[no-untyped-def]
    model = _put_model(kb.data)
    found = next(each for each in kb("models", "list", "--json").last["models"] if each["name"] == model.name)
    assert (found["state"], found["folder"], found["size_bytes"]) == ("here", str(model), 3)


def test_model_that_is_here_is_not_downloaded_again(kb) -> None:  # type: ignore[no-untyped-def]
    model = _put_model(kb.data)
    done = kb("models", "pull", "multilingual-e5-large")
    assert (done.code, done.stderr.splitlines()[0]) == (0, "licence of multilingual-e5-large: MIT")
    assert str(model) in done.stdout
    assert "kebab models switch multilingual-e5-large" in done.stdout + done.stderr


def test_nothing_is_downloaded_where_writing_is_switched_off(kb) -> None:  # type: ignore[no-untyped-def]
    done = kb("models", "pull", "multilingual-e5-large", "--readonly", "--json")
    assert (done.code, done.error["code"]) == (2, "readonly_mode")


def test_answer_to_a_program_names_the_model_and_its_place(kb) -> None:  # type: ignore[no-untyped-def]
    model = _put_model(kb.data)
    answer = parse_wire(kb("models", "pull", "multilingual-e5-large", "--json").stdout)
    assert isinstance(answer, ModelPullV1)
    assert (answer.name, answer.was_here, answer.folder) == (model.name, True, str(model))


def test_the_model_that_checks_answers_is_listed_as_what_the_settings_make_of_it(kb) -> None:  # type: ignore[no-untyped-def]
    name = "mDeBERTa-v3-base-xnli-multilingual-nli-2mil7"
    (entry,) = kb("models", "list", "--json").last["nli_models"]
    assert (entry["name"], entry["state"], entry["in_use"]) == (name, "pullable", False)
    assert (
        f"models that check answers:\n  {name}  not installed (kebab models pull)"
        in kb("models", "list").stdout
    )
    folder = kb.folder / "mine"
    folder.mkdir()
    environ = {"KEBAB_MODELS_NLI_PROVIDER": "onnx", "KEBAB_MODELS_NLI_MODEL": str(folder)}
    kb.kebab.environ.update(environ)
    for threshold, in_use in (("0", False), ("0.5", True)):
        kb.kebab.environ["KEBAB_RAG_NLI_THRESHOLD"] = threshold
        mine, other = kb("models", "list", "--json").last["nli_models"]
        assert (mine["name"], mine["state"], mine["in_use"]) == (str(folder), "here", in_use)
        assert (other["name"], other["in_use"]) == (name, False)


def test_rerankers_are_listed_with_the_languages_that_they_read(kb) -> None:  # type: ignore[no-untyped-def]
    names = ("mmarco-mMiniLMv2-L12-H384-v1", "bge-reranker-v2-m3", "ms-marco-MiniLM-L-12-v2")
    listed = kb("models", "list", "--json").last["rerankers"]
    assert [(each["name"], each["multilingual"], each["licence"]) for each in listed] == [
        (name, name != "ms-marco-MiniLM-L-12-v2", "Apache-2.0") for name in names
    ]
    assert not any(each["in_use"] for each in listed)
    folder = kb.data / "models" / names[1]
    folder.mkdir(parents=True)
    kb.kebab.environ["KEBAB_MODELS_RERANKER"] = f"BAAI/{names[1]}"
    first = kb("models", "list", "--json").last["rerankers"][0]
    assert (first["name"], first["state"], first["in_use"]) == (names[1], "here", True)
    printed = kb("models", "list").stdout
    assert f"* {names[1]}" in printed
    assert "English only" in printed
