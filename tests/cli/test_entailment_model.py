"""`rag.nli_threshold` and `[models.nli]`: an answer is checked by a model, or refused with what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_testing.laws.nli_verifier import WORDS
from kebab_testing.onnx_files import write_overlap_model

QUESTION = "when does the cat sleep?"


@pytest.fixture
def base(make_inside, tmp_path: Path):  # type: ignore[no-untyped-def]
    """A note about a cat, and a small model of entailment in the models folder, not configured."""
    kb = make_inside(tmp_path)
    kb.write("cats.md", "# Cats\n\nThe cat sleeps at noon.\n")
    assert kb("ingest").code == 0
    write_overlap_model(kb.data / "models" / "overlap", [*WORDS, "."])
    return kb


def configure(kb, **values: str) -> None:  # type: ignore[no-untyped-def]
    for key, value in values.items():
        assert kb("config", "set", key.replace("__", "."), value).code == 0


def doctor_line(kb) -> dict[str, object]:  # type: ignore[no-untyped-def]
    (found,) = [each for each in kb("doctor", "--json").last["checks"] if each["name"] == "nli_model"]
    return found


def test_a_threshold_without_a_model_is_an_error_that_says_what_to_do(base) -> None:
    configure(base, rag__nli_threshold="0.5")
    done = base("ask", QUESTION, "--json")
    assert (done.code, done.error["code"]) == (2, "config_invalid")
    assert "kebab models pull mDeBERTa" in str(done.error["hint"])
    assert "rag.nli_threshold" in str(done.error["hint"])
    found = doctor_line(base)
    assert not found["ok"]
    assert found["hint"] == done.error["hint"]


def test_a_model_that_is_not_here_is_an_error(base) -> None:
    configure(base, rag__nli_threshold="0.5", models__nli__provider="onnx", models__nli__model="nowhere")
    done = base("ask", QUESTION, "--json")
    assert (done.code, done.error["code"]) == (2, "model_missing")
    assert not doctor_line(base)["ok"]


def test_a_damaged_model_gives_no_answer(base) -> None:
    configure(base, rag__nli_threshold="0.5", models__nli__provider="onnx", models__nli__model="overlap")
    (base.data / "models" / "overlap" / "config.json").write_text('{"id2label": {"0": "LABEL_0"}}')
    done = base("ask", QUESTION, "--json")
    assert (done.code, done.error["code"]) == (2, "model_corrupt")
    assert not doctor_line(base)["ok"]


def test_a_model_that_can_be_used_is_named_with_a_trial(base) -> None:
    assert doctor_line(base)["detail"] == "not configured"
    configure(base, models__nli__provider="onnx", models__nli__model="overlap")
    found = doctor_line(base)
    assert found["ok"]
    assert str(found["detail"]).startswith("overlap: a sentence is entailed by itself with 0.9")


def test_a_model_with_its_labels_in_the_wrong_places_is_found(base) -> None:
    folder = base.data / "models" / "turned"
    write_overlap_model(folder, WORDS)
    config = (folder / "config.json").read_text()
    turned = (
        config.replace("entailment", "X").replace("contradiction", "entailment").replace("X", "contradiction")
    )
    (folder / "config.json").write_text(turned)
    configure(base, models__nli__provider="onnx", models__nli__model="turned")
    assert not doctor_line(base)["ok"]


def test_without_a_threshold_no_model_is_needed(base) -> None:
    configure(base, models__nli__provider="onnx", models__nli__model="nowhere")
    assert base("ask", QUESTION).code in {0, 1}


def test_an_answer_is_given_with_a_model_that_entails_it(base) -> None:
    configure(base, rag__nli_threshold="0.5", models__nli__provider="onnx", models__nli__model="overlap")
    answer = base("ask", QUESTION, "--json").last
    assert answer["grounded"]
    assert "The cat sleeps at noon." in str(answer["answer"])
