"""FTS5 match expressions from terms: nothing of them is ever read as syntax."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def any_of(terms: Iterable[str], prefixes: Iterable[str] = ()) -> str:
    """Return an expression that matches rows with one of the terms or of their beginnings; empty for none."""
    whole = [_quoted(term) for term in dict.fromkeys(terms) if term]
    begun = [f"{_quoted(prefix)} *" for prefix in dict.fromkeys(prefixes) if prefix]
    return " OR ".join([*whole, *begun])


def one_of_each(first: Iterable[str], second: Iterable[str]) -> str:
    """Return an expression that matches rows with a term of either."""
    return f"({any_of(first)}) AND ({any_of(second)})"


def all_phrases(whole: Sequence[Sequence[str]], begun: Sequence[Sequence[str]] = ()) -> str:
    """Return an expression that matches rows with every phrase, its words side by side; empty for none.

    The last word of one that is only begun may go on.
    """
    phrases = [_quoted(" ".join(words)) for words in whole if words]
    phrases += [f"{_quoted(' '.join(words))} *" for words in begun if words]
    return " AND ".join(phrases)


def _quoted(text: str) -> str:
    """Return an FTS5 string. SQLite would end the expression at a null character."""
    return '"' + text.replace("\0", " ").replace('"', '""') + '"'
