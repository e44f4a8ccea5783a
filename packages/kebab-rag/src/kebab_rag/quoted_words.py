"""Words of a quote in the lines of a source, though parsers read marks, links and callouts of Markdown otherwise.

White space, marks of Markdown and Unicode composition are ignored. Where lines do not hold a quote as it is written, they are
compared without tags, with the targets of links or without, and at last with other numbers of items.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import unescape
from itertools import accumulate, chain, product
from typing import NamedTuple
from unicodedata import normalize

from kebab_core import show_link

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LINE_MARK = re.compile(r"^[ \t>]*(?:(?:[-*+]|#{1,6})[ \t]+|(?<=>))", re.MULTILINE)
"""A bullet, a heading's or a quotation's mark at the beginning of a line."""
_ITEM_MARK = re.compile(rf"{_LINE_MARK.pattern}|^[ \t>]*\d{{1,9}}[.)][ \t]+(?!\d)", re.MULTILINE)
"""The same, or the number of an item: parsers count items that a file numbers 1, 1, 1. Not the beginning of a date."""
_LINK = re.compile(
    r"(!?)(?:\[([^\]]{0,300}+)\](?:\(\s{0,9}+<?([^)\s>]{0,1000}+)>?[^)\n]{0,300}+\)|\[[^\[\]\s]{0,300}+\])"
    r"|\[\[([^\[\]|]{1,500}+)(?:\|([^\[\]]{0,500}+))?\]\])"
)
_DEFINITION = re.compile(r"^[ \t]*\[([^\[\]]{1,300}+)\]:[ \t]*+<?([^\s<>]{1,1000}+)>?", re.MULTILINE)
"""The definition of a link, without the mark of its line."""
_CALLOUT = re.compile(r"^[ \t]*\[!([^\]\n]{1,100}+)\][+-]?[ \t]*+([^\n]{0,1000}+)", re.MULTILINE)
"""The head of a callout, without the mark of its line."""
_TAG = re.compile(r"</?[A-Za-z][\w-]{0,40}+(?:[\s/][^<>]{0,300})?>")
"""A tag of HTML; an address in such brackets is none."""
_IGNORED = re.compile(r"[\s`*_~\\<>]+")
"""White space, and marks of Markdown: ignored when texts are compared."""

_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_LINE_END = re.compile(r"\n")


_ENTITY = re.compile(r"&#?\w{1,32};?")
_COMPOSED = re.compile(r".[\u0300-\u036f\u1160-\u11ff\u3099\u309a]+", re.DOTALL)
_WORD = re.compile(r"\w")

_Step = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]
"""What is replaced in a line, and by what."""


class WordRange(NamedTuple):
    """Words in a line."""

    line: int
    """Its place among the lines, from 0."""
    start: int
    """Code point of the line."""
    end: int
    """Excluded."""


def find_places(claim: str, lines: Sequence[str]) -> list[tuple[int, int] | None]:
    """Find the lines that hold a claim word for word.

    Args:
        claim: Text of an answer. Its parts may be apart in the source: rows with others between them, paragraphs around
            text that a passage leaves out.
        lines: The cited lines.

    Returns:
        The first and last line, from 0, of the whole claim where it is in one place, else of each of its
        paragraphs or lines; None for a part that is not in the lines.
    """
    whole = find_lines(claim, lines)
    if whole is not None:
        return [whole]
    for separator in (_BLANK_LINES, _LINE_END):
        parts = [part for part in separator.split(claim) if part.strip()]
        if len(parts) > 1:
            return list(dict.fromkeys(chain.from_iterable(find_places(part, lines) for part in parts)))
    return [None]


def find_words(text: str, lines: Sequence[str]) -> list[WordRange]:
    """Find the words of a text, a range for each line that holds some, in the order of the text.

    Args:
        text: Text of a claim or of a quote. Parts of it that the lines do not hold have no range.
        lines: The cited lines.
    """
    for steps in _FOLDS:
        wanted = _fold(text, steps)
        folded = _fold_lines(lines, steps)
        at = "".join(folded).find(wanted) if wanted else -1
        if at >= 0:
            ends = list(accumulate(map(len, folded)))
            parts = (
                (line, max(0, at - end + len(each)), min(len(each), at + len(wanted) - end + len(each)))
                for line, (each, end) in enumerate(zip(folded, ends, strict=True))
            )
            return [
                WordRange(n, *_place_in(lines[n], first, last, steps))
                for n, first, last in parts
                if first < last
            ]
    for separator in (_BLANK_LINES, _LINE_END):
        parts_of = [part for part in separator.split(text) if _WORD.search(part)]
        if len(parts_of) > 1:
            return list(dict.fromkeys(chain.from_iterable(find_words(part, lines) for part in parts_of)))
    return []


def find_lines(claim: str, lines: Sequence[str]) -> tuple[int, int] | None:
    """Find the first and last line, from 0, of the shortest range that holds a claim word for word."""
    for steps in _FOLDS:
        folded = _fold_lines(lines, steps)
        wanted = _fold(claim, steps)
        if wanted and wanted in "".join(folded):
            last = next(end for end in range(len(folded)) if wanted in "".join(folded[: end + 1]))
            first = next(
                start for start in range(last, -1, -1) if wanted in "".join(folded[start : last + 1])
            )
            return first, last
    return None


def _fold_lines(lines: Sequence[str], steps: Sequence[_Step]) -> list[str]:
    return ["" if _FENCE.match(line) else _fold(line, steps) for line in lines]


def _fold(text: str, steps: Sequence[_Step]) -> str:
    text = normalize("NFC", text)
    for pattern, replace in steps:
        text = pattern.sub(replace, text)
    return text


def _place_in(line: str, first: int, last: int, steps: Sequence[_Step]) -> tuple[int, int]:
    """Return the place in a line of a range of its folded text."""
    text, places = line, list(range(len(line)))
    for pattern, replace in ((_COMPOSED, lambda found: normalize("NFC", found[0])), *steps):
        text, places = _replace_traced(pattern, replace, text, places)
    return places[first], places[last - 1] + 1


def _replace_traced(
    pattern: re.Pattern[str],
    replace: Callable[[re.Match[str]], str],
    text: str,
    places: Sequence[int],
) -> tuple[str, list[int]]:
    """Replace in a text as `re.sub` does, and say where each character comes from."""
    texts, kept, at = list[str](), list[int](), 0
    for found in pattern.finditer(text):
        new = replace(found)
        texts += [text[at : found.start()], new]
        kept += [*places[at : found.start()], *(places[each] for each in _align(new, found))]
        at = found.end()
    return "".join([*texts, text[at:]]), [*kept, *places[at:]]


def _align(new: str, found: re.Match[str]) -> Iterator[int]:
    """Yield for each character of a replacement where it stands in what it replaces, else where the one before stands."""
    at = max(found[0].find(new), 0) + found.start()
    for letter in new:
        place = found.string.find(letter, at, found.end())
        if place >= 0:
            at = place + 1
        yield max(at - 1, found.start())


def _name_callout(head: re.Match[str]) -> str:
    """Return the head of a callout as parsers write it: its kind, and its title where that does not begin with it."""
    kind, title = head[1].strip().capitalize(), head[2].strip()
    return title if title.casefold().startswith(kind.casefold()) else f"{kind}: {title}" if title else kind


def _show_target(link: re.Match[str]) -> str:
    """Return a link as parsers write it into the text of a passage; the target of a reference stands elsewhere."""
    mark, text, target, page, alias = link.groups()
    if page is not None:
        return show_link(alias or page, page)
    return text if target is None or (mark and ":" in target) else show_link(text, target)


def _show_text(link: re.Match[str]) -> str:
    return link[2] or link[5] or link[4] or ""


def _drop(_found: re.Match[str]) -> str:
    return ""


def _steps(mark: re.Pattern[str], show: Callable[[re.Match[str]], str]) -> tuple[_Step, ...]:
    return (
        (_ENTITY, lambda found: unescape(found[0])),
        (mark, _drop),
        (_CALLOUT, _name_callout),
        (_DEFINITION, lambda found: show_link(*found.groups())),
        (_LINK, show),
        (_TAG, _drop),
        (_IGNORED, _drop),
    )


_FOLDS: tuple[tuple[_Step, ...], ...] = (
    ((_LINE_MARK, _drop), (_IGNORED, _drop)),
    *(_steps(mark, show) for mark, show in product((_LINE_MARK, _ITEM_MARK), (_show_target, _show_text))),
)
"""Forms in which a claim and its lines are compared, the nearest to what is written first."""
