"""Answers from sheets quote rows, and each claim leads to its own cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_core import AnswerFinal, CellCitation, RetrievalDone, SearchMode

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")


def test_answer_from_a_long_table_cites_its_header_and_its_row(base: Base) -> None:
    rows = "".join(f"2026-01-{day:02},사무용품 {day}번 구매 내역,{day * 1000}\n" for day in range(1, 31))
    names = "".join(
        f"{name},총무팀에서 재고를 관리하는 물품,{place}\n" for name, place in [("모니터", 7), ("키보드", 9)]
    )
    base.write("구매.csv", f"날짜,내역,금액\n{rows}")
    base.write("재고.csv", f"물품,설명,선반 번호\n{names}")
    base.ingest()

    request = AskRequest(question="키보드의 선반 번호는 몇 번인가요?", mode=SearchMode.LEXICAL)
    found, *_, last = base.app.ask_stream(request)
    assert isinstance(found, RetrievalDone)
    assert isinstance(last, AnswerFinal)
    answer = last.answer

    assert "키보드 | 총무팀에서 재고를 관리하는 물품 | 9" in answer.answer
    cited = answer.citations[0].citation
    assert isinstance(cited, CellCitation)
    assert cited.sheet == "재고"
    claims = answer.claims
    quotes = [source.quote for claim in claims for source in claim.sources if source.citation.sheet == "재고"]
    assert any("키보드 | 총무팀에서 재고를 관리하는 물품 | 9" in quote for quote in quotes)
