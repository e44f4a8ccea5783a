"""The same notes in each format: `python -m bench.same_notes NOTES SUITE... [--limit N] [--keep DIR]`.

Writes Markdown notes as HTML, EPUB, DOCX and HWPX too, ingests each format into a knowledge base of its own without
vectors, and asks the questions of suites; exit code 1 unless the first hit is the same note in every format.
"""

from __future__ import annotations

import argparse
import html
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import yaml
from kebab_app import App
from kebab_config import load_settings
from kebab_core import Block, CodeBlock, HeadingBlock, ListBlock, TableBlock
from kebab_parse_md import MarkdownExtractor
from kebab_testing.documents import make_context

SHOWN = 10


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("notes", type=Path)
    parser.add_argument("suites", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=30, help="questions of each suite")
    parser.add_argument("--keep", type=Path, help="folder for notes and knowledge bases")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = asked.keep or Path(scratch)
        queries = [query for suite in asked.suites for query in read_queries(suite)[: asked.limit]]
        found = {kind: first_hits(home / kind, asked.notes, kind, queries) for kind in ["md", *WRITERS]}
    return report(queries, found)


def read_queries(suite: Path) -> list[str]:
    entries = yaml.safe_load(suite.read_text("utf-8"))["queries"]
    return [entry["query"] for entry in entries if entry.get("expected_doc_ids")]


def first_hits(home: Path, notes: Path, kind: str, queries: Iterable[str]) -> list[str]:
    for path in sorted(notes.rglob("*.md")):
        target = home / "notes" / path.relative_to(notes).with_suffix(f".{kind}")
        target.parent.mkdir(parents=True, exist_ok=True)
        if kind == "md":
            target.write_bytes(path.read_bytes())
        else:
            WRITERS[kind](target, *read_note(path))
    config = home / "kebab.toml"
    config.write_text(
        f'[workspace]\nroot = "{home}/notes"\n[storage]\ndata_dir = "{home}/data"\n'
        '[models.embedding]\nprovider = "none"\n',
        "utf-8",
    )
    with App(load_settings(config_path=config, environ={"HOME": str(home)})) as app:
        app.ingest()
        hits = [app.search(query).hits for query in queries]
        return [str(each[0].doc_path).rpartition(".")[0] if each else "" for each in hits]


def read_note(path: Path) -> tuple[str, tuple[Block, ...]]:
    # the title goes into the property of the format that holds one
    content = path.read_bytes()
    note = MarkdownExtractor().extract(make_context(content, path=path.name), content)
    return note.title, note.blocks


def report(queries: list[str], found: dict[str, list[str]]) -> int:
    wrong = 0
    for kind, names in found.items():
        others = [
            (query, name, same)
            for query, name, same in zip(queries, names, found["md"], strict=True)
            if name != same
        ]
        print(f"{kind}: {len(queries) - len(others)} of {len(queries)} first hits as in Markdown", flush=True)
        for query, name, same in others[:SHOWN]:
            print(f"  {query!r}: {name or 'nothing'}, not {same or 'nothing'}")
        wrong += len(others)
    return int(wrong > 0)


def write_html(target: Path, title: str, blocks: tuple[Block, ...]) -> None:
    target.write_text(page_of(title, blocks), "utf-8")


def page_of(title: str, blocks: tuple[Block, ...]) -> str:
    body = "\n".join(map(_element, blocks))
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head>'
        f"<title>{html.escape(title)}</title></head>\n<body>\n{body}\n</body></html>\n"
    )


def _element(block: Block) -> str:
    escape = html.escape
    match block:
        case HeadingBlock(level=level, text=text):
            return f"<h{level}>{escape(text)}</h{level}>"
        case CodeBlock(code=code):
            return f"<pre><code>{escape(code)}</code></pre>"
        case ListBlock(items=items, ordered=ordered):
            name = "ol" if ordered else "ul"
            return f"<{name}>{''.join(f'<li>{escape(_words(item.text))}</li>' for item in items)}</{name}>"
        case TableBlock(headers=headers, rows=rows):
            head = "".join(f"<th>{escape(cell)}</th>" for cell in headers)
            body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
            return f"<table><tr>{head}</tr>{body}</table>"
    return f"<p>{escape(str(getattr(block, 'text', '')))}</p>"


def _words(item: str) -> str:
    # the number of an item is part of its text in Markdown
    number, _, rest = item.partition(" ")
    return rest if number.rstrip(".)").isdigit() else item


def write_epub(target: Path, title: str, blocks: tuple[Block, ...]) -> None:
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">note</dc:identifier>'
        f"<dc:title>{html.escape(title)}</dc:title></metadata><manifest>"
        '<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="one"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles><rootfile '
        'full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr("META-INF/container.xml", container)
        archive.writestr("book.opf", opf)
        archive.writestr("one.xhtml", page_of(title, blocks))


def write_docx(target: Path, title: str, blocks: tuple[Block, ...]) -> None:
    from docx import Document

    document = Document()
    document.core_properties.title = title
    for block in blocks:
        match block:
            case HeadingBlock(level=level, text=text):
                document.add_heading(text, level)
            case CodeBlock(code=code):
                document.add_paragraph(code)
            case ListBlock(items=items, ordered=ordered):
                for item in items:
                    document.add_paragraph(
                        _words(item.text), style="List Number" if ordered else "List Bullet"
                    )
            case TableBlock(headers=headers, rows=rows):
                table = document.add_table(0, len(headers))
                for row in (headers, *rows):
                    for cell, text in zip(table.add_row().cells, row, strict=False):
                        cell.text = text
            case _:
                document.add_paragraph(str(getattr(block, "text", "")))
    document.save(str(target))


def write_hwpx(target: Path, _title: str, blocks: tuple[Block, ...]) -> None:
    from hwpx.document import HwpxDocument

    document = HwpxDocument.new()

    def add(text: str) -> None:
        # the library gives a paragraph the style of the one before it, unless told otherwise
        document.add_paragraph(text, para_pr_id_ref=0, style_id_ref=0)

    for block in blocks:
        match block:
            case HeadingBlock(level=level, text=text):
                document.add_heading(text, level=level)
            case CodeBlock(code=code):
                add(code)
            case ListBlock(items=items):
                for item in items:
                    add(f"- {_words(item.text)}")
            case TableBlock(headers=headers, rows=rows):
                table = document.add_table(1 + len(rows), len(headers))
                for number, row in enumerate((headers, *rows)):
                    for column, text in enumerate(row[: len(headers)]):
                        table.set_cell_text(number, column, text)
            case _:
                add(str(getattr(block, "text", "")))
    document.save_to_path(str(target))


WRITERS: dict[str, Callable[[Path, str, tuple[Block, ...]], None]] = {
    "html": write_html,
    "epub": write_epub,
    "docx": write_docx,
    "hwpx": write_hwpx,
}


if __name__ == "__main__":
    sys.exit(main())
