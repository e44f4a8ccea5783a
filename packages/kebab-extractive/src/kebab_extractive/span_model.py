"""The probability that a span answers: gradient-boosted trees over its features, read from `span_model.json`.

One set of trees is for spans that were compared by meaning, one for words alone.
`bench/span_model.py` fits them on `bench/questions` and public sets; `docs/quality.md` has the figures.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from kebab_extractive.span_features import Span


class Tree(NamedTuple):
    """A tree: at each inner node a feature is compared with a threshold; not greater goes left.

    A child below 0 is a leaf, `-1 - child` its index in `values`.
    """

    features: Sequence[int]
    thresholds: Sequence[float]
    left: Sequence[int]
    right: Sequence[int]
    values: Sequence[float]

    def value(self, features: Sequence[float]) -> float:
        """Return the value of the leaf that features lead to."""
        node = 0 if self.features else -1
        while node >= 0:
            is_left = features[self.features[node]] <= self.thresholds[node]
            node = self.left[node] if is_left else self.right[node]
        return self.values[-1 - node]


@cache
def _read_trees() -> Mapping[bool, tuple[Tree, ...]]:
    """Return the trees, by whether they are of spans with cosines."""
    model = json.loads(files("kebab_extractive").joinpath("span_model.json").read_text("utf-8"))
    return {
        is_compared: tuple(Tree(**each) for each in model[name])
        for is_compared, name in ((True, "by_meaning"), (False, "by_words"))
    }


def weigh(spans: Iterable[Span]) -> list[Span]:
    """Return the spans with their probabilities, the most probable first; equal ones keep their order."""
    trees = _read_trees()
    odds = [(each, sum(tree.value(each.features) for tree in trees[each.is_compared])) for each in spans]
    weighed = [replace(each, probability=1 / (1 + math.exp(-value))) for each, value in odds]
    return sorted(weighed, key=lambda each: -each.probability)
