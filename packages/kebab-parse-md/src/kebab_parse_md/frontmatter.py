"""Front matter: split from the body, indexed as text where metadata do not hold it, and written."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Set as AbstractSet
from dataclasses import dataclass, field
from itertools import groupby

from kebab_core import Message
from pydantic import JsonValue

from kebab_parse_md.frontmatter_entries import read_entries
from kebab_parse_md.frontmatter_syntax import FrontMatterSyntaxError, dump_yaml, parse_toml, parse_yaml

MAX_FRONT_MATTER_CHARS = 128 * 1024
"""Most characters of front matter; a longer text between fences is part of the body."""

_FENCES = {
    "---": (re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE), parse_yaml),
    "+++": (re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE), parse_toml),
}
_OPENING = re.compile(r"(---|\+\+\+)[ \t]*\n")
_KEY_LINE = re.compile(r"""[ \t]*(?:#.*|["']?\w[\w .-]{0,80}+["']?\s*[:=](?:\s.*)?)""")
_COMMENT = re.compile(r"[ \t]*#")
_KEY = re.compile(r"""\[*["']?([^\s"'\[\]#{-][^"':=\]]*+)""")
"""The key at the beginning of an unindented line of YAML or TOML, or the name of a TOML table."""
_ADDRESSES = frozenset({"source_uri"})
"""Keys that kebab itself writes. Their values are addresses, even with blanks in them, and are not indexed."""
_DESCRIPTIONS = frozenset({"description", "summary", "abstract", "excerpt", "subtitle"})
"""Keys with text about the document, which is indexed without the key."""
_LABELS = frozenset({"keywords", "keyword", "tags", "tag"})
"""Keys with words of the document, which are indexed however few they are."""
_MACHINERY = frozenset({
    "layout",
    "permalink",
    "parent",
    "nav_order",
    "sidebar_position",
    "cssclass",
    "cssclasses",
    "toc",
})
"""Keys for the generator of a site. What they hold says where and how a page is shown, not what it is."""
_HASH = re.compile(r"(?=.*[0-9])(?=.*[a-f])(?:[0-9a-f][/:-]?){16,}", re.IGNORECASE)
"""A UUID or a hash. A number alone is none: it may be that of a card or an account."""
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d.*")
_DESCRIPTION_KEY = re.compile(
    rf"""["']?(?:title|{"|".join(sorted(_DESCRIPTIONS))})["']?[ \t]*[:=][ \t]*(?:[>|][+-]?[ \t]*$|["']+)?""",
    re.IGNORECASE,
)
_LEAST_WORDS = 2
"""Least words of a text; fewer are a name or a state."""
_STATE = re.compile(r"[a-z0-9_.:-]+|.*/.*", re.DOTALL)
"""A value such as `draft`, a version, or a path; a word in capitals or another script is a name that people search for."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a document."""

    values: Mapping[str, JsonValue] = field(default_factory=dict)
    """Keys as written, values as JSON."""
    line_count: int = 0
    """Number of its lines in the file, fences included; 0 without front matter."""
    unread: tuple[range, ...] = ()
    """Lines, from 0 after the fence, of keys that cannot be read or stand there again; they are text."""
    stray_fences: tuple[int, ...] = ()
    """Lines, from 0, of the two fences around text that looks like front matter but is not."""
    warnings: tuple[Message, ...] = ()

    @property
    def blank_lines(self) -> tuple[range, ...]:
        """Ranges of lines, from 0, that are not part of the body."""
        return range(self.line_count), *(range(line, line + 1) for line in self.stray_fences)


def split_front_matter(text: str) -> FrontMatter:
    r"""Read the YAML (`---`) or TOML (`+++`) front matter of a text whose lines end in `\n`.

    Front matter is a mapping that begins on the line after its fence, at least by half of its keys. Pandoc's rule: a blank
    line there makes the fence a thematic break. Anything else is part of the body, with a warning if there is a fence.

    Args:
        text: The document from its first line on.

    Returns:
        The values, and the lines that are not part of the body.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing_pattern, parse = _FENCES[opening[1]]
    closing = closing_pattern.search(text, opening.end(), opening.end() + MAX_FRONT_MATTER_CHARS)
    if closing is None:
        return FrontMatter(warnings=(_warning(opening[1], Message("no line closes it")),))
    inner = text[opening.end() : closing.start()]
    first_line = inner.partition("\n")[0]
    if inner.strip() and not first_line.strip():
        return FrontMatter(warnings=(_warning(opening[1], Message("a blank line follows")),))
    last = text.count("\n", 0, closing.start())
    reason = Message("it is not a mapping of keys to values")
    try:
        values = parse(inner)
    except FrontMatterSyntaxError as error:
        values, reason = None, error.message
        entries = read_entries(inner, parse, is_toml=opening[1] == "+++")
        if entries is not None:
            return FrontMatter(
                entries.values, last + 1, unread=tuple(entries.unread), warnings=tuple(entries.warnings)
            )
    if values is not None:
        return FrontMatter(values, last + 1)
    # A Markdown parser would read the last line and the closing fence below it as a heading.
    fences = (0, last) if _KEY_LINE.fullmatch(first_line) else ()
    return FrontMatter(stray_fences=fences, warnings=(_warning(opening[1], reason),))


NumberedText = tuple[int, str]
"""Number of the first line in the file, from 1, and the text of the lines."""


def read_all_lines(text: str, front: FrontMatter) -> tuple[NumberedText, ...]:
    """Return the lines between the fences as one block; nothing if they are blank."""
    inner = "\n".join(_inner_lines(text, front))
    return ((2, inner),) if inner.strip() else ()


def read_prose_lines(
    text: str, front: FrontMatter, user: Mapping[str, JsonValue]
) -> tuple[NumberedText, ...]:
    """Return as blocks the comments, descriptions, keywords and tags, and the user's own keys with prose or a name as value.

    Args:
        text: The document.
        front: Its front matter.
        user: The keys that have no field in the metadata, with their values.

    Returns:
        One block for each run of lines; all lines as one block if a key with prose is not found among them.
    """
    wanted = {
        key.strip()
        for key, value in user.items()
        if key not in _ADDRESSES
        and (_holds_prose(value) or (key.strip().lower() not in _MACHINERY and _holds_name(value)))
    }
    wanted |= {
        key.strip()
        for key, value in front.values.items()
        if key.strip().lower() in _LABELS | _DESCRIPTIONS and value not in (None, "", [])
    }
    return _read_lines_of(wanted, text, front)


def read_stated_lines(
    text: str, front: FrontMatter, user: Mapping[str, JsonValue]
) -> tuple[NumberedText, ...]:
    """Return as blocks the lines that say what a document without a body is; all lines if none does.

    Left out are switches, hashes, keys for the generator of a site, and timestamps that are the dates of the document.

    Args:
        text: The document.
        front: Its front matter.
        user: The keys that have no field in the metadata, with their values.
    """
    wanted = {
        key.strip()
        for key, value in front.values.items()
        if key.strip().lower() not in _MACHINERY
        and _says_something(value)
        and (key in user or _TIMESTAMP.fullmatch(str(value)) is None)
    }
    return _read_lines_of(wanted, text, front) or read_all_lines(text, front)


def _read_lines_of(wanted: AbstractSet[str], text: str, front: FrontMatter) -> tuple[NumberedText, ...]:
    lines = _inner_lines(text, front)
    unread = {number for run in front.unread for number in run}
    marked = [(kept or number in unread, key) for number, (kept, key) in enumerate(_mark(lines, wanted))]
    if wanted - {key for _, key in marked}:
        return read_all_lines(text, front)
    blocks, number = [], 2
    for is_kept, run in groupby(marked, key=lambda each: each[0]):
        count = len(list(run))
        kept = map(_without_description_key, lines[number - 2 : number - 2 + count]) if is_kept else ()
        text = "\n".join(kept).rstrip()
        if text.strip():
            first = len(text) - len(text.lstrip("\n"))
            blocks.append((number + first, text[first:]))
        number += count
    return tuple(blocks)


def has_body(text: str) -> bool:
    """Return True if a Markdown text holds more than white space after its front matter."""
    _, body = _split(text)
    return bool(body.strip())


def read_front_matter(text: str) -> Mapping[str, JsonValue]:
    """Return the values of the front matter of a Markdown text; none where there is none that can be read."""
    return _split(text)[0]


def add_front_matter(text: str, values: Mapping[str, str]) -> str:
    r"""Return a Markdown text whose front matter is YAML and holds these keys.

    The given keys come first. Other keys of the text keep their values and order. If the text has another value for a
    given key, that value moves to `original_<key>`. Unreadable front matter stays as part of the body. Lines end in
    `\n`. Equal arguments give equal texts.

    Args:
        text: The text, with front matter in YAML or TOML or without.
        values: The keys and values to write.
    """
    present, body = _split(text)
    merged: dict[str, JsonValue] = dict(values)
    for key, value in present.items():
        if key not in values:
            merged[key] = value
        elif value != values[key] and value not in (None, ""):
            while key in {*present, *values}:
                key = f"original_{key}"
            merged[key] = value
    return f"---\n{dump_yaml(merged)}---\n{body}"


def _warning(fence: str, reason: Message) -> Message:
    return Message(
        "the text after the first line `{fence}` is not front matter and is indexed as text: {reason}",
        fence=fence,
        reason=reason,
    )


def _inner_lines(text: str, front: FrontMatter) -> list[str]:
    return text.split("\n", front.line_count)[1 : front.line_count - 1]


def _mark(lines: list[str], wanted: Collection[str]) -> Iterator[tuple[bool, str]]:
    """Yield (True if the line is kept, the key that it belongs to) for each line."""
    key, table = "", ""
    for line in lines:
        if found := _KEY.match(line):
            if line.startswith("["):
                table = found[1].partition(".")[0]
            key = (table or found[1]).strip()
        yield key in wanted or _COMMENT.match(line) is not None, key


def _without_description_key(line: str) -> str:
    found = _DESCRIPTION_KEY.match(line)
    return (
        line
        if found is None
        else line[found.end() :].rstrip("\"'" if found[0].endswith(("'", '"')) else None)
    )


def _holds_prose(value: JsonValue) -> bool:
    if isinstance(value, str):
        return sum(any(map(str.isalpha, word)) for word in value.split()) >= _LEAST_WORDS
    if isinstance(value, list):
        return any(map(_holds_prose, value))
    return isinstance(value, dict) and any(map(_holds_prose, value.values()))


def _holds_name(value: JsonValue) -> bool:
    if isinstance(value, str):
        return any(map(str.isalpha, value)) and not any(
            each.fullmatch(value.strip()) for each in (_STATE, _HASH, _TIMESTAMP)
        )
    if isinstance(value, list):
        return any(map(_holds_name, value))
    return isinstance(value, dict) and any(map(_holds_name, value.values()))


def _says_something(value: JsonValue) -> bool:
    if isinstance(value, list):
        return any(map(_says_something, value))
    if isinstance(value, dict):
        return any(map(_says_something, value.values()))
    if isinstance(value, str):
        return bool(value.strip()) and _HASH.fullmatch(value.strip()) is None
    return value is not None and not isinstance(value, bool)


def _split(text: str) -> tuple[Mapping[str, JsonValue], str]:
    """Return the values of readable front matter, and the text after it."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    front = split_front_matter(lines)
    if front.warnings:
        return {}, lines
    return front.values, "\n".join(lines.split("\n")[front.line_count :])
