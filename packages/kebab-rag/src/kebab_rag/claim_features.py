"""Features of a claim beside what it cites, and the probability by them that it is supported.

`claim_verdict` reads the words. The weights are in `claim_model.json`; `bench/claim_model.py` fits them.
"""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import takewhile
from typing import NamedTuple, cast

from kebab_text import has_hangul

from kebab_rag.claim_words import NEGATION, Word, find_limits
from kebab_rag.facts import FactBook, read_facts

_MOST_ODDS = 50
"""Logarithm of the odds against a claim beyond which it is as good as impossible."""
_BESIDE = 3
"""Words before and behind a figure or name that tell what it is of."""
_AROUND = 6
"""The same of the cited words, which may be in another order."""
LEAST_SUPPORTED = 0.76
"""Probability of a claim that is supported; `bench/claim_model.py`, 2026-12: of claims about folders left out .05 of the wrong ones."""
LEAST_AGAINST_FACTS = 0.5
"""Probability of a claim that is shown although a hard fact speaks against it."""

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
    cited: str
    """The cited sentences with their titles, headings and leads."""
    words: Sequence[Word]
    """Words of the claim."""
    held: Sequence[bool]
    """Of each of them, whether it is in `cited`."""
    cited_words: Sequence[Word]
    """Words of the cited sentences, in order."""
    beside: frozenset[object]
    """Keys of the neighbouring sentences."""
    asked: frozenset[object]
    """Keys of the question."""
    passage: frozenset[object]
    """Keys of the passages of the cited sentences."""
    facts: FactBook
    """Facts of `cited`."""
    rarity: Callable[[Word], float]
    """Weight of a word."""


def read_features(compared: Compared) -> Features:
    """Return what words, figures, negations and scripts of a claim and its cited sentences tell."""
    said, cited, words, held, cited_words, beside, asked, passage, facts, rarity = compared
    known = [is_held or bool(word.keys & asked) for word, is_held in zip(words, held, strict=True)]
    missing = [word for word, is_known in zip(words, known, strict=True) if not is_known]
    likeness = [_spelling(word, cited_words) for word in missing]
    weights = [rarity(word) for word in words]
    told = [fact for fact in read_facts(said) if fact.value != 1]
    lacks = [fact for fact in told if facts.find_lack(fact)]
    derived = sum(map(facts.can_derive, lacks))
    limits, cited_limits = set(find_limits(said)), set(find_limits(cited))
    negations, cited_negations = (len(NEGATION.findall(text)) for text in (said, cited))
    korean, cited_korean = _korean(said), _korean(cited)
    number = max(1, len(words))
    return {
        "words": len(words),
        "held": sum(held) / number,
        "held_or_beside": sum(h or bool(w.keys & beside) for w, h in zip(words, held, strict=True)) / number,
        "weight_held": sum(w for w, h in zip(weights, held, strict=True) if h) / (sum(weights) or 1),
        "missing": len(missing),
        "missing_weight": max((rarity(word) for word in missing), default=0),
        "missing_elsewhere": sum(bool(word.keys & passage) for word in missing),
        "missing_likeness": sum(likeness) / len(likeness) if likeness else 1,
        "missing_least_like": min(likeness, default=1),
        "facts": len(told),
        "facts_lacking": len(lacks) - derived,
        "facts_derived": derived,
        "facts_held": sum(word.is_fact and is_held for word, is_held in zip(words, held, strict=True)),
        "negations": negations,
        "cited_negations": cited_negations,
        "negations_apart": (negations > 0) - (cited_negations > 0),
        "limits": len(limits),
        "limits_added": len(limits - cited_limits),
        "limits_dropped": len(cited_limits - limits),
        "korean": korean,
        "cited_korean": cited_korean,
        "scripts_apart": abs(korean - cited_korean),
        **_binding(words, cited_words),
    }


def _binding(words: Sequence[Word], cited: Sequence[Word]) -> Features:
    """Return how many words beside a figure or name of a claim stand around it in the cited sentences, too."""
    places = defaultdict[object, list[int]](list)
    for at, word in enumerate(cited):
        for key in word.keys:
            places[key].append(at)
    found = [(word, sorted({at for key in word.keys for at in places.get(key, ())})) for word in words]
    bound = []
    for at, (word, own) in enumerate(found):
        others = [
            where for _, where in found[max(0, at - _BESIDE) : at] + found[at + 1 : at + 1 + _BESIDE] if where
        ]
        if own and others and (word.is_fact or word.kind == "name"):
            near = [
                sum(any(abs(one - place) <= _AROUND for place in where) for where in others) for one in own
            ]
            bound.append(max(near) / len(others))
    return {
        "bound": sum(bound) / len(bound) if bound else 1,
        "least_bound": min(bound, default=1),
    }


def _spelling(word: Word, others: Sequence[Word]) -> float:
    """Return the most letters that a word begins with as another one does, as a share."""
    text = word.text.casefold()
    alike = (
        sum(
            1
            for _ in takewhile(
                lambda pair: pair[0] == pair[1], zip(text, other.text.casefold(), strict=False)
            )
        )
        for other in others
    )
    return max(alike, default=0) / max(1, len(text))


def _korean(text: str) -> float:
    letters = re.findall(r"\w", text)
    return sum(map(has_hangul, letters)) / max(1, len(letters))
