"""Notes of a few words in encodings that say nothing of themselves, and files in two encodings."""

from __future__ import annotations

import random

from hypothesis import given, strategies as st
from kebab_parse import decode_text, normalize_text
from kebab_testing.tables import walk

WORDS = {
    "cp949": "찦차 펲시 똠얌꿍 아햏햏 뷁 샾 믜리 얍쌉한 쓩 뭥미 떄문에 쫒아서 됬다고 회의 점심 오늘 당번 확인했슴다 읽은 책 목록 3시 010",
    "gb18030": "会议 今天 明天 上海 北京 记录 朋友 电话 文件 数据库 安装 需要 问题 我们 时间 工作 学习 汽车 东西 开始",
    "big5": "會議 今天 明天 臺北 記錄 朋友 電話 檔案 資料庫 安裝 需要 問題 我們 時間 工作 學習 汽車 東西 開始 號碼",
    "cp932": "会議 今日 明日の 東京 記録 友達 電話 ファイル データ インストール 必要です 問題 私たち 時間 仕事 勉強する 車 もの はじめる",
    "euc_jp": "会議 今日は 明日の 東京 記録 友達 電話 ファイル データ インストール 必要です 問題 私たち 時間 仕事 勉強する もの はじめる",
    "cp1251": "встреча сегодня завтра Москва запись друзья телефон файл база данных установка нужно вопрос мы время работа учёба",
    "koi8_r": "встреча сегодня завтра Москва запись друзья телефон файл данных установка нужно вопрос время работа Новые",
    "johab": "회의 점심 오늘 당번 읽은 책 목록 3시 010 고객명 거래처 견적서 입니다 확인 바랍니다 서울 부산 전화번호 똠방각하 ㅋㅋㅋ",
    "cp1252": "réunion été déjà Münster Straße größe niño mañana coração smørrebrød “quoted” it’s naïve café 20°C über",
}  # fmt: skip
"""Words of notes; those in CP949 and Johab hold syllables that KS X 1001 lacks."""


@walk("encoding", WORDS)
def test_notes_of_a_few_words_are_read_in_their_own_encoding(encoding: str) -> None:
    choose = random.Random(14)  # noqa: S311 - the same notes each time
    words = WORDS[encoding].split()
    notes = [" ".join(choose.choices(words, k=choose.randint(2, 5))) + "\n" for _ in range(200)]
    wrong = [note for note in notes if decode_text(note.encode(encoding)).text != note]
    assert len(wrong) <= 3, wrong  # a note of rare syllables only may be as likely in Chinese


SOUNDS = (
    "쀼루퉁 우당탕탕 쨍그랑 촤르륵 촥촥 뿅뿅뿅 찹찹 촵촵 컥컥 헉헉 돠르륵 뿡뿡 쉭쉭 씌익 쯉쯉 쌩쌩 꼼질꼼질 "
    "늬늬 슉 똠얌꿍 쫜득 삐걱 붕붕 철썩철썩 콩닥콩닥 둠칫둠칫 쩍벌 냠냠쩝쩝 우적우적 후루룩 빵야 퐁당퐁당 꾸웩"
)


@walk("sound", SOUNDS.split())
def test_a_word_for_a_sound_is_korean_alone(sound: str) -> None:
    for note in (sound, f"{sound}\n", f"{sound}!\n{sound}...\n"):
        assert decode_text(note.encode("cp949")).text == note


@walk("note", ["뷁", "샾 예약", "# 똠방각하\n\n펲시콜라 샾\n", "ㅋㅋㅋ 넵", "大韓民國", "㈜케밥 ①번"])
def test_rare_characters_of_korean_are_korean(note: str) -> None:
    assert decode_text(note.encode("cp949")).text == note


@walk(
    "text",
    [
        "Le café près de l’hôtel est fermé à midi.\r",
        "Die Straße in München ist größer als geglaubt.\r",
        "It’s “done” — don’t worry…\rWe’ll meet at the café.\r",
    ],
)
def test_text_of_an_old_mac_is_read(text: str) -> None:
    decoded = decode_text(text.encode("mac_roman"))
    assert (decoded.text, decoded.encoding) == (text, "mac_roman")


LINES = st.lists(
    st.tuples(
        st.sampled_from(["utf-8", "cp949"]),
        st.lists(st.sampled_from([*WORDS["cp949"].split()[:19], "한글로 적은", "메모"]), min_size=2).map(
            " ".join
        ),
    ),
    min_size=1,
)


@given(LINES)
def test_each_line_of_a_file_in_two_encodings_is_read_in_its_own(lines: list[tuple[str, str]]) -> None:
    content = b"".join(f"{text}\n".encode(encoding) for encoding, text in lines)
    assert decode_text(content).text == "".join(f"{text}\n" for _, text in lines)


def test_lines_in_the_other_encoding_are_named() -> None:
    utf8, cp949 = "회의에서 정한 것을 적는다.\n".encode(), "다음 주에 다시 모인다.\n".encode("cp949")
    decoded = decode_text(utf8 * 2 + cp949 + utf8 * 40 + cp949 * 2 + "끝".encode()[:2] + b"\n")
    assert decoded.warning == (
        "3 lines are not UTF-8; they were read as cp949 (lines 3, 44–45); damage in 1 other line was replaced"
    )
    assert decoded.text.endswith("다음 주에 다시 모인다.\n\ufffd\n")


def test_damage_alone_is_no_line_in_another_encoding() -> None:
    words = ("<div class='x'></div>" * 400 + "한글은 좋다 우리말 바르게 쓰기 어렵지 않다").encode()
    decoded = decode_text(words[:-4] + b"\xff\xed" + "잇다".encode())
    assert (decoded.encoding, decoded.warning) == ("utf-8", "3 damaged UTF-8 sequences were replaced")
    assert decoded.text.endswith("한글은 좋다 우리말 바르게 쓰기 어렵지 \ufffd\ufffd\ufffd잇다")


KOREAN = "오늘 회의에서 정한 것을 적는다. 다음 주 월요일에 다시 모인다.\n"


@walk(
    ("content", "text"),
    [
        (KOREAN.encode("utf-32-le"), KOREAN),
        ("note".encode("utf-32-be"), "note"),
        (b"\xef\xbb\xbf" + KOREAN.encode("cp949"), KOREAN),
        (KOREAN.encode("utf-8-sig") * 2, KOREAN * 2),
        (KOREAN.encode() + KOREAN.encode("utf-16"), KOREAN * 2),
        (KOREAN.encode("cp949") * 9 + b"\xff\n", KOREAN * 9 + "\ufffd\n"),
    ],
)
def test_marks_and_damage_do_not_hide_the_encoding(content: bytes, text: str) -> None:
    assert normalize_text(decode_text(content).text) == text
