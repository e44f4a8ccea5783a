"""Hints of errors in the terms of agents, who have tools and no command line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

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
        (r"kebab config add-source makes (.*)", r"the user can make \1 with kebab config add-source"),
        (r"pipe it into kebab ingest-stdin", "give its text to `ingest_stdin`"),
        (r"(kebab .*)", r"the user can run: \1"),
        (r"run (`?kebab .*)", r"the user can run \1"),
        (r"(chmod .*)", r"the user can run: \1"),
        (r"(.*)`--mode lexical`(.*)", r"\1mode=lexical\2"),
        (r"run (?:it )?without `--readonly`.*", "the user started this server for reading only"),
        (r"(.*\bkebab [a-z].*)", r"the user can do this: \1"),
    )
)
"""Hints name commands where people read them; the first pattern that is all of a hint says it for agents."""

PartT = TypeVar("PartT", bound="BaseModel")


def tell_agents(hint: str) -> str:
    """Word a hint for agents: a tool where one does what the command does, else the user who can run the command."""
    if "the user can" in hint:  # rendered from a remedy
        return hint
    for pattern, words in _RULES:
        if match := pattern.fullmatch(hint):
            return match.expand(words)
    return hint


def advise_agents(value: PartT, *path: str) -> PartT:
    """Word the hints in a wire object for agents.

    Args:
        value: The object.
        path: Fields that lead to what has a `hint`, or to several that have; one that is None ends it.
    """
    if not path:
        hint = getattr(value, "hint", None)
        return value.model_copy(update={"hint": tell_agents(hint)}) if hint else value
    inner = getattr(value, path[0])
    if inner is None:
        return value
    told: object = (
        tuple(advise_agents(each, *path[1:]) for each in inner)
        if isinstance(inner, tuple)
        else advise_agents(inner, *path[1:])
    )
    return value.model_copy(update={path[0]: told})
