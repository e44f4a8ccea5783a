"""The page about plugins: entry-point groups and their Protocols."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import NoneType
from typing import get_args

from kebab_chunk import CHUNKER_VERSIONS
from kebab_core import (
    CHUNKERS_GROUP,
    EMBEDDERS_GROUP,
    EXTRACTORS_GROUP,
    LANGUAGE_MODELS_GROUP,
    PLUGIN_GROUPS,
    SOURCES_GROUP,
    Chunker,
    ChunkerFactory,
    Embedder,
    EmbedderFactory,
    Extractor,
    ExtractorFactory,
    LanguageModel,
    LanguageModelFactory,
    SourceConnector,
    SourceConnectorFactory,
)

from tools.docs.markdown import join_parts, render_code, render_table

_INTRODUCTION = """
# Parts that others can add

Another distribution adds a part as an entry point of one of these groups. The entry names a factory, which is called
with the arguments below and returns an object that satisfies the Protocol:

```toml
[project.entry-points."kebab.extractors"]
srt = "acme_kebab_srt:SubtitleExtractor"
```

kebab looks into a group only for a name that is not built in, and imports only what a file or a setting needs. Two
distributions that offer one name, and an object that does not satisfy its Protocol, are the error `plugin_conflict`, which
names the distributions. `kebab schema` lists plugins, and `kebab doctor` tries them. The factories, services and Protocols are
public names of `kebab_core`, their docstrings are the rules, and `kebab-testing` has suites of laws for them.
"""
_PROTOCOLS: dict[str, type] = {
    EXTRACTORS_GROUP: Extractor,
    CHUNKERS_GROUP: Chunker,
    EMBEDDERS_GROUP: Embedder,
    LANGUAGE_MODELS_GROUP: LanguageModel,
    SOURCES_GROUP: SourceConnector,
}
_FACTORIES: dict[str, tuple[str, object]] = {
    EXTRACTORS_GROUP: ("ExtractorFactory", ExtractorFactory),
    CHUNKERS_GROUP: ("ChunkerFactory", ChunkerFactory),
    EMBEDDERS_GROUP: ("EmbedderFactory", EmbedderFactory),
    LANGUAGE_MODELS_GROUP: ("LanguageModelFactory", LanguageModelFactory),
    SOURCES_GROUP: ("SourceConnectorFactory", SourceConnectorFactory),
}
_NAMES = {
    EXTRACTORS_GROUP: "The name is the medium that it reads: the extension of files of an unknown kind, such as `sub`, or a "
    "kind without a built-in extractor, such as `pdf`. A factory with the attribute `settings_model`, a subclass of "
    "`kebab_core.Model`, gets the section `[ingest.extractors.<name>]` as one. A value that the model refuses is an error of "
    "the configuration, and documents are read again when a value changes. Its files are read in worker processes, each within "
    "`ingest.extract_timeout_s` and `ingest.extract_memory_mb`, and `kebab why` does not try them; an extractor with the "
    "attribute `isolated = False`, whose parser neither loops nor takes much memory nor ends its process, is used as the "
    "built-in ones are.",
    CHUNKERS_GROUP: "The name is that of an extractor plugin, whose documents it cuts in place of `md-heading-v4`.",
    EMBEDDERS_GROUP: "The name is a value of `models.embedding.provider`.",
    LANGUAGE_MODELS_GROUP: "The name is a value of `models.llm.provider`.",
    SOURCES_GROUP: "The name is a value of `kind` in `[[workspace.sources]]`. `root` is expanded as a path; the scan gets it.",
}
_BUILT_IN = {CHUNKERS_GROUP: tuple(CHUNKER_VERSIONS)}


def render() -> str:
    """Return the page."""
    return join_parts([_INTRODUCTION, *(part for group in PLUGIN_GROUPS for part in _section(group))])


def _section(group: str) -> Iterator[str]:
    protocol = _PROTOCOLS[group]
    yield f"## {render_code(group)}"
    yield f"{render_code(protocol.__name__)}: {_summary(protocol)}"
    yield _NAMES[group]
    if factory := _FACTORIES.get(group):
        yield f"Factory: {render_code(_call(*factory))}."
    if built_in := _BUILT_IN.get(group):
        yield "Built in: " + ", ".join(render_code(name) for name in sorted(built_in)) + "."
    yield render_table(("member", "meaning"), _members(protocol))


def _call(name: str, factory: object) -> str:
    """Return the call of a factory, by the types of its arguments and its result."""
    arguments, result = get_args(factory)
    return f"{name}({', '.join(map(_type_name, arguments))}) -> {_type_name(result)}"


def _type_name(annotation: object) -> str:
    parts = get_args(annotation) or (annotation,)
    return " | ".join("None" if part is NoneType else getattr(part, "__name__", str(part)) for part in parts)


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
    return text.replace("(self, ", "(").replace("(self)", "()").replace(", /)", ")").replace("'", "")


def _summary(documented: object) -> str:
    return (inspect.getdoc(documented) or "").partition("\n\n")[0]
