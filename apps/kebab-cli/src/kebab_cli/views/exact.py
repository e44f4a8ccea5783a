"""Lines that have a text as it is written: `kebab search --exact`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message, shown_address, shown_fragment

from kebab_cli.language import tr
from kebab_cli.render import Console, columns_of, count_of, one_line, safe_name, show_note
from kebab_cli.views.search import name_places

if TYPE_CHECKING:
    from kebab_app import LiteralResult

_SHOWN_LINES = 5
"""Lines of each document; `--all` prints all of them."""
_SHOWN_COPIES = 3
_BAR = "▎ "


def render_exact(console: Console, result: LiteralResult, *, limit: int, every_line: bool) -> None:
    """Print documents with the number of matches, and their lines with line numbers.

    Args:
        console: Of the command.
        result: Documents by source and path.
        limit: Documents that are printed.
        every_line: Print every line of each.
    """
    for rank, found in enumerate(result.documents[:limit], start=1):
        shown = found.lines if every_line else found.lines[:_SHOWN_LINES]
        count = tr("{count} match", plural="{count} matches", count=found.matches)
        console.line(f"{rank}. {console.style(one_line(found.entry.title), bold=True)}  {count}")
        console.line(f"   {console.style(safe_name(shown_address(found.address)), fg='cyan')}")
        if found.copies:
            copies = [copy.to_address() for copy in found.copies[:_SHOWN_COPIES]]
            same = tr("same text in {places}", places=name_places(copies, len(found.copies)))
            console.line(f"   {console.style(same, dim=True)}")
        places = [safe_name(shown_fragment(line.fragment).removeprefix("L")) for line in shown]
        width = max(map(columns_of, places))
        named = None
        for line, place in zip(shown, places, strict=True):
            if line.header_row is not None and line.header_row != named:
                columns = console.fit(one_line(line.header_row.text), used=width + 6)
                console.line(console.style(f"{' ' * (width + 6)}{columns}", dim=True))
            named = line.header_row
            bar = console.style(f"{' ' * (width - columns_of(place))}{place} {_BAR}", dim=True)
            console.line(
                f"   {bar}{_highlight(console, line.text, [(m.start, m.end) for m in line.matched])}"
            )
        if rest := len(found.lines) - len(shown):
            console.line("   " + console.style(tr("+ {count} more (--all)", count=rest), dim=True))
        console.line()
    total = tr("{count} match", plural="{count} matches", count=result.match_count)
    documents = tr(
        "{found} of {documents}",
        found=result.document_count,
        documents=count_of(result.searched, "document"),
    )
    console.line(console.style(f"{total}  {documents}", dim=True))
    if len(result.documents) > limit:
        show_note(
            console, Message("{count} more documents have it (-k)", count=len(result.documents) - limit)
        )
    if result.unread:
        names = ", ".join(safe_name(entry.to_address()) for entry in result.unread[:3])
        show_note(
            console,
            Message(
                "{count} documents could not be read, such as {names} (kebab doctor)",
                count=len(result.unread),
                names=names,
            ),
        )


def _highlight(console: Console, text: str, ranges: list[tuple[int, int]]) -> str:
    """Return a line with its matches in colour; what does not fit a terminal is cut."""
    parts, at = [], 0
    for start, end in ranges:
        parts += [one_line(text[at:start]), console.style(one_line(text[start:end]), fg="red", bold=True)]
        at = end
    return "".join([*parts, one_line(text[at:])])
