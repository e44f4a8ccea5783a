from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kebab_core import UnsupportedMediaError
from kebab_parse_md import decode_text

KOREAN = (
    "# 회의록\r\n\r\n다음 주 월요일에 다시 만나서 정하기로 했습니다. 뷁펲 같은 글자도 가끔 있습니다.\r\n" * 3
)
LATIN = "Une journée d'été à la plage, où l'on déguste des crêpes; c'était très agréable.\n" * 5


@pytest.mark.parametrize(
    ("content", "text", "encoding", "warns"),
    [
        (b"", "", "utf-8", False),
        (KOREAN.encode(), KOREAN, "utf-8", False),
        (KOREAN.encode("utf-8-sig"), KOREAN, "utf-8", False),
        (b"\xff\xfe" + KOREAN.encode("utf-16-le"), KOREAN, "utf-16-le", True),
        (b"\xfe\xff" + KOREAN.encode("utf-16-be"), KOREAN, "utf-16-be", True),
        (b"\xff\xfe\0\0" + KOREAN.encode("utf-32-le"), KOREAN, "utf-32-le", True),
        (KOREAN.encode("utf-16-le"), KOREAN, "utf-16-le", True),
        (KOREAN.encode("utf-16-be"), KOREAN, "utf-16-be", True),
        ("plain ascii\n".encode("utf-16-le"), "plain ascii\n", "utf-16-le", True),
        (KOREAN.encode("cp949"), KOREAN, "cp949", True),
        ("한글".encode("euc-kr"), "한글", "cp949", True),
    ],
)
def test_text_is_read_verbatim_in_its_encoding(content, text, encoding, warns):
    decoded = decode_text(content)
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert (decoded.warning is not None) == warns


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (LATIN, "cp1252"),
        ("Äpfel und Ästhetik. Ärger mit Ängsten im Äther.\n" * 3, "cp1252"),
        ("これは日本語の文章です。ひらがなとカタカナとがまじっています。\n" * 3, "euc_jp"),
        ("这是一份关于知识管理的中文文档,我们在这里写下一些笔记。\n" * 4, "gb18030"),
        ("Это обычный русский текст для проверки.\n" * 4, "cp1251"),
    ],
)
def test_text_of_other_languages_is_not_taken_for_korean(text, encoding):
    decoded = decode_text(text.encode(encoding))
    assert decoded.text == text
    assert decoded.warning is not None


def test_damaged_utf8_is_repaired_with_a_warning():
    content = KOREAN.encode()[:-3] + b"\xea\xb0"
    decoded = decode_text(content)
    assert decoded.encoding == "utf-8"
    assert decoded.text.startswith("# 회의록")
    assert decoded.warning is not None
    assert "1" in decoded.warning


@pytest.mark.parametrize(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4,
        b"%PDF-1.7\n" + bytes(range(128, 256)) * 8 + b"\x00\x01\x02" * 50,
        b"\x7fELF" + b"\0" * 60,
        b"\0" * 100,
        b"PK\x03\x04" + bytes(range(1, 32)) * 9,
    ],
    ids=["png", "pdf", "elf", "zeros", "zip"],
)
def test_binary_content_is_refused(content):
    with pytest.raises(UnsupportedMediaError) as caught:
        decode_text(content)
    assert caught.value.code == "unsupported_media"


@pytest.mark.parametrize("content", [b"word\0word", b"word " * 100 + b"\0" * 5])
def test_few_stray_zeros_are_tolerated(content):
    assert decode_text(content).text == content.decode()


@given(st.binary(max_size=300))
def test_any_bytes_are_decoded_without_surrogates_or_refused(content):
    try:
        decoded = decode_text(content)
    except UnsupportedMediaError:
        return
    decoded.text.encode()


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_utf8_is_never_changed(text):
    assert decode_text(text.encode()).text == text.removeprefix("\ufeff")
