import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import SearchMode, SearchQuery, SearchResponse, SearchSettings
from kebab_search import SearchRetriever
from kebab_store_sqlite import SqliteDocumentStore, SqliteLexicalIndex, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

Shelf = Callable[[Sequence[str]], SearchRetriever]
ANALYZER = KoreanEnglishAnalyzer()
TEXTS = (
    "1935년 졸업한 뒤에는 우크라이나 동부의 제철소에서 일했다.",
    "하야시는 하야시 가문 출신이었다. 서비스업은 조지아 주의 국내 총생산이다.",
    "프랑스령 인도차이나 정부와 공존했다. 오타와는 캐나다의 수도이다. 블루 그린 방식으로 옮긴다.",
    "흥선대원군이 실각하고 명성황후를 필두로 싸웠다. 이 방법을 이용한 농작물이 많았다.",
)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    clock = FixedClock()
    with open_database(tmp_path, clock=clock, copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)

        def put(texts: Sequence[str]) -> SearchRetriever:
            for number, text in enumerate(texts):
                terms = ANALYZER.analyze_chunk(title="메모", heading_path=(), text=text)
                path = f"{number:03}.md"
                spec = RecordSpec(
                    path=path, paragraphs=(text,), terms=[terms], title="메모", analyzer=ANALYZER.version
                )
                store.replace_document(build_record(spec))
            return SearchRetriever(
                index=SqliteLexicalIndex(database),
                documents=store,
                analyzer=ANALYZER,
                clock=clock,
                settings=SearchSettings(),
            )

        yield put


def _ask(retriever: SearchRetriever, text: str, **fields: object) -> SearchResponse:
    return retriever.search(SearchQuery.model_validate({"text": text, "mode": SearchMode.LEXICAL, **fields}))


def test_every_korean_word_of_a_text_asked_alone_finds_that_text(shelf: Shelf) -> None:
    retriever = shelf(TEXTS)
    for text in TEXTS:
        for word in re.findall(r"(?<!\w)[가-힣]{2,6}", text):
            found = {hit.snippet for hit in _ask(retriever, word).hits}
            assert text in found, word


@pytest.mark.parametrize(
    ("word", "number"), [("우크라이나", 0), ("조지아", 1), ("인도차이나에서", 2), ("명성황후", 3)]
)
def test_word_that_was_read_otherwise_is_shown_and_counts_as_held(
    shelf: Shelf, word: str, number: int
) -> None:
    best = _ask(shelf(TEXTS), word).hits[0]
    assert best.snippet == TEXTS[number]
    assert best.evidence.coverage == pytest.approx(1)
    assert best.score > 0
    shown = " ".join(best.snippet[mark.start : mark.end] for mark in best.matched)
    assert shown.replace(" ", "") == word.removesuffix("에서")


def test_word_that_no_text_holds_still_finds_nothing(shelf: Shelf) -> None:
    assert _ask(shelf(TEXTS), "브라질리아").hits == ()


def test_word_looked_up_obeys_filters_and_tells_which_hid_it(shelf: Shelf) -> None:
    retriever = shelf(TEXTS)
    hidden = _ask(retriever, "우크라이나", filters={"path_glob": ("001.md",)})
    assert hidden.hits == ()
    assert hidden.filtered_out_by == ("path_glob",)


def test_pages_with_words_looked_up_together_are_the_whole_result(shelf: Shelf) -> None:
    texts = [f"{number}번 제철소 기록. {'제철소 ' * (number % 7)}" for number in range(90)]
    retriever = shelf([*texts, *(f"우크라이나 동부 {number}" for number in range(9))])
    whole = _ask(retriever, "우크라이나 제철소", k=200).hits
    assert len(whole) == 99
    assert any("우크라이나" in hit.snippet for hit in whole[:10])
    pages, cursor = [], None
    while True:
        page = _ask(retriever, "우크라이나 제철소", k=13, cursor=cursor)
        pages += page.hits
        cursor = page.next_cursor
        if cursor is None:
            break
    assert pages == list(whole)
