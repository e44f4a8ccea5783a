"""Obsidian's `#tags` in running text.

Source: Obsidian help, "Tags": letters, digits, `_`, `-` and `/`, at least one of them not a digit, a blank before.
"""

from __future__ import annotations

import re

_TAG = re.compile(r"(?<!\S)#([\w/-]+)")


def find_tags(text: str) -> list[str]:
    """Return the tags of a text without code, links and headings, in order, repetitions kept."""
    names = (match[1].strip("/") for match in _TAG.finditer(text))
    return [name for name in names if any(char.isalpha() for char in name)]
