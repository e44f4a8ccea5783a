"""Questions about source code, and the definitions and uses that answer them.

Code answers as a block: the passage of a definition is quoted whole, or from its signature on where it is long. `reader`
calls `choose_code` before it weighs spans. Questions are about code where the passage that ranks first is code and
they ask where something is, what a named thing does or returns, or how it is used; all others are left to sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import MODULE_SYMBOL, TOP_LEVEL_SYMBOL, CodeCitation
from kebab_text import Sentence, SentenceKind, find_identifiers

from kebab_extractive.quotes import Quote, is_quotable

if TYPE_CHECKING:
    from kebab_extractive.passage import ReadPassage
    from kebab_extractive.question import Question

_MAX_QUOTED = 2
"""Most definitions or uses that are quoted."""
_MAX_WHOLE = 1200
"""Most code points of a passage that is quoted whole; of a longer one, so much from its signature on."""
_LINES_BEFORE, _LINES_AFTER = 3, 6
"""Lines around a use in a passage that is too long to be quoted whole."""
_NO_DEFINITION = frozenset({TOP_LEVEL_SYMBOL, MODULE_SYMBOL})
_PART = r"[A-Za-z_$][A-Za-z0-9_$]{0,80}+"
_IDENTIFIER = re.compile(_PART)
_CAPITALISED = re.compile(r"(?<![A-Za-z0-9_$.])[A-Z][A-Za-z0-9]{0,80}+")
_ASKS_USE = re.compile(
    r"^(?:how|where)\s{1,3}(?:is|are|do|does|can|to)\b.{1,120}\b(?:used?|called|call|invoked?|applied)\b"
    r"|(?:어떻게|어디\S{0,2})\s{1,3}(?:쓰|쓸|써|사용|호출|부르|불러|이용)",
    re.IGNORECASE,
)
_ASKS_RETURN = re.compile(r"\breturns?\b|반환|돌려\s?(?:주|줘|줍)|리턴", re.IGNORECASE)
_ASKS_NAMED = re.compile(
    r"^(?:what|how)\s{1,3}(?:do|does|is|are)\b|하는\s{1,3}(?:일|역할|작업)|무엇을|무슨\s{1,3}(?:일|역할)|뭘|뭐\s?하|뭐를"
    r"|역할|동작|작동|설명",
    re.IGNORECASE,
)
_ASKS_WHERE = re.compile(
    r"^(?:where|in\s{1,3}(?:which|what)\s{1,3}(?:file|function|class|module))\b"
    r"|^(?:which|what)\s{1,3}(?:function|method|class|struct|type|module|macro|constant|code|file)s?\b"
    r"|어디|(?:어느|어떤|무슨)\s{1,3}(?:함수|메서드|메소드|클래스|구조체|모듈|매크로|상수|코드|파일)"
    r"|(?:함수|메서드|메소드|클래스|구조체|매크로)(?:는|은|가|이)?\s{0,3}(?:무엇|뭐|어느|어떤|$|\?)",
    re.IGNORECASE,
)
_CALLED = r"\s?(?:[(\[{<!.]|::|->)"
"""What follows a name that is called, made or looked into."""
_GIVEN = (
    r"\s*+(?:[\w<>\[\],.&*:]{{1,80}}+\s++){{0,6}}{name}\s*+(?::[^=\n]{{0,200}})?:?=(?!=)"
    r"|\s*+#\s{{0,9}}define\s{{1,9}}{name}\b"
)
"""A line that gives a name its value, in the form of `str.format`; also where a macro is defined."""
_COMMENT = re.compile(r"\s*+(?:#(?![a-z!\[])|//|/?\*|--|@|#\[|\"\"\"|'''|<!--)")
"""Beginning of a line above a signature: a comment, a decorator, an attribute."""


@dataclass(frozen=True)
class _Code:
    """A passage of source code in the evidence."""

    rank: int
    read: ReadPassage
    citation: CodeCitation

    @property
    def names(self) -> tuple[str, ...]:
        """Parts of its symbol; empty for lines outside of definitions."""
        symbol = self.citation.symbol or ""
        return () if symbol in _NO_DEFINITION else _parts(symbol)

    @property
    def lines(self) -> list[str]:
        """Its lines, with their ends."""
        return self.read.passage.text.splitlines(keepends=True)

    def defines(self, name: Sequence[str]) -> bool:
        """Return True if its symbol is a name, or ends with it."""
        return list(self.names[-len(name) :]) == list(name)

    def line_of(self, name: str, then: str = "") -> int | None:
        """Return the index of the first line of code that holds a name, followed by a pattern; comments do not count."""
        return next(self._lines_of(name, then), None)

    def line_of_use(self, name: str) -> int | None:
        """Return the index of the first line that holds a name and does not give it its value."""
        given = _gives(name)
        return next((n for n in self._lines_of(name, "") if not given.match(self.lines[n])), None)

    def _lines_of(self, name: str, then: str) -> Iterator[int]:
        whole = re.compile(rf"(?<![A-Za-z0-9_$]){re.escape(name)}(?![A-Za-z0-9_$]){then}")
        return (n for n, line in enumerate(self.lines) if whole.search(line) and not _COMMENT.match(line))

    def quote(self, first: int, last: int) -> Quote:
        """Return lines of the passage as a quote, both included."""
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line))
        text = self.read.passage.text[starts[first] : starts[last + 1]]
        start = starts[first] + len(text) - len(text.lstrip("\n"))
        sentence = Sentence(start, starts[first] + len(text.rstrip()), SentenceKind.CODE)
        return Quote(self.read.passage, ((sentence,),))

    def quote_from(self, signature: int) -> Quote:
        """Return the passage whole, or from its signature on, as far as there is room."""
        lines = self.lines
        first = 0 if len(self.read.passage.text) <= _MAX_WHOLE else signature
        last, length = first, len(lines[first])
        while last + 1 < len(lines) and length + len(lines[last + 1]) <= _MAX_WHOLE:
            last += 1
            length += len(lines[last])
        return self.quote(first, last)


def choose_code(question: Question, passages: Sequence[ReadPassage]) -> list[Quote] | None:
    """Return the code that answers a question: at most two passages, parts of one definition in their order.

    None for a question that is not about code, or that nothing answers surely; empty where it names something that no
    passage holds.
    """
    code = [
        _Code(rank, read, read.passage.citation)
        for rank, read in enumerate(passages)
        if isinstance(read.passage.citation, CodeCitation) and is_quotable(read.passage.text)
    ]
    if not code or code[0].rank:
        return None
    text = question.text.strip()
    asks_use = _ASKS_USE.search(text) is not None
    if not (asks_use or _ASKS_WHERE.search(text) or _ASKS_RETURN.search(text) or _ASKS_NAMED.search(text)):
        return None
    for name in _may_be_names(text):
        if found := (_uses(code, name) if asks_use else []) or _definitions(code, name, text):
            return found
    if not all(_is_held(passages, _parts(name)) for name in find_identifiers(text)):
        return []
    return None


def _may_be_names(text: str) -> list[tuple[str, ...]]:
    """Return the words of a question that may be names: those that only code has, then words with a capital."""
    words = (*find_identifiers(text), *_CAPITALISED.findall(text))
    return list(dict.fromkeys(map(_parts, words)))


def _parts(symbol: str) -> tuple[str, ...]:
    return tuple(_IDENTIFIER.findall(symbol))


def _is_held(passages: Sequence[ReadPassage], name: Sequence[str]) -> bool:
    """Return True if any passage, its title or headings hold the last part of a name, in any case."""
    last = name[-1].casefold()
    return any(
        last in "\n".join((read.passage.title, *read.passage.heading_path, read.passage.text)).casefold()
        for read in passages
    )


def _definitions(code: Sequence[_Code], name: tuple[str, ...], text: str) -> list[Quote]:
    """Return the definition of a name: the part with its signature, and for what it returns the part that says so.

    A name that is no unit of its own, such as a constant, is quoted from the line that gives it a value.
    """
    defining = [each for each in code if each.defines(name)]
    if not defining:
        return _constant(code, name[-1])
    best = defining[0]
    parts = sorted(
        (each for each in defining if _same_symbol(each, best)), key=lambda each: each.citation.line_start
    )
    chosen = [parts[0]]
    if len(parts) > 1 and _ASKS_RETURN.search(text):
        chosen += [each for each in reversed(parts[1:]) if "return" in each.read.passage.text][:1]
    else:
        others = [each for each in defining if not _same_symbol(each, best) and each.names == best.names]
        texts = {each.read.passage.text for each in parts}  # of another checkout they are the same
        chosen += [each for each in others if each.read.passage.text not in texts][: _MAX_QUOTED - 1]
    return [each.quote_from(each.line_of(name[-1]) or 0) for each in chosen]


def _same_symbol(one: _Code, other: _Code) -> bool:
    return (one.citation.source_id, one.citation.path, one.names) == (
        other.citation.source_id,
        other.citation.path,
        other.names,
    )


def _gives(name: str) -> re.Pattern[str]:
    """Return the pattern of a line that gives a name its value."""
    return re.compile(_GIVEN.format(name=re.escape(name)))


def _constant(code: Sequence[_Code], name: str) -> list[Quote]:
    """Return the lines that give a name its value, with the comment above."""
    given = _gives(name)
    for each in code:
        lines = each.lines
        for number, line in enumerate(lines):
            if given.match(line):
                first = last = number
                while first and _COMMENT.match(lines[first - 1]):
                    first -= 1
                while last + 1 < len(lines) and lines[last + 1].strip() and last - number < _LINES_AFTER:
                    last += 1
                return [each.quote(first, last)]
    return []


def _uses(code: Sequence[_Code], name: tuple[str, ...]) -> list[Quote]:
    """Return the definitions that call another one, or name something of it, else those that hold its name; each file once."""
    others = [each for each in code if each.names and not each.defines(name)]
    called = [(each, each.line_of(name[-1], _CALLED)) for each in others]
    if all(at is None for _, at in called):
        called = [(each, each.line_of_use(name[-1])) for each in others]
    found: dict[str, Quote] = {}
    for each, at in called:
        if at is None or each.citation.path in found:
            continue
        is_short = len(each.read.passage.text) <= _MAX_WHOLE // 2
        first = 0 if is_short else max(at - _LINES_BEFORE, 0)
        last = len(each.lines) - 1 if is_short else min(at + _LINES_AFTER, len(each.lines) - 1)
        found[each.citation.path] = each.quote(first, last)
    return list(found.values())[:_MAX_QUOTED]
