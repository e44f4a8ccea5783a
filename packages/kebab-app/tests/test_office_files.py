"""Office files from the folder to the answer: found, cited, and opened at what the citation says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_core import CellCitation, FetchAddress, LineCitation, SearchMode, SearchQuery, SlideCitation
from kebab_testing.office_files import paragraph, shape, slide_file, word_file

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
STYLES = '<w:style w:type="paragraph" w:styleId="h"><w:name w:val="heading 1"/></w:style>'


def test_word_file_is_found_cited_and_opened(base: Base) -> None:
    body = (
        paragraph("환불 규정", style="h")
        + paragraph("구매한 날부터 14일 안에 환불을 신청할 수 있습니다.")
        + paragraph("배송", style="h")
        + paragraph("배송은 사흘이 걸립니다.")
    )
    base.write("규정.docx", word_file(body, styles=STYLES))

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    assert base.ingest().counts == {"scanned": 1, "unchanged": 1}
    hit = base.app.search(SearchQuery(text="환불 신청", mode=SearchMode.LEXICAL)).hits[0]
    assert isinstance(hit.citation, LineCitation)
    assert hit.citation.to_address() == "규정.docx#L1-L3"
    assert hit.citation.section == "환불 규정"
    opened = base.app.fetch(FetchAddress(address=hit.citation.to_address()))
    assert opened.text == "# 환불 규정\n\n구매한 날부터 14일 안에 환불을 신청할 수 있습니다.\n"
    answer = base.app.ask(AskRequest(question="환불은 며칠 안에 신청할 수 있나요?", mode=SearchMode.LEXICAL))
    assert "14일" in answer.answer


def test_cells_of_a_sheet_are_found_and_cited(base: Base) -> None:
    rows = "".join(f"품목{number},{number}00,창고{number % 7}\n" for number in range(400))
    base.write("재고.csv", ("이름,값,장소\n" + rows).encode("cp949"))

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    hit = base.app.search(SearchQuery(text="품목333", mode=SearchMode.LEXICAL)).hits[0]
    assert isinstance(hit.citation, CellCitation)
    assert hit.citation.sheet == "재고"
    first, _, last = (hit.citation.cells or "").partition(":")
    assert (first[0], last[0]) == ("A", "C")
    assert int(first[1:]) <= 335 <= int(last[1:])


def test_slides_are_found_and_cited(base: Base) -> None:
    first = shape("분기 보고", kind="title") + shape("매출은 늘었다.", "비용은 줄었다.", kind="body")
    base.write(
        "발표.pptx", slide_file(first, shape("질문과 답변", kind="title"), notes="창고 이전은 말하지 않는다.")
    )

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    hit = base.app.search(SearchQuery(text="창고 이전", mode=SearchMode.LEXICAL)).hits[0]
    assert isinstance(hit.citation, SlideCitation)
    assert hit.citation.to_address() == "발표.pptx#slide=1"
    assert hit.citation.section == "분기 보고"
