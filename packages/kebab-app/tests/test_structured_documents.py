"""Notebooks, calendars, exports and archives as users have them: found, answered, opened at the lines that are cited."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest
from kebab_core import FetchAddress, SearchMode, SearchQuery
from kebab_testing.structured_files import CLIPPINGS, DRAWING_NOTE, KEEP, STRUCTURED_FILES

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
_WORD = re.compile(r"\w+")


def write_zip(**texts: str | bytes) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name.replace("__", "/"), text)
    return out.getvalue()


def write_all(base: Base) -> None:
    for extension, content in STRUCTURED_FILES.items():
        base.write(f"a.{extension}", content)
    base.write("drawing.excalidraw.md", DRAWING_NOTE)
    base.write("장보기.json", json.dumps(KEEP, ensure_ascii=False))
    base.write("My Clippings.txt", CLIPPINGS)


def test_files_of_an_archive_in_an_archive_are_read_and_deeper_ones_told_as_unread(base: Base) -> None:
    deepest = write_zip(e="# 물떼새\n", f="# 도요새\n")
    inner = write_zip(a__c="# 물떼새\n", **{"deep.zip": deepest})
    letter = b"Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nHello\n--b\n"
    text = b"Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nkept\n--b--\n"
    base.write("m.zip", write_zip(**{"in.zip": inner, "letter.eml": letter + text}))
    base.app.ingest()
    assert base.paths() == ["m.zip", "m.zip/in.zip/a/c", "m.zip/in.zip/deep.zip", "m.zip/letter.eml"]
    assert base.app.why(base.root / "m.zip" / "in.zip" / "a" / "c").verdict == "indexed"
    assert base.ingest().report.counts.unchanged == 4
    told = base.app.why("m.zip/in.zip/deep.zip")
    assert "2 files in it were not read" in str(told.summary)
    assert "not read" not in str(base.app.why("m.zip/letter.eml").summary)


def test_every_passage_is_opened_at_the_lines_that_hold_its_words(base: Base) -> None:
    write_all(base)
    report = base.app.ingest()
    assert report.counts.errors == 0
    paths = set(base.paths())
    assert paths >= {
        "a.zip/docs/안내.md",
        "a.zip/src/a.py",
        "a.enex/memo.txt",
        "a.msg/목록.txt",
        "장보기.json",
    }
    seen = 0
    for query in ("plover", "회의", "김하나", "고래", "Payment", "주문", "여권", "ibis", "spoonbill", "배추", "Göttingen",
                  "동박새", "wagtail", "lapwing", "김포", "지게차", "Introduction", "결제", "두부", "whale"):  # fmt: skip
        hits = base.app.search(SearchQuery(text=query, mode=SearchMode.LEXICAL)).hits
        assert hits, query
        for hit in hits:
            seen += 1
            address = hit.citation.to_address()
            opened = base.app.fetch(FetchAddress(address=address)).text
            assert set(_WORD.findall(hit.snippet)) <= set(_WORD.findall(opened)), (query, address)
    assert seen >= 20


def test_when_where_and_who_are_answered(base: Base) -> None:
    base.write("팀.ics", STRUCTURED_FILES["ics"])
    base.write("people.vcf", STRUCTURED_FILES["vcf"])
    base.app.ingest()
    for question, told in (
        ("분기 검토 회의는 언제 하나요?", "2026-03-13 14:00"),
        ("분기 검토 회의는 어디서 하나요?", "본관 3층 회의실"),
        ("분기 검토 회의에 누가 참석하나요?", "Lee, Minsu"),
        ("When is the spring retreat?", "2026-04-01"),
        ("김하나 휴대폰 번호", "010-1234-5678"),
    ):
        answer = base.app.ask(question)
        assert told in answer.answer, (question, answer.answer)


def test_files_of_an_archive_stay_change_and_go_with_it(base: Base) -> None:
    base.write("m.zip", write_zip(**{"docs.v1/a": "# 하나\n", "docs/sub/b": "둘"}))
    base.app.ingest()
    assert base.paths() == ["m.zip", "m.zip/docs.v1/a", "m.zip/docs/sub/b"]
    again = base.app.ingest()
    assert (again.counts.unchanged, again.counts.new, again.counts.updated) == (3, 0, 0)
    assert base.app.why(base.root / "m.zip" / "docs" / "sub" / "b").verdict == "indexed"

    base.write("m.zip", write_zip(docs__a="# 셋\n"))
    base.app.ingest()
    assert base.paths() == ["m.zip", "m.zip/docs/a"]
    for number in range(20):
        base.write(f"other {number}.md", "x")
    base.app.ingest()
    (base.root / "m.zip").unlink()
    base.app.ingest()
    assert "m.zip/docs/a" not in base.paths()


def test_ids_of_slack_users_are_shown_as_the_names_that_the_export_has_of_them(base: Base) -> None:
    day = json.dumps([{"type": "message", "user": "U1", "ts": "1773382865.000200", "text": "ask <@U2>"}])
    users = [{"id": "U1", "name": "mia"}, {"id": "U2", "name": "tom"}]
    base.write("slack/ops/2026-03-13.json", day)
    base.write(
        "b.zip", write_zip(ops__2026="x", **{"ops__2026-03-13.json": day, "users.json": json.dumps(users)})
    )

    def read(path: str) -> str:
        return base.app.fetch(FetchAddress(address=path)).text

    base.app.ingest()
    assert "[U1]" in read("slack/ops/2026-03-13.json")
    assert "[mia]" in read("b.zip/ops/2026-03-13.json")
    base.write("slack/users.json", json.dumps(users))
    base.app.ingest()
    assert read("slack/ops/2026-03-13.json").endswith("] ask @tom\n")
    base.write("slack/users.json", json.dumps([{**users[0], "real_name": "Mia Berg"}, users[1]]))
    report = base.app.ingest()
    assert "[Mia Berg]" in read("slack/ops/2026-03-13.json")
    assert report.counts.updated == 2
    assert base.app.ingest().counts.updated == 0
