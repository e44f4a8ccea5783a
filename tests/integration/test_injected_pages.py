"""Documents that try to take over whoever answers from them, from the index to the stored answer."""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import Answer, RagSettings, RefusalReason, SearchFilters, SearchSettings, TokenCounter
from kebab_extractive import ExtractiveReader
from kebab_rag import AskRequest, PassageReader, RagPipeline, find_markers
from kebab_search import SearchRetriever
from kebab_store_sqlite import (
    SqliteAnswerRepo,
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteLexicalIndex,
    open_database,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.injections import ATTEMPTS, FACT_EN, FACT_KO, QUESTION_EN, QUESTION_KO
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

ANALYZER = KoreanEnglishAnalyzer()
ASKED = [(QUESTION_EN, FACT_EN), (QUESTION_KO, FACT_KO)]
MARKS = ("[#1]", "[#12]", "[#999]", "［＃3］", "[ #2 ]", "[\u200b#1]")
TRAIN_EN = ("The night train to Lark Harbour", "leaves from platform seven.")
TRAIN_KO = ("종달새항으로 가는 밤 열차는", "일곱 번 승강장에서 떠난다.")
NEIGHBOURS = "The night train to Lark Harbour is blue.\n\n종달새항으로 가는 밤 열차는 파란색이다."
OTHERS = ("The parser reads a file and yields blocks.", "서버를 옮긴 기록이다. 백업은 매일 새벽에 돈다.")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteDatabase]:
    folder: Path = tmp_path_factory.mktemp("injected")
    with open_database(folder, clock=FixedClock(), copy_threshold_bytes=0) as opened:
        store = SqliteDocumentStore(opened)
        put(store, "page.md", (FACT_EN, *ATTEMPTS[::2], FACT_KO, *ATTEMPTS[1::2]))
        put(store, "whole.md", ("\n\n".join([FACT_KO, *ATTEMPTS, FACT_EN]),))
        put(store, "others.md", OTHERS)
        for number, mark in enumerate(MARKS):
            ended = f"{FACT_EN[:-1]} {mark}. {FACT_KO[:-1]} {mark}."
            put(store, f"ended/{number}.md", (f"{NEIGHBOURS}\n\n{ended}",))
            parted = f"{mark.join(TRAIN_EN)} {mark.join(TRAIN_KO)}"
            put(store, f"parted/{number}.md", (f"{NEIGHBOURS}\n\n{parted}",))
        for number, attempt in enumerate(ATTEMPTS):
            put(store, f"alone/{number}.md", (attempt, f"{FACT_EN}\n\n{FACT_KO}"))
            put(store, f"beside/{number}.md", (f"{attempt}\n\n{FACT_EN}\n\n{FACT_KO}",))
        yield opened


def put(store: SqliteDocumentStore, path: str, paragraphs: tuple[str, ...]) -> None:
    terms = [ANALYZER.analyze_chunk(title="Page", heading_path=(), text=text) for text in paragraphs]
    spec = RecordSpec(path=path, paragraphs=paragraphs, terms=terms, title="Page", analyzer=ANALYZER.version)
    store.replace_document(build_record(spec))


def ask(database: SqliteDatabase, question: str, *, path: str = "*.md") -> Answer:
    clock, store, index = FixedClock(), SqliteDocumentStore(database), SqliteLexicalIndex(database)
    retriever = SearchRetriever(
        index=index,
        documents=store,
        analyzer=ANALYZER,
        clock=clock,
        settings=SearchSettings(),
    )
    pipeline = RagPipeline(
        retriever=retriever,
        documents=store,
        reader=PassageReader(store, lambda _span: ""),
        model=ExtractiveReader(analyzer=ANALYZER, index=index),
        answers=SqliteAnswerRepo(database),
        counter=TokenCounter(),
        analyzer=ANALYZER,
        clock=clock,
        settings=RagSettings(prompt_template_version="rag-v3"),
        search=SearchSettings(),
    )
    return pipeline.ask(AskRequest(question=question, k=50, filters=SearchFilters(path_glob=(path,))))


@walk(("question", "fact"), ASKED)
def test_question_is_answered_by_the_sentence_that_answers_it(
    database: SqliteDatabase, question: str, fact: str
) -> None:
    assert fact in ask(database, question).answer


@pytest.mark.thorough
@pytest.mark.parametrize("number", range(len(ATTEMPTS)))
@pytest.mark.parametrize("folder", ["alone", "beside"])
@pytest.mark.parametrize(("question", "fact"), ASKED)
def test_attempt_beside_the_fact_does_not_hide_it(
    database: SqliteDatabase, *, question: str, fact: str, folder: str, number: int
) -> None:
    assert fact in ask(database, question, path=f"{folder}/{number}.md").answer


@pytest.mark.thorough
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_asking_for_an_attempt_prints_nothing_that_acts_and_cites_only_what_is_there(
    database: SqliteDatabase, attempt: str
) -> None:
    answer = ask(database, f"night train 밤 열차 {attempt}")
    shown = [cited.marker for cited in answer.citations if cited.marker]
    assert all(marker in answer.answer for marker in shown)
    is_quoted = answer.grounded or answer.refusal_reason is RefusalReason.WEAK_SUPPORT
    assert is_quoted is bool(shown)
    assert find_markers(answer.answer) == ()
    assert {char for char in answer.answer if unicodedata.category(char) == "Cc"} <= {"\n"}
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069\u2028\u2029") & set(answer.answer)


@walk("number", range(len(MARKS)))
@walk(("question", "fact"), ASKED)
def test_fact_that_ends_in_a_marker_of_its_own_is_quoted_without_it(
    database: SqliteDatabase, *, question: str, fact: str, number: int
) -> None:
    said = ask(database, question, path=f"ended/{number}.md").answer
    assert f"{fact[:-1]} [" in said
    assert MARKS[number] not in said


@walk("number", range(len(MARKS)))
@walk(("question", "parts"), [(QUESTION_EN, TRAIN_EN), (QUESTION_KO, TRAIN_KO)])
def test_fact_with_a_marker_of_its_own_inside_is_quoted_on_both_sides_of_it(
    database: SqliteDatabase, *, question: str, parts: tuple[str, str], number: int
) -> None:
    said = ask(database, question, path=f"parted/{number}.md").answer
    assert re.search(rf"{re.escape(parts[0])} \[\d\]\n{re.escape(parts[1])} \[\d\]", said)
