"""Saved pages on the command line: found, read, asked about, and cited by the lines of the text that is read."""

from __future__ import annotations

import pytest

PAGE = """<html lang="ko"><head><meta charset="euc-kr"><title>환불 규정 - 가게</title></head><body>
<nav><a href="/">처음</a> <a href="/a">회사 소개</a> <a href="/b">고객 센터</a></nav>
<main><h1>환불 규정</h1><p>이 규정은 모든 상품에 적용합니다.</p><h2>기간</h2>
<p>구매한 날부터 이레 안에 돌려줄 수 있습니다.</p><h2>방법</h2><p>고객 센터로 전화해 주세요. 전화번호는 02-123-4567입니다.</p></main>
<footer>사업자 등록 번호 쿠키 안내</footer></body></html>"""


@pytest.fixture
def base(kb, inside):  # type: ignore[no-untyped-def]
    base = inside(kb)
    base.write("refund.html", PAGE.encode("cp949"))
    base.write("broken.html", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    assert base("ingest").code == 0
    return base


def test_a_page_is_found_read_and_cited_by_its_lines(base) -> None:  # type: ignore[no-untyped-def]
    hits = base("--json", "search", "구매한 날부터", "--mode", "lexical").last["hits"]
    assert hits[0]["title"] == "환불 규정"
    citation = hits[0]["citation"]
    lines = base("fetch", "span", base.doc_id("refund.html"), str(citation["start"]), str(citation["end"]))
    assert "구매한 날부터 이레 안에 돌려줄 수 있습니다." in lines.stdout
    whole = base("fetch", "refund.html").stdout
    assert whole.startswith("# 환불 규정\n")
    assert "회사 소개" not in whole


def test_an_answer_quotes_a_page(base) -> None:  # type: ignore[no-untyped-def]
    answer = base("ask", "환불은 구매한 날부터 며칠 안에 되나요?", "--mode", "lexical")
    assert "이레 안에" in answer.stdout
    assert "refund.html#L" in answer.stdout


def test_pages_are_a_medium_of_filters_and_what_is_none_is_reported(base) -> None:  # type: ignore[no-untyped-def]
    report = base("--json", "ingest", "--verify")
    assert "broken.html" in report.stdout
    assert base("--json", "search", "환불", "--media", "html", "--mode", "lexical").last["hits"]
