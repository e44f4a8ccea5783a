"""Coverage of file kinds, over a folder with a small file of each: `python -m bench.kinds [--keep FOLDER]`.

Small files of every kind, written by pandoc, LibreOffice, SQLite and Pillow where they are installed, else as their programs write them. They are
ingested; of each file it prints what became of it, and of every passage it opens the address and looks for the passage's words
there. Exit code 1 if an address opens to a text without them, or a kind is neither read nor named in the report.
"""

from __future__ import annotations

import argparse
import html
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from kebab_app import App
from kebab_config import load_settings
from kebab_core import FORMATS, DocumentEntry, FetchAddress, IngestResult, KebabError, build_citation
from kebab_testing.structured_files import JSON_EXPORTS, STRUCTURED_FILES

from tests.integration.format_samples import WRITERS, sample

_REFERENCE = re.compile(r"&#?\w{1,30};")
_ALIASED = re.compile(r"\[\[([^\[\]|]{1,500}+)\|([^\[\]]{0,500}+)\]\]")

BY_PANDOC = {
    "org": "org", "rst": "rst", "adoc": "asciidoc", "tex": "latex", "textile": "textile", "mediawiki": "mediawiki",
    "typ": "typst", "ipynb": "ipynb", "opml": "opml", "rtf": "rtf", "docx": "docx", "odt": "odt", "epub": "epub",
    "html": "html", "pptx": "pptx", "fb2": "fb2",
}  # fmt: skip
"""Writer of pandoc, by extension."""
BY_LIBREOFFICE = (
    *((extension, "pandoc.docx") for extension in ("doc", "rtf", "odt", "pdf", "txt", "xhtml")),
    *((extension, "pandoc.pptx") for extension in ("ppt", "odp")),
)
"""Extension, and what it is made from."""
PAGE = """---
title: 물떼새 조사
---

# 물떼새 조사

갯벌에서 흰물떼새 열네 마리를 세었다. The plover count was fourteen.

## 도구

- 쌍안경
- 삼각대

| 날짜 | 수 |
|---|---|
| 3월 13일 | 14 |
| 3월 20일 | 9 |
"""
BY_HAND = {
    "kakao-windows.txt": "지우 님과 카카오톡 대화\n저장한 날짜 : 2026-03-14 09:00:12\n\n--------------- 2026년 3월 13일 금요일 ---------------\n"
    "[지우] [오후 3:21] 내일 회의는 3시야.\n[민호] [오후 3:25] 알겠어\n",
    "kakao-android.txt": "여행 3 카카오톡 대화\n저장한 날짜 : 2026년 3월 14일 오전 9:00\n\n\n2026년 3월 13일 금요일\n"
    "2026년 3월 13일 오후 3:21, 지우 : 숙소는 서면역 앞이야.\n2026년 3월 13일 오후 3:25, 민호 : 알겠어\n",
    "kakao-ios.txt": "여행 3 카카오톡 대화\n저장한 날짜 : 2026. 3. 14. 오전 9:00\n\n2026년 3월 13일 금요일\n"
    "2026. 3. 13. 오후 3:21, 지우 : 표는 내가 샀어.\n2026. 3. 13. 오후 3:25, 민호 : 고마워\n",
    "kakao-mac.csv": 'Date,User,Message\n2026-03-13 15:21:00,"지우","우산 챙겨."\n2026-03-13 15:25:00,"민호","응"\n',
    "WhatsApp Chat with Ann.txt": "3/13/26, 3:21 PM - Ann: The ferry leaves at six.\n3/13/26, 3:22 PM - Ben: Thanks\n3/13/26, 3:23 PM - Ann: Bring tea.\n",
    "[LINE]Yuki.txt": "[LINE] Chat history with Yuki\nSaved on: 3/14/2026, 09:00\n\nFri, 3/13/2026\n15:21\tYuki\tThe shop closes at six.\n15:25\tHana\tok\n",
    "discord.txt": "====\nGuild: Hikers\nChannel: plans\n====\n\n[13/03/2026 15:21] mia\nThe bus leaves from platform three.\n",
    "conversations.json": '[{"uuid": "u1", "name": "Jeju", "chat_messages": [{"sender": "human", "created_at": "2026-03-13T06:21:05Z", '
    '"text": "Which trail?"}]}]',
    "telegram.json": '{"name": "Ann", "type": "personal_chat", "id": 1, "messages": [{"id": 1, "type": "message", "date": '
    '"2026-03-13T15:21:00", "from": "Ann", "from_id": "user1", "text": "The key is under the pot."}]}',
    "slack.json": '[{"type": "message", "user": "U1", "user_profile": {"real_name": "Ann"}, "ts": "1773415260.000100", "text": "Deploy at nine."}]',
    "keep.json": '{"color": "DEFAULT", "isTrashed": false, "title": "장보기", "textContent": "두부와 콩나물", "userEditedTimestampUsec": 1700000000000000,'
    ' "createdTimestampUsec": 1690000000000000}',
    "anki.txt": "#separator:tab\n#html:true\nosmosis\twater <b>moves</b>&nbsp;through\n",
    "part_000000.csv": "title,url,time_added,tags,status\nTen knots,https://example.org/k,1773382865,,unread\n",
    "My Clippings.txt": "섬 (김하늘)\n- Your Highlight on page 12 | Location 180-181 | Added on Friday, March 13, 2026 3:21:00 PM\n\n등대는 밤에만 켜진다.\n==========\n",
    "todo.txt": "(A) 2026-03-13 call the harbour +boat @phone\nx 2026-03-12 buy rope\n",
    "mail.emlx": "35        \nSubject: Keys\n\nThe keys are here.\n<?xml version='1.0'?><plist></plist>\n",
    "zotero.ris": "TY  - JOUR\nTI  - Eelgrass recovery\nER  - \n",
    "route.gpx": '<?xml version="1.0"?><gpx><wpt lat="47" lon="8"><name>Spring with drinking water</name></wpt></gpx>\n',
    "birds.tsv": "이름\t수\n물떼새\t14\n",
    "bookmarks.html": "<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Bookmarks</TITLE><H1>Bookmarks</H1><DL><p><DT><A HREF='https://example.org/ibis'>Ibis guide</A></DL>",
    "sketch.excalidraw.md": '---\nexcalidraw-plugin: parsed\n---\n# Text Elements\n갯벌 지도 ^a1\n\n%%\n# Drawing\n```json\n{"type":"excalidraw","elements":[]}\n```\n%%\n',
    "app.log": "".join(f"2026-03-13T15:{n:02}:00 INFO worker {n} started the tide job\n" for n in range(60)),
    "app.log.1": "2026-03-12 ERROR the buoy is lost\n",
    "events.jsonl": '{"event": "landed", "bird": "plover"}\n{"event": "left", "bird": "ibis"}\n',
    "flow.mmd": "graph TD\n  harbour --> lighthouse\n",
    "flow.puml": "@startuml\nharbour -> lighthouse : signal\n@enduml\n",
    "page.typ": "= Tides\nThe #strong[neap tide] is low.\n",
    "page.wiki": "== Harbour ==\nThe ''lighthouse'' is open on Sundays.\n",
    "paper.ltx": "\\section{Tides}\nThe spring tide is high.\n",
    "README": "The notice without an extension: mind the tide.\n",
    "talk.srt": "1\n00:00:01,000 --> 00:00:04,000\nThe zebra crossed the river.\n",
    "talk.vtt": "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ann>The heron waited.\n",
    "song.lrc": "[ti:Harbour]\n[00:12.00]The lantern swings\n",
    "film.smi": "<SAMI><BODY><SYNC Start=1000><P>The lantern falls<SYNC Start=4000><P>&nbsp;</BODY></SAMI>\n",
    "film.ass": "[Events]\nFormat: Start, End, Name, Text\nDialogue: 0:00:01.00,0:00:04.00,Otto,The {\\i1}anchor{\\i0} is stuck\n",
    "shape.svg": '<svg xmlns="http://www.w3.org/2000/svg"><title>부두 지도</title><text x="1" y="9">North pier</text></svg>',
    "code.py": "def tide():\n    return 'spring'\n",
}  # fmt: skip
"""Name and content of files that no program here writes."""
NOT_READ = {
    "notes.pages": b"PK\x05\x06" + bytes(18),
    "joplin.jex": bytes(1024),
    "cli.7z": b"7z\xbc\xaf\x27\x1c",
    "film.mp4": b"\0\0\0\x18ftypmp42",
}
"""Kinds that kebab does not read and must name."""


class Outcome(NamedTuple):
    """Result of one file: its document, its passages, and those whose address does not hold their words."""

    name: str
    program: str
    document: DocumentEntry | None
    passages: int = 0
    outside: int = 0


def write_files(folder: Path) -> dict[str, str]:
    """Write the files; return what wrote each, by name."""
    made: dict[str, str] = {}
    for name, text in BY_HAND.items():
        (folder / name).write_text(text, "utf-8")
        made[name] = "by hand"
    for name, content in NOT_READ.items():
        (folder / name).write_bytes(content)
        made[name] = "by hand"
    for extension in {**WRITERS, **STRUCTURED_FILES}:
        (folder / f"sample.{extension}").write_bytes(sample(extension))
        made[f"sample.{extension}"] = "kebab's own writer"
    for app, content in JSON_EXPORTS.items():
        (folder / f"{app}.json").write_bytes(content)
        made[f"{app}.json"] = "kebab's own writer"
    with sqlite3.connect(folder / "birds.sqlite") as database:
        database.execute("CREATE TABLE birds (name)")
    made["birds.sqlite"] = "SQLite"
    page = folder / "page.md"
    page.write_text(PAGE, "utf-8")
    made["page.md"] = "by hand"
    for name in convert_with_pandoc(folder, page):
        made[name] = "pandoc"
    for name in convert_with_libreoffice(folder):
        made[name] = "LibreOffice"
    return made


def convert_with_pandoc(folder: Path, page: Path) -> Iterator[str]:
    """Write a page in every form that pandoc knows.

    Yields:
        The names of the files.
    """
    for extension, writer in BY_PANDOC.items() if shutil.which("pandoc") else ():
        target = folder / f"pandoc.{extension}"
        command = ["pandoc", "-s", "-t", writer, "-o", str(target), str(page)]
        if subprocess.run(command, check=False, capture_output=True).returncode == 0:
            yield target.name


def convert_with_libreoffice(folder: Path) -> list[str]:
    """Write what pandoc wrote for Word and PowerPoint in the forms of LibreOffice; return the names of the files."""
    for extension, source in BY_LIBREOFFICE if shutil.which("soffice") else ():
        if (folder / source).exists():
            copied = shutil.copy(folder / source, folder / f"office{Path(source).suffix}")
            command = [
                "soffice",
                "--headless",
                "--convert-to",
                extension,
                "--outdir",
                str(folder),
                str(copied),
            ]
            subprocess.run(command, check=False, capture_output=True)
    return [path.name for path in folder.glob("office.*")]


def check_addresses(app: App, document: DocumentEntry) -> tuple[int, int]:
    """Open the address of every passage of a document; return their number, and that of those whose words are not there."""
    documents = app.base.index.documents
    ids = [chunk.chunk_id for chunk in documents.list_chunks(document.doc_id)]
    outside = 0
    for passage in documents.get_chunks(ids):
        own = passage.chunk.text[passage.chunk.lead.end if passage.chunk.lead else 0 :]
        address = build_citation(passage).to_address()
        try:
            opened = app.fetch(FetchAddress(address=address)).text
        except KebabError as error:
            print(f"  {address}: {error.message}")
            outside += 1
            continue
        named = (
            find_words(str(document.doc_path)) if not opened else set()
        )  # nothing is read in it but its name
        # words of Markdown may have marks in them: `code`는
        missing = find_words(own) - find_words(str(opened)) - named
        if missing and find_missing(own, str(opened)):
            outside += 1
            print(f"  {address}: {sorted(missing)[:8]}")
    return len(ids), outside


def find_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", normalize("NFC", text.casefold())))


def find_missing(own: str, cited: str) -> str:
    # what begins with the first letter that is not found after those before it
    # character references stand for themselves in code and for a character elsewhere; a target follows its alias
    shown = _REFERENCE.sub(lambda found: found[0] + html.unescape(found[0]), normalize("NFC", cited))
    shown = _ALIASED.sub(lambda found: f"{found[0]} {found[1]}", shown)
    rest = (letter for letter in shown.casefold() if letter.isalpha())
    for at, char in enumerate(own):
        for letter in char.casefold():
            if letter.isalpha() and letter not in rest:
                return own[at : at + 60]
    return ""


def open_base(folder: Path, home: Path) -> App:
    """Make a knowledge base of a folder in another, without vectors, which reads the text of all pictures."""
    settings = home / "kebab.toml"
    settings.write_text(
        f'[workspace]\nroot = "{folder}"\n[storage]\ndata_dir = "{home}/data"\n[models.embedding]\nprovider = "none"\n'
        '[ingest.ocr]\npictures = "all"\n'
    )
    return App(load_settings(config_path=settings, environ={"HOME": str(home)}))


def read_kinds(folder: Path, made: dict[str, str]) -> Iterator[Outcome]:
    with open_base(folder, folder.parent) as app:
        report = app.ingest()
        print(
            {str(reason): count for reason, count in report.skipped_by_reason.items()},
            dict(report.skipped_by_extension),
        )
        for item in report.items:
            if item.kind is IngestResult.ERROR and item.error:
                print(f"  failed {item.doc_path}: {item.error.message}")
        entries = app.base.index.documents.list_entries()
        for name, program in sorted(made.items()):
            own = next((each for each in entries if each.doc_path == name), None)
            if own is None:
                yield Outcome(name, program, None)
            else:
                yield Outcome(name, program, own, *check_addresses(app, own))
        for inside in [each for each in entries if each.doc_path not in made]:
            yield Outcome(str(inside.doc_path), "in a file", inside, *check_addresses(app, inside))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keep", type=Path, help="folder for the files, which is kept")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (asked.keep or Path(scratch)).resolve() / "kinds"
        folder.mkdir(parents=True)
        outcomes = list(read_kinds(folder, write_files(folder)))
    print("| file | made by | passages | outside |\n|---|---|---|---|")
    for each in outcomes:
        shown = f"{each.passages} | {each.outside}" if each.document else "not read | "
        print(f"| {each.name} | {each.program} | {shown} |")
    read = [each for each in outcomes if each.document]
    names = {name.rpartition(".")[2] for each in read for name in [each.name]}
    text_formats = [one for one in FORMATS if one.extensions and not one.needs and one.media.kind != "code"]
    lacking = [one.name for one in text_formats if not names & {*one.extensions}]
    print(f"formats without a file here: {lacking}")
    outside, passages = sum(each.outside for each in read), sum(each.passages for each in read)
    unread = {each.name for each in outcomes if each.document is None}
    print(
        f"{len(read)} documents of {len({Path(each.name).suffix for each in read})} extensions, {passages} passages, {outside} outside; not read: {sorted(unread)}"
    )
    return int(outside > 0 or not unread <= {*NOT_READ, "birds.sqlite"})


if __name__ == "__main__":
    sys.exit(main())
