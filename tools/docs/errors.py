"""The page about errors, from the tree of exceptions."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from kebab_core import KebabError

from tools.docs.markdown import join_parts, render_code, render_table

_INTRODUCTION = """
# Errors

Whatever goes wrong is one of these, with the same code and the same words wherever it goes wrong. Every error says what
to do next, its `hint`.

| where | how it is told |
|---|---|
| command line | `error:` and `hint:` on standard error, nothing on standard output, exit code 2 |
| command line with `--json` | one line on standard error, an `error.v1`; nothing on standard output, exit code 2 |
| library | the exception, which has `code`, `message`, `hint` and `details` |
| agents | a result with `isError` whose text is an `error.v1` |
| many searches at once | an `error.v1` beside the query that it belongs to; the others are answered |

No errors but results are a refused answer, a search without a hit, a file that is left out or fails while others are
read, and passages whose vectors cannot be made: reports tell of them, and so does the exit code where it matters.
`kebab doctor` reports what the matter is instead of failing of it.
"""


def render() -> str:
    """Return the page."""
    rows = (
        (render_code(kind.code), render_code(kind.__name__), _meaning(kind)) for kind in _coded(KebabError)
    )
    return join_parts([_INTRODUCTION, "## Codes", render_table(("code", "exception", "meaning"), rows)])


def _coded(kind: type[KebabError]) -> Iterator[type[KebabError]]:
    """Yield the exceptions that have a code, in the order of their definition."""
    if kind.code and kind.__module__ == KebabError.__module__:
        yield kind
    for child in kind.__subclasses__():
        yield from _coded(child)


def _meaning(kind: type[KebabError]) -> str:
    return (inspect.getdoc(kind) or "").partition("\n\n")[0]
