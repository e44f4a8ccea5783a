"""Features of a claim beside what it cites, and the probability by them that it is supported.

`claim_verdict` reads the words. The weights are in `claim_model.json`; `bench/claim_model.py` fits them.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple, cast

from kebab_text import has_hangul

from kebab_rag.claim_words import NEGATION, Word
from kebab_rag.facts import FactBook, read_facts

_MOST_ODDS = 50
"""Logarithm of the odds against a claim beyond which it is as good as impossible."""
_IN_A_ROW = 5
"""Words of a claim of which the least share is held."""
_BESIDE = 3
"""Words before and behind a figure or name that tell what it is of."""
_AROUND = 6
"""The same of the cited words, which may be in another order."""
_MOST_ORDERED = 300
"""Words of a claim, and of what it cites, whose order is compared: the first ones."""
_LEAST_KOREAN = 0.2
"""Share of Korean letters in a Korean text, which may hold Latin names and code."""
_WORD_CHARACTER = re.compile(r"\w")

Features = dict[str, float]


@cache
def _read_weights() -> Mapping[str, float]:
    return cast(
        "Mapping[str, float]", json.loads(files("kebab_rag").joinpath("claim_model.json").read_text("utf-8"))
    )


def estimate_probability(features: Features) -> float:
    """Return the probability that a claim with these features is supported."""
    weights = _read_weights()
    odds = weights["constant"] + sum(weights[name] * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-_MOST_ODDS, odds)))


class Compared(NamedTuple):
    """A claim beside what it cites."""

    said: str
    """The claim, without its yes or no."""
    is_yes: bool
    """Whether it begins with a yes."""
    cited: str
    """The cited sentences with their titles, headings and leads."""
    words: Sequence[Word]
    """Words of the claim."""
    held: Sequence[bool]
    """Of each of them, whether it is in `cited`."""
    cited_words: Sequence[Word]
    """Words of the cited sentences, in order."""
    keys: frozenset[object]
    """Keys of `cited`."""
    facts: FactBook
    """Facts of `cited`."""

    @property
    def is_other_script(self) -> bool:
        """Whether one of claim and cited sentences is Korean and the other one is not, so that few words can be held."""
        letters = _WORD_CHARACTER.findall(self.cited)
        is_korean = sum(map(has_hangul, letters)) >= _LEAST_KOREAN * len(letters)
        return has_hangul(self.said) is not is_korean


def read_features(compared: Compared) -> Features:
    """Return what words, figures, negations and scripts of a claim and its cited sentences tell."""
    said, is_yes, cited, words, held, cited_words, keys, book = compared
    facts = [fact for fact in read_facts(said) if fact.value != 1]
    rows = [held[at : at + _IN_A_ROW] for at in range(max(1, len(held) - _IN_A_ROW + 1))]
    strange = [word for word, is_held in zip(words, held, strict=True) if not is_held]
    return {
        "facts": len(facts),
        "facts_lacking": sum(bool(book.find_lack(fact)) and not book.can_derive(fact) for fact in facts),
        "facts_missing": sum(word.is_fact and not word.keys & keys for word in words),
        "name_missing": float(any(word.kind == "name" for word in strange)),
        "least_held": min((sum(row) / len(row) for row in rows if row), default=0),
        "in_order": _count_in_order(words[:_MOST_ORDERED], cited_words[:_MOST_ORDERED]) / max(1, len(words)),
        "least_bound": _least_bound(words, cited_words),
        "negation_lost": float(NEGATION.search(said) is None and NEGATION.search(cited) is not None),
        "yes": float(is_yes),
        "korean": float(has_hangul(said)),
        "other_script": float(compared.is_other_script),
    }


def _count_in_order(words: Sequence[Word], cited: Sequence[Word]) -> int:
    """Return the most words that two texts share in one order."""
    most = [0] * (len(cited) + 1)
    for word in words:
        before = most
        most = [0]
        for at, other in enumerate(cited):
            most.append(before[at] + 1 if word.keys & other.keys else max(before[at + 1], most[at]))
    return most[-1]


def _least_bound(words: Sequence[Word], cited: Sequence[Word]) -> float:
    """Return the least share of the words beside a figure or name of a claim that stand around it in the cited sentences, too."""
    places = defaultdict[object, list[int]](list)
    for at, word in enumerate(cited):
        for key in word.keys:
            places[key].append(at)
    found = [sorted({at for key in word.keys for at in places.get(key, ())}) for word in words]
    least = 1.0
    for at, (word, own) in enumerate(zip(words, found, strict=True)):
        beside = [*found[max(0, at - _BESIDE) : at], *found[at + 1 : at + 1 + _BESIDE]]
        others = [where for where in beside if where]
        if own and others and (word.is_fact or word.kind == "name"):
            near = max(
                sum(any(abs(one - place) <= _AROUND for place in where) for where in others) for one in own
            )
            least = min(least, near / len(others))
    return least
