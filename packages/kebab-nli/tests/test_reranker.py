from __future__ import annotations

from pathlib import Path

import pytest
from kebab_core import CancelToken, ModelCorruptError, ModelMissingError, Reranker, WorkCancelledError
from kebab_nli import RERANKERS, build_reranker
from kebab_testing.onnx_files import write_overlap_model, write_overlap_reranker
from kebab_testing.tables import walk

WORDS = ("when", "does", "the", "cat", "sleep", "at", "noon", "tax", "고양이는", "잔다")
QUERY = "When does the cat sleep"
ANSWER, OTHER = "The cat does sleep when at noon", "The tax"


def build(folder: Path) -> Reranker:
    return build_reranker(str(folder), models_dir=folder.parent)


@pytest.fixture
def reranker(tmp_path: Path) -> Reranker:
    return build(write_overlap_reranker(tmp_path / "overlap", WORDS))


def test_scores_are_in_the_order_of_the_passages_and_from_0_to_1(reranker: Reranker) -> None:
    scores = reranker.score(QUERY, [OTHER, ANSWER, OTHER, ""])
    assert scores[1] > scores[0] == scores[2] > scores[3]
    assert all(0 <= each <= 1 for each in scores)
    assert reranker.score(QUERY, []) == []
    assert reranker.model_ref().id == "overlap"


def test_a_score_does_not_depend_on_the_passages_beside_it(reranker: Reranker) -> None:
    passages = [ANSWER, OTHER, "", "noon " * 90, "고양이는 잔다 \udc80"]
    assert reranker.score(QUERY, passages) == [reranker.score(QUERY, [each])[0] for each in passages]


def test_a_long_passage_is_read_to_its_end_and_of_a_long_query_the_beginning(reranker: Reranker) -> None:
    filling = "tax " * 70
    assert reranker.score("cat", [f"{filling} cat {filling}"]) == reranker.score("cat", ["cat"])
    (whole,) = reranker.score("cat " * 40 + filling, ["cat"])
    assert [whole] == reranker.score("cat", ["cat"])


def test_a_cancelled_score_stops(reranker: Reranker) -> None:
    cancel = CancelToken()
    cancel.cancel()
    with pytest.raises(WorkCancelledError):
        reranker.score(QUERY, [ANSWER], cancel=cancel)


def test_a_folder_without_a_description_is_read_as_most_models_are(tmp_path: Path) -> None:
    folder = write_overlap_reranker(tmp_path / "overlap", WORDS)
    (folder / "config.json").unlink()
    answer, other = build(folder).score(QUERY, [ANSWER, OTHER])
    assert answer > other


@walk("name", [RERANKERS[0].name, RERANKERS[0].repository, "elsewhere"])
def test_a_model_that_is_not_here_says_what_brings_it(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelMissingError) as caught:
        build_reranker(name, models_dir=tmp_path)
    assert caught.value.remedy is not None
    assert caught.value.remedy.kind == ("advice" if name == "elsewhere" else "pull_model")


def test_a_model_that_gives_three_numbers_is_no_reranker(tmp_path: Path) -> None:
    with pytest.raises(ModelCorruptError) as caught:
        build(write_overlap_model(tmp_path / "entailment", WORDS)).score(QUERY, [ANSWER])
    assert caught.value.remedy
