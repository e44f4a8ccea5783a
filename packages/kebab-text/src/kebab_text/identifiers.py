"""Identifiers of source code in a question or another text of words."""

from __future__ import annotations

import re

_PART = r"[A-Za-z_$~][A-Za-z0-9_$]{0,80}+"
_WORD = re.compile(rf"(?<![A-Za-z0-9_$])(`?+)({_PART}(?:(?:\.|::|->|\#){_PART}){{0,9}})(\(\)|`)?")
_IN_CODE_ONLY = re.compile(r"(?!^_+$)_|::|->|#|[a-z0-9][A-Z]|[A-Za-z0-9]\.[A-Za-z]")

_SMALL_WITH_PARTICLE = re.compile(r"[a-z][a-z0-9]{3,80}+[가-힣]")


def find_identifiers(text: str) -> tuple[str, ...]:
    """Return the words of a text that only source code has, in order, each once.

    Such a word has an underscore, a capital inside, or parts joined by points, colons, arrows or `#`, or there are
    call parentheses after it or backquotes around it, which are left out. So has a word in small letters with a Korean
    particle: names of other things are capitalised, or written in Hangul.

        >>> find_identifiers("Group.invoke()는 무엇을 반환하나요?")
        ('Group.invoke',)
    """
    found: dict[str, None] = {}
    for match in _WORD.finditer(text):
        opened, word, closed = match.groups()
        is_marked = (opened and closed == "`") or closed == "()"
        if is_marked or _IN_CODE_ONLY.search(word) or _SMALL_WITH_PARTICLE.match(text, match.start(2)):
            found[word] = None
    return tuple(found)
