"""Exports of Evernote, mails of Outlook, books of FictionBook, feeds."""

from __future__ import annotations

import pytest
from kebab_core import (
    AttachedFile,
    CanonicalDocument,
    DocumentDamagedError,
    EmailMedia,
    EpubMedia,
    MediaType,
    StructuredMedia,
)
from kebab_parse_html import EmailExtractor, EvernoteExtractor, FeedExtractor, FictionBookExtractor
from kebab_testing.documents import make_context
from kebab_testing.structured_files import FEED, FICTION_BOOK, STRUCTURED_FILES


def read(content: bytes, media: MediaType) -> tuple[CanonicalDocument, tuple[AttachedFile, ...]]:
    extractor = EvernoteExtractor if media.kind == "structured" else EmailExtractor
    context = make_context(content, path="a.x", media_type=media)
    return extractor().extract_attached(context, content, reads=lambda _: True)


def test_a_note_of_evernote_is_a_section_with_its_tasks_and_files() -> None:
    document, files = read(STRUCTURED_FILES["enex"], StructuredMedia(format="enex"))
    assert document.text is not None
    assert document.text.text == (
        "# 김장 계획\n\nCreated: 2026-11-01T01:02:03Z\nTags: 부엌\nSource: https://example.org/k\n\n### 재료\n\n"
        "배추 스무 포기\n\n[x] 소금 사기\n\n[ ] 젓갈 사기\n\n- memo.txt\n"
    )
    assert files == (AttachedFile("memo.txt", b"hello lapwing"),)
    assert (document.title, document.metadata.tags) == ("김장 계획", ("부엌",))
    assert document.provenance.warnings == ()


def test_entities_of_a_document_type_of_evernote_are_not_replaced(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "secret").write_text("zyzzyva")
    content = (
        f'<!DOCTYPE en-export [<!ENTITY x SYSTEM "file://{tmp_path}/secret"><!ENTITY y "bomb">]>'
        "<en-export><note><title>a&x;&y;b</title><content>c</content></note></en-export>"
    ).encode()
    document, _ = read(content, StructuredMedia(format="enex"))
    assert document.text is not None
    assert "zyzzyva" not in document.text.text
    assert "bomb" not in document.text.text


def test_a_mail_of_outlook_is_read_as_any_mail() -> None:
    document, files = read(STRUCTURED_FILES["msg"], EmailMedia(format="msg"))
    assert document.text is not None
    assert document.text.text == (
        "# 창고 이전 안내\n\nFrom: 김하나 <hana@example.org>\nTo: Lee Minsu\nDate: Mon, 01 Jan 2024 00:00:00 +0000\n\n"
        "창고는 김포로 옮깁니다.\n\n- 목록.txt\n"
    )
    assert [(file.name, file.content.decode()) for file in files] == [("목록.txt", "지게차 두 대\n")]


@pytest.mark.parametrize("media", [EmailMedia(format="msg"), StructuredMedia(format="enex")])
def test_what_is_no_export_is_damaged(media: MediaType) -> None:
    content = STRUCTURED_FILES["msg"][:600] if media.kind == "email" else b"<a/>"
    with pytest.raises(DocumentDamagedError):
        read(content, media)


def read_whole(content: str, media: MediaType) -> CanonicalDocument:
    extractor = next(each for each in (FictionBookExtractor(), FeedExtractor()) if each.supports(media))
    return extractor.extract(make_context(content.encode(), path="a.x", media_type=media), content.encode())


def test_a_fiction_book_has_its_sections_quotes_verses_and_notes() -> None:
    book = read_whole(FICTION_BOOK, EpubMedia(format="fb2"))
    assert book.text is not None
    assert (
        book.text.text
        == """\
# 등대지기의 겨울

## 1장 얼어붙은 항구

> 바다는 기억한다.
> 선장

항구는 사흘째 얼어 있었다.[1]

눈이 내리고
불이 켜진다

### Deeper

The keeper counted forty steps.

| day | ships |
| --- | --- |
| Monday | 2 |

## 1

1987년의 일이다.

섬의 마지막 등대지기.
author: 하늘 김
"""
    )
    assert (book.title, book.lang) == ("등대지기의 겨울", "ko")
    with pytest.raises(DocumentDamagedError):
        read_whole("<a/>", EpubMedia(format="fb2"))


def test_entries_of_feeds_are_sections_with_their_texts_and_comments() -> None:
    rss = read_whole(FEED, StructuredMedia(format="feed"))
    assert rss.text is not None
    assert (
        rss.text.text
        == """\
부엌 일기

# 김장 담그기

2026-03-13 06:21 +0900
지우
부엌
https://example.org/k

배추 스무 포기를 절였다.

- 소금

[민호] 맛있겠다
"""
    )
    assert rss.title == "내 블로그"
    odd = read_whole(FEED.replace("06:21:05", "99999999999999999999:21:05"), StructuredMedia(format="feed"))
    assert odd.text is not None
    assert "Fri, 13 Mar 2026 99999999999999999999:21:05 +0900" in odd.text.text
    atom = read_whole(
        '<feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title><entry><title>Tide</title><updated>2026-03-13T06:21:05Z</updated>'
        '<link href="https://example.org/t"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>High at <b>six</b>.</p></div>'
        "</content></entry></feed>",
        StructuredMedia(format="feed"),
    )
    assert atom.text is not None
    assert atom.text.text == "# Tide\n\n2026-03-13 06:21 +0000\nhttps://example.org/t\n\nHigh at six.\n"
    with pytest.raises(DocumentDamagedError):
        read_whole("<a/>", StructuredMedia(format="feed"))
