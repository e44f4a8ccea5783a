"""Identifiers of source code in a question or another text of words."""

from __future__ import annotations

import re

_PART = r"[A-Za-z_$~][A-Za-z0-9_$]{0,80}+"
_WORD = re.compile(rf"(?<![A-Za-z0-9_$])(`?+)({_PART}(?:(?:\.|::|->|\#){_PART}){{0,9}})(\(\)|`)?")
_IN_CODE_ONLY = re.compile(r"(?!^_+$)_|::|->|#|[a-z0-9][A-Z]|[A-Za-z0-9]\.[A-Za-z]")


def find_identifiers(text: str) -> tuple[str, ...]:
    """Return the words of a text that only source code has, in order, each once.

    Such a word has an underscore, a capital inside, or parts joined by points, colons, arrows or `#`, or there are
    call parentheses after it or backquotes around it, which are left out.

        >>> find_identifiers("Group.invoke()는 무엇을 반환하나요?")
        ('Group.invoke',)
    """
    found = (match.groups() for match in _WORD.finditer(text))
    return tuple(
        dict.fromkeys(
            word
            for opened, word, closed in found
            if (opened and closed == "`") or closed == "()" or _IN_CODE_ONLY.search(word)
        )
    )
