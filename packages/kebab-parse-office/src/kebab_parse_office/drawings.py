"""Text of drawings in files of Office: charts, diagrams, and shapes with their paragraphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from kebab_parse_office.archive import R, read_integer
from kebab_parse_office.number_format import format_value
from kebab_parse_office.rich_text import join_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

    from kebab_parse_office.archive import OfficeArchive, Relationship

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


class Graphic(NamedTuple):
    """What a chart or a diagram says."""

    titles: tuple[str, ...] = ()
    """Of a chart and its axes."""
    table: tuple[tuple[str, ...], ...] = ()
    """Stored values of a chart: names of its series above, categories first."""
    points: tuple[str, ...] = ()
    """Texts of a diagram."""


def plain_lines(parent: _Element) -> str:
    """Return the paragraphs below an element, a line each."""
    lines = (
        "".join(text.text or "" for text in paragraph.iter(A + "t")) for paragraph in parent.iter(A + "p")
    )
    return "\n".join(lines)


def list_graphics(drawing: _Element, links: Mapping[str, Relationship]) -> Iterator[Relationship]:
    """Yield the parts of the charts and diagrams that a drawing shows."""
    for data in drawing.iter(A + "graphicData"):
        for each in data:
            chart, diagram = (links.get(each.get(R + name, "")) for name in ("id", "dm"))
            if chart is not None and chart.kind.startswith("chart"):  # an embedded file has an id, too
                yield chart
            if diagram is not None:
                yield diagram


def read_graphic(archive: OfficeArchive, link: Relationship) -> Graphic:
    """Read a chart or diagram; empty where it cannot be read: a warning."""
    root = archive.parse_optional(link.target)
    if root is None:
        return Graphic()
    if link.kind.startswith("chart"):
        titles = (root.find("{*}chart/{*}title"), *root.iterfind("{*}chart/{*}plotArea/*/{*}title"))
        lines = (join_line(plain_lines(title)) for title in titles if title is not None)
        return Graphic(tuple(filter(None, lines)), _read_values(root))
    points = (plain_lines(text) for text in root.iterfind("{*}ptLst/{*}pt/{*}t"))
    return Graphic(points=tuple(text for text in points if text.strip()))


def _read_values(chart: _Element) -> tuple[tuple[str, ...], ...]:
    names: list[str] = [""]
    rows: dict[int, list[str]] = {}
    for number, series in enumerate(chart.iter("{*}ser"), 1):
        names.append(" ".join(value.text or "" for value in series.iterfind("{*}tx//{*}v")))
        for index, text in _points(series, "cat", "xVal"):
            rows.setdefault(index, [text])[0] = text
        for index, text in _points(series, "val", "yVal"):
            row = rows.setdefault(index, [""])
            row += [""] * (number + 1 - len(row))
            row[number] = text
    if not rows and not any(names):
        return ()
    return (tuple(names), *(tuple(rows[index]) for index in sorted(rows)))


def _points(series: _Element, *names: str) -> Iterator[tuple[int, str]]:
    """Yield the stored points of a series with their numbers, numbers as their format shows them."""
    for name in names:
        for cache in series.iterfind(f"{{*}}{name}/*/*"):
            code = cache.findtext("{*}formatCode") or ""
            for point in cache.iter("{*}pt"):
                text, index = point.findtext("{*}v") or "", point.get("idx", "")
                if index:
                    yield (
                        read_integer(index),
                        _show_point(text, code) if cache.tag.endswith("}numCache") else text,
                    )


def _show_point(text: str, code: str) -> str:
    try:
        return format_value(float(text), code)
    except ValueError:
        return text
