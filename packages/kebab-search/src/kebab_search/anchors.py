"""Where queries lie in the space of a model: what all questions in a script share, and what no question looks like.

The mean of questions is mostly their script. Without it, a Korean question is as near to an English page on its subject
as to a Korean page on another: with titles of an index of both as queries, the page in the other language came tenth or
later on the whole and comes among the first two (2026-11). The means of passages instead of questions do half as well.
"""

from __future__ import annotations

import heapq
import json
import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from kebab_core import InvalidInputError, VectorMatrix, hash_bytes

from kebab_search.anchor_texts import GIBBERISH, QUESTIONS
from kebab_search.scripts import Script, script_of_text

TITLES = 200
"""Titles of a script that are looked at; more change nothing."""
_DIGITS = 6
_DIGEST_CHARS = 12

Direction = tuple[float, ...]


class Anchors(NamedTuple):
    """Means of unit vectors, by script.

    Attributes:
        questions: Of questions anyone may ask, and of titles of the index as if they were asked for.
        gibberish: Of rows of letters that mean nothing.
    """

    questions: Mapping[Script, Direction]
    gibberish: Mapping[Script, Direction]

    def encode(self) -> bytes:
        """Return them as JSON."""
        plain = {
            name: {script.value: [round(value, _DIGITS) for value in mean] for script, mean in means.items()}
            for name, means in self._asdict().items()
        }
        return json.dumps(plain, separators=(",", ":"), sort_keys=True).encode()

    @property
    def digest(self) -> str:
        """A short text that other anchors do not have."""
        return hash_bytes(self.encode())[:_DIGEST_CHARS]


NO_ANCHORS = Anchors({}, {})


def decode_anchors(content: bytes) -> Anchors:
    """Return anchors that were encoded.

    Raises:
        InvalidInputError: They were not.
    """
    try:
        plain = json.loads(content)
        read = [
            {Script(script): tuple(map(float, mean)) for script, mean in plain[name].items()}
            for name in Anchors._fields
        ]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInputError("these are not the anchors of a model") from error
    return Anchors(*read)


def anchor_texts(titles: Iterable[str]) -> Mapping[Script, list[str]]:
    """Return what is asked on behalf of each script: its questions, and a sample of the titles in that script.

    Another title changes one text of the sample at most.
    """
    by_script: dict[Script, dict[str, None]] = {}
    for title in titles:
        if title.strip():
            by_script.setdefault(script_of_text(title), {})[title.strip()] = None
    return {
        script: [*QUESTIONS.get(script, ()), *_sample(by_script.get(script, ()))]
        for script in Script
        if script in QUESTIONS or script in by_script
    }


def make_anchors(embed: Callable[[Sequence[str]], VectorMatrix], titles: Iterable[str]) -> Anchors:
    """Return the anchors of a model for an index.

    Args:
        embed: Returns the vectors of queries; is asked for a few hundred short ones.
        titles: Of all documents of the index, in any order.
    """
    return Anchors(
        {script: _mean(embed(texts)) for script, texts in anchor_texts(titles).items()},
        {script: _mean(embed(texts)) for script, texts in GIBBERISH.items()},
    )


def without_mean(query: VectorMatrix, mean: Direction) -> VectorMatrix:
    """Return what a query of unit norm, shape (1, d), has beyond a mean, of unit norm; itself where that is nothing."""
    rest = [value - common for value, common in zip(_row(query), mean, strict=True)]
    length = math.hypot(*rest)
    return _matrix([value / length for value in rest]) if length else query


def nearness(query: VectorMatrix, means: Mapping[Script, Direction]) -> float | None:
    """Return the cosine of a query with the nearest of some means, None where there are none."""
    row = _row(query)
    cosines = [
        sum(left * right for left, right in zip(row, mean, strict=True)) / (math.hypot(*mean) or 1.0)
        for mean in means.values()
    ]
    return max(cosines, default=None)


def _mean(vectors: VectorMatrix) -> Direction:
    rows = cast("list[list[float]]", vectors.tolist())
    return tuple(math.fsum(column) / len(rows) for column in zip(*rows, strict=True))


def _sample(titles: Iterable[str]) -> list[str]:
    return heapq.nsmallest(TITLES, titles, key=lambda title: hash_bytes(title.encode("utf-8", "replace")))


def _row(query: VectorMatrix) -> list[float]:
    rows = cast("list[list[float]]", query.tolist())
    return rows[0]


def _matrix(row: Sequence[float]) -> VectorMatrix:
    return memoryview(array("f", row)).cast("B").cast("f", shape=[1, len(row)]).toreadonly()
