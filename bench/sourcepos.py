"""Lines of blocks, compared with `cmark-gfm --sourcepos` on Markdown files and on the examples of CommonMark's text.

Top-level blocks and list items are compared: what they are, their first line, their last. Blank lines at the end of
a block do not count. What kebab does on purpose in another way is counted under its reason (`EXPECTED`).
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree as ET

from kebab_app import SystemClock
from kebab_core import (
    CanonicalDocument,
    ExtractContext,
    FileUri,
    LineSpan,
    ListBlock,
    MarkdownMedia,
    RawAsset,
    ReferenceStorage,
    WorkspacePath,
    asset_id_for,
    hash_bytes,
)
from kebab_parse import decode_text
from kebab_parse_md import MarkdownExtractor

XML = ["--sourcepos", "-t", "xml"]
GFM = ["cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "footnotes", *XML]
PLAIN = ["cmark", *XML]
"""Asked where kebab and cmark-gfm differ: that one follows an older text of CommonMark."""
NAMES = {
    "heading": "heading",
    "list": "list",
    "code_block": "code",
    "table": "table",
    "block_quote": "quote",
    "footnote": "paragraph",
    "paragraph": "paragraph",
    "html_block": "html",
    "thematic_break": "rule",
}
EXPECTED = {
    "rule": "a thematic break shows nothing and is left out",
    "html": "HTML is as many lines as it has visible words, or none",
    "heading": "cmark counts a line too many where a heading is underlined",
    "blank": "a block without visible text is left out",
    "footnote": "cmark drops footnotes that nothing refers to",
    "bar": "a line of nothing but a bar is an empty row of a table, and the end of one to cmark-gfm",
    "definition": "cmark's paragraph begins with the link definitions above it, which show nothing",
}
LINE_END = re.compile(r"\r\n?|\n")
Lines = tuple[int, int]


@dataclass(frozen=True)
class Found:
    """A block as one of the two parsers sees it; lines are 1-based and inclusive."""

    kind: str
    lines: Lines
    items: tuple[Lines, ...] = ()
    is_blank: bool = False


EXTRACTOR = MarkdownExtractor()


def read_ours(content: bytes) -> list[Found]:
    now, checksum = SystemClock().now(), hash_bytes(content)
    asset = RawAsset(
        asset_id=asset_id_for(checksum),
        source_uri=FileUri(path="/a.md"),
        workspace_path=WorkspacePath("a.md"),
        media_type=MarkdownMedia(),
        byte_len=len(content),
        checksum=checksum,
        discovered_at=now,
        stored=ReferenceStorage(path="/a.md", sha=checksum),
    )
    context = ExtractContext(asset=asset, file_created_at=now, file_modified_at=now, extracted_at=now)
    return list(_ours(EXTRACTOR.extract(context, content)))


def _ours(document: CanonicalDocument) -> Iterator[Found]:
    for block in document.blocks:
        items = block.items if isinstance(block, ListBlock) else ()
        kind = "paragraph" if block.kind == "image_ref" else block.kind
        yield Found(kind, _span(block.source_span), tuple(_span(item.source_span) for item in items))


def _span(span: object) -> Lines:
    if not isinstance(span, LineSpan):
        raise TypeError(span)
    return span.start, span.end


def read_theirs(text: str, command: list[str]) -> list[Found]:
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    # This version knows no name for its footnotes, and writes controls that XML cannot hold.
    xml = re.sub(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", b"?", done.stdout.replace(b"<unknown>", b"footnote"))
    xml = re.sub(rb"\xef\xbf[\xbe\xbf]", b"?", xml)
    lines = LINE_END.split(text)
    return [_theirs(node, lines) for node in ET.fromstring(xml)]  # noqa: S314 - cmark wrote it


def _theirs(node: ET.Element, lines: list[str]) -> Found:
    name = _name(node)
    items = tuple(_position(item, lines) for item in node if name == "list" and not _is_blank(item))
    return Found(NAMES[name], _position(node, lines), items, _is_blank(node))


def _name(node: ET.Element) -> str:
    return node.tag.rpartition("}")[2]


def _is_blank(node: ET.Element) -> bool:
    shown = ("text", "code", "code_block", "image", "footnote")
    return not any(_name(n) == "image" or (_name(n) in shown and (n.text or "").strip()) for n in node.iter())


def _position(node: ET.Element, lines: list[str]) -> Lines:
    start, end = (int(place.split(":")[0]) for place in node.attrib["sourcepos"].split("-"))
    end = min(max(end, start), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    return start, end


@dataclass
class Score:
    """Counts of a comparison."""

    equal: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Take another's counts in."""
        self.equal += other.equal
        self.expected += other.expected
        self.different += other.different


def compare(name: str, content: bytes) -> Score:
    ours = read_ours(content)
    text = without_front_matter(decode_text(content).text, ours)
    score = compare_blocks(name, ours, read_theirs(text, GFM), text)
    if score.different:
        plain = compare_blocks(name, ours, read_theirs(text, PLAIN), text)
        score = score if plain.different else plain
    return score


def compare_blocks(name: str, ours: list[Found], theirs: list[Found], text: str) -> Score:
    score, matched = Score(), set[int]()
    theirs_at, lines = {found.lines[0]: found for found in theirs}, LINE_END.split(text)
    for mine in ours:
        other = theirs_at.get(mine.lines[0])
        if other is not None and (mine.kind, mine.lines, mine.items) == (
            other.kind,
            other.lines,
            other.items,
        ):
            score.equal[mine.kind] += 1
            matched.add(mine.lines[0])
            continue
        reason, start = _reason_for(mine, theirs, lines)
        matched.add(start)
        if reason:
            score.expected[reason] += 1
        else:
            score.different.append(f"{name}: {mine} but cmark {other}")
    for other in theirs:
        if other.lines[0] in matched:
            continue
        if other.kind in {"rule", "html"} or other.is_blank:
            score.expected[other.kind if other.kind in {"rule", "html"} else "blank"] += 1
        elif lines[other.lines[0] - 1].strip() == "|":
            score.expected["bar"] += 1
        else:
            score.different.append(f"{name}: nothing for cmark's {other}")
    return score


def _reason_for(mine: Found, theirs: list[Found], lines: list[str]) -> tuple[str, int]:
    """Return why they differ, empty where nothing is known, and where the other one begins."""
    start, end = mine.lines
    for other in theirs:
        is_heading = mine.kind == "heading" and end > start
        if (
            other.kind == "html"
            and mine.kind == "paragraph"
            and other.lines[0] <= start <= end <= other.lines[1] + 1
        ):
            return "html", other.lines[0]
        if other.kind == mine.kind and other.lines[1] in {end, end + is_heading} and other.lines[0] <= start:
            if other.lines[0] == start:
                return ("heading" if is_heading else ""), start
            if lines[other.lines[0] - 1].lstrip().startswith("["):
                return "definition", other.lines[0]
    if mine.kind == "table" and lines[end - 1].strip() == "|":
        return "bar", start
    is_footnote = mine.kind == "paragraph" and lines[start - 1].lstrip().startswith("[^")
    return ("footnote" if is_footnote else ""), 0


def without_front_matter(text: str, ours: list[Found]) -> str:
    """Return the text with blank lines for front matter, where kebab saw some."""
    lines = LINE_END.split(text)
    if lines[0].rstrip() not in {"---", "+++"}:
        return text
    close = next(
        (at for at, line in enumerate(lines[1:], 2) if line.rstrip() in {lines[0].rstrip(), "..."}), 0
    )
    if any(found.lines[0] <= close for found in ours):
        return text
    return "\n".join([""] * close + lines[close:])


def examples(spec: Path) -> Iterator[tuple[str, bytes]]:
    text = spec.read_text(encoding="utf-8")
    fenced = re.findall(r"^`{32} example\n(.*?)^\.\n.*?^`{32}$", text, re.MULTILINE | re.DOTALL)
    for number, markdown in enumerate(fenced, 1):
        yield f"example {number}", markdown.replace("→", "\t").encode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "places", type=Path, nargs="+", help="folders of .md files; spec.txt is read as examples"
    )
    parser.add_argument("--show", type=int, default=20, help="differences to print")
    options = parser.parse_args()
    score = Score()
    texts = 0
    for place in options.places:
        found = (
            examples(place)
            if place.name == "spec.txt"
            else ((str(path), path.read_bytes()) for path in sorted(place.rglob("*.md")))
        )
        for name, content in found:
            texts += 1
            score.add(compare(name, content))
    print(f"{texts} texts, {sum(score.equal.values())} blocks equal {dict(score.equal)}")
    for reason, count in score.expected.most_common():
        print(f"{count:7} expected: {EXPECTED[reason]}")
    print(f"{len(score.different):7} different")
    for line in score.different[: options.show]:
        print(f"  {line}")
    sys.exit(bool(score.different))


if __name__ == "__main__":
    main()
