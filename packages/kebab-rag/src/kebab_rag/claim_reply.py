"""Replies of chat models that name numbered sentences: JSON by a schema, or lines with markers.

A reply that begins with a brace is read as JSON, any other as lines, whichever the template asked for: not every server
keeps to a schema. `claim_writing` feeds a `ClaimReader` while the model writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pydantic import JsonValue

_MAX_CLAIMS = 8
_NUMBERS = r"\d{1,4}+(?:\s{0,3}+,\s{0,3}+#?\d{1,4}+){0,20}+"
_GROUP = re.compile(rf"\s{{0,9}}+(?:\[#{_NUMBERS}\]|(?<=[\s.。\]])\[{_NUMBERS}\](?=[\s.。,;:\[]|$))")
"""A marker: `[#3]`, `[#3, 4]`, or `[3]` behind a blank or the end of a sentence, which code is not."""
_DIGITS = re.compile(r"\d{1,4}")
_BULLET = re.compile(r"^\s{0,9}+(?:[-*•]\s{1,9}+|\d{1,2}+[.)]\s{1,9}+)")
_CLAIMS = re.compile(r'"claims"\s{0,9}+:\s{0,9}+\[')
_THINK, _THOUGHT = "<think>", "</think>"
_FENCE = re.compile(r"```(?:json)?\s{0,9}+")
_OPENINGS = (_THINK, "```json")


class WrittenClaim(NamedTuple):
    """A claim as a model wrote it."""

    text: str
    numbers: tuple[int, ...] = ()
    """Of the sentences that it names."""
    is_whole: bool = True
    """False for text that cannot be read, or where the reply was cut."""


def claims_schema(sentences: int) -> dict[str, JsonValue]:
    """Return the JSON Schema of a reply. Numbers come before the text, so that sentences are chosen first.

    Args:
        sentences: Number of sentences of the evidence.
    """
    number: JsonValue = {"type": "integer", "minimum": 1, "maximum": sentences}
    claim: JsonValue = {
        "type": "object",
        "properties": {
            "sentences": {"type": "array", "items": number, "minItems": 1, "maxItems": _MAX_CLAIMS},
            "text": {"type": "string"},
        },
        "required": ["sentences", "text"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"claims": {"type": "array", "items": claim, "maxItems": _MAX_CLAIMS}},
        "required": ["claims"],
        "additionalProperties": False,
    }


class ClaimReader:
    """Reads the claims of a reply that comes in pieces of any size."""

    def __init__(self) -> None:
        self._held = ""
        self._is_json: bool | None = None
        self._is_open = False
        """True once the list of claims has begun."""
        self._is_closed = False
        """True once it has ended."""

    def feed(self, text: str) -> list[WrittenClaim]:
        """Return the claims that are whole by now."""
        self._held += text
        if self._is_json is None and not self._begin():
            return []
        return list(self._read_objects() if self._is_json else self._read_lines())

    def close(self, *, is_cut: bool = False) -> list[WrittenClaim]:
        """Return what is left at the end.

        Args:
            is_cut: The model was stopped before it had ended.
        """
        if self._is_json:
            claims = list(self._read_objects())
            if self._is_closed:
                return claims
            return [*claims, WrittenClaim(self._held.strip(" ,\n"), is_whole=False)]
        *claims, last = [*self._read_lines(), *_split_line(self._held), WrittenClaim("")]
        claims = [*claims, last] if last.text or last.numbers else claims
        self._held = ""
        return [*claims[:-1], claims[-1]._replace(is_whole=False)] if is_cut and claims else claims

    def _begin(self) -> bool:
        """Find out which form the reply has; return False where too little of it is there."""
        text = self._held.lstrip()
        if text.startswith(_THINK):
            _, end, text = text.partition(_THOUGHT)
            text = text.lstrip() if end else ""
        if not text or any(opening.startswith(text) for opening in _OPENINGS):
            return False
        fence = _FENCE.match(text)
        text = text[fence.end() :] if fence else text
        if not text:
            return False
        self._held, self._is_json = text, text[0] in "{["
        return True

    def _read_objects(self) -> Iterator[WrittenClaim]:
        if not self._is_open:
            opening = re.match(r"\[", self._held) or _CLAIMS.search(self._held)
            if opening is None:
                return
            self._held, self._is_open = self._held[opening.end() :], True
        while not self._is_closed:
            self._held = self._held.lstrip(" \t\r\n,")
            if self._held.startswith("]"):
                self._is_closed = True
            elif not self._held.startswith("{"):
                self._is_closed = bool(self._held) and self._held[0] != "{"
                if self._is_closed:
                    yield WrittenClaim(self._held, is_whole=False)
                return
            elif "}" not in self._held:
                return
            else:
                try:
                    value, end = json.JSONDecoder().raw_decode(self._held)
                except (ValueError, RecursionError):
                    return
                self._held = self._held[end:]
                yield _read_object(value)

    def _read_lines(self) -> Iterator[WrittenClaim]:
        *lines, self._held = self._held.split("\n")
        for line in lines:
            yield from _split_line(line)


def _read_object(value: object) -> WrittenClaim:
    text, numbers = (value.get("text"), value.get("sentences")) if isinstance(value, dict) else (None, None)
    if not isinstance(text, str) or not isinstance(numbers, list):
        return WrittenClaim(json.dumps(value, ensure_ascii=False), is_whole=False)
    if not all(isinstance(each, int) and not isinstance(each, bool) for each in numbers):
        return WrittenClaim(text, is_whole=False)
    return WrittenClaim(text.strip(), tuple(dict.fromkeys(numbers)))


def _split_line(line: str) -> Iterator[WrittenClaim]:
    """Yield the claims of one line: text with the markers behind it; text behind the last marker names nothing."""
    line = _BULLET.sub("", line)
    text, start = "", 0
    numbers: list[int] = []
    for group in _GROUP.finditer(line):
        between = line[start : group.start()].strip()
        if between.strip(" .,;:。") and numbers:
            yield WrittenClaim(text, tuple(dict.fromkeys(numbers)))
            text, numbers = "", []
        text = text or between.lstrip(" .,;:。")
        numbers += [int(number) for number in _DIGITS.findall(group[0])]
        start = group.end()
    rest = line[start:].strip()
    if numbers:
        yield WrittenClaim(text, tuple(dict.fromkeys(numbers)))
        rest = rest.lstrip(" .,;:。")
    if rest:
        yield WrittenClaim(rest)
