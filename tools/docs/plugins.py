"""The page about plugins: entry-point groups and their Protocols."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from kebab_chunk import CHUNKER_VERSIONS
from kebab_core import (
    CHUNKERS_GROUP,
    EMBEDDERS_GROUP,
    EXTRACTORS_GROUP,
    LANGUAGE_MODELS_GROUP,
    PLUGIN_GROUPS,
    Chunker,
    Embedder,
    Extractor,
    LanguageModel,
)

from tools.docs.markdown import join_parts, render_code, render_table

_INTRODUCTION = """
# Parts that others can add

These entry-point groups belong to kebab: an entry of a group is a class that satisfies the Protocol below, under the name
that a configuration would use. Built-in names always win, and two distributions that offer one name are an error. No
setting of this version can name a part that is not built in, so it does not look into the groups; a program that puts the
parts together itself can use any class that satisfies a Protocol. The Protocols are public names of `kebab_core`, their
docstrings are the rules, and `kebab-testing` has suites of laws for them.
"""
_PROTOCOLS: dict[str, type] = {
    EXTRACTORS_GROUP: Extractor,
    CHUNKERS_GROUP: Chunker,
    EMBEDDERS_GROUP: Embedder,
    LANGUAGE_MODELS_GROUP: LanguageModel,
}
_BUILT_IN = {CHUNKERS_GROUP: tuple(CHUNKER_VERSIONS)}


def render() -> str:
    """Return the page."""
    return join_parts([_INTRODUCTION, *(part for group in PLUGIN_GROUPS for part in _section(group))])


def _section(group: str) -> Iterator[str]:
    protocol = _PROTOCOLS[group]
    yield f"## {render_code(group)}"
    yield f"{render_code(protocol.__name__)}: {_summary(protocol)}"
    if built_in := _BUILT_IN.get(group):
        yield "Built in: " + ", ".join(render_code(name) for name in sorted(built_in)) + "."
    yield render_table(("member", "meaning"), _members(protocol))


def _members(protocol: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(protocol).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield render_code(name), _summary(member)
        elif inspect.isfunction(member):
            yield render_code(name + _signature(member)), _summary(member)


def _signature(function: object) -> str:
    text = str(inspect.signature(function))  # type: ignore[arg-type]  # a function, as the caller found
    return text.replace("(self, ", "(").replace("(self)", "()").replace("'", "")


def _summary(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n\n")[0]
