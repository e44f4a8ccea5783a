"""Writing keys into the front matter of a text."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pydantic import JsonValue

from kebab_parse_md.frontmatter import split_front_matter
from kebab_parse_md.frontmatter_syntax import dump_yaml


def has_body(text: str) -> bool:
    """Return whether anything but blanks stands in a Markdown text below its front matter."""
    _, body = _split(text)
    return bool(body.strip())


def add_front_matter(text: str, values: Mapping[str, str]) -> str:
    r"""Return a Markdown text whose front matter is YAML and holds these keys.

    The given keys come first. Other keys of the text keep their values and order; a different value under a given
    key stays as `original_<key>`, so that nothing is lost. Front matter that cannot be read is left standing as
    part of the body. Lines end in `\n`; equal arguments give equal texts.

    Args:
        text: The text, with front matter in YAML or TOML or without.
        values: What to write.
    """
    present, body = _split(text)
    merged: dict[str, JsonValue] = dict(values)
    for key, value in present.items():
        if key not in values:
            merged[key] = value
        elif value != values[key] and value not in (None, ""):
            merged[_free_name(key, taken={*present, *values})] = value
    return f"---\n{dump_yaml(merged)}---\n{body}"


def _free_name(key: str, *, taken: Set[str]) -> str:
    while key in taken:
        key = f"original_{key}"
    return key


def _split(text: str) -> tuple[Mapping[str, JsonValue], str]:
    """Return the keys and values of front matter that can be read, and what follows it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    front = split_front_matter(lines)
    if front.warnings:
        return {}, lines
    return front.values, "\n".join(lines.split("\n")[front.line_count :])
