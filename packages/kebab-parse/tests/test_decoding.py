from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import example, given, strategies as st
from kebab_core import UnsupportedMediaError
from kebab_parse import TextPieces, decode_text, normalize_text
from kebab_testing.tables import walk

KOREAN = (
    "# 회의록\r\n\r\n다음 주 월요일에 다시 만나서 정하기로 했습니다. 뷁펲 같은 글자도 가끔 있습니다.\r\n" * 3
)
ENGLISH = "An English note that says something useful about searching in notes.\n" * 3
LATIN = "Une journée d'été à la plage, où l'on déguste des crêpes; c'était très agréable.\n" * 5


@walk(
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


@walk(
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


@walk(
    "content",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4,
        b"%PDF-1.7\n" + bytes(range(128, 256)) * 8 + b"\x00\x01\x02" * 50,
        b"\x7fELF" + b"\0" * 60,
        b"\0" * 100,
        b"PK\x03\x04" + bytes(range(1, 32)) * 9,
    ],
)
def test_binary_content_is_refused(content):
    with pytest.raises(UnsupportedMediaError) as caught:
        decode_text(content)
    assert caught.value.code == "unsupported_media"


@walk(
    "content",
    [
        b"word\0word",
        b"word " * 100 + b"\0" * 5,
        "안녕\0하세요\0여러분\0\n".encode(),
        b"".join(b"record %02d melon\0" % number for number in range(40)),
        (ENGLISH + "\0" + ENGLISH).encode(),
    ],
)
def test_zeros_between_utf8_words_are_kept_with_a_warning(content):
    decoded = decode_text(content)
    assert (decoded.text, decoded.encoding) == (content.decode(), "utf-8")
    assert decoded.warning is not None
    assert str(content.count(0)) in decoded.warning


@walk(
    "content",
    [
        b"a\0b\1\2\377\376PNG",
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n" * 3,
        b"GIF89a\x01\0\x01\0",
        b"\x1f\x8b\x08\0abcd",
        b"PK\x03\x04notes",
        b"\x7fELFnotes",
        b"\x89PNG\r\n\x1a\nnotes",
        b"name\0\0\0\0\0\0\0\0value\0\0\0\0\0\0\0",
        b"a\0\x4e\x47\xff\xf1\0\x51",
        b"\xef",
    ],
)
def test_nothing_is_read_out_of_what_is_not_text(content):
    with pytest.raises(UnsupportedMediaError):
        decode_text(content)


@walk(
    ("content", "text"),
    [
        (ENGLISH.encode() + b"\xff\n" + ENGLISH.encode(), ENGLISH + "\ufffd\n" + ENGLISH),
        (ENGLISH.encode() + b"a note \xe2\x80 of mine", ENGLISH + "a note \ufffd of mine"),
        (ENGLISH.encode() + b"caf\xc3", ENGLISH + "caf\ufffd"),
        (ENGLISH.encode() + "끝".encode()[:2], ENGLISH + "\ufffd"),
        ("메모 하나".encode() + b"\xed\x95", "메모 하나\ufffd"),
    ],
)
def test_damage_in_a_text_that_is_utf8_does_not_make_it_another_encoding(content, text):
    decoded = decode_text(content)
    assert (decoded.text, decoded.encoding) == (text, "utf-8")
    assert decoded.warning is not None


@walk("name", ["가", "메모", "A사 회의록 - 2차\n", ENGLISH + "한글이 조금\n"])
def test_short_korean_text_in_cp949_is_read(name):
    assert decode_text(name.encode("cp949")).text == name


WESTERN = """café
naïve
Grüße
€ 5
It’s
“quoted”
25 °C
à la carte
¿Qué?
¡Olé!
Ça va ?
ÉTÉ
Nº 5, 1ª edição
São Paulo, coração
œuvre, cœur
Smørrebrød på Ærø, å
Þetta er íslenska, á Íslandi
hyvää yötä, pää
L’été – déjà créé… « bientôt », m²
Zürich, Straße, Äpfel; § 5 „Übung“
voilà\xa0: l’abbé
Español: año, mañana, niño, ½ kg
It was a naïve note.
""".splitlines()


@walk("length", ["short", "in english", "long"])
@walk("text", WESTERN)
def test_western_text_of_any_length_is_read_as_windows_1252(text: str, length: str) -> None:
    whole = {"short": text, "in english": ENGLISH * 20 + text + "\n" + ENGLISH, "long": f"{text}\n" * 300}[
        length
    ]
    decoded = decode_text(whole.encode("cp1252"))
    assert (decoded.text, decoded.encoding) == (whole, "cp1252")
    assert "cp1252" in (decoded.warning or "")


@given(st.lists(st.sampled_from(WESTERN), min_size=1), st.sampled_from([" ", "\n", ", "]))
def test_western_text_in_windows_1252_is_never_changed(words: list[str], joint: str) -> None:
    text = joint.join(words)
    assert decode_text(text.encode("cp1252")).text == text


@walk(
    "text",
    [
        "한",
        "이의",
        "A와B",
        "LG전자",
        "C언어 입문",
        "TV를 보다",
        "café 말고 카페".replace("é", "e"),
        "3월 5일 – 회의".replace("–", "-"),
    ],
)
@walk("length", ["short", "in english", "long"])
def test_korean_text_of_any_length_is_read_as_cp949(text: str, length: str) -> None:
    whole = {"short": text, "in english": ENGLISH * 20 + text + "\n" + ENGLISH, "long": f"{text}\n" * 300}[
        length
    ]
    decoded = decode_text(whole.encode("cp949"))
    assert (decoded.text, decoded.encoding) == (whole, "cp949")


@walk("encoding", ["utf-16-le", "utf-16-be"])
@walk("text", ["Привет, это заметка о поиске.\n", "abc", "대한 가을 글씨를 3번 적는다.\n"])
def test_utf16_without_a_mark_is_read_by_its_zeros(text, encoding):
    decoded = decode_text(text.encode(encoding))
    assert (decoded.text, decoded.encoding) == (text, encoding)


MARKS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}
NOTE = "색인 노트입니다. An index of notes.\n" * 4


@walk("is_marked", [True, False])
@walk("encoding", MARKS)
@walk(
    ("codes", "count"), [([0xD83D], 1), ([0xDE00], 1), ([0xDE00, 0xD83D], 2), ([0xD83D, 0xD83D, 0xDE00], 1)]
)
def test_lone_surrogates_in_utf16_are_replaced_with_a_warning(codes, count, encoding, is_marked):
    half = "".join(map(chr, codes))
    content = (NOTE + half + NOTE).encode(encoding, "surrogatepass")
    decoded = decode_text((MARKS[encoding] if is_marked else b"") + content)
    assert decoded.encoding == encoding
    assert decoded.text.startswith(NOTE)
    assert decoded.text.endswith(NOTE)
    assert decoded.text.count("\ufffd") == count
    assert decoded.text.count("\N{GRINNING FACE}") == (len(codes) == 3)
    assert decoded.warning is not None
    assert f"{count} damaged" in decoded.warning


@walk("encoding", MARKS)
def test_marked_utf16_that_is_mostly_damage_is_read_where_the_rest_is_words(encoding):
    content = MARKS[encoding] + ("word\ud800 of a list\n" * 50).encode(encoding, "surrogatepass")
    decoded = decode_text(content)
    assert decoded.text == "word\ufffd of a list\n" * 50
    assert "50 damaged" in (decoded.warning or "")


@walk("encoding", MARKS)
def test_marked_utf16_that_ends_in_half_a_character_keeps_the_rest(encoding):
    decoded = decode_text(MARKS[encoding] + NOTE.encode(encoding) + b"\x41")
    assert decoded.text == NOTE + "\ufffd"
    assert "1 damaged" in (decoded.warning or "")


@walk("prose", [ENGLISH, KOREAN])
def test_surrogates_in_utf8_are_joined_where_they_are_pairs_and_else_replaced(prose):
    content = (prose + "".join(map(chr, [0xD83D, 0xDE00, 0x20, 0xDE00, 0xD83D])) + prose).encode(
        "utf-8", "surrogatepass"
    )
    decoded = decode_text(content)
    assert decoded.text == prose + "\N{GRINNING FACE} \ufffd\ufffd" + prose
    assert "2 lone" in (decoded.warning or "")


def test_many_lone_surrogates_in_utf8_make_it_no_other_encoding():
    decoded = decode_text(b"text \xed\xa0\x80 and \xed\xb0\x80\n" * 100)
    assert (decoded.text, decoded.encoding) == ("text \ufffd and \ufffd\n" * 100, "utf-8")
    assert "200 lone" in (decoded.warning or "")


@walk("mark", MARKS.values())
def test_random_bytes_behind_a_mark_are_not_text(mark):
    content = b"".join((number * 40_503 % 65_536).to_bytes(2, "big") for number in range(1, 4000))
    with pytest.raises(UnsupportedMediaError):
        decode_text(mark + content)


ASSIGNED = st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"])
KOREAN_TEXT = st.text(
    st.sampled_from("가나다라마바사아자차카타파하은는이를에서 한국어글씨를쓴다,.\n1"), min_size=40
)


@given(st.text(ASSIGNED), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_unicode_with_its_mark_is_never_changed(text, encoding):
    assert decode_text(text.encode(encoding)).text == (
        text.removeprefix("\ufeff") if encoding == "utf-8" else text
    )


@given(KOREAN_TEXT.filter(lambda text: sum("가" <= char <= "힣" for char in text) >= 20))
def test_korean_in_cp949_is_never_changed(text):
    decoded = decode_text(text.encode("cp949"))
    assert (decoded.text, decoded.encoding) == (text, "cp949")


@given(
    st.binary(max_size=300) | st.lists(st.sampled_from([0, 0, 0x41, 0x20, 0xD7, 0xBE, 0xAC, 0xFF])).map(bytes)
)
@example(b"a\0\xbe\xd7\xbe\xd7")
def test_any_bytes_are_decoded_without_surrogates_or_refused(content):
    try:
        decoded = decode_text(content)
    except UnsupportedMediaError:
        return
    decoded.text.encode()


def mixes_alphabets(text: str) -> bool:
    """Return True if letters of several alphabets beyond ASCII stand in one word."""
    words = re.findall(r"[^\W\d_]+", text)
    return any(
        len({unicodedata.name(char, "").split(" ")[0] for char in word if not char.isascii()}) > 1
        for word in words
    )


@pytest.mark.parametrize("text", ["医院预约", "2025-05-03 预约\n", "药时"])
def test_short_chinese_in_gbk_that_is_utf8_by_chance_is_read_with_a_warning(text: str) -> None:
    content = text.encode("gbk")
    assert mixes_alphabets(content.decode())
    decoded = decode_text(content)
    assert (decoded.text, decoded.encoding, TextPieces(content).warning) == (text, "gb18030", decoded.warning)
    assert decoded.warning is not None


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])).filter(lambda text: not mixes_alphabets(text)))
@example("25°C ±3 µm αβ")
@example("ΔT Привет café Größe שלום")
def test_utf8_is_never_changed(text):
    assert decode_text(text.encode()).text == text.removeprefix("\ufeff")


@walk(
    ("parts", "line"),
    [
        (
            (
                ("utf-8", "첫 줄은 유니코드\n둘째 줄\n"),
                ("utf-8", "오류: "),
                ("cp949", "파일을 찾을 수 없습니다.\n"),
            ),
            3,
        ),
        ((("utf-8", "한글 설명 "), ("cp949", "완성형으로 쓴 문장입니다."), ("utf-8", " 끝\n")), 1),
        ((("cp949", "이름,메모\n"), ("cp949", "홍길동,"), ("utf-8", "점심 약속,"), ("cp949", "뷁\n")), 2),
        ((("utf-8", "日本語の行\n"), ("utf-8", "警告: "), ("shift_jis", "ファイルが見つかりません\n")), 2),
    ],
)
def test_line_of_two_encodings_is_decoded_word_by_word(parts: tuple[tuple[str, str], ...], line: int) -> None:
    decoded = decode_text(b"".join(text.encode(encoding) for encoding, text in parts))
    assert decoded.text == "".join(text for _, text in parts)
    assert decoded.warning is not None
    assert f"{line})" in str(decoded.warning).replace("–", " ").split()[-1]


def test_line_of_tens_of_thousands_of_words_in_two_encodings_is_decoded() -> None:
    """It took the square of its words."""
    words = " ".join(f"낱말{number}" for number in range(30_000))
    decoded = decode_text(words.encode() + " 심사 보고".encode("cp949"))
    assert decoded.text == f"{words} 심사 보고"


@walk(
    ("written", "text"),
    [
        ("\x1b[1;31merror\x1b[0m 오류\n\x1b[2Kdone\n", "error 오류\ndone\n"),
        ("\x1b]8;;https://a.example\x1b\\\\link\x1b]8;;\x07\n".replace("\\\\", "\\"), "link\n"),
        ("\x1b[31", "\ufffd[31"),
        ("a\x1b\n[0m", "a\ufffd\n[0m"),
    ],
)
def test_codes_for_terminals_are_no_text(written, text):
    assert decode_text(written.encode()).text == written
    assert "".join(TextPieces(written.encode(), piece_bytes=4)) == normalize_text(written) == text
