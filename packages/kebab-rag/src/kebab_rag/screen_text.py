"""Text of models as it may be shown: nothing in it moves the cursor, turns the writing round, or hides words.

A model can repeat whatever a document holds, escape sequences included.
"""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("[\x0b\x0c\x85\u2028\u2029]")
_ACTING = re.compile(
    "[\x00-\x08\x0d-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def make_showable(text: str) -> str:
    """Return a text without control, bidirectional and tag characters; separators of lines become line feeds.

    Each character is looked at alone, so that pieces of a text may be made showable one by one.
    """
    return _ACTING.sub("", _LINE_ENDS.sub("\n", text))
