"""Exports of Evernote and mails of Outlook."""

from __future__ import annotations

import pytest
from kebab_core import (
    AttachedFile,
    CanonicalDocument,
    DocumentDamagedError,
    EmailMedia,
    MediaType,
    StructuredMedia,
)
from kebab_parse_html import EmailExtractor, EvernoteExtractor
from kebab_testing.documents import make_context
from kebab_testing.structured_files import STRUCTURED_FILES


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
