"""The role of a file by its path and, where a program wrote it, its content."""

from __future__ import annotations

import re

from kebab_core import CodeRole
from kebab_text import is_generated, is_generated_name

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
