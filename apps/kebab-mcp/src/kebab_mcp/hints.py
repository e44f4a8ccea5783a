"""What to do about an error, for somebody who has tools and no command line."""

from __future__ import annotations

import re

_RULES = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"kebab list docs", "call `search`: its hits name the ids there are"),
        (r"kebab (?:search|ask) \"[^\"]*\"", "give words or a question"),
        (r"kebab fetch span \S+ (\d+) (\d+)", r"give line_start=\1 and line_end=\2"),
        (r"kebab fetch doc \S+", "kind=doc reads all of it"),
        (r"kebab doctor", "call `doctor`"),
        (r"kebab (ask|search|schema) --help", r"look at what `\1` takes"),
        (r"kebab ingest-(file|stdin) (?:-|FILE).*", r"look at what `ingest_\1` takes"),
        (r"kebab ingest-(file|stdin) (\w.*)", r"`ingest_\1` \2"),
        (r"kebab (schema) (\w.*)", r"`\1` \2"),
        (r"(kebab .*)", r"the user can run: \1"),
        (r"run (`kebab .*)", r"the user can run \1"),
        (r"(.*)`--mode lexical`(.*)", r"\1mode=lexical\2"),
        (r"run (?:it )?without `--readonly`.*", "the user started this server for reading only"),
    )
)
"""Hints name commands where people read them; the first pattern that is all of a hint says it for agents."""


def tell_agents(hint: str) -> str:
    """Return a hint that names tools where one can do what a command does, and else who can run the command."""
    for pattern, words in _RULES:
        if match := pattern.fullmatch(hint):
            return match.expand(words)
    return hint
