"""Mails and mailboxes: header fields, the message in any encoding, quotes, attachments, and what cannot be read."""

from __future__ import annotations

from base64 import b64encode
from email.message import EmailMessage

import pytest
from kebab_core import (
    CanonicalDocument,
    DocumentDamagedError,
    DocumentEncryptedError,
    EmailMedia,
    MediaType,
    ParagraphBlock,
    QuoteBlock,
    UnsupportedMediaError,
)
from kebab_parse_html import EmailExtractor
from kebab_testing.documents import make_context
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.tables import walk

HEAD = "From: Kim <kim@example.org>\nTo: Lee <lee@example.org>\nSubject: {}\nDate: Tue, 5 Mar 2024 10:00:00 +0900\n"
NOTE = "환불 규정을 보내 드립니다. 이레 안에 돌려줄 수 있습니다."


def _read(content: bytes | str, kind: str = "eml") -> CanonicalDocument:
    raw = content.encode() if isinstance(content, str) else content
    media = EmailMedia.model_validate({"format": kind})
    return EmailExtractor().extract(make_context(raw, path=f"mail/a.{kind}", media_type=media), raw)


def _text(content: bytes | str, kind: str = "eml") -> str:
    document = _read(content, kind)
    assert document.text is not None
    return document.text.text


def _mail() -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = (
        "김철수 <kim@example.org>",
        "lee@example.org",
        "견적서 보냅니다",
    )
    mail["Date"] = "Tue, 5 Mar 2024 10:00:00 +0900"
    mail["Keywords"] = "sales, 견적"
    return mail


class TestEmailLaws(ExtractorLaws):
    def make_extractor(self) -> EmailExtractor:
        return EmailExtractor()

    def media_type(self) -> MediaType:
        return EmailMedia(format="eml")

    def samples(self) -> list[bytes]:
        return [(HEAD.format("One") + "\nHello.\n\n> quoted\n> text\n").encode(), _mail().as_bytes()]


@walk(
    "folded",
    [
        "=?utf-8?b?{0}?=\n Q3",
        "=?utf-8?b?{0}?= Q3",
        "=?utf-8?b?{0}?=\n\t=?utf-8?b?IFEz?=",
        "=?utf-8?b?{0}?= =?utf-8?b?IFEz?=",
    ],
)
def test_a_blank_between_words_of_a_field_stays_where_the_line_is_folded(folded: str) -> None:
    subject = folded.format(b64encode("일정 문의".encode()).decode())
    assert _read(HEAD.format(subject) + "\nHello.\n").title == "일정 문의 Q3"


def test_header_fields_are_text_and_metadata() -> None:
    mail = _mail()
    mail.set_content(NOTE)
    document = _read(mail.as_bytes())
    assert document.text is not None
    assert document.text.text == (
        "# 견적서 보냅니다\n\nFrom: 김철수 <kim@example.org>\nTo: lee@example.org\nDate: Tue, 05 Mar 2024 10:00:00 +0900\n\n"
        f"{NOTE}\n\nkeywords: sales, 견적\n"
    )
    assert (document.title, document.lang) == ("견적서 보냅니다", "ko")
    assert document.metadata.created_at.isoformat() == "2024-03-05T01:00:00+00:00"
    assert document.metadata.tags == ("sales", "견적")
    assert document.metadata.user == {"from": "김철수 <kim@example.org>", "to": "lee@example.org"}


@walk(
    ("charset", "codec"),
    [
        ("euc-kr", "cp949"),
        ("ks_c_5601-1987", "cp949"),
        ("iso-2022-kr", "iso2022_kr"),
        ("utf-8", "utf-8"),
        ("us-ascii", "cp949"),
        ("iso-8859-1", "cp949"),
        ("utf-8", "cp949"),
    ],
)
@walk("transfer", ["8bit", "base64"])
def test_korean_bodies_and_subjects_are_read(charset: str, codec: str, transfer: str) -> None:
    from base64 import b64encode

    encoded = NOTE.encode(codec)
    body = b64encode(encoded) if transfer == "base64" else encoded
    word = f"=?{charset}?B?{b64encode('회의 안내'.encode(codec)).decode()}?="
    head = (
        HEAD.format(word)
        + f"Content-Type: text/plain; charset={charset}\nContent-Transfer-Encoding: {transfer}\n\n"
    )
    document = _read(head.encode() + body)
    assert document.title == "회의 안내"
    assert document.text is not None
    assert document.text.text.endswith(f"\n{NOTE}\n")


def test_a_subject_in_bytes_that_nothing_declares_is_read() -> None:
    content = HEAD.format("환불 규정을 보내 드립니다").encode("cp949") + b"\nHello.\n"
    assert _read(content).title == "환불 규정을 보내 드립니다"


def test_a_mail_as_apple_mail_stores_it_is_read_without_its_marks() -> None:
    mail = b"Subject: Keys\n\nThey are here.\n"
    document = _read(b"%-10d\n%b<?xml version='1.0'?>\n<plist><dict/></plist>\n" % (len(mail), mail))
    assert document.title == "Keys"
    assert document.text is not None
    assert document.text.text.endswith("They are here.\n")


def test_of_two_forms_of_a_message_one_is_read() -> None:
    mail = _mail()
    mail.set_content("Short plain text of the message, with all of its words.")
    mail.add_alternative(
        "<h1>Short</h1><p><b>text</b> of the message, with all of its words.</p>", subtype="html"
    )
    assert "plain" in _text(mail.as_bytes())
    assert "## Short" not in _text(mail.as_bytes())
    page = _mail()
    page.set_content("Short plain text of the message, with all of its words.")
    page.add_alternative(
        "<p>Short text of the message, with all of its words.</p><table><tr><td>52,800원</td></tr></table>",
        subtype="html",
    )
    assert "52,800원" in _text(page.as_bytes())
    hint = _mail()
    hint.set_content("Open in a browser.")
    hint.add_alternative(
        f"<div style='display:none'>preheader</div><h1>News</h1><p>{'Real words. ' * 20}</p>", subtype="html"
    )
    text = _text(hint.as_bytes())
    assert "## News" in text
    assert "preheader" not in text
    assert "browser" not in text


def test_attached_texts_are_sections_and_other_files_are_listed() -> None:
    mail = _mail()
    mail.set_content("See the files.")
    mail.add_attachment("# 가격\n\n통 하나에 10만 원.\n", subtype="markdown", filename="가격표.md")
    mail.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="계약서.pdf")
    inner = EmailMessage()
    inner["Subject"] = "Earlier mail"
    inner.set_content("What was said before.")
    mail.add_attachment(inner)
    document = _read(mail.as_bytes())
    assert document.text is not None
    assert "- 가격표.md\n- 계약서.pdf\n" in document.text.text
    paths = {getattr(block, "text", ""): block.heading_path for block in document.blocks}
    assert paths["통 하나에 10만 원."] == ("견적서 보냅니다", "가격표.md", "가격")
    assert paths["What was said before."] == ("견적서 보냅니다", "Earlier mail")


@walk(
    "quoted",
    [
        "On Monday Lee wrote:\n> Is it\n>> really so?\n",
        "-----원본 메시지-----\n보낸 사람: Lee\nIs it\n\nreally so?\n",
    ],
)
def test_what_is_answered_is_a_quote(quoted: str) -> None:
    blocks = _read(HEAD.format("Re: it") + f"\nYes.\n\n{quoted}").blocks
    quotes = [block.text for block in blocks if isinstance(block, QuoteBlock)]
    assert len(quotes) == 1
    assert quotes[0].endswith("Is it\nreally so?")


OUTLOOK = (
    "보낸 사람: Lee\n보낸 날짜: 2026년 3월 2일\n받는 사람: Kim\n제목: it\n\nIs it\nreally so?\n",
    "From: Lee\nSent: Monday\nTo: Kim\nSubject: it\n\nIs it\nreally so?\n",
    "*From:* Lee\n*Sent:* Monday\n*To:* Kim\n\nIs it\nreally so?\n",
)
FIELDS = "<b>From:</b> Lee<br><b>Sent:</b> Monday<br><b>To:</b> Kim<br><b>Subject:</b> it"
PAGES = (
    '<div dir="ltr">Yes.</div><br><div class="gmail_quote"><div class="gmail_attr">On Monday Lee wrote:<br></div>'
    "<blockquote>Is it<br>really so?</blockquote></div>",
    "<p>Yes.</p><blockquote type=cite><p>Is it</p><p>really so?</p></blockquote>",
    f'<div><p>Yes.</p><div><div style="border-top:solid 1pt"><p>{FIELDS}</p></div></div><p>Is it</p></div><p>really so?</p>',
    "<p>Yes.</p><hr><div id=divRplyFwdMsg><b>보낸 사람:</b> Lee<br><b>보낸 날짜:</b> 월요일<br><b>제목:</b> it</div>"
    "<table><tr><td><h1>Is it</h1></td></tr></table>really so?",
)


@walk("quoted", OUTLOOK)
def test_header_lines_in_a_mail_begin_a_quote(quoted: str) -> None:
    blocks = _read(f"{HEAD.format('Re: it')}\nYes.\n\n{quoted}").blocks
    assert [block.text for block in blocks if isinstance(block, ParagraphBlock)][1:] == ["Yes."]
    (quote,) = (block.text for block in blocks if isinstance(block, QuoteBlock))
    assert "Lee" in quote
    assert quote.endswith("Is it\nreally so?")


@walk("page", PAGES)
def test_what_a_page_answers_is_a_quote(page: str) -> None:
    blocks = _read(f"{HEAD.format('Re: it')}Content-Type: text/html; charset=utf-8\n\n{page}").blocks
    assert [block.text for block in blocks if isinstance(block, ParagraphBlock)][1:] == ["Yes."]
    (quote,) = (block.text for block in blocks if isinstance(block, QuoteBlock))
    assert quote.endswith("Is it\nreally so?")


@walk(
    ("kind", "text"),
    [
        *(("plain", text) for text in OUTLOOK),
        ("html", f"<div><p>{FIELDS}</p></div><p>Is it</p><p>really so?</p>"),
        ("html", "<div class=gmail_quote><p>Is it</p><p>really so?</p></div>"),
    ],
)
def test_a_mail_that_is_only_passed_on_is_no_quote(kind: str, text: str) -> None:
    head = f"{HEAD.format('Fwd: it')}Content-Type: text/{kind}; charset=utf-8\n\n"
    document = _read(head + text)
    assert not [block for block in document.blocks if isinstance(block, QuoteBlock)]
    assert document.text is not None
    assert "really so?" in document.text.text


def test_a_few_fields_in_a_mail_are_no_quote() -> None:
    text = "The ticket says:\n\nFrom: Seoul\nTo: Busan\n\nKeep it."
    assert not [
        block for block in _read(f"{HEAD.format('t')}\n{text}").blocks if isinstance(block, QuoteBlock)
    ]


def test_a_mailbox_is_a_document_with_a_section_for_each_mail() -> None:
    first = (
        HEAD.format("Plan")
        + "\nWe meet on Friday at noon.\nBring the barrels.\n\n>From here on it is easy.\n"
    )
    second = HEAD.format("Re: Plan") + "\nI agree.\n\n> We meet on Friday at noon.\n> Bring the barrels.\n"
    content = f"From kim Tue Mar  5\n{first}\nFrom lee Tue Mar  5\n{second}"
    document = _read(content, "mbox")
    assert document.text is not None
    assert document.title == "a"
    assert [block.heading_path for block in document.blocks][-1] == ("Re: Plan",)
    assert document.text.text.count("Bring the barrels.") == 1
    assert "> We meet on Friday at noon. […]" in document.text.text
    assert "From here on it is easy." in document.text.text


@walk(
    "line",
    [
        "From here we go on foot, in May.",
        "From Monday on the bus leaves at 9:30.\nhttp://bus.example/",
        "From Seoul the bus leaves on Mar 5 at 9:30.",
        "From here on\nNote: bring shoes.",
    ],
)
@walk("end", ["\n", "\r\n"])
def test_a_line_of_a_mail_that_begins_with_from_stays_in_it(line: str, end: str) -> None:
    starts = ("From kim@example.org Tue Mar  5 10:00:00 2024", "From - Wed Mar 06 10:00:00 2024")
    mails = [f"{start}\n{HEAD.format(n)}\nHello.\n\n{line}\n" for n, start in enumerate(starts)]
    document = _read("\n".join(mails).replace("\n", end), "mbox")
    assert document.text is not None
    assert document.text.text.count(line) == len(mails)
    assert "Tue Mar  5" not in document.text.text
    assert not document.provenance.warnings
    assert document.blocks[-1].heading_path == ("1",)


def test_what_is_encrypted_or_no_mail_is_an_error() -> None:
    sealed = HEAD.format("x") + "Content-Type: multipart/encrypted; boundary=b\n\n--b\n\nsecret\n--b--\n"
    with pytest.raises(DocumentEncryptedError):
        _read(sealed)
    document = _read(f"From a Tue Mar  5\n{sealed}\n\nFrom b Tue Mar  5\n{HEAD.format('y')}\nopen\n", "mbox")
    assert document.provenance.warnings == ("1 mail is encrypted",)
    for content in (b"", b"no header\n", b"\0" * 100):
        with pytest.raises(UnsupportedMediaError):
            _read(content)
        with pytest.raises(UnsupportedMediaError):
            _read(content, "mbox")


def test_a_damaged_name_of_an_encoding_does_not_hide_the_text() -> None:
    for charset in ("utf\0-8", "no-such-name", "utf-16", "base64"):
        head = (
            HEAD.format("x")
            + f'Content-Type: text/plain; charset="{charset}"\nContent-Transfer-Encoding: 8bit\n\n'
        )
        assert NOTE in _text(head + NOTE)


def test_nested_mails_and_parts_are_bounded() -> None:
    inner = HEAD.format("deep") + "\nleaf\n"
    for _ in range(40):
        inner = HEAD.format("outer") + f"Content-Type: message/rfc822\n\n{inner}"
    assert _read(inner).blocks
    broken = HEAD.format("b") + "Content-Type: multipart/mixed; boundary=b\n\n" + "--b\n\nx\n" * 3000
    assert _read(broken).blocks


def test_a_charset_that_no_codec_can_have_is_no_bug() -> None:
    head = HEAD.format("One") + 'Content-Type: text/plain; charset="a\0b"\nContent-Transfer-Encoding: 8bit\n'
    assert NOTE in _text(f"{head}\n{NOTE}\n")


def _nest(content: str, levels: int) -> str:
    """Put a part into as many parts."""
    for level in range(levels):
        content = f"Content-Type: multipart/mixed; boundary=b{level}\n\n--b{level}\n{content}\n--b{level}--\n"
    return HEAD.format("Deep") + content


def test_parts_are_read_down_to_a_depth_that_is_told() -> None:
    part = f"Content-Type: text/plain; charset=utf-8\n\n{NOTE}\n"
    assert NOTE in _text(_nest(part, 100))
    deep = _read(_nest(part, 101))
    assert deep.provenance.warnings == ("parts of a mail that are nested deeper than 100 were left out",)
    with pytest.raises(DocumentDamagedError, match="its parts are nested deeper than 100"):
        _read(_nest(part, 3000))
    box = "".join(
        f"From kim Tue Mar 5 10:00:00 2024\n{mail}\n" for mail in (_nest(part, 3000), _nest(part, 1))
    )
    document = _read(box, "mbox")
    assert NOTE in _text(box, "mbox")
    assert "since its parts are nested deeper than 100" in document.provenance.warnings[0]


@walk(
    ("part", "warning"),
    [
        ("Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\naGVsbG8gdGhlcmU=*aGVs\n", "is damaged"),
        ("Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nAAECAwQFBgcAAAAA\n", "is no text"),
        ('Content-Type: application/pdf; name="a.pdf"\nContent-Transfer-Encoding: base64\n\nJVBER\n', "a.pdf of the mail is damaged"),
        ("Content-Type: multipart/mixed; boundary=none\n\ntext without parts\n", "cannot be told apart"),
        ("Content-Type: message/rfc822\n\n\n", ""),
        ('Content-Type: application/octet-stream; name="a.eml"\n\nno mail\n', "the attached mail a.eml was not read"),
    ],
)  # fmt: skip
def test_a_damaged_part_costs_that_part_and_is_told(part: str, warning: str) -> None:
    note = f"Content-Type: text/plain; charset=utf-8\n\n{NOTE}\n"
    mail = (
        HEAD.format("One") + f"Content-Type: multipart/mixed; boundary=b\n\n--b\n{part}\n--b\n{note}\n--b--\n"
    )
    document = _read(mail)
    assert document.text is not None
    assert NOTE in document.text.text
    assert warning in "".join(document.provenance.warnings)
    cut = _read(mail.removesuffix("--b--\n"))
    assert "the mail is cut: the end of its parts is missing" in cut.provenance.warnings


def test_a_report_about_delivery_and_text_between_files_are_read() -> None:
    parts = (
        "Content-Type: multipart/alternative; boundary=a\n\n--a\nContent-Type: text/plain\n\n\n--a\n"
        "Content-Type: multipart/mixed; boundary=m\n\n--m\nContent-Type: text/html\n\n<p>before\n--m\n"
        'Content-Type: application/pdf; name="a.pdf"\n\nx\n--m\nContent-Type: text/html\n\n<p>after\n--m--\n--a--\n'
        "--r\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; a\n\nStatus: 5.1.1\nDiagnostic-Code: no mailbox\n"
    )
    text = _text(HEAD.format("Back") + f"Content-Type: multipart/report; boundary=r\n\n--r\n{parts}\n--r--\n")
    for words in ("before", "after", "Diagnostic-Code: no mailbox", "- a.pdf"):
        assert words in text
