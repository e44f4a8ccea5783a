"""Books and mails on the command line: found, cited by the lines of the text that is read, and reported if protected."""

from __future__ import annotations

import io
import re
import zipfile
from email.message import EmailMessage
from urllib.parse import unquote

import pytest

CONTAINER = '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>'
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>식초 만들기</dc:title></metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>
<spine><itemref idref="a"/></spine></package>"""
CHAPTER = "<html><head><title/></head><body><h1>발효</h1><p>식초는 참나무 통에서 마흔 날 동안 발효합니다.</p></body></html>"
ENCRYPTION = """<encryption><EncryptedData><EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes256-cbc"/>
<CipherData><CipherReference URI="a.xhtml"/></CipherData></EncryptedData></encryption>"""


def _book(**more: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        for name, text in {
            "META-INF/container.xml": CONTAINER,
            "book.opf": PACKAGE,
            "a.xhtml": CHAPTER,
            **more,
        }.items():
            archive.writestr(name, text)
    return packed.getvalue()


def _mail() -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = (
        "김철수 <kim@example.org>",
        "lee@example.org",
        "견적서 보냅니다",
    )
    mail.set_content("참나무 통 스무 개의 견적은 이백만 원입니다.", charset="euc-kr")
    mail.add_attachment("# 배송\n\n트럭은 목요일에 도착합니다.\n", subtype="markdown", filename="일정.md")
    return mail.as_bytes()


@pytest.fixture(scope="module")
def base_once(ingest_once):  # type: ignore[no-untyped-def]
    folder, report = ingest_once({
        "vinegar.epub": _book(),
        "protected.epub": _book(**{"META-INF/encryption.xml": ENCRYPTION}),
        "quote.eml": _mail(),
        "box.mbox": b"From kim\n" + _mail().replace(b"Subject", b"X-Old: 1\nSubject"),
    })
    assert "protected.epub" in report.stdout
    assert "encrypted" in report.stdout
    return folder


@pytest.fixture
def base(copy_of, base_once):  # type: ignore[no-untyped-def]
    return copy_of(base_once)


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("식초 발효", "vinegar.epub", "식초는 참나무 통에서 마흔 날 동안 발효합니다."),
        ("견적 이백만 원", "quote.eml", "참나무 통 스무 개의 견적은 이백만 원입니다."),
        ("트럭 도착", "box.mbox/일정.md", "트럭은 목요일에 도착합니다."),
    ],
)
def test_what_is_found_is_at_the_lines_that_are_cited(base, query: str, path: str, line: str) -> None:  # type: ignore[no-untyped-def]
    found = base("--json", "search", query, "--mode", "lexical", "--path-glob", path).last["hits"][0]
    citation = found["citation"]
    assert citation["path"] == path
    shown = base("fetch", f"{path}#L{citation['start']}-L{citation['end']}")
    assert line in shown.stdout


def test_a_link_opens_a_file_whose_lines_are_not_its_own_without_a_line(base, terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(base, "search", "견적 이백만 원", "--all").stdout
    assert f"]8;;file://{base.notes}/quote.eml\x1b" in shown
    assert ".eml#L" not in "".join(re.findall(r"\]8;;[^\x1b]*", shown))


def test_a_link_to_an_attached_file_opens_the_file_that_holds_it(base, terminal) -> None:  # type: ignore[no-untyped-def]
    shown = terminal(base, "search", "트럭 도착", "--all").stdout
    links = re.findall(r"\]8;;file://([^\x1b]+)", shown)
    assert {f"{base.notes}/quote.eml", f"{base.notes}/box.mbox"} <= set(links)
    assert not any("일정" in unquote(link) for link in links)
