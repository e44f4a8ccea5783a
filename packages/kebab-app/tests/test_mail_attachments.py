"""Files attached to mails: each is a document that is found, cited, opened, counted, and gone with the mail."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest
from kebab_app import ResetScope, read_attached, render_page
from kebab_core import (
    AttachedFile,
    CellCitation,
    DocFilter,
    DocumentStore,
    FetchAddress,
    IngestResult,
    InvalidInputError,
    LineCitation,
    PackedDocument,
    PageCitation,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SlideCitation,
    StorageError,
)
from kebab_testing.hangul_files import hwpx_paragraph, write_hwpx
from kebab_testing.office_files import paragraph, shape, slide_file, word_file
from kebab_testing.pdf_files import PageSpec, column, write_pdf
from pypdf import PdfReader, PdfWriter

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_core import SearchHit

    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
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
    ("계약서.docx", CONTRACT, "위약금", "위약금은 계약금의 두 배입니다.", LineCitation),
    ("paper.pdf", PAPER, "zebra grass", "The zebra eats grass on the plain.", PageCitation),
    ("재고.csv", STOCK, "청바지", "청바지 | 39000", CellCitation),
    ("발표.pptx", SLIDES, "김포", "창고는 김포로 간다.", SlideCitation),
    ("공문.hwpx", LETTER, "휴관일", "휴관일은 월요일입니다.", LineCitation),
    (
        "page.html",
        b"<html><body><p>Barrels are blue.</p></body></html>",
        "barrels blue",
        "Barrels are blue.",
        LineCitation,
    ),
    ("할 일.md", "# 목록\n\n전구 갈기\n".encode(), "전구", "전구 갈기", LineCitation),
)
MBOX_LINE = b"From kim Thu Mar  5 09:00:00 2026\n"


def _mailbox(*mails: EmailMessage) -> bytes:
    return b"".join(MBOX_LINE + mail.as_bytes() + b"\n" for mail in mails)


def _locked_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(PAPER)))
    writer.encrypt("secret", algorithm="RC4-128")
    locked = io.BytesIO()
    writer.write(locked)
    return locked.getvalue()


def test_attached_files_are_documents_with_citations_of_their_kind(base: Base) -> None:
    base.write("mail/자료.eml", _mail(*[(name, content) for name, content, *_ in FILES]).as_bytes())

    run = base.ingest()

    paths = {f"mail/자료.eml/{name}" for name, *_ in FILES}
    assert run.counts == {"scanned": 8, "new": 8}
    assert set(run.paths(IngestResult.NEW)) == {"mail/자료.eml", *paths}
    assert set(base.paths()) == {"mail/자료.eml", *paths}
    for name, _, query, said, kind in FILES:
        citation = _find(base, query).citation
        assert isinstance(citation, kind)
        assert citation.path == f"mail/자료.eml/{name}"
        assert said in base.app.fetch(FetchAddress(address=citation.to_address())).text


def test_filters_of_media_and_paths_find_attached_files(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER), ("계약서.docx", CONTRACT)).as_bytes())
    base.ingest()

    def list_paths(**filters: object) -> list[str]:
        return [str(each.doc_path) for each in base.app.list_documents(DocFilter(**filters))]

    assert list_paths(media=("pdf",)) == ["a.eml/paper.pdf"]
    assert list_paths(path_glob=("a.eml/**",)) == ["a.eml/paper.pdf", "a.eml/계약서.docx"]
    query = SearchQuery(text="zebra", mode=SearchMode.LEXICAL, filters=SearchFilters(media=("pdf",)))
    assert [hit.citation.path for hit in base.app.search(query).hits] == ["a.eml/paper.pdf"]


def test_a_mail_names_its_files_and_does_not_repeat_their_text(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER), ("photo.raw", b"\0\1")).as_bytes())
    base.ingest()
    text = base.app.fetch(FetchAddress(address="a.eml")).text
    assert "- paper.pdf\n- photo.raw" in text
    assert "zebra" not in text
    assert _find(base, "photo raw").citation.path == "a.eml"
    related = base.app.find_related("a.eml/paper.pdf")
    assert [(each.relation, str(each.entry.doc_path)) for each in related.documents] == [
        ("linked_from", "a.eml")
    ]


def test_attached_files_are_gone_with_the_mail(base: Base) -> None:
    path = base.write("a.eml", _mail(("계약서.docx", CONTRACT)).as_bytes())
    base.ingest()
    path.unlink()
    assert base.ingest().counts == {"removed": 2}
    assert base.paths() == []


def test_a_second_run_reads_nothing(base: Base) -> None:
    path = base.write("a.eml", _mail(("계약서.docx", CONTRACT), ("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    assert base.ingest().counts == {"scanned": 3, "unchanged": 3}
    base.touch(path)
    assert base.ingest().counts == {"scanned": 3, "unchanged": 3}
    assert not base.app.list_documents(DocFilter())[1].changed_on_disk
    assert base.app.base.open_disk_files().find_change(*_place(base, "a.eml/paper.pdf")) is None
    assert base.ingest(verify=True).counts == {"scanned": 3, "unchanged": 3}


def _place(base: Base, path: str) -> tuple[str, str]:
    document = base.documents()[path]
    return document.source_id, document.doc_path


def test_files_that_a_mail_does_not_hold_any_more_are_removed(base: Base) -> None:
    base.write("a.eml", _mail(("계약서.docx", CONTRACT), ("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    base.write("a.eml", _mail(("paper.pdf", PAPER), ("발표.pptx", SLIDES)).as_bytes())
    run = base.ingest()
    assert run.paths(IngestResult.UPDATED) == ["a.eml", "a.eml/paper.pdf"]
    assert run.paths(IngestResult.NEW) == ["a.eml/발표.pptx"]
    assert run.paths(IngestResult.REMOVED) == ["a.eml/계약서.docx"]
    assert base.paths() == ["a.eml", "a.eml/paper.pdf", "a.eml/발표.pptx"]


def test_attached_files_move_with_the_mail(base: Base) -> None:
    path = base.write("a.eml", _mail(("계약서.docx", CONTRACT)).as_bytes())
    base.ingest()
    (base.root / "old").mkdir()
    shutil.move(path, base.root / "old" / "b.eml")
    run = base.ingest()
    assert run.counts == {"scanned": 2, "moved": 2}
    assert run.item("old/b.eml/계약서.docx").moved_from == "a.eml/계약서.docx"
    assert base.paths() == ["old/b.eml", "old/b.eml/계약서.docx"]


def test_what_changes_one_medium_reads_only_the_mails_that_hold_it_again(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.write("b.eml", _mail(("계약서.docx", CONTRACT)).as_bytes())
    base.ingest()
    base.configure("ingest.chunking", target_tokens=100)
    assert base.ingest().counts == {"scanned": 4, "updated": 4}
    recipes = base.recipes()
    smaller = [
        replace(each, policy=each.policy.model_copy(update={"target_tokens": 90}))
        if each.extractor.parser_version() == "pdf-v3"
        else each
        for each in recipes
    ]
    assert base.run_with(recipes=recipes).counts == {"scanned": 4, "unchanged": 4}
    run = base.run_with(recipes=smaller)
    assert run.paths(IngestResult.UPDATED) == ["a.eml", "a.eml/paper.pdf"]


def test_a_run_that_dies_between_file_and_mail_is_made_up_for(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.app.base.open_for_writing()
    documents = _FullDisk(base.app.base.index.documents)
    with pytest.raises(StorageError):
        base.run_with(documents=documents)
    assert base.ingest().paths(IngestResult.NEW) == ["a.eml"]
    assert base.paths() == ["a.eml", "a.eml/paper.pdf"]


class _FullDisk:
    """A store that cannot take mails."""

    def __init__(self, documents: DocumentStore) -> None:
        self._documents = documents

    def __getattr__(self, name: str) -> object:
        return getattr(self._documents, name)

    def replace_document(self, document: PackedDocument) -> None:
        if document.workspace_path.endswith(".eml"):
            raise StorageError("the disk is full")
        self._documents.replace_document(document)


def test_files_of_a_mail_attached_to_a_mail_are_documents(base: Base) -> None:
    inner = _mail(("계약서.docx", CONTRACT), subject="지난 메일")
    base.write("a.eml", _mail(("지난 메일.eml", inner.as_bytes())).as_bytes())
    base.ingest()
    assert base.paths() == ["a.eml", "a.eml/계약서.docx"]


def test_files_that_cannot_be_read_are_told_and_cost_nothing_else(base: Base) -> None:
    files = [
        ("locked.pdf", _locked_pdf()),
        ("broken.docx", b"PK\x03\x04 and nothing"),
        ("계약서.docx", CONTRACT),
    ]
    base.write("a.eml", _mail(*files).as_bytes())

    run = base.ingest()

    assert run.counts == {"scanned": 4, "new": 2, "errors": 2}
    failure = run.item("a.eml/locked.pdf").error
    assert failure is not None
    assert failure.code == "document_encrypted"
    assert base.paths() == ["a.eml", "a.eml/계약서.docx"]
    assert "needs a password" in str(base.app.why("a.eml/locked.pdf"))

    base.configure("ingest.pdf", passwords=["secret"])
    again = base.ingest()
    assert again.paths(IngestResult.NEW) == ["a.eml/locked.pdf"]
    assert again.paths(IngestResult.ERROR) == ["a.eml/broken.docx"]


def test_files_of_a_mail_that_are_left_out_are_told_by_every_run(base: Base) -> None:
    base.write("a.eml", _mail(("장면.txt", b"\0\1\2" * 50)).as_bytes())
    for result in ("new", "unchanged"):
        run = base.ingest()
        assert run.counts == {"scanned": 2, result: 1, "skipped": 1}
        assert run.report.skip_examples[0].paths == ("a.eml/장면.txt",)
    assert base.app.why("a.eml/장면.txt").verdict == "left_out"

    base.write("a.eml", _mail(("재고.csv", STOCK)).as_bytes())
    base.ingest()
    assert base.ingest().counts == {"scanned": 2, "unchanged": 2}


def test_a_mail_that_cannot_be_read_any_more_keeps_its_files(base: Base) -> None:
    base.write("a.eml", _mail(("계약서.docx", CONTRACT)).as_bytes())
    base.ingest()
    base.write("a.eml", b"\0\1\2 no mail")
    base.ingest()
    assert base.paths() == ["a.eml", "a.eml/계약서.docx"]
    assert base.app.base.open_disk_files().find_change(*_place(base, "a.eml/계약서.docx")) == "edited"


def test_files_of_a_mailbox_have_names_of_their_own(base: Base) -> None:
    gloves = "이름,값\n장갑,1\n".encode()
    mails = [_mail(("a.csv", STOCK)), _mail(("a.csv", gloves)), _mail(("a.csv", STOCK))]
    base.write("a.mbox", _mailbox(*mails))
    base.ingest()
    assert base.paths() == ["a.mbox", "a.mbox/a (2).csv", "a.mbox/a.csv"]
    assert _find(base, "장갑").citation.path == "a.mbox/a (2).csv"
    assert "- a (2).csv" in base.app.fetch(FetchAddress(address="a.mbox")).text


def test_files_beyond_the_limit_are_told(base: Base) -> None:
    many = [_mail((f"{number}.csv", f"이름,값\n품목{number},1\n".encode())) for number in range(102)]
    base.write("a.mbox", _mailbox(*many))

    run = base.ingest()

    assert run.counts == {"scanned": 101, "new": 101}
    assert [str(warning) for warning in run.item("a.mbox").warnings] == [
        "2 attached files were not read: only 100 files of 20 MB in all are"
    ]
    assert _find(base, "품목99").citation.path == "a.mbox/99.csv"
    assert _find(base, "101 csv").citation.path == "a.mbox"


@pytest.mark.parametrize(
    "name", ["../../out.csv", "a/../b.csv", "\x01.csv", "..", "a#p=2?.csv", "새\n줄.csv"]
)
def test_names_of_attached_files_stay_inside_the_mail(base: Base, name: str) -> None:
    mail = _mail()
    mail.add_attachment(STOCK, maintype="application", subtype="octet-stream", filename="x.csv")
    raw = mail.as_bytes().replace(b"x.csv", name.encode("unicode_escape"))
    base.write("a.eml", raw)
    base.ingest()
    assert all(path == "a.eml" or path.count("/") == 1 for path in base.paths())


def test_the_only_text_of_a_mail_is_its_message_whatever_its_name(base: Base) -> None:
    raw = b"Subject: Hi\nContent-Type: text/plain; name=notes.txt\n\nThe zebra eats.\n"
    base.write("a.eml", raw)
    base.ingest()
    assert base.paths() == ["a.eml"]
    assert _find(base, "zebra").citation.path == "a.eml"


def test_attached_text_keeps_its_encoding(base: Base) -> None:
    mail = _mail()
    mail.add_attachment("창고 열쇠".encode("iso2022_kr"), maintype="text", subtype="plain", filename="a.txt")
    mail.get_payload(1).set_param("charset", "iso-2022-kr")
    base.write("a.eml", mail.as_bytes())
    base.ingest()
    assert _find(base, "열쇠").citation.path == "a.eml/a.txt"


def test_an_attached_file_is_taken_out_of_the_mail(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    documents = base.documents()
    assert read_attached(base.app.base, documents["a.eml/paper.pdf"].doc_id) == AttachedFile(
        "paper.pdf", PAPER
    )
    assert read_attached(base.app.base, documents["a.eml"].doc_id) is None


def test_attached_files_are_kept_where_large_files_are_not(base: Base) -> None:
    base.configure("storage", copy_threshold_mb=0)
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    picture = render_page(base.app.base, _find(base, "zebra").citation.to_address())
    assert (picture.name, picture.page) == ("paper", 1)
    assert picture.png.startswith(b"\x89PNG")


def test_an_attached_file_is_forgotten_with_its_mail_only(base: Base, tmp_path: Path) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    with pytest.raises(InvalidInputError, match=r"attached to 'a\.eml'"):
        base.app.forget(["a.eml/paper.pdf"])

    outside = tmp_path / "b.eml"
    outside.write_bytes(_mail(("계약서.docx", CONTRACT)).as_bytes())
    base.app.ingest_file(outside)
    (copied,) = [path for path in base.paths() if path.endswith("b.eml")]
    assert f"{copied}/계약서.docx" in base.paths()
    base.app.forget([copied])
    assert base.paths() == ["a.eml", "a.eml/paper.pdf"]


def test_attached_files_are_no_orphans(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    base.app.reset(ResetScope.ORPHANS_ONLY)
    assert base.paths() == ["a.eml", "a.eml/paper.pdf"]


def test_why_explains_an_attached_file(base: Base) -> None:
    base.write("a.eml", _mail(("paper.pdf", PAPER)).as_bytes())
    base.ingest()
    told = base.app.why("a.eml/paper.pdf", query=SearchQuery(text="zebra", mode=SearchMode.LEXICAL))
    assert told.verdict == "found"
    assert "a.eml/paper.pdf" in str(told)


def test_an_invitation_without_a_name_is_a_file(base: Base) -> None:
    mail = _mail(subject="초대")
    event = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:송년 모임\r\nLOCATION:별관\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    mail.add_alternative(event, subtype="calendar")
    base.write("초대.eml", mail.as_bytes())
    base.ingest()
    hit = _find(base, "송년 모임")
    assert hit.doc_path == "초대.eml/invite.ics"
    opened = base.app.fetch(FetchAddress(address=hit.citation.to_address())).text or ""
    assert "별관" in opened
