"""Exported chats: told by content, each message a paragraph with speaker and time, days as headings."""

import json

import pytest
from kebab_core import (
    CanonicalDocument,
    ChatMedia,
    CodeMedia,
    Extractor,
    HeadingBlock,
    LineSpan,
    MediaType,
    OfficeMedia,
    ParagraphBlock,
    TextMedia,
)
from kebab_parse_chat import ChatArchiveExtractor, ChatLogExtractor, find_chat
from kebab_testing.documents import make_context
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.tables import walk

WINDOWS = """\ufeff지우 님과 카카오톡 대화
저장한 날짜 : 2026-03-14 09:00:12

--------------- 2026년 3월 13일 금요일 ---------------
[지우] [오후 3:21] 내일 회의는 3시야.
장소는 본관 2층.

꼭 와
[민호] [오후 3:25] 알겠어
--------------- 2026년 3월 14일 토요일 ---------------
민호님이 나갔습니다.
[지우] [오전 9:00] 사진
"""
WINDOWS_ENGLISH = """KakaoTalk Chats with Jisoo
Date Saved : 2026-03-14 09:00:12

--------------- Friday, March 13, 2026 ---------------
[Jisoo] [3:21 PM] The meeting is at three.
[Minho] [3:25 PM] ok
"""
ANDROID = """여행 3 카카오톡 대화
저장한 날짜 : 2026년 3월 14일 오전 9:00


2026년 3월 13일 금요일
2026년 3월 13일 오후 3:21, 지우 : 내일 회의는 3시야.
장소는 본관 2층.
2026년 3월 13일 오후 3:22, 하나님이 들어왔습니다.
2026년 3월 13일 오후 3:25, 민호 : 알겠어
2026년 3월 14일 오전 9:00, 지우 : 사진
"""
ANDROID_ENGLISH = """KakaoTalk Chats with Trip
Date Saved : Mar 14, 2026, 9:00 AM

Friday, March 13, 2026
March 13, 2026 at 3:21 PM, Jisoo : The meeting is at three.
Mar 13, 2026, 3:25 PM, Minho : ok
"""
IOS = """2026. 3. 14. 오전 9:00
여행 님과 카카오톡 대화
2026년 3월 13일 금요일
2026. 3. 13. 오후 3:21, 지우 : 내일 회의는 3시야.
2026. 3. 13. 오후 3:25, 민호 : 알겠어
"""
WHATSAPP = {
    "us": "3/13/26, 3:21\u202fPM - Mia: see you at nine\nat the station\n3/13/26, 3:25\u202fPM - Tom: fine\n3/14/26, 9:00\u202fAM - Mia: here",
    "uk": "13/03/2026, 15:21 - Mia: see you at nine\nat the station\n13/03/2026, 15:25 - Tom: fine\n14/03/2026, 09:00 - Mia: here",
    "de": "13.03.26, 15:21 - Mia: see you at nine\nat the station\n13.03.26, 15:25 - Tom: fine\n14.03.26, 09:00 - Mia: here",
    "br": "13/03/2026 15:21 - Mia: see you at nine\nat the station\n13/03/2026 15:25 - Tom: fine\n14/03/2026 09:00 - Mia: here",
    "ios": "[13/03/2026, 15:21:05] Mia: see you at nine\nat the station\n\u200e[13/03/2026, 15:25:10] Tom: fine\n[14/03/2026, 09:00:00] Mia: here",
    "ko": "2026. 3. 13. 오후 3:21 - Mia: see you at nine\nat the station\n2026. 3. 13. 오후 3:25 - Tom: fine\n2026. 3. 14. 오전 9:00 - Mia: here",
}
TABLE = 'Date,User,Message\r\n2026-03-13 15:21:05,"지우","내일 회의는 3시야.\n장소는 본관, 2층."\r\n2026-03-14 09:00:00,"민호","알겠어"\r\n'
TELEGRAM = {
    "name": "Trip",
    "type": "private_group",
    "id": 1,
    "messages": [
        {
            "id": 1,
            "type": "service",
            "date": "2026-03-13T15:20:00",
            "actor": "Mia",
            "action": "create_group",
            "title": "Trip",
        },
        {
            "id": 2,
            "type": "message",
            "date": "2026-03-13T15:21:05",
            "from": "Mia",
            "text": ["see ", {"type": "link", "text": "example.org"}],
        },
        {
            "id": 3,
            "type": "message",
            "date": "2026-03-14T09:00:00",
            "from": None,
            "text": "",
            "file": "files/plan.pdf",
        },
    ],
}
SLACK = [
    {
        "type": "message",
        "user": "U1",
        "ts": "1773382865.000200",
        "text": "hi &amp; welcome <@U2>, see <https://a.example|the plan>",
        "user_profile": {"real_name": "Mia"},
    },
    {
        "type": "message",
        "user": "U2",
        "ts": "1773382925.000200",
        "text": "ok",
        "user_profile": {"display_name": "tom"},
    },
]
DISCORD = {
    "guild": {"id": "1", "name": "Hikers"},
    "channel": {"id": "2", "name": "plans"},
    "messages": [
        {
            "id": "1",
            "type": "Default",
            "timestamp": "2026-03-13T15:21:05.123+09:00",
            "content": "see you",
            "author": {"name": "mia", "nickname": "Mia"},
        },
        {
            "id": "2",
            "type": "Reply",
            "timestamp": "2026-03-14T09:00:00+09:00",
            "content": "fine",
            "author": {"name": "tom"},
            "attachments": [{"fileName": "map.png"}],
        },
    ],
}


def read(content: str, named: MediaType) -> CanonicalDocument:
    raw = content.encode()
    media = find_chat(named, raw)
    assert media is not None
    context = make_context(raw, path="chats/export.txt", media_type=media)
    extractors = (ChatLogExtractor(), ChatArchiveExtractor())
    return next(each for each in extractors if each.supports(media)).extract(context, raw)


def outline(document: CanonicalDocument) -> list[str]:
    return [
        f"# {block.text}" if isinstance(block, HeadingBlock) else block.text
        for block in document.blocks
        if isinstance(block, HeadingBlock | ParagraphBlock)
    ]


class TestChatLogExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return ChatLogExtractor()

    def media_type(self) -> MediaType:
        return ChatMedia(format="kakaotalk")

    def samples(self) -> list[bytes]:
        return [text.encode() for text in (WINDOWS, ANDROID, IOS, *WHATSAPP.values(), "")]


class TestChatArchiveExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return ChatArchiveExtractor()

    def media_type(self) -> MediaType:
        return ChatMedia(format="discord")

    def samples(self) -> list[bytes]:
        return [json.dumps(DISCORD).encode()]


def test_messages_of_several_lines_stay_whole_below_their_day_and_keep_their_lines() -> None:
    document = read(WINDOWS, TextMedia())
    assert document.title == "지우 님과 카카오톡 대화"
    assert outline(document) == [
        "지우 님과 카카오톡 대화\n저장한 날짜 : 2026-03-14 09:00:12",
        "# 2026년 3월 13일 금요일",
        "[지우] [오후 3:21] 내일 회의는 3시야.\n장소는 본관 2층.\n\n꼭 와",
        "[민호] [오후 3:25] 알겠어",
        "# 2026년 3월 14일 토요일",
        "민호님이 나갔습니다.",
        "[지우] [오전 9:00] 사진",
    ]
    assert document.blocks[2].source_span == LineSpan(start=5, end=8)


def test_a_day_that_no_line_names_is_that_of_its_messages() -> None:
    assert outline(read(ANDROID, TextMedia()))[1:] == [
        "# 2026년 3월 13일 금요일",
        "2026년 3월 13일 오후 3:21, 지우 : 내일 회의는 3시야.\n장소는 본관 2층.",
        "2026년 3월 13일 오후 3:22, 하나님이 들어왔습니다.",
        "2026년 3월 13일 오후 3:25, 민호 : 알겠어",
        "# 2026년 3월 14일",
        "2026년 3월 14일 오전 9:00, 지우 : 사진",
    ]


@walk(
    ("export", "day", "messages"),
    [
        (WINDOWS_ENGLISH, "# Friday, March 13, 2026", 2),
        (ANDROID_ENGLISH, "# Friday, March 13, 2026", 2),
        (IOS, "# 2026년 3월 13일 금요일", 2),
        (WINDOWS.encode("cp949", "ignore").decode("cp949"), "# 2026년 3월 13일 금요일", 3),
    ],
)
def test_kakaotalk_of_each_system_and_language_is_a_chat(export: str, day: str, messages: int) -> None:
    found = outline(read(export, TextMedia()))
    assert day in found
    assert sum(" : " in text or "] [" in text for text in found if not text.startswith("#")) >= messages


@pytest.mark.parametrize("locale", WHATSAPP)
def test_whatsapp_of_any_locale_has_its_messages_below_their_days(locale: str) -> None:
    found = outline(read(WHATSAPP[locale], TextMedia()))
    assert len(found) == 5
    assert (found[0].startswith("# "), found[3].startswith("# ")) == (True, True)
    assert found[1].endswith("Mia: see you at nine\nat the station")
    assert found[2].endswith("Tom: fine")


def test_two_messages_alone_are_a_chat() -> None:
    chat = "3/13/26, 3:21 PM - Mia: see you at nine\n3/13/26, 3:25 PM - Tom: fine\n"
    assert outline(read(chat, TextMedia()))[1:] == chat.splitlines()


def test_the_table_of_the_mac_is_written_out_with_speaker_and_time() -> None:
    assert outline(read(TABLE, OfficeMedia(format="csv"))) == [
        "# 2026-03-13",
        "[지우] [15:21] 내일 회의는 3시야.\n장소는 본관, 2층.",
        "# 2026-03-14",
        "[민호] [09:00] 알겠어",
    ]


def test_json_of_telegram_slack_and_discord_is_written_out_with_speaker_and_time() -> None:
    json_media = CodeMedia(lang="json")
    telegram = read(json.dumps(TELEGRAM), json_media)
    assert telegram.title == "Trip"
    assert outline(telegram) == [
        "# 2026-03-13",
        "[Mia] [15:20] create_group\nTrip",
        "[Mia] [15:21] see example.org",
        "# 2026-03-14",
        "[?] [09:00] files/plan.pdf",
    ]
    whole = {"about": "all", "chats": {"list": [TELEGRAM, {**TELEGRAM, "name": "Work"}]}}
    assert outline(read(json.dumps(whole), json_media))[:2] == ["# Trip", "# 2026-03-13"]
    slack = outline(read(json.dumps(SLACK), json_media))
    assert slack[1].endswith("hi & welcome @tom, see the plan (https://a.example)")
    assert slack[1].startswith("[Mia] [")
    poll = {"question": "Which day?", "answers": [{"text": "Monday"}, {"text": "Tuesday"}]}
    asked = {
        **TELEGRAM,
        "messages": [{"type": "message", "date": "2026-03-13T15:21:05", "from": "Mia", "poll": poll}],
    }
    assert outline(read(json.dumps(asked), json_media))[1:] == [
        "[Mia] [15:21] Which day?\n- Monday\n- Tuesday"
    ]
    attached = {"type": "message", "username": "builds", "ts": "1773382985.000200", "text": ""}
    attached |= {
        "attachments": [
            {"title": "Build 812", "text": "out of memory", "fallback": "failed"},
            {"fallback": "see log"},
        ]
    }
    assert outline(read(json.dumps([attached]), json_media))[1].endswith(
        "] Build 812\nout of memory\nsee log"
    )
    discord = read(json.dumps(DISCORD), json_media)
    assert discord.title == "Hikers / plans"
    assert outline(discord)[1:] == ["[Mia] [15:21] see you", "# 2026-03-14", "[tom] [09:00] fine\nmap.png"]


@walk(
    ("text", "named"),
    [
        (
            "Dear diary,\n[todo] [10:30] call the bank\n[todo] [11:30] write\n[todo] [12:00] eat\n",
            TextMedia(),
        ),
        (
            "".join(f"2026-03-13 15:21 - {level}: the pump is on\n" for level in ("INFO", "WARN", "ERROR")),
            TextMedia(),
        ),
        ("13/03/2026, 15:21 - Mia: one message\n" + "and a long story after it\n" * 20, TextMedia()),
        ("Minutes of 2026. 3. 13.\n\n" + "We talked about the pump.\n" * 20, TextMedia()),
        ("", TextMedia()),
        ("Date,User,Amount\n2026-03-13,Mia,3\n", OfficeMedia(format="csv")),
        (json.dumps({"type": "message", "ts": "1.2"}), CodeMedia(lang="json")),
        (json.dumps({"name": "x", "type": "private_group", "messages": []}), CodeMedia(lang="json")),
        (json.dumps(TELEGRAM)[:-9], CodeMedia(lang="json")),
        (json.dumps(TELEGRAM), CodeMedia(lang="yaml")),
    ],
)
def test_what_looks_a_bit_like_a_chat_stays_what_it_is(text: str, named: MediaType) -> None:
    assert find_chat(named, text.encode()) is None
