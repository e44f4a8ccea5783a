"""Hangul documents on the command line: ingested, found, asked about, fetched by their lines."""

from __future__ import annotations

import pytest
from kebab_testing.hangul_files import (
    hwp5_control,
    hwp5_paragraph,
    hwp5_table,
    hwpx_paragraph,
    hwpx_table,
    write_hwp5,
    write_hwpx,
)

RULES = write_hwpx(
    hwpx_paragraph("연차휴가", shape=1)
    + hwpx_paragraph("연차휴가는 일 년에 열다섯 일이다.")
    + hwpx_paragraph(
        hwpx_table([["품목", "보관 장소"], ["소화기", "삼층 복도 끝"], ["구급상자", "총무과 서랍"]])
    ),
    facts={"title": "복무 규정"},
)
MINUTES = write_hwp5(
    hwp5_paragraph("회의 결과", shape=1)
    + hwp5_paragraph("다음 체육대회는 시월 셋째 토요일에 한강공원에서 연다.")
    + hwp5_paragraph(hwp5_control(11, "tbl "), hwp5_table([["담당", "이름"], ["음향", "박기철"]]))
)


@pytest.fixture(scope="module")
def hangul_once(ingest_once):  # type: ignore[no-untyped-def]
    return ingest_once({"규정.hwpx": RULES, "회의록.hwp": MINUTES})[0]


@pytest.fixture
def hangul(copy_of, hangul_once):  # type: ignore[no-untyped-def]
    return copy_of(hangul_once)


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("연차휴가 며칠", "규정.hwpx"),
        ("소화기 보관 장소", "규정.hwpx"),
        ("체육대회", "회의록.hwp"),
        ("음향 담당", "회의록.hwp"),
    ],
)
def test_words_of_paragraphs_and_tables_are_found(hangul, query: str, path: str) -> None:  # type: ignore[no-untyped-def]
    found = hangul("--json", "search", query).last
    assert found["hits"][0]["doc_path"] == path


def test_a_question_is_answered_with_the_lines_of_the_document(hangul) -> None:  # type: ignore[no-untyped-def]
    answer = hangul("--json", "ask", "체육대회는 어디에서 열리나요?").last
    assert "한강공원" in answer["answer"]
    citation = answer["citations"][0]["citation"]
    assert (citation["path"], citation["kind"]) == ("회의록.hwp", "line")
    lines = hangul("fetch", citation["uri"])
    assert "한강공원에서 연다" in lines.stdout


def test_the_text_of_a_document_is_fetched_as_it_was_read(hangul) -> None:  # type: ignore[no-untyped-def]
    assert hangul("fetch", "규정.hwpx").stdout.startswith(
        "# 제1장 연차휴가\n\n연차휴가는 일 년에 열다섯 일이다.\n"
    )
    rows = hangul("--json", "fetch", "규정.hwpx#L7-L8").last
    assert rows["text"] == "| 소화기 | 삼층 복도 끝 |\n| 구급상자 | 총무과 서랍 |\n"
    assert rows["header_row"] == {
        "text": "품목 | 보관 장소",
        "source_span": {"kind": "line", "start": 5, "end": 5},
    }
    assert hangul("fetch", "규정.hwpx#L7-L8").stdout == f"품목 | 보관 장소\n…\n{rows['text']}"


def test_a_protected_document_fails_alone_and_says_what_to_do(kb, inside) -> None:  # type: ignore[no-untyped-def]
    base = inside(kb)
    base.write("비밀.hwp", write_hwp5(hwp5_paragraph("본문"), flags=3))
    base.write("배포.hwp", write_hwp5(hwp5_paragraph("본문"), flags=5))
    base.write("규정.hwpx", RULES)
    done = base("--json", "ingest")
    failed = {item["doc_path"]: item["error"] for item in done.last["items"] if item["kind"] == "error"}
    assert {path: error["code"] for path, error in failed.items()} == {
        "비밀.hwp": "document_encrypted",
        "배포.hwp": "document_encrypted",
    }
    assert base("--json", "search", "연차휴가").last["hits"]
