"""Words as people type them find words as others wrote them, and the hit shows what is written."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import SearchMode, SearchQuery, SearchSettings
from kebab_search import SearchRetriever
from kebab_store_sqlite import SqliteDocumentStore, SqliteLexicalIndex, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

ANALYZER = KoreanEnglishAnalyzer()
TEXTS = {
    "hidden": "The co\u00adop\u200de\u2060ra\ufefftion treaty and \u202e데이\u200b터\ufe0f 이전.",
    "forms": "The ﬁnal eﬃcient ｋｅｂａｂ in ﾊﾝｸﾞﾙ.",
    "accents": "A naïve résumé was sent to Łódź.",
    "plain": "Naive people resume work after a while.",
    "grouped": "비용은 52,800원, version 1.2.3 of 192.168.0.15 costs 1.5 million.",
    "day": "5월 3일에 팀 회식을 했다.",
    "english": "On May 3, 2025 the rocket was launched.",
    "iso": "2024-05-03: rain all day.",
    "apart": "Our knowledge base is a set of notes about 소프트 웨어.",
    "together": "Another knowledgebase grows beside 소프트웨어.",
    "neither": "A base without any knowledge.",
    "names": "참석: 서민지, 오태훈, 선우은숙.",
}


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchRetriever]:
    clock = FixedClock()
    folder: Path = tmp_path_factory.mktemp("spellings")
    with open_database(folder, clock=clock, copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        for name, text in TEXTS.items():
            terms = ANALYZER.analyze_chunk(title="메모", heading_path=(), text=text)
            spec = RecordSpec(
                path=f"{name}.md", paragraphs=(text,), terms=[terms], title="메모", analyzer=ANALYZER.version
            )
            store.replace_document(build_record(spec))
        yield SearchRetriever(
            index=SqliteLexicalIndex(database),
            documents=store,
            analyzer=ANALYZER,
            clock=clock,
            settings=SearchSettings(),
        )


@walk(
    ("query", "shown"),
    [
        ("cooperation", {"hidden": "co\u00adop\u200de\u2060ra\ufefftion"}),
        ('"Cooperation treaty"', {"hidden": "co\u00adop\u200de\u2060ra\ufefftion treaty"}),
        ("coop*", {"hidden": "co\u00adop\u200de\u2060ra\ufefftion"}),
        ("데\u200d이터", {"hidden": "데이\u200b터\ufe0f"}),
        ("final", {"forms": "ﬁnal"}),
        ('"efficient kebab"', {"forms": "eﬃcient ｋｅｂａｂ"}),
        ("ｈａｎｇｕｌ ハングル", {"forms": "ﾊﾝｸﾞﾙ"}),
        ("naive", {"plain": "Naive", "accents": "naïve"}),
        ("naïve", {"accents": "naïve", "plain": "Naive"}),
        ("résumé", {"accents": "résumé", "plain": "resume"}),
        ("lodz", {"accents": "Łódź"}),
        ("52800", {"grouped": "52,800"}),
        ("５２，８００", {"grouped": "52,800"}),
        ("1.5", {"grouped": "1.5"}),
        ("192.168.0.15", {"grouped": "192.168.0.15"}),
        ("5월 3일", {"day": "5월 3일", "english": "May 3, 2025", "iso": "2024-05-03"}),
        ("3 May", {"day": "5월 3일", "english": "May 3, 2025", "iso": "2024-05-03"}),
        ("2025년 5월 3일", {"english": "May 3, 2025", "day": "5월 3일"}),
        ("2024.05.03", {"iso": "2024-05-03", "day": "5월 3일"}),
        ("knowledgebase", {"together": "knowledgebase", "apart": "knowledge"}),
        ("소프트웨어", {"together": "소프트웨어", "apart": "소프트"}),
        ("소프트 웨어", {"apart": "소프트", "together": "소프트웨어"}),
        ("태훈이가 늦은 날", {"names": "오태훈"}),
        ("태훈씨", {"names": "오태훈"}),
        ("민지", {"names": "서민지"}),
        ("은숙", {"names": "선우은숙"}),
    ],
)
def test_other_spellings_of_a_word_find_it_after_its_own(
    retriever: SearchRetriever, query: str, shown: dict[str, str]
) -> None:
    hits = retriever.search(SearchQuery(text=query, mode=SearchMode.LEXICAL)).hits[: len(shown)]
    found = {
        hit.doc_path.stem: hit.snippet[hit.matched[0].start : hit.matched[0].end]
        for hit in hits
        if hit.matched
    }
    assert found == shown
    if not query[0].isdigit() and "May" not in query:
        assert next(iter(found)) == next(iter(shown))


def test_a_day_of_another_year_is_not_found_by_a_date(retriever: SearchRetriever) -> None:
    hits = retriever.search(SearchQuery(text="2026-05-03", mode=SearchMode.LEXICAL)).hits
    assert {hit.doc_path.stem for hit in hits} == {"day"}
