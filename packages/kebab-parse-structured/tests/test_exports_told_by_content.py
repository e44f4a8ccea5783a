"""Exports that their content tells: JSON of programs, notes of Anki."""

from __future__ import annotations

import json
from typing import cast

import pytest
from kebab_core import CanonicalDocument, CodeMedia, MediaType, StructuredFormat, StructuredMedia, TextMedia
from kebab_parse_structured import AnkiExtractor, JsonExportExtractor, find_data, find_export, json_exports
from kebab_testing.documents import make_context
from kebab_testing.structured_files import JSON_EXPORTS
from kebab_testing.tables import walk

JSON = CodeMedia(lang="json")
SHOWN = {
    "roam": """\
# March 13th, 2026

- [[회의]] 방파제 보수
  - [ ] 견적서 세 곳에 요청
- [x] call the crane

# 회의
""",
    "trello": """\
# 집수리

## 할 일

### 욕실 타일 교체

기한: 2026-04-02 03:00 UTC
분류: red
참석자: 지우

견적 **48만원**

준비물

- [ ] 줄눈제

- tile.jpg

[민호] [2026-03-13 06:21 UTC] 사장님이 금요일에 온대

## Done

### Fix the gutter

Status: archived

Rent the ladder
""",
    "dayone": """\
# 2026-03-13 15:21

## 태풍 뒤의 산책

등대 계단이 무너져 있었다.

장소: 태종대, 부산
분류: 산책
날씨: 흐림
""",
    "tasks": """\
# 내 할 일

- [ ] 보일러 점검
  기한: 2026-03-20
  오전이 좋음

- [x] Renew the passport
""",
    "simplenote": """\
# 와이파이

guest / seagull77

수정: 2026-03-13 06:21 UTC
분류: 집

# old list

Updated: 2026-03-12 06:21 UTC
Status: trashed
""",
    "data": """\
exported: 1773382865

## notes

### 감자 심기

body: 두둑 간격은 60cm 로
created_at: 1773382865000 (2026-03-13 06:21 UTC)
place.name: 텃밭
place.at: 35.05, 129.08
phone: 1012345678

### Beans

#### steps

text: Soak them overnight in cold water
""",
}


def find(named: MediaType, content: bytes) -> MediaType | None:
    return find_export(named, content) or find_data(named, content)


def read(content: bytes, named: MediaType = JSON) -> CanonicalDocument:
    media = find(named, content)
    assert media is not None
    extractor = next(each for each in (JsonExportExtractor(), AnkiExtractor()) if each.supports(media))
    return extractor.extract(make_context(content, path="a/export.x", media_type=media), content)


def shown(document: CanonicalDocument) -> str:
    assert document.text is not None
    return document.text.text


@pytest.mark.parametrize("name", SHOWN)
def test_exports_are_told_by_their_content_and_read_as_their_programs_show_them(name: str) -> None:
    content = JSON_EXPORTS[name]
    assert find(JSON, content) == StructuredMedia(format=cast("StructuredFormat", name))
    assert shown(read(content)) == SHOWN[name]


def test_an_export_that_breaks_off_or_is_too_long_is_read_as_far_as_it_goes_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = JSON_EXPORTS["roam"]
    broken = read(whole[: whole.index('회의", "uid'.encode())])
    assert shown(broken) == SHOWN["roam"].removesuffix("\n# 회의\n")
    assert [str(each) for each in broken.provenance.warnings] == [
        "JSON in it is damaged and was read as far as it goes"
    ]
    monkeypatch.setattr(json_exports, "MAX_BYTES", len(whole) - 5)
    long = read(whole)
    assert shown(long) == shown(broken)
    assert [str(each) for each in long.provenance.warnings] == ["only the first 0 MB of the file are read"]


def test_notes_of_anki_are_read_without_their_markup() -> None:
    notes = '#separator:semicolon\n#html:true\n삼투란?;"물이 <b>막</b>을<br>지난다"\nosmosis;"x &lt; y"\n'
    document = read(notes.encode(), TextMedia())
    assert shown(document) == "삼투란?\n물이 막을\n지난다\n\nosmosis\nx < y\n"


@walk(
    ("named", "value"),
    [
        (
            JSON,
            {
                "dependencies": {"left-pad": "1.0.0"},
                "description": "Pads a string on the left",
                "files": ["a"] * 99,
            },
        ),
        (JSON, [{"title": "a", "uid": "b"}]),
        (JSON, {"cards": [], "lists": [], "idList": 1}),
        (JSON, {"x": [[n, n] for n in range(999)], "name": "Outline of a lake"}),
        (TextMedia(), {"notes": "a text of several words " * 20}),
        (CodeMedia(lang="yaml"), {"notes": "a text of several words " * 20}),
    ],
)
def test_other_json_stays_source_code(named: MediaType, value: object) -> None:
    assert find(named, json.dumps(value).encode()) is None


def test_data_in_lines_that_somebody_reads_stays_source_code() -> None:
    value = {"notes": [{"body": "a text of several words"}] * 20}
    assert find(JSON, json.dumps(value, indent=1).encode()) is None
    assert find(TextMedia(format="unnamed"), json.dumps(value, indent=1).encode()) == StructuredMedia(
        format="data"
    )
