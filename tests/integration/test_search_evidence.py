from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import SearchHit, SearchMode, SearchQuery, SearchSettings
from kebab_search import SearchRetriever
from kebab_store_sqlite import SqliteDocumentStore, SqliteLexicalIndex, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

Search = Callable[[str], tuple[SearchHit, ...]]
SIZES = (1, 2, 10, 250)
TOPICS = (
    "전자서명 관련 법 조항을 정리했다. 시행령은 별도로 둔다.",
    "색인을 다시 만드는 방법을 적었다. 오래 걸리지 않는다.",
    "회의에서 다음 배포 일정을 정했다. 남은 문제는 없다.",
    "The parser reads a file and yields blocks with their lines.",
    "서버를 옮긴 기록이다. 백업은 매일 새벽에 돈다.",
    "주말에 다녀온 산행 기록. 날씨가 맑았다.",
    "데이터베이스 연결이 끊기면 다시 시도한다.",
    "We decided to keep one index for every language.",
)
ANALYZER = KoreanEnglishAnalyzer()


@pytest.fixture(params=SIZES)
def search(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Search]:
    clock = FixedClock()
    with open_database(tmp_path, clock=clock, copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        for number in range(request.param):
            _put(store, number)
        retriever = SearchRetriever(
            index=SqliteLexicalIndex(database),
            documents=store,
            analyzer=ANALYZER,
            clock=clock,
            settings=SearchSettings(),
        )

        def find(text: str) -> tuple[SearchHit, ...]:
            response = retriever.search(SearchQuery(text=text, mode=SearchMode.LEXICAL))
            return response.hits or response.nearest

        yield find


def test_one_common_syllable_of_a_question_is_little_evidence(search: Search) -> None:
    hits = search("파스타의 법과 삶기")
    assert hits
    for hit in hits:
        assert "법" in hit.snippet
        assert 0 < hit.evidence.coverage < 0.4
        assert 0 < hit.evidence.bm25_ratio < 0.2


def test_words_that_no_chunk_holds_leave_little_evidence(search: Search) -> None:
    for hit in search("없는낱말zzz"):
        assert hit.evidence.coverage < 0.4
        assert hit.evidence.bm25_ratio < 0.2


def test_chunk_that_holds_every_word_is_full_evidence(search: Search) -> None:
    best = search("전자서명 시행령 조항")[0]
    assert best.evidence.coverage == pytest.approx(1)
    assert best.evidence.bm25_ratio >= 0.45


def test_score_of_full_evidence_is_high_and_the_raw_score_is_the_indexes(search: Search) -> None:
    best = search("전자서명 시행령 조항")[0]
    assert 0.5 < best.score < 1
    assert best.retrieval.lexical_score is not None
    assert best.retrieval.lexical_score >= 0


def _put(store: SqliteDocumentStore, number: int) -> None:
    text = f"{TOPICS[number % len(TOPICS)]} 메모 {number}"
    terms = ANALYZER.analyze_chunk(title="메모", heading_path=(), text=text)
    spec = RecordSpec(
        path=f"{number}.md", paragraphs=(text,), terms=[terms], title="메모", analyzer=ANALYZER.version
    )
    store.replace_document(build_record(spec))
