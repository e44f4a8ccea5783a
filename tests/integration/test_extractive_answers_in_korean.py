"""The extractive reader with the analyser that index and query share."""

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_extractive import ExtractiveReader
from kebab_testing.passages import build_passage, is_answer, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = KoreanEnglishAnalyzer()
TEXTS = (
    "케밥은 2019년 서울에서 시작되었다. 처음에는 세 사람이 일했다. 색인은 매일 밤 다시 만들어지는데, 문서가 낮에 바뀌기 때문이다.",
    "The index was rebuilt by Dr. Kim in 2021. It holds 12 tables. Searches run on one machine.",
    "준비할 것은 다음과 같다:\n- 파이썬 3.11 이상\n- 디스크 2 GB",
)


@pytest.fixture(scope="module")
def model() -> ExtractiveReader:
    stores = TemporaryStores()
    store = stores.documents
    terms = [ANALYZER.analyze_chunk(title="", heading_path=(), text=text) for text in TEXTS]
    store.replace_document(build_record(RecordSpec(paragraphs=TEXTS, terms=terms)))
    return ExtractiveReader(analyzer=ANALYZER, index=stores.index)


def answer(model: ExtractiveReader, question: str) -> str:
    passages = [build_passage(text, marker=marker) for marker, text in enumerate(TEXTS, start=1)]
    return read_aloud(model, question, *passages)


@walk(
    ("question", "quoted"),
    [
        ("케밥은 언제 시작됐나요?", "케밥은 2019년 서울에서 시작되었다."),
        ("색인을 왜 다시 만들어?", "색인은 매일 밤 다시 만들어지는데, 문서가 낮에 바뀌기 때문이다."),
        ("Who rebuilt the index?", "The index was rebuilt by Dr. Kim in 2021."),
        ("How many tables does the index hold?", "It holds 12 tables."),
        ("준비할 것이 뭐야?", "준비할 것은 다음과 같다:\n- 파이썬 3.11 이상\n- 디스크 2 GB [#3]"),
    ],
)
def test_sentence_that_answers_is_quoted_whatever_its_particles_and_endings(
    model: ExtractiveReader, question: str, quoted: str
) -> None:
    assert quoted in answer(model, question)


@walk("question", ["토성의 고리는 몇 개인가?", "Who painted Guernica?"])
def test_question_that_no_sentence_answers_has_no_answer(model: ExtractiveReader, question: str) -> None:
    assert not is_answer(answer(model, question))


@walk(
    ("question", "text", "other"),
    [
        ("5월 3일에 무엇을 교체했나요?", "2025-05-03에 서버를 교체했다.", "2025-05-04에 전원을 교체했다."),
        ("2025년 5월 3일에 무엇을 교체했나요?", "2025.05.03 서버를 교체했다.", "2024.05.03 전원을 교체했다."),
        ("Who signed on 3 May?", "On May 3, 2025 Dr. Lee signed.", "On May 4, 2025 Dr. Kim signed."),
        ("52800원은 무슨 비용인가요?", "회식 비용은 52,800원이다.", "교통 비용은 5,280원이다."),
        ("What is co\u00adoperation?", "Ｃｏoperation is work with others.", "Work is what others do."),
    ],
)
def test_answers_are_found_whatever_the_spelling(
    model: ExtractiveReader, question: str, text: str, other: str
) -> None:
    passages = [build_passage(each, marker=marker) for marker, each in enumerate((other, text), start=1)]
    before, found, _ = read_aloud(model, question, *passages).partition(text)
    assert found
    assert other not in before
