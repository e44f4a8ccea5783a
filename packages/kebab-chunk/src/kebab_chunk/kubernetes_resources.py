"""The chunker `k8s-manifest-resource-v1`: a passage for each resource of a Kubernetes manifest or of a Helm template.

YAML is read as events, so that nothing is built of it: an alias stays a name, and depth takes no stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kebab_core import ChunkPolicy, CodeBlock, CodeSymbol, SymbolKind, TokenCounter

from kebab_chunk.boundaries import TextLimit
from kebab_chunk.code_passages import CodePassage, Lead, cut_rows, first_line_of, passage_limit

if TYPE_CHECKING:
    from yaml import Event

_SEPARATOR = re.compile(r"---\s*+(?:#.*+)?$")
_MARKER = re.compile(r"---(?:\s|$)")
_BRACKET = re.compile(r"[][{}]")
_MAX_BRACKETS = 200
_TEMPLATE = re.compile(r"\{\{[^{}]{0,4000}+\}\}")
_MARK = "\ue000"
_ONLY_MARKS = re.compile(rf"[\s{_MARK}]*+")
_DEPTH = 4
"""Levels of keys that are looked at: `items`, a number, `metadata`, `name`."""
_LEAD_ROWS = 8
_SPACE = re.compile(r"\s++")

_Path = tuple[str | int, ...]


@dataclass(frozen=True)
class _Value:
    text: str
    row: int


@dataclass
class _Outline:
    """The values of a YAML document at the keys that identify a resource."""

    values: dict[_Path, _Value] = field(default_factory=dict)
    item_rows: list[int] = field(default_factory=list)
    """First rows of the mappings in `items`."""
    is_empty: bool = True


@dataclass(frozen=True)
class _Resource:
    rows: range
    symbol: CodeSymbol
    names: tuple[str, ...]
    last_head_row: int
    """Row of its name, or of its kind."""


def cut_resources(block: CodeBlock, counter: TokenCounter, policy: ChunkPolicy) -> Iterator[CodePassage]:
    """Yield the resources of a manifest, those of a list one by one; nothing if a document of it is no resource.

    A resource that is too long is cut, with its first lines up to its name before each part.
    """
    first, lines = first_line_of(block), block.code.split("\n")
    for resource in _find_resources(lines, first):
        lead = _find_lead(lines, resource, first, passage_limit(counter, policy))
        for rows, text in cut_rows(lines, resource.rows, passage_limit(counter, policy, lead)):
            here = range(first + rows.start, first + rows.stop)
            yield CodePassage(
                block,
                text,
                here.start,
                here.stop - 1,
                lead=lead if lead and here.start > lead.line_end else None,
                symbols=(resource.symbol,) if resource.symbol.line_start in here else (),
                symbol=resource.symbol.symbol,
                names=resource.names,
            )


def _find_lead(lines: Sequence[str], resource: _Resource, first: int, limit: TextLimit) -> Lead | None:
    """Return the first lines of a resource that is too long, up to its name; None if they are many."""
    rows = range(resource.rows.start, resource.last_head_row + 1)
    if limit.fits("\n".join(lines[resource.rows.start : resource.rows.stop])) or len(rows) > _LEAD_ROWS:
        return None
    text = "\n".join(lines[rows.start : rows.stop])
    return Lead(text, first + rows.start, first + rows.stop - 1) if limit.fits(f"{text}\n{text}") else None


def _find_resources(lines: Sequence[str], first: int) -> list[_Resource]:
    """Return the resources of a file in order; none if any document of it is none, or is no YAML."""
    import yaml

    masked = _mask_templates("\n".join(lines)).split("\n")
    if _is_deep(masked):
        return []
    found: list[_Resource] = []
    start = 0
    for own in _documents(masked):
        try:
            outline = _outline(lines[own.start : own.stop], masked[own.start : own.stop])
        except yaml.YAMLError:
            return []
        if outline.is_empty:
            continue  # comments, which the next resource begins with
        resources = _describe(outline, own, _filled(lines, range(start, own.stop)), first)
        if not resources:
            return []
        found += resources
        start = own.stop
    rest = _filled(lines, range(start, len(lines)))
    if found and rest:
        found[-1] = replace(found[-1], rows=range(found[-1].rows.start, rest[-1] + 1))
    return found


def _is_deep(lines: Sequence[str]) -> bool:
    """Return True if brackets may be nested deeper than those of resources; reading such YAML takes the square of the depth."""
    depth = 0
    for line in lines:
        for match in _BRACKET.finditer(line):
            depth += 1 if match[0] in "[{" else -1 if depth else 0
            if depth > _MAX_BRACKETS:
                return True
    return False


def _filled(lines: Sequence[str], rows: range) -> list[int]:
    return [row for row in rows if lines[row].strip() and not _SEPARATOR.fullmatch(lines[row])]


def _mask_templates(text: str) -> str:
    """Return a text of the same length, with blanks for templates that fill lines, and letters for the others."""
    marked = _TEMPLATE.sub(lambda match: re.sub(r"[^\n]", _MARK, match[0]), text)
    return "\n".join(
        line.replace(_MARK, " " if _ONLY_MARKS.fullmatch(line) else "x") for line in marked.split("\n")
    )


def _documents(lines: Sequence[str]) -> Iterator[range]:
    start = 0
    for row, line in enumerate(lines):
        if row > start and _MARKER.match(line):
            yield range(start, row)
            start = row
    yield range(start, len(lines))


def _outline(lines: Sequence[str], masked: Sequence[str]) -> _Outline:
    """Read the keys that tell a resource, from lines with and without templates.

    Raises:
        yaml.YAMLError: It is no YAML.
    """
    outline, text = _Outline(), "\n".join(lines)
    for path, event in _nodes("\n".join(masked)):
        value = getattr(event, "value", None)
        if path or value:
            outline.is_empty = False
        start, end = event.start_mark, event.end_mark
        if start is None or end is None:  # never, of events that are parsed
            continue
        if value is not None:
            written = text[start.index : end.index]
            name = written.strip("\"'") if "{{" in written else value
            outline.values[path] = _Value(_SPACE.sub(" ", name).strip(), start.line)
        elif path[:1] == ("items",) and isinstance(path[-1], int):
            outline.item_rows.append(start.line)
    return outline


def _nodes(text: str) -> Iterator[tuple[_Path, Event]]:
    """Yield the values down to `_DEPTH` with the keys and numbers that lead to them.

    Raises:
        yaml.YAMLError: It is no YAML.
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    around: list[_Collection] = []
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionEndEvent):
            around.pop()
        elif not isinstance(event, yaml.NodeEvent):
            continue
        else:
            if (not around or not around[-1].expects_key) and len(around) <= _DEPTH:
                yield tuple(each.place for each in around), event
            if isinstance(event, yaml.CollectionStartEvent):
                around.append(_Collection(is_mapping=isinstance(event, yaml.MappingStartEvent)))
                continue
        if around:
            around[-1].pass_node(getattr(event, "value", None))


class _Collection:
    """A mapping or sequence that is being read."""

    def __init__(self, *, is_mapping: bool) -> None:
        self.is_mapping = self.expects_key = is_mapping
        self.place: str | int = "" if is_mapping else 0
        """Key or number of the value that comes next."""

    def pass_node(self, value: str | None) -> None:
        """Go on to what follows a node; `value` is its text if it is a scalar."""
        if isinstance(self.place, int):
            self.place += 1
        elif self.expects_key:
            self.place = value or ""
        if self.is_mapping:
            self.expects_key = not self.expects_key


def _describe(outline: _Outline, own: range, filled: Sequence[int], first: int) -> list[_Resource]:
    """Return the resources of a document; none if it is none.

    Args:
        outline: What it has.
        own: Its rows.
        filled: Its rows with those of comments before it, without blank ones and separators.
        first: Line of the first row of the file.
    """
    whole = _name(outline.values, ())
    if whole is None or not filled:
        return []
    found = [(filled[0], whole)]
    if whole[0][0].endswith("List"):
        items = [
            (own.start + row, item)
            for number, row in enumerate(outline.item_rows)
            if (item := _name(outline.values, ("items", number))) is not None
        ]
        if items and len(items) == len(outline.item_rows):
            found = [(filled[0], items[0][1]), *items[1:]]
    resources: list[_Resource] = []
    for number, (start, (names, last_head)) in enumerate(found):
        stop = found[number + 1][0] if number + 1 < len(found) else own.stop
        rows = range(start, next(row for row in reversed(filled) if row < stop) + 1)
        symbol = CodeSymbol(
            symbol="/".join(names),
            kind=SymbolKind.RESOURCE,
            line_start=first + rows.start,
            line_end=first + rows.stop - 1,
        )
        resources.append(_Resource(rows, symbol, names, own.start + last_head))
    return resources


def _name(values: Mapping[_Path, _Value], at: _Path) -> tuple[tuple[str, ...], int] | None:
    """Return kind, namespace and name of a resource, as far as it has them, with the last of their rows; None if it is none."""
    version, kind = values.get((*at, "apiVersion")), values.get((*at, "kind"))
    if version is None or kind is None or not version.text or not kind.text:
        return None
    name = values.get((*at, "metadata", "name")) or values.get((*at, "metadata", "generateName"))
    namespace = values.get((*at, "metadata", "namespace")) if name else None
    heads = [each for each in (kind, namespace, name) if each and each.text]
    return tuple(each.text for each in heads), max(each.row for each in heads)
