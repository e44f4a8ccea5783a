from __future__ import annotations

import json

import pytest
from kebab_core import (
    ArchiveMedia,
    AttachedFile,
    CanonicalDocument,
    CodeMedia,
    DocumentDamagedError,
    DocumentTooLargeError,
    MediaType,
    StructuredFormat,
    StructuredMedia,
    TextMedia,
)
from kebab_parse_structured import (
    BibliographyExtractor,
    BookmarkExtractor,
    CalendarExtractor,
    CanvasExtractor,
    ClippingsExtractor,
    ContactsExtractor,
    DrawioExtractor,
    ExcalidrawExtractor,
    KeepExtractor,
    NotebookExtractor,
    OutlineExtractor,
    ZipExtractor,
    find_export,
    plain_text,
)
from kebab_parse_structured.structured_extractor import StructuredExtractor
from kebab_testing.documents import make_context
from kebab_testing.structured_files import CLIPPINGS, DRAWING_NOTE, KEEP, STRUCTURED_FILES
from kebab_testing.tables import walk

KINDS = (
    BibliographyExtractor,
    BookmarkExtractor,
    CalendarExtractor,
    CanvasExtractor,
    ClippingsExtractor,
    ContactsExtractor,
    DrawioExtractor,
    ExcalidrawExtractor,
    KeepExtractor,
    NotebookExtractor,
    OutlineExtractor,
)
EXTRACTORS: list[StructuredExtractor] = [make() for make in KINDS]
SHOWN: dict[StructuredFormat, str] = {
    "ipynb": """\
# 조사 노트

물떼새를 센다. 그림

###### Cell 2

```python
import numpy as np
print(np.mean(counts))
```

```output
14.5
```

```output
<Figure plover>
```

```output
ValueError: no tide
```

###### Cell 3

결론은 **자갈밭**이다.
""",
    "ics": """\
## Renew the lease

Due: 2026-01-02 03:04 (UTC)
Status: needs-action

## 분기 검토 회의

일시: 2026-03-13 14:00–15:30 (Asia/Seoul)
반복: 2주마다 금, 종료 2026-06-01
장소: 본관 3층 회의실
참석자: 김하나 <hana@example.org> (주최자), Lee, Minsu <minsu@example.org>

안건은 예산, 채용
자료를 미리 읽는다.

## Spring retreat

When: 2026-04-01 – 2026-04-02
Where: Jeju
""",
    "vcf": """\
## 김하나

김하나
회사: 가나다 주식회사, 개발팀
전화 (휴대폰): 010-1234-5678
메일 (Work): hana@example.org
생일: 1990-01-31
주소 (집): 세종대로 110, 서울, 04524, 대한민국

## 이민수

이민수
전화 (직장): +82 2 555 0199
메모: Counts birds; likes tea
""",
    "canvas": """\
### 목표

고래를 센다

- notes/plan.md

## 다음 단계

배를 빌린다

- 목표 → 배를 빌린다: 그러려면
""",
    "excalidraw": "Payment service\n\n- https://example.org/pay\n",
    "drawio": """\
## 주문 흐름

주문 서비스

Warehouse

- 주문 서비스 → Warehouse: 재고 확인

## Plain

주문 서비스

Warehouse

- 주문 서비스 → Warehouse: 재고 확인
""",
    "opml": """\
## 짐

- 여권
  만료 2028
- 옷
  - raincoat

- Feed
  https://example.org/feed
""",
    "webloc": "https://example.org/ibis\n",
    "url": "https://example.org/spoonbill\n",
    "bib": """\
## The Great Cormorant of Göttingen

@article: kim2021
author: Kim, Hana; Müller, Jörg
year: 2021
journal: Nature Physics

We count birds.

## 새의 노래

@book: lee
author: 이민수
year: 2019
""",
}


def read(name: StructuredFormat, content: bytes, path: str = "notes/a.x") -> CanonicalDocument:
    media = StructuredMedia(format=name)
    extractor = next(each for each in EXTRACTORS if each.supports(media))
    return extractor.extract(make_context(content, path=path, media_type=media), content)


def shown(document: CanonicalDocument) -> str:
    assert document.text is not None
    return document.text.text


@pytest.mark.parametrize("name", SHOWN)
def test_files_are_read_as_their_programs_show_them(name: StructuredFormat) -> None:
    assert shown(read(name, STRUCTURED_FILES[name])) == SHOWN[name]


@pytest.mark.parametrize("name", [*SHOWN, "keep", "kindle"])
def test_what_is_no_file_of_its_format_is_an_error_or_told(name: StructuredFormat) -> None:
    for content in (b"[1, 2", b"x\n", b"<a/>", b"{}", b"BEGIN:X\nEND:X\n"):
        try:
            document = read(name, content)
        except DocumentDamagedError:
            continue
        assert document.blocks or document.provenance.warnings


def test_a_note_of_excalidraw_shows_its_text_without_the_drawing() -> None:
    assert shown(read("excalidraw", DRAWING_NOTE.encode())) == "결제 흐름\n"


def test_notes_of_keep_and_clippings_are_told_by_their_content() -> None:
    keep, clippings = json.dumps(KEEP).encode(), CLIPPINGS.encode()
    assert find_export(CodeMedia(lang="json"), keep) == StructuredMedia(format="keep")
    assert find_export(TextMedia(), clippings) == StructuredMedia(format="kindle")
    assert find_export(CodeMedia(lang="json"), b'{"a": 1}') is None
    assert find_export(TextMedia(), b"Title\n- item\n\ntext\n") is None
    note = read("keep", keep)
    assert (note.title, note.metadata.tags, shown(note)) == (
        "장보기", ("집",), "# 장보기\n\n- [x] 두부\n- [ ] 콩나물\n\nkeywords: 집\n",
    )  # fmt: skip
    assert f"{note.metadata.updated_at:%Y-%m-%d}" == "2023-11-14"
    assert shown(read("kindle", clippings)).startswith(
        "## 데미안 (헤르만 헤세)\n\n> 새는 알에서 나오려고 투쟁한다.\n\n12페이지에 있는 하이라이트 | 위치 101-102"
    )


@walk(
    ("zone", "when"),
    [
        ("Asia/Seoul", "2026-06-11 10:00–11:00 (Asia/Seoul)"),
        ("America", "2026-06-11 01:00–02:00 (UTC)"),
        ("../x", "2026-06-11 01:00–02:00 (UTC)"),
    ],
)
def test_times_in_utc_are_those_of_the_zone_that_the_calendar_names(zone: str, when: str) -> None:
    event = "BEGIN:VEVENT\nDTSTART:20260611T010000Z\nDTEND:20260611T020000Z\nSUMMARY:Dentist\nEND:VEVENT\n"
    calendar = f"BEGIN:VCALENDAR\nX-WR-TIMEZONE:{zone}\n{event}END:VCALENDAR\n"
    assert shown(read("ics", calendar.encode())) == f"## Dentist\n\nWhen: {when}\n"


@walk(
    ("rule", "english", "korean"),
    [
        ("BYMONTHDAY=12", "every month on the 12th", "매월 12일"),
        ("BYMONTHDAY=1,22", "every month on the 1st, the 22nd", "매월 1일, 22일"),
        ("BYMONTHDAY=-1", "every month on the last day", "매월 말일"),
        ("BYDAY=2TU", "every month the 2nd Tue", "매월 2번째 화"),
        ("BYDAY=-1FR", "every month the last Fri", "매월 마지막 금"),
    ],
)
def test_day_of_the_month_on_which_an_event_repeats_is_told_in_words(
    rule: str, english: str, korean: str
) -> None:
    for summary, told in (("Dentist", f"Repeats: {english}"), ("치과", f"반복: {korean}")):
        entry = f"BEGIN:VEVENT\nDTSTART;VALUE=DATE:20260401\nSUMMARY:{summary}\nRRULE:FREQ=MONTHLY;{rule}\nEND:VEVENT"
        calendar = f"BEGIN:VCALENDAR\nVERSION:2.0\n{entry}\nEND:VCALENDAR\n"
        assert told in shown(read("ics", calendar.encode())).splitlines()


@walk(
    ("value", "text"),
    [
        (r"{\'E}variste", "Évariste"),
        (r"Erd\H{o}s and \v{C}ech", "Erdős and Čech"),
        (r"Stra\ss e \& \o re", "Straße & øre"),
        (r"na\"{\i}ve", "naïve"),
        ("{\\LaTeX} in 10--20 days", "in 10–20 days"),
    ],
)
def test_accents_of_latex_are_letters(value: str, text: str) -> None:
    assert plain_text(value) == text


def read_zip(content: bytes) -> tuple[CanonicalDocument, tuple[AttachedFile, ...]]:
    media: MediaType = ArchiveMedia()
    context = make_context(content, path="m.zip", media_type=media)
    extractor = ZipExtractor()
    return extractor.extract_attached(context, content, reads=lambda name: not name.endswith(".bin"))


def test_files_of_an_archive_are_listed_and_taken_by_their_paths() -> None:
    document, files = read_zip(STRUCTURED_FILES["zip"])
    assert shown(document) == "- docs/안내.md\n- pic.bin\n- src/a.py\n"
    assert [file.name for file in files] == ["docs/안내.md", "src/a.py"]


def test_damaged_files_of_an_archive_are_named() -> None:
    content = bytearray(STRUCTURED_FILES["zip"])
    at = content.index("docs/안내.md".encode()) + len("docs/안내.md".encode())
    content[at : at + 3] = b"\xff\xff\xff"
    document, files = read_zip(bytes(content))
    assert document.provenance.warnings == ("1 file of the archive is damaged: docs/안내.md",)
    assert "src/a.py" in [file.name for file in files]


def test_an_archive_beyond_its_bounds_is_read_as_far_with_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kebab_parse_structured.zip_archive.MAX_FILES", 1)
    document, files = read_zip(STRUCTURED_FILES["zip"])
    assert [file.name for file in files] == ["docs/안내.md"]
    assert document.provenance.warnings == (
        "1 file of the archive was not read: only 1 files of 50 MB in all are",
    )
    monkeypatch.setattr("kebab_parse.archive.MAX_UNPACKED_BYTES", 3)
    with pytest.raises(DocumentTooLargeError):
        read_zip(STRUCTURED_FILES["zip"])
