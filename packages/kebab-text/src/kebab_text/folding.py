r"""Folding: one spelling for what readers take for the same text, for index, query and whatever compares the two.

Two levels. `fold_forms` keeps what is seen: it drops invisible characters, and writes ligatures, wide and narrow forms
and decomposed letters as plain ones. `fold_text` also drops diacritics and the separators of thousands. Either keeps
case and knows where each character comes from; `fold` is the second in lower case.

    >>> fold("Ｎａïve ﬁle: 52,800"), fold("co\u00adoperation")
    ('naive file: 52800', 'cooperation')
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\ufff0-\ufffb"
)
_FAR_INVISIBLE = "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
"""Default ignorable code points (Unicode, DerivedCoreProperties), the second beyond the first plane."""
_MARKS = "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0652\u0670\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f"
"""Diacritics that combine with letters of alphabets, points of Hebrew, short vowels and the stroke of Arabic."""
_ACCENTED = "\u00c0-\u024f\u0386-\u03ce\u0400-\u045f\u1e00-\u1fff"
"""Letters of Latin, Greek and Cyrillic among which are those with diacritics."""
_PRESENTED = (
    "\u00b5\u2010\u2011\u2100-\u214f\u2160-\u217f\u2e80-\u2fd5\u3200-\u321e\u3300-\u33ff\uf900-\ufaff\ufb00-\ufdff\ufe70-\ufefc"
    "\uff01-\uffee"
)
"""Ligatures, wide and narrow forms, squared units, letters as symbols, compatibility ideographs."""
_FAR = "\U0001bca0-\U0001d7ff\U0002f800-\U000e0fff"
"""A few ranges beyond the first plane that hold all that is folded there: each range is compared one by one."""
_JAMO = "\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb"
_VOICING = "\u3099\u309a"
_SPACES = "\u00a0\u2007\u2009\u202f"

_FORM = re.compile(f"[{_INVISIBLE}{_PRESENTED}{_JAMO}{_VOICING}{_FAR}]")
_LETTER = re.compile(f"[{_INVISIBLE}{_PRESENTED}{_JAMO}{_VOICING}{_MARKS}{_ACCENTED}{_FAR}]")
_PIECES = (
    r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\uac00-\ud7a3][\u11a8-\u11c2]"
    rf"|[\uff66-\uff9d][\uff9e\uff9f]|[\u3041-\u30ff][{_VOICING}]"
)
"""Characters that become one together: Hangul letters of a syllable, Kana with the mark of its voice."""
_FORM_PIECE = re.compile(rf"{_PIECES}|{_FORM.pattern}")
_LETTER_PIECE = re.compile(rf"{_PIECES}|{_LETTER.pattern}")
_MARK = re.compile(f"[{_MARKS}]")
_UNSEEN = re.compile(f"[{_INVISIBLE}{_FAR_INVISIBLE}]")
_JOINING = re.compile(f"[{_JAMO}{_VOICING}\uff9e\uff9f]")
"""Characters without which no two become one."""
_THOUSANDS = re.compile(rf"[,'’_{_SPACES}]\d\d\d")
_GROUPED = re.compile(
    rf"(?<![\d.,'’_])\d{{1,3}}(?P<mark>[,'’{_SPACES}])\d{{3}}(?:(?P=mark)\d{{3}})*(?!\d|[,'’]\d)"
    r"|(?<![\w.])\d{1,3}(?:_\d{3})+(?!\w)"
)
_SEPARATOR = re.compile(r"\D")
_PLAIN_LETTERS = str.maketrans({
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "ħ": "h", "Ħ": "H", "ŧ": "t",
    "Ŧ": "T", "ı": "i", "ŋ": "n", "Ŋ": "N", "þ": "th", "Þ": "TH", "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE",
    "œ": "oe", "Œ": "OE",
})  # fmt: skip
"""Letters without a decomposition, as Unicode's CLDR writes them in ASCII."""
_FIRST_LETTERS = "".join(map(chr, range(0x1100, 0x1113)))
_TYPED_FIRST = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
"""First consonants of syllables that are alone, and as keyboards type them."""
_HYPHENS = {"\u2010": "-", "\u2011": "-"}
_SEEN_APART = frozenset({"<super>", "<sub>", "<fraction>"})
"""`m²` is not `m2`."""
_COMPOSING = "\u0300"
"""No character before it ever composes with what precedes it."""
_LONGEST_COMPOSED = 4
"""Code points that one character decomposes to at most."""
_LONGEST_CLUSTER = 31
"""A letter with the thirty marks of Unicode's stream-safe format (UAX 15): ordering many more of them takes time
that grows with their square."""


class FoldedText(NamedTuple):
    """A folded text with the source range of each character.

    `starts` and `ends` have one entry for each code point of `text`: the half-open range that it was made from, with what
    was dropped behind it. Both are None where each character is at its old place.
    """

    text: str
    starts: list[int] | None = None
    ends: list[int] | None = None

    def source_range(self, start: int, end: int) -> tuple[int, int]:
        """Map the range `[start, end)`, not empty, to the original text."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


class _Replaced(NamedTuple):
    start: int
    end: int
    text: str


class _Spellings(dict[str, str]):
    """Plain spellings of pieces, made when they are first met; a Zalgo text has no more than there are characters."""

    def __init__(self, *, drops_marks: bool) -> None:
        super().__init__()
        self._drops_marks = drops_marks

    def __missing__(self, piece: str) -> str:
        spelling = self[piece] = _spell(piece, drops_marks=self._drops_marks)
        return spelling


class _Level(NamedTuple):
    """What a level of folding changes."""

    changed: re.Pattern[str]
    pieces: re.Pattern[str]
    spellings: _Spellings

    def find_pieces(self, text: str) -> re.Pattern[str]:
        return self.pieces if _JOINING.search(text) else self.changed


_FORMS = _Level(_FORM, _FORM_PIECE, _Spellings(drops_marks=False))
_LETTERS = _Level(_LETTER, _LETTER_PIECE, _Spellings(drops_marks=True))


def fold(text: str) -> str:
    """Fold a text to what is compared: `fold_case` in lower case."""
    return lower_case(fold_case(text))


def lower_case(folded: str) -> str:
    """Lower the case of a folded text, each letter for itself: the last sigma of a Greek word is the same letter."""
    lower = folded.lower()
    return lower if lower.isascii() else lower.replace("ς", "σ")


def fold_case(text: str) -> str:
    """Fold forms, diacritics and separated numbers of a text, in NFC: the text of `fold_text`, faster."""
    if not text.isascii():
        if _LETTER.search(text):
            spellings = _LETTERS.spellings
            text = _LETTERS.find_pieces(text).sub(lambda piece: spellings[piece[0]], text)
        if not unicodedata.is_normalized("NFC", text):
            text = _compose(text).text
    if _THOUSANDS.search(text):
        text = _GROUPED.sub(lambda number: _SEPARATOR.sub("", number[0]), text)
    return text


def fold_text(text: str) -> FoldedText:
    """Fold forms, diacritics and separated numbers of a text, in NFC, with places; free where there are none."""
    if not text.isascii():
        folded = _fold(text, _LETTERS)
        return _chain(folded, _join_thousands(folded.text))
    return _join_thousands(text)


def fold_forms(text: str) -> FoldedText:
    """Fold only what a reader cannot see: invisible characters, forms of one letter, composition."""
    return FoldedText(text) if text.isascii() else _fold(text, _FORMS)


def _fold(text: str, level: _Level) -> FoldedText:
    folded = FoldedText(text)
    if level.changed.search(text):
        found = level.find_pieces(text).finditer(text)
        folded = _replace(text, (_Replaced(*piece.span(), level.spellings[piece[0]]) for piece in found))
    if unicodedata.is_normalized("NFC", folded.text):
        return folded
    return _chain(folded, _compose(folded.text))


def _spell(piece: str, *, drops_marks: bool) -> str:
    if len(piece) == 1:
        if _UNSEEN.match(piece):
            return ""
        piece = _HYPHENS.get(piece) or _plain_form(piece)
    else:
        piece = unicodedata.normalize("NFKC", piece)
    if not drops_marks:
        return piece
    bare = _MARK.sub("", unicodedata.normalize("NFD", piece))
    return unicodedata.normalize("NFC", bare).translate(_PLAIN_LETTERS)


def _plain_form(char: str) -> str:
    if (letter := _FIRST_LETTERS.find(char)) >= 0:
        return _TYPED_FIRST[letter]
    kind, _, code = unicodedata.decomposition(char).partition(" ")
    if kind in _SEEN_APART:
        return char
    if kind == "<narrow>" and unicodedata.name(char, "").startswith("HALFWIDTH HANGUL"):
        return chr(int(code, 16))  # as typed letters, not as parts of a syllable
    plain = unicodedata.normalize("NFKC", char)
    is_word = plain.strip("()").replace("\u0307", "").isalnum()
    return plain if is_word or kind in {"<wide>", "<narrow>"} or len(plain) == 1 else char


def _join_thousands(text: str) -> FoldedText:
    if not _THOUSANDS.search(text):
        return FoldedText(text)
    return _replace(
        text,
        (
            _Replaced(number.start() + mark.start(), number.start() + mark.end(), "")
            for number in _GROUPED.finditer(text)
            for mark in _SEPARATOR.finditer(number[0])
        ),
    )


def _replace(text: str, replaced: Iterator[_Replaced]) -> FoldedText:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for start, end, spelling in replaced:
        pieces += text[position:start], spelling
        starts += range(position, start)
        ends += range(position + 1, start + 1)
        starts += [start] * len(spelling)
        ends += [end] * len(spelling)
        if not spelling and ends:
            ends[-1] = end
        position = end
    if not position:
        return FoldedText(text)
    pieces.append(text[position:])
    starts += range(position, len(text))
    ends += range(position + 1, len(text) + 1)
    return FoldedText("".join(pieces), starts, ends)


def _chain(first: FoldedText, second: FoldedText) -> FoldedText:
    """Map the characters of a text that was folded twice to the first one."""
    if second.starts is None or second.ends is None:
        return FoldedText(second.text, first.starts, first.ends)
    ranges = [first.source_range(*each) for each in zip(second.starts, second.ends, strict=True)]
    return FoldedText(second.text, [start for start, _ in ranges], [end for _, end in ranges])


def _compose(text: str) -> FoldedText:
    """Compose what is left to NFC: letters of other scripts."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    position = 0
    for cluster in _clusters(text):
        # Marks that are too many for the cluster before them become a blank.
        is_excess = position > 0 and unicodedata.combining(cluster[0])
        piece = " " if is_excess else unicodedata.normalize("NFC", cluster)
        end = position + len(cluster)
        pieces.append(piece)
        starts += [position] * len(piece)
        ends += [end] * len(piece)
        position = end
    return FoldedText("".join(pieces), starts, ends)


def _clusters(text: str) -> list[str]:
    """Cut the text where composition cannot reach across: each piece composes by itself."""
    starts = [0]
    for at, char in enumerate(text):
        if at and (at - starts[-1] >= _LONGEST_CLUSTER or not _composes(text[starts[-1] : at], char)):
            starts.append(at)
    return [text[start:end] for start, end in pairwise((*starts, len(text)))]


def _composes(cluster: str, char: str) -> bool:
    if char < _COMPOSING:
        return False
    if unicodedata.combining(char):
        return True
    last = cluster[-_LONGEST_COMPOSED:]
    apart = unicodedata.normalize("NFC", last) + unicodedata.normalize("NFC", char)
    return unicodedata.normalize("NFC", last + char) != apart
