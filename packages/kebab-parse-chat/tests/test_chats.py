"""Exported chats: told by content, each message a paragraph with speaker and time, days as headings."""

import json

import pytest
from kebab_core import (
    CanonicalDocument,
    ChatMedia,
    CodeMedia,
    Extractor,
    HeadingBlock,
    HtmlMedia,
    LineSpan,
    MediaType,
    OfficeMedia,
    ParagraphBlock,
    TextMedia,
    WorkspacePath,
)
from kebab_parse_chat import ChatArchiveExtractor, ChatLogExtractor, find_chat, find_names, read_slack_names
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
LINE_PHONE = """\ufeff[LINE] Chat history with Yuki
Saved on: 3/14/2026, 09:00

Fri, 3/13/2026
15:21\tYuki\tThe shop closes at six.
15:25\tHana\t"Then let's go
in the morning."

Sat, 3/14/2026
08:10\tYuki\tI am at gate 12.
"""
LINE_DESKTOP = "[LINE] 유키님과의 대화\n저장한 날짜 : 2026/03/14 09:00\n\n2026.03.13 금요일\n15:21 유키 여섯 시에 닫아.\n15:25 하나 응\n"
LINE_JAPANESE = "[LINE] ゆきとのトーク履歴\n保存日時：2026/03/14 09:00\n\n2026/03/13(金)\n15:21\tゆき\t鍵は受付に\n15:25\tはな\t了解\n"
DISCORD_TEXT = """==============================================================
Guild: Hikers
Channel: Text Channels / plans
Topic: Trips
==============================================================

[13/03/2026 15:21] mia
The bus leaves from platform 3.

[13/03/2026 15:25] tom (pinned)
I bring the stove.
And two gas cans.

[14-Mar-26 09:00 AM] mia
fine
"""
ZOOM = "15:21:05\t From  Kim Hana : The slides are online\n15:22:10 From Tom to Everyone:\n\tI send the minutes\n15:23:00 From Kim Hana to Tom:\n\tthanks\n"
DISCORD_TABLE = (
    "AuthorID,Author,Date,Content,Attachments,Reactions\n"
    '"1","mia","2026-03-13T15:21:05.1230000+09:00","Meet at the weir, not the bridge","",""\n'
    '"2","tom","13-Mar-26 03:25 PM","ok","https://cdn.example/map.png",""\n'
)
TELEGRAM_PAGE = """<html><body><div class="page_wrap"><div class="page_header"><div class="content"><div class="text bold">
Climbing club </div></div></div><div class="page_body chat_page"><div class="history">
<div class="message service" id="message-1"><div class="body details">
13 March 2026 </div></div>
<div class="message service" id="message99"><div class="body details">
Rosa created group </div></div>
<div class="message default clearfix" id="message101"><div class="pull_left userpic_wrap"><div class="userpic"><div class="initials">
R </div></div></div><div class="body"><div class="pull_right date details" title="13.03.2026 15:21:05 UTC+09:00">
15:21 </div><div class="from_name">
Rosa </div><div class="text">
The hut costs <strong>38</strong> francs.<br>Bring cash. </div></div></div>
<div class="message default clearfix joined" id="message102"><div class="body"><div class="pull_right date details" title="13.03.2026 15:22:05 UTC+09:00">
15:22 </div><div class="forwarded body"><div class="from_name">
Warden <span class="date details" title="12.03.2026 09:00:00"> 12.03.2026 09:00:00</span></div><div class="text">
Full in July. </div></div></div></div>
<div class="message default clearfix" id="message103"><div class="body"><div class="pull_right date details" title="14.03.2026 09:00:00 UTC+09:00">
09:00 </div><div class="from_name">
Beni </div><div class="reply_to details">
In reply to <a href="#go_to_message101">this message</a></div><div class="text">
I booked four beds. </div></div></div></div></div></div></body></html>"""
DISCORD_PAGE = """<html><head><style>.chatlog__message-group{}</style></head><body><div class="preamble">
<div class="preamble__entry">Hikers</div><div class="preamble__entry">Text Channels / lake</div></div><div class="chatlog">
<div class="chatlog__message-group"><div class="chatlog__message-container"><div class="chatlog__message"><div class="chatlog__message-aside">
<img class="chatlog__avatar" alt="Avatar"></div><div class="chatlog__message-primary"><div class="chatlog__header">
<span class="chatlog__author" title="mia">Mia</span> <span class="chatlog__timestamp" title="Friday, 13 March 2026 15:21"><a>13/03/2026 15:21</a></span></div>
<div class="chatlog__content chatlog__markdown"><span class="chatlog__markdown-preserve">Swimming starts at the jetty <img class="chatlog__emoji" alt=":fish:"></span></div>
</div></div></div><div class="chatlog__message-container"><div class="chatlog__message"><div class="chatlog__message-aside">
<div class="chatlog__short-timestamp" title="Friday, 13 March 2026 15:22">15:22</div></div><div class="chatlog__message-primary">
<div class="chatlog__content">The water has 17 degrees.</div></div></div></div></div>
<div class="chatlog__message-group"><div class="chatlog__message"><div class="chatlog__reply"><div class="chatlog__reply-author">Mia</div>The water</div>
<span class="chatlog__author">Tom</span><span class="chatlog__timestamp">14-Mar-26 09:00 AM</span><div class="chatlog__content">I forgot my towel</div>
<div class="chatlog__attachment"><a href="x.pdf">ferry.pdf</a></div><div class="chatlog__reactions">2</div></div></div></div></body></html>"""
MESSENGER = {
    "participants": [{"name": "JoÃ£o"}, {"name": "hana"}],
    "messages": [
        {"sender_name": "hana", "timestamp_ms": 1773382925000, "content": "Obrigada! 고마워"},
        {"sender_name": "JoÃ£o", "timestamp_ms": 1773382865000, "content": "no estÃºdio 7"},
    ],
    "title": "JoÃ£o",
}
GOOGLE_CHAT = {
    "messages": [
        {
            "creator": {"name": "Jun", "user_type": "Human"},
            "created_date": "Friday, March 13, 2026 at 3:21:05\u202fPM UTC",
            "text": "The key is under the pot.",
        },
        {
            "creator": {"name": "Hana"},
            "created_date": "2026년 3월 14일 토요일 오전 9시 5분 5초 UTC",
            "attached_files": [{"original_name": "garden.pdf"}],
        },
    ]
}
CHATGPT = [
    {
        "title": "Sourdough",
        "mapping": {
            "r": {"message": None, "parent": None},
            "a": {
                "message": {
                    "author": {"role": "user"},
                    "create_time": 1773382865.1,
                    "content": {"parts": ["It smells of acetone."]},
                },
                "parent": "r",
            },
            "b": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": 1773382900.1,
                    "content": {"parts": ["Throw it away."]},
                },
                "parent": "a",
            },
            "c": {
                "message": {
                    "author": {"role": "assistant"},
                    "create_time": None,
                    "content": {"parts": ["Feed it twice a day."]},
                },
                "parent": "a",
            },
        },
        "current_node": "c",
    }
]
CLAUDE = [
    {
        "uuid": "u1",
        "name": "Jeju",
        "chat_messages": [
            {"sender": "human", "created_at": "2026-03-13T06:21:05.123456Z", "text": "Which trail?"},
            {
                "sender": "assistant",
                "created_at": "2026-03-13T06:21:35Z",
                "text": "",
                "content": [{"type": "text", "text": "Olle 6."}],
            },
        ],
    },
    {"uuid": "u2", "name": "Empty", "chat_messages": []},
]


def read(content: str, named: MediaType, names: dict[str, str] | None = None) -> CanonicalDocument:
    raw = content.encode()
    media = find_chat(named, raw)
    assert media is not None
    context = make_context(raw, path="chats/export.txt", media_type=media)
    context = context.model_copy(update={"names": names or {}})
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
        texts = (WINDOWS, ANDROID, IOS, *WHATSAPP.values(), LINE_PHONE, DISCORD_TEXT, ZOOM, "")
        return [text.encode() for text in texts]


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


def test_chats_of_line_discord_and_zoom_as_text_have_their_messages_below_their_days() -> None:
    line = read(LINE_PHONE, TextMedia())
    assert line.title == "[LINE] Chat history with Yuki"
    assert outline(line)[1:] == [
        "# Fri, 3/13/2026",
        "15:21\tYuki\tThe shop closes at six.",
        '15:25\tHana\t"Then let\'s go\nin the morning."',
        "# Sat, 3/14/2026",
        "08:10\tYuki\tI am at gate 12.",
    ]
    assert outline(read(LINE_DESKTOP, TextMedia()))[1:] == [
        "# 2026.03.13 금요일",
        "15:21 유키 여섯 시에 닫아.",
        "15:25 하나 응",
    ]
    assert outline(read(LINE_JAPANESE, TextMedia()))[1] == "# 2026/03/13(金)"
    discord = read(DISCORD_TEXT, TextMedia())
    assert discord.title == "export"
    assert outline(discord)[1:] == [
        "# 13/03/2026",
        "[13/03/2026 15:21] mia\nThe bus leaves from platform 3.",
        "[13/03/2026 15:25] tom (pinned)\nI bring the stove.\nAnd two gas cans.",
        "# 14-Mar-26",
        "[14-Mar-26 09:00 AM] mia\nfine",
    ]
    assert outline(read(ZOOM, TextMedia())) == [
        "15:21:05\t From  Kim Hana : The slides are online",
        "15:22:10 From Tom to Everyone:\nI send the minutes",
        "15:23:00 From Kim Hana to Tom:\nthanks",
    ]


def test_a_table_of_discord_is_written_out_with_speaker_and_time() -> None:
    assert outline(read(DISCORD_TABLE, OfficeMedia(format="csv"))) == [
        "# 2026-03-13",
        "[mia] [15:21] Meet at the weir, not the bridge",
        "# 13-Mar-26",
        "[tom] [03:25 PM] ok\nhttps://cdn.example/map.png",
    ]


def test_pages_of_telegram_and_discord_have_the_speaker_of_every_message() -> None:
    telegram = read(TELEGRAM_PAGE, HtmlMedia())
    assert telegram.title == "Climbing club"
    assert telegram.metadata.created_at is not None
    assert telegram.metadata.created_at.date().isoformat() == "2026-03-13"
    assert outline(telegram) == [
        "Rosa created group",
        "# 2026-03-13",
        "[Rosa] [15:21] The hut costs 38 francs.\nBring cash.",
        "[Rosa] [15:22] Warden\nFull in July.",
        "# 2026-03-14",
        "[Beni] [09:00] I booked four beds.",
    ]
    discord = read(DISCORD_PAGE, HtmlMedia())
    assert discord.title == "Hikers / Text Channels / lake"
    assert outline(discord) == [
        "# Friday, 13 March 2026",
        "[Mia] [15:21] Swimming starts at the jetty :fish:",
        "[Mia] [15:22] The water has 17 degrees.",
        "# 14-Mar-26",
        "[Tom] [09:00 AM] I forgot my towel\nferry.pdf",
    ]


def test_json_of_messenger_google_chat_and_assistants_is_written_out_with_speaker_and_time() -> None:
    json_media = CodeMedia(lang="json")
    messenger = read(json.dumps(MESSENGER), json_media)
    assert messenger.title == "João"
    assert [text.split("] ")[0] + "] " + text.split("] ")[2] for text in outline(messenger)[1:]] == [
        "[João] no estúdio 7",
        "[hana] Obrigada! 고마워",
    ]
    google = read(json.dumps(GOOGLE_CHAT), json_media)
    assert google.title == "Jun, Hana"
    assert outline(google) == [
        "# Friday, March 13, 2026",
        "[Jun] [3:21\u202fPM] The key is under the pot.",
        "# 2026년 3월 14일 토요일",
        "[Hana] [오전 9:05] garden.pdf",
    ]
    gpt = outline(read(json.dumps(CHATGPT), json_media))
    assert [text.rpartition("] ")[2] for text in gpt[1:]] == ["It smells of acetone.", "Feed it twice a day."]
    assert gpt[2] == "[assistant] Feed it twice a day."
    claude = outline(read(json.dumps(CLAUDE), json_media))
    assert claude == [
        "# Jeju",
        "# 2026-03-13",
        "[human] [06:21] Which trail?",
        "[assistant] [06:21] Olle 6.",
        "# Empty",
    ]


def test_names_of_slack_users_stand_for_their_ids() -> None:
    users = [
        {"id": "U1", "name": "mia", "profile": {"display_name": "", "real_name": "Mia Berg"}},
        {"id": "U2", "name": "tom", "profile": {"display_name": "tommy"}},
        {"id": "U3", "name": "old"},
        {"name": "nobody"},
        "x",
    ]
    names = read_slack_names(json.dumps(users).encode())
    assert names == {"U1": "Mia Berg", "U2": "tommy", "U3": "old"}
    assert read_slack_names(b"[") == read_slack_names(b'{"U1": "x"}') == {}
    message = {"type": "message", "user": "U1", "ts": "1773382865.000200", "text": "ask <@U2> or <@U9>"}
    slack = read(json.dumps([message]), CodeMedia(lang="json"), names)
    assert slack.title == "chats export"
    (text,) = outline(slack)[1:]
    assert text.startswith("[Mia Berg] [")
    assert text.endswith("] ask @tommy or @U9")


def test_the_names_of_a_day_of_slack_are_in_the_folder_above_its_channel() -> None:
    assert find_names(WorkspacePath("export/ops/2026-03-13.json")) == "export/users.json"
    assert find_names(WorkspacePath("ops/2026-03-13.json")) == "users.json"
    assert find_names(WorkspacePath("2026-03-13.json")) is None
    assert find_names(WorkspacePath("export/ops/notes.json")) is None


def test_a_message_of_a_table_may_be_long() -> None:
    table = f'Date,User,Message\n2026-03-13,Mia,"{"x" * 140_000}"\n'
    assert find_chat(OfficeMedia(format="csv"), table.encode()) == ChatMedia(format="kakaotalk-csv")


@walk(
    ("text", "named"),
    [
        ("13 March 2026\n09:00 Breakfast with Mia\n10:00 Train to Bern\n11:00 Walk\n", TextMedia()),
        ("<html><body><div class='message'>chatlog__message</div></body></html>", HtmlMedia()),
        ('<div class="page_body chat_page"><p>a page about chats</p></div>', HtmlMedia()),
        ("Date,User,Message\n", OfficeMedia(format="csv")),
        (json.dumps([{"mapping": {"a": 1}, "author": {"role": "user"}}]), CodeMedia(lang="json")),
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
        (json.dumps(SLACK)[:-9], CodeMedia(lang="json")),
        (json.dumps(TELEGRAM), CodeMedia(lang="yaml")),
    ],
)
def test_what_looks_a_bit_like_a_chat_stays_what_it_is(text: str, named: MediaType) -> None:
    assert find_chat(named, text.encode()) is None
