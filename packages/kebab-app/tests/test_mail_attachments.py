"""Files attached to mails: their text is found, cited, opened, and gone with the mail; what cannot be read is told."""

from __future__ import annotations

import io
from email.message import EmailMessage
from typing import TYPE_CHECKING

from kebab_app import AttachedFile, find_attached, render_page
from kebab_core import FetchAddress, LineCitation, SearchMode, SearchQuery
from kebab_testing.hangul_files import hwpx_paragraph, write_hwpx
from kebab_testing.office_files import paragraph, shape, slide_file, word_file
from kebab_testing.pdf_files import PageSpec, column, write_pdf
from pypdf import PdfReader, PdfWriter

if TYPE_CHECKING:
    from kebab_core import SearchHit

    from conftest import Base

STYLES = '<w:style w:type="paragraph" w:styleId="h"><w:name w:val="heading 1"/></w:style>'
CONTRACT = word_file(
    paragraph("위약금", style="h") + paragraph("위약금은 계약금의 두 배입니다."), styles=STYLES
)
PAPER = write_pdf(PageSpec(column(60, 100, "The zebra eats grass on the plain.")))
SLIDES = slide_file(shape("보고", kind="title") + shape("창고는 김포로 간다."))
LETTER = write_hwpx(hwpx_paragraph("휴관일은 월요일입니다."))
STOCK = "이름,값\n청바지,39000\n".encode("cp949")


def _mail(*files: tuple[str, bytes], subject: str = "자료 보냅니다") -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "kim@example.kr", "lee@example.kr", subject
    mail["Date"] = "Thu, 5 Mar 2026 09:00:00 +0900"
    mail.set_content("첨부를 보세요.\n")
    for name, content in files:
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    return mail


def _find(base: Base, text: str) -> SearchHit:
    return base.app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL)).hits[0]


FILES = (
    ("계약서.docx", CONTRACT, "위약금", "위약금은 계약금의 두 배입니다."),
    ("paper.pdf", PAPER, "zebra grass", "The zebra eats grass on the plain."),
    ("재고.csv", STOCK, "청바지", "| 청바지 | 39000 |"),
    ("발표.pptx", SLIDES, "김포", "창고는 김포로 간다."),
    ("공문.hwpx", LETTER, "휴관일", "휴관일은 월요일입니다."),
    ("page.html", b"<html><body><p>Barrels are blue.</p></body></html>", "barrels blue", "Barrels are blue."),
)


def test_text_of_attached_files_is_found_and_its_lines_open(base: Base) -> None:
    base.write("mail/자료.eml", _mail(*[(name, content) for name, content, _, _ in FILES]).as_bytes())

    assert base.ingest().counts == {"scanned": 1, "new": 1}

    for name, _, query, said in FILES:
        hit = _find(base, query)
        assert isinstance(hit.citation, LineCitation)
        assert name in hit.heading_path
        assert said in base.app.fetch(FetchAddress(address=hit.citation.to_address())).text


def test_sections_of_attached_files_are_their_pages_slides_and_sheets(base: Base) -> None:
    pages = write_pdf(PageSpec(column(60, 100, "First page.")), PageSpec(column(60, 100, "The zebra eats.")))
    files = (("paper.pdf", pages), ("발표.pptx", SLIDES), ("재고.csv", STOCK), ("계약서.docx", CONTRACT))
    base.write("a.eml", _mail(*files).as_bytes())
    base.ingest()
    assert _find(base, "zebra").heading_path[1:] == ("paper.pdf", "paper.pdf#p=2")
    assert _find(base, "김포").heading_path[1:] == ("발표.pptx", "발표.pptx#slide=1", "보고")
    assert _find(base, "청바지").heading_path[1:] == ("재고.csv", "재고.csv#sheet=재고")
    assert _find(base, "위약금").heading_path[1:] == ("계약서.docx", "위약금")


def test_attached_text_goes_with_the_mail(base: Base) -> None:
    path = base.write("a.eml", _mail(("계약서.docx", CONTRACT)).as_bytes())
    base.ingest()
    path.unlink()
    base.ingest()
    assert not base.app.search(SearchQuery(text="위약금", mode=SearchMode.LEXICAL)).hits


def test_files_of_a_mail_attached_to_a_mail_are_read(base: Base) -> None:
    inner = _mail(("계약서.docx", CONTRACT), subject="지난 메일")
    outer = _mail(("지난 메일.eml", inner.as_bytes()))
    base.write("a.eml", outer.as_bytes())
    base.ingest()
    assert _find(base, "위약금").heading_path[:3] == ("자료 보냅니다", "지난 메일", "계약서.docx")


def test_files_that_cannot_be_read_are_told_and_cost_nothing_else(base: Base) -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(PAPER)))
    writer.encrypt("secret", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    files = [
        ("locked.pdf", locked.getvalue()),
        ("broken.docx", b"PK\x03\x04 and nothing"),
        ("photo.raw", b"\0\1\2"),
        ("계약서.docx", CONTRACT),
    ]
    base.write("a.eml", _mail(*files).as_bytes())

    item = base.ingest().item("a.eml")

    assert item.error is None
    told = [str(warning) for warning in item.warnings]
    assert "the attached file locked.pdf cannot be read: the PDF needs a password" in told
    assert any(warning.startswith("the attached file broken.docx cannot be read: ") for warning in told)
    assert not any("photo.raw" in warning for warning in told)
    assert _find(base, "위약금").heading_path[1] == "계약서.docx"
    assert _find(base, "photo raw").citation.path == "a.eml"


def test_pages_of_an_attached_file_without_text_are_told(base: Base) -> None:
    base.write("a.eml", _mail(("scan.pdf", write_pdf(PageSpec(picture=True)))).as_bytes())
    item = base.ingest().item("a.eml")
    (told,) = item.warnings
    assert str(told).startswith("the attached file scan.pdf: 1 of 1 pages is scanned")
    assert "scan.pdf" in str(base.app.why(base.root / "a.eml"))


def test_files_of_a_mailbox_are_read_and_those_beyond_the_limit_told(base: Base) -> None:
    many = [_mail((f"{number}.csv", f"이름,값\n품목{number},1\n".encode())) for number in range(102)]
    content = b"".join(b"From kim Thu Mar  5 09:00:00 2026\n" + mail.as_bytes() + b"\n" for mail in many)
    base.write("a.mbox", content)

    item = base.ingest().item("a.mbox")

    assert [str(warning) for warning in item.warnings] == [
        "2 attached files were not read: only 100 files of 20 MB in all are"
    ]
    assert _find(base, "품목99").heading_path[-2:] == ("99.csv", "99.csv#sheet=99")
    assert _find(base, "101 csv").citation.path == "a.mbox"


def _take_out(base: Base, query: str) -> AttachedFile | None:
    return find_attached(base.app.base, base.app.find_address(_find(base, query).citation.to_address()))


def test_an_attached_file_is_taken_out_at_the_page_that_is_cited(base: Base) -> None:
    pages = write_pdf(PageSpec(column(60, 100, "First page.")), PageSpec(column(60, 100, "The zebra eats.")))
    inner = _mail(("paper.pdf", pages), subject="지난 메일")
    outer = _mail(("paper.pdf", PAPER), ("발표.pptx", SLIDES), ("계약서.docx", CONTRACT))
    outer.add_attachment(inner)
    base.write("a.eml", outer.as_bytes())
    base.ingest()

    assert _take_out(base, "zebra grass plain") == AttachedFile("paper.pdf", PAPER, 1)
    assert _take_out(base, "First page") == AttachedFile("paper.pdf", pages, 1)
    assert _take_out(base, "김포") == AttachedFile("발표.pptx", SLIDES, 1)
    assert _take_out(base, "위약금") == AttachedFile("계약서.docx", CONTRACT, None)
    assert find_attached(base.app.base, base.app.find_address("a.eml#L3")) is None
    lines = base.app.fetch(FetchAddress(address="a.eml")).text.split("\n")
    zebra = lines.index("The zebra eats.") + 1
    assert find_attached(base.app.base, base.app.find_address(f"a.eml#L{zebra}")) == AttachedFile(
        "paper.pdf", pages, 2
    )


def test_one_of_several_files_of_the_same_name_is_not_guessed(base: Base) -> None:
    mails = [_mail(("a.csv", STOCK)), _mail(("a.csv", "이름,값\n장갑,1\n".encode()))]
    base.write(
        "a.mbox",
        b"".join(b"From kim Thu Mar  5 09:00:00 2026\n" + mail.as_bytes() + b"\n" for mail in mails),
    )
    base.ingest()
    assert _take_out(base, "장갑") is None


def test_a_program_that_a_mail_names_in_a_heading_is_not_taken_out(base: Base) -> None:
    mail = _mail(("run.desktop", b"[Desktop Entry]"))
    mail.get_payload(0).set_content("<h1>run.desktop</h1><p>The zebra eats.</p>", subtype="html")
    base.write("a.eml", mail.as_bytes())
    base.ingest()
    assert _find(base, "zebra").heading_path[-1] == "run.desktop"
    assert _take_out(base, "zebra") is None


def test_the_page_of_an_attached_file_is_drawn(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    picture = render_page(base.app.base, _find(base, "zebra").citation.to_address())
    assert (picture.name, picture.page) == ("paper", 1)
    assert picture.png.startswith(b"\x89PNG")
