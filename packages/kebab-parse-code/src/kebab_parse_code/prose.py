"""Comments and doc strings of a file, by which its natural language is told."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_parse_code.definitions import find_nodes
from kebab_parse_code.rules import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from kebab_parse_code.rules import LanguageRules

_SAMPLE_CHARS = 4096
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)


def read_prose(rules: LanguageRules, root: Node) -> str:
    """Return the first 4,096 characters of comments and doc strings, without a licence at the top."""
    groups: list[list[str]] = []
    last_row = chars = 0
    for node in find_nodes(rules, rules.prose, root):
        if chars > 2 * _SAMPLE_CHARS:
            break
        if not groups or node.start_point.row > last_row + 1:
            groups.append([])
        groups[-1].append(text_of(node))
        last_row, chars = node.end_point.row, chars + len(groups[-1][-1])
    texts = ["\n".join(group) for group in groups]
    prose = texts[1:] if texts and _LICENCE.search(texts[0]) else texts
    return "\n".join(prose)[:_SAMPLE_CHARS]
