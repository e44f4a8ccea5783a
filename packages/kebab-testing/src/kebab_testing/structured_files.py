"""A small file of each format with a structure, as the programs of the format write it: Korean and English."""

from __future__ import annotations

import base64
import json
import plistlib
import zlib
from collections.abc import Mapping
from io import BytesIO
from urllib.parse import quote
from zipfile import ZipFile

from kebab_testing.hangul_files import write_compound_file

_NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"language_info": {"name": "python"}},
    "cells": [
        {
            "cell_type": "markdown",
            "source": ["# 조사 노트\n", "\n", "물떼새를 센다. ![그림](data:image/png;base64,iVBORw0KGgo)"],
        },
        {
            "cell_type": "code",
            "execution_count": 3,
            "source": ["import numpy as np\n", "print(np.mean(counts))"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["14.5\n"]},
                {
                    "output_type": "display_data",
                    "data": {"image/png": "iVBORw0KGgoAAAANSUhEUg", "text/plain": ["<Figure plover>"]},
                },
                {
                    "output_type": "error",
                    "ename": "ValueError",
                    "evalue": "no tide",
                    "traceback": ["\x1b[0;31mx"],
                },
            ],
        },
        {"cell_type": "markdown", "source": "결론은 **자갈밭**이다."},
    ],
}
_CALENDAR = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example//
BEGIN:VEVENT
DTSTART;TZID=Asia/Seoul:20260313T140000
DTEND;TZID=Asia/Seoul:20260313T153000
SUMMARY:분기 검토 회의
LOCATION:본관 3층 회의실
ORGANIZER;CN=김하나:mailto:hana@example.org
ATTENDEE;CN="Lee, Minsu";ROLE=REQ-PARTICIPANT:mailto:minsu@example.org
DESCRIPTION:안건은 예산\\, 채용\\n자료를 미
 리 읽는다.
RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;UNTIL=20260601T000000Z
BEGIN:VALARM
TRIGGER:-PT10M
DESCRIPTION:Alarm
END:VALARM
END:VEVENT
BEGIN:VEVENT
DTSTART;VALUE=DATE:20260401
DTEND;VALUE=DATE:20260403
SUMMARY:Spring retreat
LOCATION:Jeju
END:VEVENT
BEGIN:VTODO
DUE:20260102T030405Z
SUMMARY:Renew the lease
STATUS:NEEDS-ACTION
END:VTODO
END:VCALENDAR
"""
_CONTACTS = """\
BEGIN:VCARD
VERSION:3.0
N:김;하나;;;
FN:김하나
ORG:가나다 주식회사;개발팀
TEL;TYPE=CELL:010-1234-5678
item1.EMAIL:hana@example.org
item1.X-ABLabel:_$!<Work>!$_
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ
 SkZJRg
BDAY:19900131
ADR;TYPE=HOME:;;세종대로 110;서울;;04524;대한민국
END:VCARD
BEGIN:VCARD
VERSION:2.1
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=EC=9D=B4=
=EB=AF=BC=EC=88=98
TEL;WORK:+82 2 555 0199
NOTE:Counts birds\\; likes tea
END:VCARD
"""
_CANVAS = {
    "nodes": [
        {"id": "1", "type": "text", "text": "# 목표\n고래를 센다", "x": 0, "y": 0, "width": 9, "height": 9},
        {"id": "2", "type": "file", "file": "notes/plan.md", "x": 90, "y": 0, "width": 9, "height": 9},
        {"id": "g", "type": "group", "label": "다음 단계", "x": -9, "y": 90, "width": 500, "height": 300},
        {"id": "3", "type": "text", "text": "배를 빌린다", "x": 0, "y": 99, "width": 9, "height": 9},
    ],
    "edges": [{"id": "e", "fromNode": "1", "toNode": "3", "label": "그러려면"}],
}
_DRAWING = {
    "type": "excalidraw",
    "elements": [
        {"type": "text", "text": "Payment service", "x": 0, "y": 10},
        {"type": "text", "text": "deleted words", "isDeleted": True},
        {"type": "rectangle", "x": 0, "y": 0, "link": "https://example.org/pay"},
    ],
}
DRAWING_NOTE = """\
---
excalidraw-plugin: parsed
---
==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠==

# Excalidraw Data
## Text Elements
결제 흐름 ^aB3dE5gh

%%
## Drawing
```compressed-json
N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZAHoFAc0JRJQ
```
%%
"""
"""What the plugin of Obsidian writes, in a file `….excalidraw.md`."""
_PAGE = (
    '<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>'
    '<mxCell id="2" value="&lt;b&gt;주문&lt;/b&gt; 서비스" vertex="1" parent="1"/>'
    '<mxCell id="3" value="Warehouse" vertex="1" parent="1"/>'
    '<mxCell id="4" value="재고 확인" edge="1" source="2" target="3" parent="1"/></root></mxGraphModel>'
)
_OUTLINE = (
    '<?xml version="1.0"?><opml version="2.0"><head><title>여행 준비</title></head><body><outline text="짐">'
    '<outline text="여권" _note="만료 2028"/><outline text="옷"><outline text="raincoat"/></outline></outline>'
    '<outline text="Feed" type="rss" xmlUrl="https://example.org/feed"/></body></opml>'
)
_EVERNOTE = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export><note><title>김장 계획</title><content><![CDATA[<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd"><en-note><h2>재료</h2><div>배추 스무&nbsp;포기</div>
<div><en-todo checked="true"/>소금 사기</div><div><en-todo/>젓갈 사기</div><en-media type="text/plain" hash="x"/></en-note>]]></content>
<created>20261101T010203Z</created><tag>부엌</tag><note-attributes><source-url>https://example.org/k</source-url></note-attributes>
<resource><data encoding="base64">aGVsbG8gbGFwd2luZw==</data><mime>text/plain</mime><resource-attributes>
<file-name>memo.txt</file-name></resource-attributes></resource></note></en-export>
"""
KEEP = {
    "color": "DEFAULT",
    "isTrashed": False,
    "title": "장보기",
    "listContent": [{"text": "두부", "isChecked": True}, {"text": "콩나물", "isChecked": False}],
    "userEditedTimestampUsec": 1_700_000_000_000_000,
    "createdTimestampUsec": 1_690_000_000_000_000,
    "labels": [{"name": "집"}],
}
"""A note of Google Keep."""
CLIPPINGS = """\
\ufeff데미안 (헤르만 헤세)
- 12페이지에 있는 하이라이트 | 위치 101-102 | 추가된 날짜: 2026년 3월 1일

새는 알에서 나오려고 투쟁한다.
==========
Moby Dick (Melville)
- Your Note on page 3 | Added on Sunday

white whale
==========
"""
"""`My Clippings.txt` of a Kindle."""
_BIBLIOGRAPHY = r"""
@string{nat = "Nature"}
@article{kim2021, title={The {Great} Cormorant of G{\"o}ttingen}, author={Kim, Hana and M{\"u}ller, J\"org},
  journal=nat # " Physics", year=2021, abstract="We count {birds}."}
@comment{x}
@book{lee, title = {새의 노래}, author = "이민수", year = {2019}}
"""
_RICH_TEXT = (
    rb"{\rtf1\ansi\ansicpg949\deff0{\fonttbl{\f0\fnil\fcharset129 Malgun;}{\f1 Arial;}}{\stylesheet{\s1 heading 1;}}"
    rb"{\info{\title Harbour Report}}{\*\generator x;}{\pict\pngblip 89504e47}\pard\s1 Introduction\par\pard "
    + b"".join(rb"\'%02x" % byte for byte in "한글 문단".encode("cp949"))
    + rb"\par\u50896?\u50521? \b bold\b0\par {\pntext\bullet\tab}item\par\trowd\intbl Name\cell Price\cell\row"
    rb"\intbl Apple\cell 3\cell\row\pard {\v hidden}after\par}"
)


def _packed_page() -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(packer.compress(quote(_PAGE).encode()) + packer.flush()).decode()


def _zip() -> bytes:
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for name, text in (
            ("docs/안내.md", "# 안내\n\n동박새가 산다.\n"),
            ("src/a.py", "def wagtail():\n    return 1\n"),
            ("../evil.txt", "no"),
            ("__MACOSX/._x", "no"),
            ("pic.bin", "\0"),
        ):
            archive.writestr(name, text)
    return out.getvalue()


def outlook_mail() -> bytes:
    """Write a mail of Outlook with an attached text."""
    attached = "__attach_version1.0_#00000000"
    return write_compound_file({
        ("__properties_version1.0",): bytes(32)
        + b"\x40\x00\x39\x00\x06\0\0\0"
        + (133_485_408_000_000_000).to_bytes(8, "little"),
        ("__substg1.0_0037001F",): "창고 이전 안내".encode("utf-16-le"),
        ("__substg1.0_0C1A001F",): "김하나".encode("utf-16-le"),
        ("__substg1.0_5D01001F",): "hana@example.org".encode("utf-16-le"),
        ("__substg1.0_0E04001F",): "Lee Minsu".encode("utf-16-le"),
        ("__substg1.0_1000001F",): "창고는 김포로 옮깁니다.\r\n".encode("utf-16-le"),
        (attached, "__substg1.0_3707001F"): "목록.txt".encode("utf-16-le"),
        (attached, "__substg1.0_37010102"): "지게차 두 대\n".encode(),
    })


STRUCTURED_FILES: Mapping[str, bytes] = {
    "ipynb": json.dumps(_NOTEBOOK, ensure_ascii=False, indent=1).encode(),
    "ics": _CALENDAR.replace("\n", "\r\n").encode(),
    "vcf": _CONTACTS.encode(),
    "canvas": json.dumps(_CANVAS, ensure_ascii=False).encode(),
    "excalidraw": json.dumps(_DRAWING).encode(),
    "drawio": f'<mxfile><diagram name="주문 흐름">{_packed_page()}</diagram><diagram name="Plain">{_PAGE}</diagram></mxfile>'.encode(),
    "opml": _OUTLINE.encode(),
    "webloc": plistlib.dumps({"URL": "https://example.org/ibis"}),
    "url": b"[InternetShortcut]\r\nURL=https://example.org/spoonbill\r\n",
    "enex": _EVERNOTE.encode(),
    "bib": _BIBLIOGRAPHY.encode(),
    "zip": _zip(),
    "msg": outlook_mail(),
    "rtf": _RICH_TEXT,
}
"""By extension."""


FICTION_BOOK = f"""<?xml version="1.0" encoding="UTF-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><author><first-name>하늘</first-name><last-name>김</last-name></author>
<book-title>등대지기의 겨울</book-title><annotation><p>섬의 마지막 등대지기.</p></annotation><lang>ko</lang></title-info></description>
<body><title><p>등대지기의 겨울</p></title><section><title><p>1장</p><p>얼어붙은 항구</p></title>
<epigraph><p>바다는 기억한다.</p><text-author>선장</text-author></epigraph>
<p>항구는 사흘째 <emphasis>얼어</emphasis> 있었다.<a l:href="#n1" type="note">[1]</a></p><empty-line/>
<poem><stanza><v>눈이 내리고</v><v>불이 켜진다</v></stanza></poem>
<section><title><p>Deeper</p></title><p>The keeper counted forty steps.</p>
<table><tr><th>day</th><th>ships</th></tr><tr><td>Monday</td><td>2</td></tr></table></section></section></body>
<body name="notes"><section id="n1"><title><p>1</p></title><p>1987년의 일이다.</p></section></body>
<binary id="i.png" content-type="image/png">{"iVBORw0KGgo" * 99}</binary></FictionBook>
"""
FEED = """<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wp="http://wordpress.org/export/1.2/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>내 블로그</title><description>부엌 일기</description><item>
<title>김장 담그기</title><link>https://example.org/k</link><pubDate>Fri, 13 Mar 2026 06:21:05 +0900</pubDate><dc:creator>지우</dc:creator>
<category>부엌</category><description>요약</description><content:encoded><![CDATA[<!-- wp:paragraph --><p>배추 <strong>스무 포기</strong>를
절였다.</p><ul><li>소금</li></ul>]]></content:encoded><wp:comment><wp:comment_author>민호</wp:comment_author>
<wp:comment_content>맛있겠다</wp:comment_content></wp:comment></item></channel></rss>
"""


def _export(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


JSON_EXPORTS: Mapping[str, bytes] = {
    "roam": _export([
        {
            "title": "March 13th, 2026",
            "edit-time": 1773382965000,
            "uid": "03-13-2026",
            "children": [
                {
                    "string": "[[회의]] 방파제 보수",
                    "uid": "a1",
                    "children": [{"string": "{{[[TODO]]}} 견적서 세 곳에 요청", "uid": "a2"}],
                },
                {"string": "{{[[DONE]]}} call the crane", "uid": "a3"},
            ],
        },
        {"title": "회의", "uid": "p2"},
    ]),
    "trello": _export({
        "name": "집수리",
        "desc": "",
        "actions": [
            {
                "type": "commentCard",
                "date": "2026-03-13T06:21:05.123Z",
                "data": {"text": "사장님이 금요일에 온대", "card": {"id": "C1"}},
                "memberCreator": {"fullName": "민호"},
            },
            {"type": "updateCard", "data": {"old": {"pos": 1}}},
        ],
        "cards": [
            {
                "id": "C1",
                "name": "욕실 타일 교체",
                "desc": "견적 **48만원**",
                "due": "2026-04-02T03:00:00.000Z",
                "idList": "L1",
                "idLabels": ["B1"],
                "idMembers": ["M1"],
                "attachments": [{"name": "tile.jpg"}],
            },
            {"id": "C2", "name": "Fix the gutter", "desc": "Rent the ladder", "idList": "L2", "closed": True},
        ],
        "labels": [{"id": "B1", "name": "", "color": "red"}],
        "lists": [{"id": "L1", "name": "할 일"}, {"id": "L2", "name": "Done"}],
        "members": [{"id": "M1", "fullName": "지우"}],
        "checklists": [
            {"idCard": "C1", "name": "준비물", "checkItems": [{"name": "줄눈제", "state": "incomplete"}]}
        ],
    }),
    "dayone": _export({
        "metadata": {"version": "1.0"},
        "entries": [
            {
                "uuid": "AAAA",
                "creationDate": "2026-03-13T06:21:05Z",
                "timeZone": "Asia/Seoul",
                "text": "# 태풍 뒤의 산책\n\n등대 계단이 무너져 있었다\\.\n\n![](dayone-moment://ABC)",
                "richText": '{"contents":[]}',
                "tags": ["산책"],
                "location": {"placeName": "태종대", "localityName": "부산"},
                "weather": {"conditionsDescription": "흐림"},
            }
        ],
    }),
    "tasks": _export({
        "kind": "tasks#taskLists",
        "items": [
            {
                "title": "내 할 일",
                "items": [
                    {
                        "title": "보일러 점검",
                        "notes": "오전이 좋음",
                        "status": "needsAction",
                        "due": "2026-03-20T00:00:00Z",
                    },
                    {"title": "Renew the passport", "status": "completed"},
                ],
            }
        ],
    }),
    "simplenote": _export({
        "activeNotes": [
            {
                "content": "와이파이\r\nguest / seagull77",
                "lastModified": "2026-03-13T06:21:05.123Z",
                "tags": ["집"],
            }
        ],
        "trashedNotes": [{"content": "old list", "lastModified": "2026-03-12T06:21:05.123Z"}],
    }),
    "data": _export({
        "exported": 1773382865,
        "notes": [
            {
                "title": "감자 심기",
                "body": "<div>두둑 간격은 <b>60cm</b>&nbsp;로</div>",
                "created_at": 1773382865000,
                "thumb": "data:image/png;base64," + "iVBORw0KGgo" * 2000,
                "place": {"name": "텃밭", "at": [35.05, 129.08]},
                "phone": 1012345678,
            },
            {"name": "Beans", "steps": [{"text": "Soak them overnight in cold water"}]},
        ],
    }),
}
"""Exports as JSON that their content tells, by format."""
