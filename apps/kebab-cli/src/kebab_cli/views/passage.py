"""The passage of a hit as lines behind a bar: lists, tables and code line by line, paragraphs as wide as the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

from kebab_cli.render import Console, safe

if TYPE_CHECKING:
    from kebab_core import MatchedRange
    from rich.text import Text

_BAR = "▎ "
_STRUCTURE = re.compile(r"\s*(?:[-*+>|#`~]|\d+[.)]|[\[({}]|$)|\s{2,}")
"""How lines begin that are no sentence going on: items, headings, tables, code."""
_HANGING = re.compile(r"\s*(?:(?:[-*+]|\d+[.)])\s+)?")
"""White space and the mark of an item: what wraps is set below the words behind it."""
_CODE_END = re.compile(r"[;{}()\[\]=|\\]\s*$")
_EMPTY_ITEM = re.compile(r"\n[ \t\-*+#>|.\d)]*…$")
"""End of a snippet that shows nothing of its last line but a mark."""
_CUT = "…"
_SOFT_WRAP_COLUMNS = 60
"""A shorter line was not broken to fit an editor: verses, addresses, code."""


def passage_lines(
    console: Console, text: str, matched: Sequence[MatchedRange], *, indent: int, is_code: bool = False
) -> Iterator[str]:
    """Lay a passage out in lines; on a terminal wrapped to its width, with the matches in colour.

    Args:
        console: Of the command.
        text: Of a document, safe or not.
        matched: Ranges of it in code points, half open.
        indent: Columns in front of each line, which the caller prints.
        is_code: Whether every line is one of its own.

    Yields:
        The lines, without blank ones.
    """
    shown = safe(text) if is_code else _join_paragraphs(_EMPTY_ITEM.sub("…", safe(text)))
    bar = console.style(_BAR, dim=True)
    if not console.terminal:
        yield from (f"{_BAR}{line.rstrip()}" for line in shown.split("\n") if line.strip())
        return
    from rich.text import Text

    styled = Text(shown.replace("\t", " "), no_wrap=False)
    for match in matched:
        styled.stylize("bold red" if console.color else "bold", match.start, match.end)
    for line in styled.split("\n"):
        if line.plain.strip():
            yield from (f"{bar}{part}" for part in _wrap(console, line, console.width - indent - len(_BAR)))


def _join_paragraphs(text: str) -> str:
    """Replace the line ends inside of paragraphs by spaces, one by one, so that ranges of the text stay the same."""
    lines = text.split("\n")
    joined = lines[0]
    for before, line in pairwise(lines):
        is_full = before.startswith(_CUT) or _count_columns(before) >= _SOFT_WRAP_COLUMNS
        goes_on = is_full and not _CODE_END.search(before) and not before.startswith("|")
        joined += (" " if goes_on and not _STRUCTURE.match(line) else "\n") + line
    return joined


def _count_columns(line: str) -> int:
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in line)


def _wrap(console: Console, line: Text, columns: int) -> Iterator[str]:
    """Wrap a line by the width of its letters.

    Yields:
        Its rows; each after the first is set below the first word of the line.
    """
    from rich.cells import cell_len
    from rich.console import Console as RichConsole

    rich = RichConsole(
        width=columns, force_terminal=True, highlight=False, no_color=not console.color, legacy_windows=False
    )
    line.rstrip()
    found = _HANGING.match(line.plain)
    hanging = found[0] if found is not None and 2 * cell_len(found[0]) < columns else ""
    first, body = line.divide([len(hanging)])
    for number, part in enumerate(body.wrap(rich, columns - cell_len(hanging))):
        part.rstrip()
        with rich.capture() as capture:
            rich.print(part, end="")
        yield (first.plain if number == 0 else " " * cell_len(hanging)) + capture.get()
