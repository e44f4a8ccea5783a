"""Grapheme clusters: where a text may be cut without splitting what a reader sees as one character.

A simplification of UAX 29 that errs towards keeping code points together. Used by snippets and sentences. And characters that are not
seen but change what is seen, made visible: every face shows text of documents through `visible`.
"""

from __future__ import annotations

import re
import unicodedata

_ZERO_WIDTH_JOINER = "\u200d"
_ZERO_WIDTH_NON_JOINER = "\u200c"
_JAMO = ("\u1160", "\u11ff")
"""Vowels and final consonants, which never begin a syllable of decomposed Hangul."""
_SKIN_TONES = ("\U0001f3fb", "\U0001f3ff")
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")
_TAGS = ("\U000e0020", "\U000e007f")
_LONGEST = 64
"""Code points searched for a boundary; a longer cluster is cut."""
_LONGEST_FLAGS = 1_000
"""Flag letters counted back to pair them, so that a text of flags alone takes linear time."""


def is_grapheme_boundary(text: str, at: int) -> bool:
    """True if no grapheme cluster spans the offset `at`; so at both ends of the text.

    Kept together: combining marks, joined emoji, skin tones, flags by pairs, decomposed Hangul, CR LF.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before == _ZERO_WIDTH_JOINER:
        return False
    if after.isascii():
        return (before, after) != ("\r", "\n")
    return not (_extends(after) or _splits_flag(text, at))


def cut_before(text: str, at: int) -> int:
    """Find the last grapheme boundary no later than `at`; `at` itself if none is within 64 code points.

    Args:
        text: Any text; composed, decomposed, emoji joined from several.
        at: An offset in `[0, len(text)]`.
    """
    places = range(at, max(-1, at - _LONGEST), -1)
    return next((place for place in places if is_grapheme_boundary(text, place)), at)


def cut_after(text: str, at: int) -> int:
    """Find the first grapheme boundary no earlier than `at`; `at` itself if none is within 64 code points."""
    places = range(at, min(len(text), at + _LONGEST) + 1)
    return next((place for place in places if is_grapheme_boundary(text, place)), at)


def _extends(char: str) -> bool:
    return (
        char in {_ZERO_WIDTH_JOINER, _ZERO_WIDTH_NON_JOINER}
        or unicodedata.category(char) in {"Mn", "Mc", "Me"}
        or _is_within(char, _JAMO)
        or _is_within(char, _SKIN_TONES)
        or _is_within(char, _TAGS)
    )


def _splits_flag(text: str, at: int) -> bool:
    if not _is_within(text[at], _FLAG_LETTERS):
        return False
    first = max(0, at - _LONGEST_FLAGS)
    letters = next(
        (n for n, char in enumerate(reversed(text[first:at])) if not _is_within(char, _FLAG_LETTERS)),
        at - first,
    )
    return letters % 2 == 1


def _is_within(char: str, bounds: tuple[str, str]) -> bool:
    return bounds[0] <= char <= bounds[1]


_UNSEEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # control a terminal
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # reorder a line, or once shaped it
    "\u2028\u2029"  # end a line for some programs only
    "\ufeff\ufff9-\ufffb"  # byte order mark; hide a remark in a text
    "\ud800-\udfff"  # half a character
    "\U000e0000-\U000e007f"  # tags: ASCII that no font draws
    "]"
)


def visible(text: str) -> str:
    """Return a text with U+FFFD in place of each character that is not seen but has an effect.

    Tabs and line feeds stay, and so do joiners and soft hyphens, which belong to words. Character by character, so that
    ranges of code points keep their places and pieces of a stream may be passed one by one.
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub("\ufffd", text)


def escape_unseen(json: str) -> str:
    """Return a JSON text with an escape in place of each character that `visible` replaces; its values stay the same."""
    return json if json.isascii() and json.isprintable() else _UNSEEN.sub(_escape, json)


def _escape(unseen: re.Match[str]) -> str:
    units = unseen[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
