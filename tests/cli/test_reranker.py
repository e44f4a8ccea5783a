"""`models.reranker`: hits and passages in the order of a cross-encoder, or an error that says what is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_testing.onnx_files import write_overlap_reranker

WORDS = ("when", "does", "the", "cat", "sleep", "at", "noon")
QUERY = "when does the cat sleep at noon"


@pytest.fixture
def base(make_inside, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Notes of which the last found has all words of the query, and a small reranker in the models folder, not configured."""
    kb = make_inside(tmp_path)
    for number in range(4):
        kb.write(f"cat{number}.md", f"# The cat {number}\n\ncat sleep cat sleep noon noon cat {number}\n")
    kb.write(
        "days.md",
        "# Days\n\nA note of many other things, of rain, bread and books, that tells when the dog does what it does,\n"
        "and the cat too: sleep at noon.\n",
    )
    assert kb("ingest").code == 0
    write_overlap_reranker(kb.data / "models" / "overlap", WORDS, window=256)
    return kb


def configure(kb, **values: str) -> None:  # type: ignore[no-untyped-def]
    for key, value in values.items():
        assert kb("config", "set", key.replace("__", "."), value).code == 0


def doctor_line(kb) -> dict[str, object]:  # type: ignore[no-untyped-def]
    (found,) = [each for each in kb("doctor", "--json").last["checks"] if each["name"] == "reranker"]
    return found


def search(kb, *flags: str) -> list[dict[str, object]]:  # type: ignore[no-untyped-def]
    return kb("search", QUERY, "--json", "--mode", "lexical", *flags).last["hits"]


def test_rerank_puts_first_what_the_model_scores_highest_and_says_so(base) -> None:  # type: ignore[no-untyped-def]
    configure(base, models__reranker="overlap")
    assert search(base)[0]["doc_path"] != "days.md"
    first, *others = search(base, "--rerank")
    assert first["doc_path"] == "days.md"
    scores = [each["retrieval"]["rerank_score"] for each in (first, *others)]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.9 > scores[1]
    printed = base("search", QUERY, "--rerank", "--explain", "--trace").stdout
    assert f"reranker        score {scores[0]:.4f}" in printed
    assert f"reranker {scores[0]:.4f})" in printed


def test_the_setting_reranks_without_the_flag_also_a_line_of_bulk(base) -> None:  # type: ignore[no-untyped-def]
    configure(base, models__reranker="overlap", search__rerank="true")
    assert search(base)[0]["doc_path"] == "days.md"
    assert search(base, "--no-rerank")[0]["doc_path"] != "days.md"
    lines = f'{{"query": "{QUERY}", "mode": "lexical"}}\n{{"query": "{QUERY}", "mode": "lexical", "rerank": false}}\n'
    reranked, plain = base("search", "--bulk", "--json", stdin=lines).objects
    assert reranked["response"]["hits"][0]["doc_path"] == "days.md"
    assert plain["response"]["hits"][0]["doc_path"] != "days.md"


def test_without_a_model_rerank_is_an_error_that_says_what_to_do(base) -> None:  # type: ignore[no-untyped-def]
    done = base("search", QUERY, "--rerank", "--json")
    assert (done.code, done.error["code"]) == (2, "config_invalid")
    assert "kebab models pull mmarco-mMiniLMv2-L12-H384-v1" in str(done.error["hint"])
    assert doctor_line(base)["detail"] == "not configured"


@pytest.mark.parametrize("command", [("search", "--rerank"), ("ask",)])
def test_a_model_that_is_not_here_is_an_error(base, command: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    configure(base, models__reranker="nowhere")
    done = base(*command, QUERY, "--json")
    assert (done.code, done.error["code"]) == (2, "model_missing")
    assert not doctor_line(base)["ok"]
    assert base("search", QUERY).code == 0


def test_a_model_that_can_be_used_is_named_with_a_trial(base) -> None:  # type: ignore[no-untyped-def]
    configure(base, models__reranker="overlap")
    found = doctor_line(base)
    assert found["ok"]
    assert str(found["detail"]).startswith("overlap: a passage that answers a question scores")


def test_an_answer_is_read_from_the_reranked_passages(base) -> None:  # type: ignore[no-untyped-def]
    configure(base, models__reranker="overlap")
    stored = base("ask", QUERY, "--json", "--explain").last
    assert stored["retrieval"]["chunks_returned"] == 5
    assert "sleep at noon" in str(stored["answer"])
