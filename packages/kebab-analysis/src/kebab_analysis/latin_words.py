"""Terms of Latin text, numbers and names in code: words, English stems, compounds and identifiers by part."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DependencyMissingError, Remedy, Term, TermKind
from kebab_text import HANGUL_CHAR, lower_case

from kebab_analysis.memo import Memo

if TYPE_CHECKING:
    from collections.abc import Callable

_ADDRESS = r"https?://[^\s<>\"'`()\[\]{}]+"
_SIGNED = r"(?<!\w)(?:[cC]\+\+|[cCfF]\#)(?!\w)"
_INITIALS = r"(?<!\w)[A-Za-z]{1,4}&[A-Za-z]{1,4}(?![\w&])"
_JOINER = r"(?:::|[-./@'’\\])"
_TOKEN = re.compile(rf"{_ADDRESS}|{_SIGNED}|{_INITIALS}|(?:\\(?=[nrt]\w))?\w+(?:{_JOINER}\w+)*")
"""An address, a language with a sign in its name, initials such as `R&D`, or a word with all that is joined to it, and an escape before it. Matched
against a text in which scripts without spaces are blanked."""
_ESCAPED = re.compile(r"\\[nrt](\w{2,})")
r"""A word after an escaped line end or tab, as strings of programs and JSON have it: `\nword` is `nword` and `word`."""
_PLAIN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_ENGLISH = re.compile(r"[a-z]+(?:'[a-z]+)?")
_LEAST_STEMMED = 3
_EDGES = "_.:;!?/'’-\\"
_TERMS_KEPT = 1 << 12
_TEXTS_KEPT = 1 << 14
_MAX_TERM = 128
"""Longest term in code points; beyond it stands data, not a name."""
_PIECE = re.compile(r"(?<!\w)[vV]?\d+(?:\.\d+)+(?!\w)|\w+")
"""A number with points, such as a version or an address of a machine, is one piece."""
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_VERSION = re.compile(r"[vV]?(?P<number>(?P<minor>(?P<major>\d+)\.\d+)(?:\.\d+)*)")
_LEAST_YEAR = 4
_DAY = re.compile(r"(\d{4})-\d\d-\d\d")
"""A date; the analyser adds its day of the year as a term."""
_GROUPED_NUMBER = re.compile(r"(?=(?:-?\d){8,20}\Z)\d+(?:-\d+)+")
"""A number of a telephone, an account or a book, which people also type without the hyphens."""
_CONTRACTION = re.compile(r"[^\W\d_]+'[^\W\d_]+")
"""`don't`, `kebab's`."""
_HYPHENATED = re.compile(r"([a-z]+)-([a-z]+)")
"""Two words that are often written as one: `e-mail`."""
_MAX_HUMPS = 8
"""A piece with more of them is a hash or encoded data, and its parts are noise."""
_STEMS_KEPT = 1 << 14
_SUPERSCRIPTS, _SUBSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_RAISED_END = re.compile(rf"(?<![{_SUPERSCRIPTS}])[{_SUPERSCRIPTS}]{{1,8}}\Z")
_SMALL_DIGIT = re.compile(rf"(?<!\d)[{_SUPERSCRIPTS}{_SUBSCRIPTS}]")
_POWER = re.compile(rf"\d[{_SUPERSCRIPTS}{_SUBSCRIPTS}]")
_FULL_SIZE = str.maketrans(_SUPERSCRIPTS + _SUBSCRIPTS, "0123456789" * 2)


class WordReader:
    """Analyses everything outside Hangul, Han and Kana; remembers the terms of each token."""

    def __init__(self) -> None:
        self._stemmer = EnglishStemmer()
        self._terms = Memo(lambda token: tuple(self._token_terms(token)), _TERMS_KEPT)
        self._texts = Memo(
            lambda token: " ".join([term.text for term in self._token_terms(token)]), _TEXTS_KEPT
        )

    def terms(self, text: str) -> list[Term]:
        """Return the terms of a text, by start, then longest first."""
        found: list[Term] = []
        for match in _TOKEN.finditer(blank_unspaced(text)):
            at = match.start()
            found += [
                Term(term, at + start, at + end, kind) for term, start, end, kind in self._terms[match[0]]
            ]
        return found

    def texts(self, text: str) -> str:
        """Join the texts of `terms` of an ASCII text by single spaces."""
        known = self._texts
        return " ".join([terms for token in _TOKEN.findall(text) if (terms := known[token])])

    def _token_terms(self, token: str) -> Iterator[Term]:
        """Yield a token's terms with places relative to its start."""
        if _PLAIN.fullmatch(token):
            yield from self._word(token.lower(), 0, len(token), TermKind.WORD)
        elif _ACRONYMS.fullmatch(token):
            yield Term(token.lower(), 0, len(token))
            yield Term(token[:-1].lower(), 0, len(token), TermKind.STEM)
        elif "\\" in token and (escaped := list(_ESCAPED.finditer(token))):
            words = [term for each in escaped for term in self._compound(each[1], each.start(1))]
            yield from sorted([*self._trimmed(token), *words], key=lambda term: (term.start, -term.end))
        else:
            yield from self._trimmed(token)

    def _trimmed(self, token: str) -> Iterator[Term]:
        core = token.lstrip(_EDGES)
        yield from self._compound(core.rstrip(_EDGES), len(token) - len(core))

    def _compound(self, token: str, start: int) -> Iterator[Term]:
        end = start + len(token)
        whole = lower_case(token).replace("’", "'")
        if 0 < len(whole) <= _MAX_TERM:
            yield from self._word(whole, start, end, TermKind.WORD)
        if _CONTRACTION.fullmatch(whole):
            return
        if hyphenated := _HYPHENATED.fullmatch(whole):
            yield from self._word(hyphenated[1] + hyphenated[2], start, end, TermKind.PART)
        for part in identifier_parts(token):
            if len(part.text) <= _MAX_TERM:
                yield from self._word(
                    lower_case(part.text), start + part.start, start + part.end, TermKind.PART
                )

    def _word(self, word: str, start: int, end: int, kind: TermKind) -> Iterator[Term]:
        yield Term(word, start, end, kind)
        if len(word) >= _LEAST_STEMMED and _ENGLISH.fullmatch(word):
            stem = self._stemmer.stem(word)
            if stem != word:
                yield Term(stem, start, end, TermKind.STEM)


class EnglishStemmer:
    """The Snowball ("Porter 2") stemmer, with a memo. Safe to share between threads."""

    def __init__(self) -> None:
        # A stemmer of the library works in a buffer of its own, so that two threads must not use it at once.
        self._lock = Lock()
        self._stem_word: Callable[[str], str] | None = None
        self.stem = Memo(self._stem, _STEMS_KEPT).__getitem__

    def _stem(self, word: str) -> str:
        """Return the stem of a lower-case English word.

        Raises:
            DependencyMissingError: The stemmer is not installed.
        """
        with self._lock:
            if self._stem_word is None:
                self._stem_word = _load_stemmer()
            return self._stem_word(word)


def _load_stemmer() -> Callable[[str], str]:
    try:
        from Stemmer import Stemmer
    except ModuleNotFoundError as error:
        raise DependencyMissingError(
            "English text cannot be stemmed: PyStemmer is not installed",
            remedy=Remedy(kind="install_packages", name="PyStemmer"),
        ) from error
    stem_word: Callable[[str], str] = Stemmer("english").stemWord
    return stem_word


class NamePart(NamedTuple):
    """A part as it is indexed but for case, and where it stands: code points of the token, half open."""

    text: str
    start: int
    end: int


def identifier_parts(token: str) -> Iterator[NamePart]:
    """Yield the parts that a name should also be found by, by start, then longest first.

    Single characters are left out, and so is what equals the whole.

    Args:
        token: A name with neither white space nor signs at its ends, and without Hangul, Han and Kana.
    """
    version = _VERSION.fullmatch(token)
    if version:
        yield from _version_parts(version, 0)
    elif day := _DAY.fullmatch(token):
        yield NamePart(day[1], *day.span(1))
    else:
        if _GROUPED_NUMBER.fullmatch(token):
            yield NamePart(token.replace("-", ""), 0, len(token))
        for match in _PIECE.finditer(token):
            yield from _piece_parts(match[0], match.start(), whole=token)


def _version_parts(version: re.Match[str], offset: int) -> Iterator[NamePart]:
    """Yield the parts of `v1.2.3`, or of `2024.01.15`, whose first number says something alone."""
    start, end = version.span("number")
    if start:
        yield NamePart(version["number"], offset + start, offset + end)
    if version.end("minor") != end:
        yield NamePart(version["minor"], offset + start, offset + version.end("minor"))
    if len(version["major"]) >= _LEAST_YEAR:
        yield NamePart(version["major"], offset + start, offset + version.end("major"))


def _piece_parts(piece: str, offset: int, *, whole: str) -> Iterator[NamePart]:
    version = _VERSION.fullmatch(piece)
    if version:
        yield from _part(piece, offset, version.span())
        yield from _version_parts(version, offset)
        return
    words = list(re.finditer(r"[^_]+", piece))
    if words and piece != whole:
        yield from _part(piece, offset, (words[0].start(), words[-1].end()))
    for word in words:
        if len(words) > 1:
            yield from _part(piece, offset, word.span())
        yield from _humps(word[0], offset + word.start())
        yield from _without_small_digits(word[0], offset + word.start())


def _humps(word: str, offset: int) -> Iterator[NamePart]:
    humps = list(_HUMP.finditer(word)) if word.isascii() else []
    if 1 < len(humps) <= _MAX_HUMPS:
        for hump in humps:
            yield from _part(word, offset, hump.span())


def _without_small_digits(word: str, offset: int) -> Iterator[NamePart]:
    """Yield a word before a power or the number of a note, and one that letters and small digits make in full size.

    `1998³` is `1998`, `km²` is `km` and `km2`, `H₂O` is `H2O`; `10⁶` is never `106`.
    """
    if word.isascii():
        return
    if raised := _RAISED_END.search(word):
        yield from _part(word, offset, (0, raised.start()))
    if _SMALL_DIGIT.search(word) and not _POWER.search(word):
        yield NamePart(word.translate(_FULL_SIZE), offset, offset + len(word))


def _part(text: str, offset: int, span: tuple[int, int]) -> Iterator[NamePart]:
    start, end = span
    if end - start > 1:
        yield NamePart(text[start:end], offset + start, offset + end)


def blank_unspaced(text: str) -> str:
    """Make a text of the same length with a blank for each character of Hangul, Han and Kana.

    What is left needs no set of letters to be told apart. Sets as large as these take a millisecond to
    compile each time that they stand in an expression, and every command that searches would wait for all of them.
    """
    if text.isascii():
        return text
    from kebab_analysis.ideographs import HAN_OR_KANA_RUN

    return HAN_OR_KANA_RUN.sub(lambda run: " " * len(run[0]), HANGUL_CHAR.sub(" ", text))
