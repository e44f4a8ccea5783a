"""Words of claims and of what they cite, and whether a claim is a statement of a source in its words and their order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from kebab_core import Analyzer, TermKind
from kebab_text import has_hangul

from kebab_rag.facts import read_facts

_MOST_COMPARED = 8
"""Sources that a claim is compared with: those that share most words with it."""
NEGATION = re.compile(
    r"(?P<before>\b(?:not|never|no|none|nor|neither|cannot|without|nothing|nobody|unable|\w+n['’]t)\b(?!\s+only\b)|(?<!\w)(?:안|못)(?=\s))"
    r"|않|없|아니[고며다]|아닙|아닌|못하|못했|못합|지\s말|마세요|금지|불가|(?<!\w)X(?!\w)",
    re.IGNORECASE,
)
"""`before` stands before what it negates, the others behind."""
_LIMIT = re.compile(
    r"\b(?:only|always|often|every|each|all|any|some|most|many|few|both|entirely|exclusively|but|unless|except|if|instead|unlike"
    r"|about|around|least|than|exactly|over|under|above|below|before|after|until|since|during|that|whether|who|which|may|might|could|will|would|must|was|were|had|or|former|formerly"
    r"|first|last|nearly|almost|hardly|barely|rather)\b|(?<![\w.-])[-−+~≈<>±](?=\d)|항상|언제나|모두|모든|매일|대신|달리|외에|제외"
    r"|약(?=\s)|최소|최대|이상|이하|미만|초과|(?<=[가-힣])(?:뿐|만|면|야|도|부터|까지|[다라냐자]고|다는|라는)(?=[\s.,])",
    re.IGNORECASE,
)
"""Words of the grammar that limit what is said: a claim has all those, and only those, of the statement that it renders."""
_EMPTY = re.compile(
    "a|an|the|is|are|be|been|am|it|its|they|this|these|those|there|you|your|we|our|i|my|do|does|has|have|of",
    re.IGNORECASE,
)
"""Words of English without which a statement says the same: a claim adds no other ones."""
_STATEMENT_START = re.compile(
    r"\bunlike\b[^,;\n]*,|달리\s|[;:\n]|(?<=[.!?])\s|\b(?:and|but|while|whereas|although|so)\b|(?<=지만)\s|(?<=[고며])\s",
    re.IGNORECASE,
)
_STATEMENT_END = re.compile(
    r"[;:\n]|(?<=[.!?])\s|,(?!\s*(?:unless|if|except|only|when|until|not)\b)"
    r"|\b(?:and|but|while|whereas|although|so|because|every|each|all|any|some|most|many|few|about|around)\b|지만\s|(?<=[고며])\s",
    re.IGNORECASE,
)
_COORDINATED = re.compile(
    r"^\s*(?:,|and\b|or\b|[와과고며]\s)|(?:,|\b(?:and|or)(?:\s+(?:a|an|the))?|[가-힣][고며와과에])\s*$",
    re.IGNORECASE,
)
_PARTICLE = re.compile(
    r"(?:(은|는)|(이|가)|(을|를)|(에게|한테)|(와|과)|(보다)|(에서)|(으?로)|(부터)|(까지))(?![가-힣])"
)
_TOPIC, _MOST_TOPICAL = 1, 3
"""Of its groups: the topic, which stands for a subject or object, and the last of these."""
LATIN_NAME = re.compile(r"\w[A-Z]|[\d_+#/]|[a-z]\.[a-z]")


class Word(NamedTuple):
    """A word, name or fact of a text that says something."""

    start: int
    end: int
    text: str
    keys: frozenset[object]
    """By which it is compared: term and stem, or the value of a fact."""
    kind: str
    """`word`, `stem` of a Korean verb, `name`, or that of a fact: `figure` or `date`."""

    @property
    def is_fact(self) -> bool:
        """Whether it is a figure, date or time."""
        return self.kind in {"figure", "date"}


class Text(NamedTuple):
    """A text with its words."""

    text: str
    words: tuple[Word, ...]
    start: int = 0
    """Where it starts, of a part."""


class WordReader:
    """Reads the words of texts.

    Args:
        analyzer: Tells words by their stems.
    """

    def __init__(self, analyzer: Analyzer) -> None:
        self._analyzer = analyzer
        self.read = lru_cache(4_096)(self._read)

    def _read(self, text: str) -> tuple[Word, ...]:
        facts = read_facts(text)
        words = [
            Word(each.start, each.end, text[each.start : each.end], frozenset([each.value]), each.check.value)
            for each in facts
        ]
        taken = {at for each in facts for at in range(each.start, each.end)}
        is_korean = has_hangul(text)
        last = (0, 0)
        for term in self._analyzer.analyze_query(text):
            if term.start in taken or term.end - 1 in taken:
                continue
            if term.start < last[1]:
                if term.kind is TermKind.STEM and term.start == last[0]:
                    words[-1] = words[-1]._replace(keys=words[-1].keys | {term.text})
                continue
            last = term.start, term.end
            if any(map(str.isalnum, term.text)):
                shown = text[term.start : term.end]
                is_name = _is_name(text, term.start, shown, is_korean=is_korean)
                kind = "name" if is_name else "stem" if term.kind is TermKind.STEM else "word"
                words.append(Word(*last, shown, frozenset([term.text]), kind))
        return tuple(sorted(words))

    def read_all(self, text: str) -> Text:
        """Read the words of a text that say something, with those of the grammar."""
        words = self.read(text)
        taken = {at for word in words for at in range(word.start, word.end)}
        others = [
            Word(match.start(), match.end(), match[0], frozenset([match[0].lower()]), "grammar")
            for match in re.finditer("[A-Za-z]+", text)
            if match.start() not in taken
        ]
        return Text(
            text,
            tuple(
                word
                for word in sorted([*words, *others])
                if word.kind == "name" or not _EMPTY.fullmatch(word.text)
            ),
        )

    def keys(self, *texts: str) -> frozenset[object]:
        """Return the keys of the words of texts."""
        return frozenset(key for text in texts for word in self.read(text) for key in word.keys)


def _is_name(text: str, start: int, word: str, *, is_korean: bool) -> bool:
    """Return True for a Latin word that is written as names are, or stands in a Korean text."""
    if not re.search("[A-Za-z_/@]", word):
        return False
    is_first = not text[:start].strip(" \"'(`*-") or text[:start].rstrip()[-1:] in {".", "!", "?", ":"}
    return is_korean or LATIN_NAME.search(word) is not None or (word[0].isupper() and not is_first)


def find_nearest(claim: Text, sources: Sequence[Text]) -> list[Text]:
    """Return the sources that share most words with a claim."""
    said = frozenset(key for word in claim.words for key in word.keys)
    return nlargest(
        _MOST_COMPARED, sources, key=lambda each: sum(bool(word.keys & said) for word in each.words)
    )


def renders(claim: Text, source: Text) -> bool:
    """Return True for a claim that is a statement of a source, apart from what may be left out; one phrase may be moved."""
    orders = [
        claim,
        *(moved for pairs in _align(source.words, claim.words) if (moved := _move(claim, source, pairs))),
    ]
    return any(
        _is_rendered(order, source, pairs) for order in orders for pairs in _align(source.words, order.words)
    )


def _move(claim: Text, source: Text, pairs: Sequence[tuple[int, int]]) -> Text | None:
    """Return a claim with the one phrase that stands at another place in a source moved there; None for anything else."""
    mine = {place for _, place in pairs}
    left = [place for place in range(len(claim.words)) if place not in mine]
    if not left or left[-1] - left[0] >= len(left):
        return None
    block = claim.words[left[0] : left[-1] + 1]
    rest = claim.words[: left[0]] + claim.words[left[-1] + 1 :]
    for at in range(len(source.words) - len(block) + 1):
        if all(one.keys & other.keys for one, other in zip(source.words[at:], block, strict=False)):
            to = sum(one < at for one, _ in pairs)
            passed = rest[min(to, left[0]) : max(to, left[0])]
            if any(each[0].kind == "grammar" for each in (block, passed) if each) or all(
                _particle(claim, word) and _particle(claim, word) == _particle(source, source.words[at + n])
                for n, word in enumerate(block)
            ):
                return claim._replace(words=rest[:to] + block + rest[to:])
    return None


def _is_rendered(claim: Text, source: Text, pairs: Sequence[tuple[int, int]]) -> bool:
    """Return True if all words of a claim are in a source in this order, under the same limits, with nothing left out that counts."""
    statement = _find_statement(source, pairs)
    gaps = sum(two[0] > one[0] + 1 for one, two in pairwise(pairs))
    is_coordination = any("and" in word.keys for word in claim.words)
    return (
        _limits(claim) == _limits(statement)
        and len(pairs) == len(claim.words)
        and gaps <= (0 if is_coordination else 1)
        and not any(
            _has_other_particle(source, source.words[at], claim, claim.words[place]) for at, place in pairs
        )
        and all(_may_leave_out(source, first, second) for (first, _), (second, _) in pairwise(pairs))
    )


def _align(source: Sequence[Word], claim: Sequence[Word]) -> Iterator[list[tuple[int, int]]]:
    """Yield the places of the most words that two texts share in one order: as late in the source as can be, and as early."""
    for is_late in (True, False):
        one, other = (source, claim) if is_late else (source[::-1], claim[::-1])
        pairs = _align_late(one, other)
        if not is_late:
            pairs = [(len(source) - 1 - at, len(claim) - 1 - place) for at, place in reversed(pairs)]
        if pairs:
            yield pairs


def _align_late(source: Sequence[Word], claim: Sequence[Word]) -> list[tuple[int, int]]:
    most = [[0] * (len(claim) + 1) for _ in range(len(source) + 1)]
    for at, one in enumerate(source):
        for place, other in enumerate(claim):
            both = most[at][place] + bool(one.keys & other.keys)
            most[at + 1][place + 1] = max(both, most[at][place + 1], most[at + 1][place])
    pairs, at, place = list[tuple[int, int]](), len(source), len(claim)
    while most[at][place]:
        if source[at - 1].keys & claim[place - 1].keys and most[at][place] == most[at - 1][place - 1] + 1:
            at, place = at - 1, place - 1
            pairs.append((at, place))
        elif most[at][place] == most[at][place - 1]:
            place -= 1
        else:
            at -= 1
    return pairs[::-1]


def _find_statement(source: Text, pairs: Sequence[tuple[int, int]]) -> Text:
    """Return the part of a source that a claim renders, from the start to the end of its statements."""
    first, last = source.words[pairs[0][0]], source.words[pairs[-1][0]]
    start = max((match.end() for match in _STATEMENT_START.finditer(source.text, 0, first.start)), default=0)
    match = _STATEMENT_END.search(source.text, last.end)
    end = match.start() if match else len(source.text)
    return Text(source.text[:end], tuple(word for word in source.words if start <= word.start < end), start)


def find_limits(text: str) -> list[str]:
    """Return the words of the grammar that limit what a text says."""
    return [match[0].lower() for match in _LIMIT.finditer(text)]


def _limits(text: Text) -> list[str]:
    """Return the limits and negations of a text."""
    facts = [range(word.start, word.end) for word in text.words if word.is_fact]
    return sorted(
        "not" if pattern is NEGATION else match[0].lower()
        for pattern in (_LIMIT, NEGATION)
        for match in pattern.finditer(text.text, text.start)
        if not any(match.start() in fact for fact in facts)
    )


def _may_leave_out(source: Text, first: int, last: int) -> bool:
    """Return True if what stands between two words can be left out: a coordinated part, or what holds no name, rival figure or conjunction."""
    left_out = source.words[first + 1 : last]
    if not left_out:
        return True
    gap = source.text[source.words[first].end : source.words[last].start]
    if all(word.kind == "grammar" for word in left_out):
        return False
    if _COORDINATED.search(gap):
        return True
    is_figure = source.words[first].is_fact or source.words[last].is_fact
    return "," not in gap and not any(
        word.kind == "name" or "and" in word.keys or (is_figure and word.is_fact) for word in left_out
    )


def _has_other_particle(source: Text, one: Word, claim: Text, other: Word) -> bool:
    """Return True for a Korean noun with another role."""
    roles = [role for role in (_particle(source, one), _particle(claim, other)) if role]
    return len(set(roles)) > 1 and (_TOPIC not in roles or max(roles) > _MOST_TOPICAL)


def _particle(text: Text, word: Word) -> int | None:
    """Return a number for the particle of a Korean noun that tells its role; None where there is none."""
    found = _PARTICLE.match(text.text, word.end)
    return found.lastindex if found and has_hangul(word.text) and word.kind != "stem" else None
