"""Source trees as kebab reads them: what is parsed, what is broken, and whether every line is in exactly one unit.

    python -m bench.code_trees FOLDER...
    python -m bench.code_trees --worst 20 FOLDER...

Every file below the folders that is source code by its name is read by the extractor that kebab takes for it, in this process.
The table has a row for each folder and language: files, bytes, files that were parsed, parsed with broken places, and read
as text; the share of bytes that the grammar could not read, and of lines in units without a symbol; units; lines that are
in no unit or in two; files that failed; files a second of CPU time. It ends with 1 if a line or a file was lost.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kebab_core import CanonicalDocument, CodeMedia, CodeSpan, UnsupportedMediaError, media_type_of
from kebab_parse import decode_text, normalize_text
from kebab_parse_code import LANGUAGES, CodeExtractor, TextCodeExtractor, error_rows, parse
from kebab_testing.documents import make_context

HEAD = "{:34}{:>7}{:>9}{:>8}{:>8}{:>6}{:>9}{:>9}{:>8}{:>6}{:>7}{:>9}"


@dataclass
class Row:
    """Counts of the files of one language in one folder."""

    files: int = 0
    size: int = 0
    parsed: int = 0
    broken: int = 0
    text: int = 0
    error_bytes: int = 0
    lines: int = 0
    broken_lines: int = 0
    units: int = 0
    lost: int = 0
    """Lines that are not blank and in no unit, and lines in two."""
    failed: int = 0
    seconds: float = 0.0
    worst: list[tuple[int, str]] = field(default_factory=list)
    """Unread bytes of files, with their names."""

    def add(self, other: Row) -> None:
        """Add the counts of another row."""
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)

    def format(self, name: str) -> str:
        """Return the row of the table."""
        return HEAD.format(
            name,
            self.files,
            f"{self.size / 1000:.0f} kB",
            self.parsed,
            self.broken,
            self.text,
            f"{100 * self.error_bytes / max(self.size, 1):.2f} %",
            f"{100 * self.broken_lines / max(self.lines, 1):.2f} %",
            self.units,
            self.lost,
            self.failed,
            f"{self.files / max(self.seconds, 1e-9):.0f}",
        )


def find_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the source files below a folder with their languages, in order."""
    for path in sorted(folder.rglob("*")):
        media = media_type_of(path.name)
        if isinstance(media, CodeMedia) and path.is_file() and not path.is_symlink():
            yield path, media.lang


def read_file(path: Path, lang: str, name: str) -> Row:
    """Read a file and check its units."""
    content = path.read_bytes()
    row = Row(files=1, size=len(content))
    context = make_context(content, path=name, media_type=CodeMedia(lang=lang))
    rules = LANGUAGES.get(lang)
    extractor = TextCodeExtractor() if rules is None else CodeExtractor(rules)
    start = time.process_time()
    try:
        document = extractor.extract(context, content)
    except UnsupportedMediaError as error:
        print(f"{name}: {error}", file=sys.stderr)
        row.failed = 1
        return row
    row.seconds = time.process_time() - start
    source = normalize_text(decode_text(content).text)
    row.lines = sum(1 for line in source.split("\n") if line.strip())
    row.lost = count_lost_lines(source.split("\n"), document)
    row.units = len(document.blocks)
    if rules is None:
        row.text = 1
        return row
    _, root = parse(rules, context.asset.workspace_path, source.removesuffix("\n").encode() + b"\n")
    row.error_bytes = sum(count for _, count in error_rows(root))
    row.parsed, row.broken = int(not root.has_error), int(root.has_error)
    row.broken_lines = sum(
        span.line_end - span.line_start + 1
        for block in document.blocks
        if isinstance(span := block.source_span, CodeSpan) and span.symbol is None
    )
    row.worst = [(row.error_bytes, name)]
    return row


def count_lost_lines(lines: list[str], document: CanonicalDocument) -> int:
    """Count the lines that are not in exactly one unit; blank ones may be in none."""
    counts = [0] * len(lines)
    for block in document.blocks:
        if isinstance(span := block.source_span, CodeSpan):
            for row in range(span.line_start - 1, span.line_end):
                counts[row] += 1
    return sum(
        count > 1 or (count == 0 and line.strip() != "") for count, line in zip(counts, lines, strict=True)
    )


def main() -> int:
    """Read the folders and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--worst", type=int, default=0, help="files with the most unread bytes to list")
    arguments = parser.parse_args()
    print(
        HEAD.format(
            "",
            "files",
            "bytes",
            "parsed",
            "broken",
            "text",
            "unread",
            "no symb",
            "units",
            "lost",
            "failed",
            "files/s",
        )
    )
    total, by_lang = Row(), defaultdict[str, Row](Row)
    for folder in arguments.folders:
        rows = defaultdict[str, Row](Row)
        for path, lang in find_files(folder):
            rows[lang].add(read_file(path, lang, f"{folder.name}/{path.relative_to(folder)}"))
        for lang, row in sorted(rows.items()):
            print(row.format(f"{folder.name} {lang}"), flush=True)
            by_lang[lang].add(row)
            total.add(row)
    for lang, row in sorted(by_lang.items()):
        print(row.format(f"all {lang}"))
    print(total.format("all"))
    for count, name in sorted(total.worst, reverse=True)[: arguments.worst]:
        print(f"{count:>9} {name}")
    return int(total.lost > 0 or total.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
