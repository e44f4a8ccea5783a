"""Exact phrases, from what a user types to the passage, with the real analyser and index."""

import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import SearchHit, SearchMode, SearchQuery, SearchSettings
from kebab_search import SearchRetriever
from kebab_store_sqlite import SqliteDocumentStore, SqliteLexicalIndex, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

Search = Callable[[str], tuple[SearchHit, ...]]
ANALYZER = KoreanEnglishAnalyzer()
TEXTS = (
    "1935년 졸업한 뒤에는 우크라이나 동부의 제철소에서 일했다.\n하야시는 하야시 가문 출신이었다.",
    "서비스업은 조지아 주의 국내 총생산이다. 함수 안의 변수는 영국 최대의 것과 같다.",
    "프랑스령 인도차이나 정부와 공존했다. 캐나다의 수도이다. 블루 그린 방식으로 옮긴다.",
    "흥선대원군이 실각하고 명성황후를 필두로 했다. 이 방법을 이용한 농작물.",
    "벡터 인덱스를 API를 통해 kebab-core의 `parse_md_file`로, C++17·C# 3.14에서 v1.2.3까지 다시 만든다.",
    "大韓民國 헌법(憲法) 제1조 제2항은 '국민'에게 있다 — 東京は日本の首都です. ㅋㅋㅋ 🎉 끝!",
    "The naïve café isn't re-indexed: see https://example.org/a?b=c&d=1#x, e-mail me@example.org.",
    "오늘은 사과\n\n배를 샀다",
)


@contextmanager
def index_of(texts: tuple[str, ...], folder: Path) -> Iterator[Search]:
    clock = FixedClock()
    with open_database(folder, clock=clock, copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        for number, text in enumerate(texts):
            path = ("지붕", "처마 끝")
            terms = ANALYZER.analyze_chunk(title="메모", heading_path=path, text=text)
            spec = RecordSpec(
                path=f"{number}.md",
                paragraphs=(text,),
                terms=[terms],
                title="메모",
                analyzer=ANALYZER.version,
            )
            store.replace_document(build_record(spec))
        retriever = SearchRetriever(
            index=SqliteLexicalIndex(database),
            documents=store,
            analyzer=ANALYZER,
            clock=clock,
            settings=SearchSettings(),
        )
        yield lambda text: retriever.search(SearchQuery(text=text, mode=SearchMode.LEXICAL, k=50)).hits


@pytest.fixture(scope="module")
def search() -> Iterator[Search]:
    with TemporaryDirectory() as folder, index_of(TEXTS, Path(folder)) as found:
        yield found


def paths(hits: tuple[SearchHit, ...]) -> set[str]:
    return {str(hit.doc_path) for hit in hits}


@walk(
    ("phrase", "number"),
    [
        ("우크라이나", 0),
        ("하야시 가문", 0),
        ("조지아 주의", 1),
        ("영국 최대의", 1),
        ("함수 안의", 1),
        ("인도차이나", 2),
        ("캐나다의", 2),
        ("블루 그린", 2),
        ("명성황후", 3),
        ("이용한", 3),
        ("벡터 인덱스", 4),
        ("API", 4),
        ("kebab-core", 4),
        ("parse_md_file", 4),
        ("C++", 4),
        ("憲法", 5),
    ],
)
def test_phrase_copied_from_a_text_finds_that_text_alone(search: Search, phrase: str, number: int) -> None:
    assert paths(search(f'"{phrase}"')) == {f"{number}.md"}


@walk(
    "phrase",
    ["사과 배", "사과 배를", "지붕 처마", "처마 끝 오늘", "벡터 덱스", "kebab cor", "AP", "인덱스 벡터"],
)
def test_phrase_that_stands_nowhere_side_by_side_finds_nothing(search: Search, phrase: str) -> None:
    assert search(f'"{phrase}"') == ()


def test_phrase_of_a_heading_finds_what_stands_below(search: Search) -> None:
    assert len(search('"처마 끝"')) == len(TEXTS)


def test_phrase_is_shown_where_it_stands_without_its_particle(search: Search) -> None:
    (hit,) = search('"벡터 인덱스"')
    assert [hit.snippet[place.start : place.end] for place in hit.matched] == ["벡터 인덱스"]


@walk(("word", "number"), [("함수의", 1), ("캐나다의", 2), ("이용한", 3), ("가문", 0), ("우크라이나", 0)])
def test_word_at_the_end_of_a_query_is_read_as_in_a_sentence(search: Search, word: str, number: int) -> None:
    best = search(word)[0]
    assert (str(best.doc_path), best.evidence.coverage) == (f"{number}.md", pytest.approx(1))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, derandomize=True)
@given(data=st.data(), form=st.sampled_from(["NFC", "NFD"]))
def test_words_copied_from_one_line_find_their_text(search: Search, data: st.DataObject, form: str) -> None:
    number = data.draw(st.integers(0, len(TEXTS) - 1))
    words = data.draw(st.sampled_from([line for line in TEXTS[number].splitlines() if line])).split()
    start = data.draw(st.integers(0, len(words) - 1))
    phrase = " ".join(words[start : start + data.draw(st.integers(1, 5))])
    assume(any(char.isalnum() for char in phrase))
    assert f"{number}.md" in paths(search(unicodedata.normalize(form, f'"{phrase}"')))


@walk("text", ['"블루 그린', '블루 그린"', "“블루 그린", '블루" 그린'])
def test_quotation_mark_without_its_partner_changes_nothing(search: Search, text: str) -> None:
    expected = [(hit.chunk_id, hit.score) for hit in search("블루 그린")]
    assert [(hit.chunk_id, hit.score) for hit in search(text)] == expected != []
