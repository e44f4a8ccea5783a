"""The role of a file by its path."""

from __future__ import annotations

import re

from kebab_core import CodeRole

_VENDORED = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|third_?party|3rdparty|external|node_modules)/", re.IGNORECASE
)
_TESTS = re.compile(
    r"(?:^|/)(?:tests?|testing|__tests__|specs?|e2e)/"
    r"|(?:^|/)(?:test_[^/]*|[^/]*_tests?|conftest)\.[^/.]+$"
    r"|\.(?:test|spec)\.[^/.]+$"
    r"|(?:^|/)[^/]*[a-z0-9]Tests?\.(?:java|kts?)$",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r"(?:^|/)(?:examples?|samples?|demos?|docs?_src|bench(?:es|marks?)?)/", re.IGNORECASE)


def role_of_path(path: str) -> CodeRole | None:
    """Return the role that all of a file has by its path; None where that of each unit counts."""
    if _VENDORED.search(path):
        return CodeRole.VENDORED
    if _TESTS.search(path):
        return CodeRole.TEST
    if _EXAMPLES.search(path):
        return CodeRole.EXAMPLE
    return None
