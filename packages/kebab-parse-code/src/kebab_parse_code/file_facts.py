"""Facts of a whole file: its role, by its path and its content, and the prose by which its natural language is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import CodeRole
from kebab_text import is_generated, is_generated_name

from kebab_parse_code.definitions import find_nodes
from kebab_parse_code.rules import text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from kebab_parse_code.rules import LanguageRules

_SAMPLE_CHARS = 4096
_COMMENT_LINE = re.compile(r"\s*+(?:#(?!!)|//|--|/\*|\*|;|%)")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)


def read_prose(rules: LanguageRules, root: Node) -> str:
    """Return the first 4,096 characters of comments and doc strings, without a licence at the top."""
    nodes = find_nodes(rules, rules.prose, root)
    return _join((node.start_point.row, node.end_point.row, text_of(node)) for node in nodes)


def read_comment_lines(lines: Sequence[str]) -> str:
    """Return the same of a file that is not parsed: lines that begin as comments do in most languages."""
    return _join((row, row, line) for row, line in enumerate(lines) if _COMMENT_LINE.match(line))


def _join(comments: Iterable[tuple[int, int, str]]) -> str:
    """Join comments, each with its first and last row."""
    groups: list[list[str]] = []
    end = chars = 0
    for first, last, text in comments:
        if chars > 2 * _SAMPLE_CHARS:
            break
        if not groups or first > end + 1:
            groups.append([])
        groups[-1].append(text)
        end, chars = last, chars + len(text)
    texts = ["\n".join(group) for group in groups]
    prose = texts[1:] if texts and _LICENCE.search(texts[0]) else texts
    return "\n".join(prose)[:_SAMPLE_CHARS]


_VENDORED = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|(?:third|3rd)[_-]?party|external|node_modules)/", re.IGNORECASE
)
_TESTS = re.compile(
    r"(?i:(?:^|/)(?:tests?|testing|__tests__|specs?|e2e)/)"
    r"|(?:^|/)[a-z][A-Za-z0-9]{0,50}Tests?/"
    r"|(?i:(?:^|/)(?:tests?|test_[^/]*|[^/]*[_-](?:tests?|unittests?|spec)|conftest)\.[^/.]+$)"
    r"|\.(?:test|spec)\.[^/.]+$"
    r"|(?:^|/)[^/]*[a-z0-9](?:Tests?|Spec)\.(?:java|kts?|scala|groovy|swift|cs|php)$"
    r"|(?:^|/)Test[A-Z][^/]*\.(?:java|kts?)$"
)
"""Names of folders such as `jvmTest` and of files such as `CartTest.java` are told by their capital: `Latest.java` is none."""
_EXAMPLES = re.compile(r"(?:^|/)(?:examples?|samples?|demos?|docs?_src|bench(?:es|marks?)?)/", re.IGNORECASE)


def role_of_file(path: str, content: bytes) -> CodeRole | None:
    """Return the role that all of a file has; None where that of each unit counts."""
    if _VENDORED.search(path):
        return CodeRole.VENDORED
    if is_generated_name(path.rpartition("/")[2]) or is_generated(content):
        return CodeRole.GENERATED
    if _TESTS.search(path):
        return CodeRole.TEST
    if _EXAMPLES.search(path):
        return CodeRole.EXAMPLE
    return None
