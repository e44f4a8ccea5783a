"""Messages that were stored as text: their templates, found again among those that have a translation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import Formatter

_LEAST_LITERAL = 8
"""Letters that a template has outside of its fields at least; shorter ones fit texts that others made."""


def find_template(text: str, templates: Iterable[str]) -> tuple[str, Mapping[str, str]] | None:
    """Return the template that a text was made of and what stands in its fields; None where none fits.

    Of several the one with most of the text outside of its fields. Fields beside each other, and formats, are not told apart.
    """
    best: tuple[str, Mapping[str, str]] | None = None
    most = _LEAST_LITERAL - 1
    for template in templates:
        parts = _parse(template) if "{" in template else []
        size = sum(len(literal) for literal, _ in parts)
        if size > most and (values := _match(text, parts)) is not None:
            best, most = (template, values), size
    return best


def plain_fields(template: str) -> str:
    """Return a template without formats and conversions, which the values of a text have behind them."""
    return "".join(
        literal.replace("{", "{{").replace("}", "}}") + ("" if name is None else f"{{{name}}}")
        for literal, name, *_ in Formatter().parse(template)
    )


def _parse(template: str) -> list[tuple[str, str]]:
    """Return each literal with the name of the field behind it, empty at the end; nothing for text with other braces."""
    try:
        return [(literal, name or "") for literal, name, *_ in Formatter().parse(template)]
    except ValueError:
        return []


def _match(text: str, parts: Sequence[tuple[str, str]]) -> dict[str, str] | None:
    values: dict[str, str] = {}
    position, field = 0, ""
    if not parts[-1][1] and not text.endswith(parts[-1][0]):
        return None
    for number, (literal, name) in enumerate(parts):
        is_last = number == len(parts) - 1 and not name
        start = len(text) - len(literal) if is_last else text.find(literal, position)
        if start < position or (not field and start > position):
            return None
        if field and values.setdefault(field, text[position:start]) != text[position:start]:
            return None
        position, field = start + len(literal), name
    if field:
        values[field] = text[position:]
    return values if all(values.values()) else None
