"""One item of a list that is asked for by its place."""

from kebab_core import Passage
from kebab_extractive import ExtractiveReader
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.passages import first_quote
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

READER = ExtractiveReader(analyzer=WordAnalyzer(), index=TemporaryStores().index)
STEPS = """\
The steps of a release are these:

1. Run the tests.
   Every test counts.
   - unit tests
2. Tag the version.
3. Upload it.

A release happens on Thursday at 15:00."""
KOREAN = "배포 단계 는 다음과 같다.\n\n- 시험 을 돌린다.\n- 태그 를 붙인다."


def quoted(question: str, *evidence: str | Passage) -> str:
    return first_quote(READER, question, *evidence)


@walk(
    ("question", "quote"),
    [
        ("what are the steps of a release? and the second one?", "2. Tag the version."),
        ("what are the steps of a release? and the last?", "3. Upload it."),
    ],
)
def test_an_item_that_is_asked_for_by_its_place_is_quoted_alone(question: str, quote: str) -> None:
    assert quoted(question, STEPS) == f"{quote}"


def test_an_item_is_quoted_with_what_belongs_to_it() -> None:
    said = quoted("what are the steps of a release? and the first one?", STEPS)
    assert said.startswith("1. Run the tests.")
    assert "unit tests" in said
    assert "Tag" not in said


@walk("question", ["배포 단계 는? 그럼 두 번째는?", "배포 두 번째 단계 는?"])
def test_an_item_of_a_korean_list_is_quoted_alone(question: str) -> None:
    assert quoted(question, KOREAN) == "태그 를 붙인다."


@walk(
    "question",
    [
        "what are the steps of a release? and the ninth one?",
        "what are the first and the second step of a release?",
        "what are the steps of a release on the last day?",
    ],
)
def test_no_item_stands_for_one_that_is_not_there_or_not_asked_for(question: str) -> None:
    assert quoted(question, STEPS) not in {
        f"{item}" for item in ("1. Run the tests.", "2. Tag the version.", "3. Upload it.")
    }
