"""One item of a list that is asked for by its place, and the last part of a question that has several."""

from kebab_extractive import ExtractiveReader
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import NEAREST, build_passage, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

STEPS = """\
The steps of a release are these:

1. Run the tests.
   Every test counts.
   - unit tests
2. Tag the version.
3. Upload it.

A release happens on Thursday at 15:00."""
KOREAN = "배포 단계 는 다음과 같다.\n\n- 시험 을 돌린다.\n- 태그 를 붙인다."


def answer(question: str, text: str = STEPS) -> str:
    store = InMemoryDocumentStore()
    store.replace_document(build_record(RecordSpec(paragraphs=(text,))))
    model = ExtractiveReader(analyzer=WordAnalyzer(), index=InMemoryLexicalIndex(store))
    return read_aloud(model, question, build_passage(text))


@walk(
    ("question", "quote"),
    [
        ("what are the steps of a release? and the second one?", "2. Tag the version."),
        ("what are the steps of a release? and the last?", "3. Upload it."),
    ],
)
def test_an_item_that_is_asked_for_by_its_place_is_quoted_alone(question: str, quote: str) -> None:
    assert answer(question) == f"{quote} [#1]"


def test_an_item_is_quoted_with_what_belongs_to_it() -> None:
    said = answer("what are the steps of a release? and the first one?")
    assert said.startswith("1. Run the tests.")
    assert "unit tests" in said
    assert "Tag" not in said


@walk("question", ["배포 단계 는? 그럼 두 번째는?", "배포 두 번째 단계 는?"])
def test_an_item_of_a_korean_list_is_quoted_alone(question: str) -> None:
    assert answer(question, KOREAN) == "태그 를 붙인다. [#1]"


@walk(
    "question",
    [
        "what are the steps of a release? and the ninth one?",
        "what are the first and the second step of a release?",
        "what are the steps of a release on the last day?",
    ],
)
def test_no_item_stands_for_one_that_is_not_there_or_not_asked_for(question: str) -> None:
    assert answer(question) not in {
        f"{item} [#1]" for item in ("1. Run the tests.", "2. Tag the version.", "3. Upload it.")
    }


def test_the_answer_to_the_part_before_is_no_answer_to_the_last_part() -> None:
    said = answer("what are the steps of a release? when is it?")
    assert "Tag the version" not in said
    weak = NEAREST
    assert said.removeprefix(weak).strip() == "A release happens on Thursday at 15:00. [#1]"
