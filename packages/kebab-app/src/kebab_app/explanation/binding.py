"""What every hit of a query must hold, where that keeps a document out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kebab_search import is_bound, parse_query
from kebab_wire import WhyTermV1


class Bound(NamedTuple):
    """What is asked for and not held.

    Attributes:
        detail: As a sentence.
        fix: What to ask instead.
    """

    detail: str
    fix: str


def find_bound(text: str, words: Sequence[WhyTermV1], *, title: str) -> Bound | None:
    """Return what a document lacks of what every hit must hold; None where a query lays nothing of the kind down.

    Args:
        text: The query.
        words: What of it stands in the document.
        title: Of the document.
    """
    parsed = parse_query(text)
    others = name_other_words(title)
    if parsed.raw is not None:
        return Bound(
            f"none of its passages is what the full-text syntax asks for: {parsed.raw}",
            "search in plain words, without raw: or the single quotes around it",
        )
    if parsed.phrases:
        return Bound(_describe_phrases(words), "search without the quotation marks")
    if not is_bound(parsed):
        return None
    if not parsed.prefixes:
        return Bound("the query has no word to look for", others)
    beginnings = " or ".join(f'"{prefix}"' for prefix in parsed.prefixes)
    return Bound(
        f"no word in it begins with {beginnings}, and a query of beginnings alone finds nothing by meaning",
        f"ask in whole words, without *, or {others}",
    )


def name_other_words(title: str) -> str:
    """Return the advice to ask for what is there."""
    return f'ask with words that stand in it, such as those of its title: "{title}"'


def _describe_phrases(words: Sequence[WhyTermV1]) -> str:
    phrases = [word for word in words if word.kind == "phrase"]
    missing = [word.text for word in phrases if not word.passages]
    if missing:
        return f'the phrase "{missing[0]}" stands in none of its passages'
    return "none of its passages holds every phrase" if phrases else "a phrase has no word to look for"
