"""YAML and TOML of front matter: safe reading to JSON values, and writing of YAML.

Depth and size are limited. Scalars follow the core rules of YAML 1.2. Written YAML means the same to readers of
versions 1.1 and 1.2.
"""

from __future__ import annotations

import base64
import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from datetime import date, time
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from kebab_core import Message
from pydantic import JsonValue

if TYPE_CHECKING:
    from yaml import Node, SafeDumper, SafeLoader, ScalarNode

_MAX_DEPTH = 32
_MAX_ALIASES = 100
_MAX_VALUES = 20_000
"""Most values after aliases are expanded; stops bombs of nested aliases."""
_MAX_EXACT_INT = 2**53 - 1
_NEVER_FOLD = 1 << 30
"""Line width from which PyYAML folds a long text."""
_MERGE = "tag:yaml.org,2002:merge"
FIRST_LINE = 2
"""Number of the first line of front matter in its file, below the fence."""
_TOML_PLACE = re.compile(r"at line (\d+), column (\d+)\)")
_BRACKETS = re.compile(r"[\[\]{}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_Machine = TypeVar("_Machine", "SafeDumper", "SafeLoader")
_CORE_SCALARS = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^[-+]?(?:0|[1-9][0-9]{0,14})$", "-+0123456789"),
    ("float", r"^[-+]?(?:[0-9]{1,20}\.[0-9]{0,20}|\.[0-9]{1,20})(?:[eE][-+]?[0-9]{1,3})?$", "-+.0123456789"),
)
"""YAML 1.2 core scalars, decimal only, so that `title: No`, `at: 12:30` and dates stay as written."""


class FrontMatterSyntaxError(ValueError):
    """Front matter cannot be read. The message is one line for the user."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def parse_yaml(text: str, first_line: int = FIRST_LINE) -> dict[str, JsonValue] | None:
    """Return a YAML mapping as JSON values; empty for blank text, None for comments only and for other values.

    Args:
        text: The text between the fences, or a part of it.
        first_line: Number of its first line in the file, from 1.

    Raises:
        FrontMatterSyntaxError: The text is not YAML, or larger or deeper than front matter can be.
    """
    import yaml

    loader = _yaml_loader()
    try:
        _check_events(text, loader)
        value = _compose(text, loader)
    except FrontMatterSyntaxError:
        raise
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = None if mark is None else (first_line + mark.line, mark.column + 1)
        raise FrontMatterSyntaxError(_unreadable("YAML", place)) from error
    if isinstance(value, dict):
        return _json_object(value)
    return None if text.strip() else {}


def parse_toml(text: str, first_line: int = FIRST_LINE) -> dict[str, JsonValue] | None:
    """Return a TOML document as JSON values; None for comments only. The arguments are those of `parse_yaml`.

    Raises:
        FrontMatterSyntaxError: The text is not TOML, or larger or deeper than front matter can be.
    """
    _check_brackets(text)
    try:
        value = _json_object(tomllib.loads(text))
    except FrontMatterSyntaxError:
        raise
    except (ValueError, RecursionError) as error:  # a number of more than 4,300 digits is no TOMLDecodeError
        found = _TOML_PLACE.search(str(error))
        place = None if found is None else (first_line + int(found[1]) - 1, int(found[2]))
        raise FrontMatterSyntaxError(_unreadable("TOML", place)) from error
    return value if value or not text.strip() else None


def dump_yaml(values: Mapping[str, JsonValue]) -> str:
    """Return YAML that `parse_yaml` reads back to equal values. Keys keep their order."""
    import yaml

    text: str = yaml.dump(
        dict(values), Dumper=_yaml_dumper(), allow_unicode=True, sort_keys=False, width=_NEVER_FOLD
    )
    return text


@cache
def _yaml_dumper() -> type[SafeDumper]:
    """Return a dumper that quotes texts which YAML 1.1 or 1.2 would read as another type."""
    import yaml

    dumper: type[SafeDumper] = type("FrontMatterDumper", (yaml.SafeDumper,), {})
    dumper.add_representer(str, _represent_text)
    return _with_core_scalars(dumper)


def _represent_text(dumper: SafeDumper, text: str) -> ScalarNode:
    """Return a text with escapes where versions differ: U+0085 and U+2028 end a line in YAML 1.1 only."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if text.isprintable() else '"')


@cache
def _yaml_loader() -> type[SafeLoader]:
    import yaml

    base: type[SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    def flatten_mapping(loader: SafeLoader, node: yaml.MappingNode) -> None:
        """Merge the mappings that `<<` names, each key once: merges of merges would double what they merge."""
        base.flatten_mapping(loader, node)
        last = {
            key.value if isinstance(key, yaml.ScalarNode) else id(key): (key, value)
            for key, value in node.value
        }
        node.value = [*last.values()]

    members = {"yaml_implicit_resolvers": {}, "flatten_mapping": flatten_mapping}
    loader: type[SafeLoader] = type("FrontMatterLoader", (base,), members)
    loader.add_implicit_resolver(_MERGE, re.compile("^<<$"), ["<"])
    loader.add_constructor(_MERGE, lambda _, node: node.value)  # where it is no key
    return _with_core_scalars(loader)


def _compose(text: str, loader: type[SafeLoader]) -> object:
    """Return the value of a YAML text; None for an empty one.

    Raises:
        FrontMatterSyntaxError: A mapping has a key twice, which YAML forbids (1.2, 3.2.1.3) and PyYAML does not check.
    """
    machine = loader(text)
    try:
        node = machine.get_single_node()
        if node is None:
            return None
        _check_keys(node)
        return machine.construct_document(node)
    finally:
        machine.dispose()


def _check_keys(root: Node) -> None:
    import yaml

    waiting, checked = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in checked or not isinstance(node, yaml.CollectionNode):
            continue
        checked.add(id(node))
        if isinstance(node, yaml.MappingNode):
            names = Counter(key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode))
            name, count = max(names.items(), key=lambda item: item[1], default=("", 0))
            if count > 1:
                raise FrontMatterSyntaxError(
                    Message("the key `{name}` stands there {count} times", name=name[:60], count=count)
                )
            waiting += [each for pair in node.value for each in pair]
        else:
            waiting += node.value


def _with_core_scalars(machine: type[_Machine]) -> type[_Machine]:
    for name, pattern, first in _CORE_SCALARS:
        machine.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(pattern), list(first))
    return machine


def _check_events(text: str, loader: type[SafeLoader]) -> None:
    import yaml

    depth = aliases = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.AliasEvent):
            aliases += 1
        if depth > _MAX_DEPTH or aliases > _MAX_ALIASES:
            raise FrontMatterSyntaxError(
                Message(
                    "nested deeper than {depth}, or more than {aliases} aliases",
                    depth=_MAX_DEPTH,
                    aliases=_MAX_ALIASES,
                )
            )


def _check_brackets(text: str) -> None:
    depth = 0
    for match in _BRACKETS.finditer(text):
        depth += 1 if match[0] in "[{" else -1
        if depth > _MAX_DEPTH:
            raise FrontMatterSyntaxError(Message("nested deeper than {depth}", depth=_MAX_DEPTH))


def _json_object(value: Mapping[Any, object]) -> dict[str, JsonValue]:
    budget = [_MAX_VALUES]
    return {_clean(str(key)): _json(item, 1, budget) for key, item in value.items()}


def _json(value: object, depth: int, budget: list[int]) -> JsonValue:
    budget[0] -= 1
    if depth > _MAX_DEPTH or budget[0] < 0:
        raise FrontMatterSyntaxError(
            Message(
                "nested deeper than {depth}, or more than {values} values",
                depth=_MAX_DEPTH,
                values=_MAX_VALUES,
            )
        )
    if isinstance(value, Mapping):
        return {_clean(str(key)): _json(item, depth + 1, budget) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json(item, depth + 1, budget) for item in value]
    return _json_scalar(value)


def _json_scalar(value: object) -> JsonValue:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if abs(value) <= _MAX_EXACT_INT else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return _clean(str(value))


def _clean(text: str) -> str:
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def _unreadable(language: str, place: tuple[int, int] | None) -> Message:
    """Return what is wrong in our own words: those of the libraries speak of their states."""
    if place is None:
        return Message("a value of it cannot be read as {language}", language=language)
    line, column = place
    return Message(
        "line {line}, column {column} cannot be read as {language}",
        line=line,
        column=column,
        language=language,
    )
