"""A query as it is put to the index: its terms weighed, its phrases as written."""

from __future__ import annotations

from typing import NamedTuple

from kebab_core import Analyzer, LexicalIndex, LexicalQuery, LexicalWeights

from kebab_search.phrases import Phrase, read_phrases
from kebab_search.query import ParsedQuery
from kebab_search.weighting import WeightedQuery, weigh_query

WEIGHTS = LexicalWeights(title=2.5, heading=1.5)
"""How often a term in a title or heading counts: 0.9 points of nDCG@10 on natural Korean questions, 0.1 to 0.9
elsewhere (2026-11)."""


class Question(NamedTuple):
    """A query put to the index; `lexical` is None where nothing in it could match."""

    weighted: WeightedQuery
    phrases: tuple[Phrase, ...]
    lexical: LexicalQuery | None


def read_question(parsed: ParsedQuery, *, analyzer: Analyzer, index: LexicalIndex) -> Question:
    """Return a query with what the analyser and the index make of it."""
    terms = analyzer.analyze_query(parsed.words)
    weighted = weigh_query(
        terms,
        frequencies=index.document_frequencies({term.text for term in terms}),
        corpus_size=index.corpus_size(),
        prefixes=parsed.prefixes,
    )
    phrases = read_phrases(parsed, analyzer)
    return Question(weighted, phrases, _lexical_query(parsed, weighted, phrases))


def _lexical_query(
    parsed: ParsedQuery, weighted: WeightedQuery, phrases: tuple[Phrase, ...]
) -> LexicalQuery | None:
    """Return what to ask the index, None where nothing in the query could match."""
    if parsed.raw is not None:
        return LexicalQuery(raw=parsed.raw, weights=WEIGHTS)
    if phrases:
        # A phrase of common words must not miss its chunks because only rarer terms were asked for.
        return LexicalQuery(
            terms=tuple(weighted.weights),
            prefixes=parsed.prefixes,
            phrases=tuple(phrase.words for phrase in phrases if not phrase.goes_on),
            open_phrases=tuple(phrase.words for phrase in phrases if phrase.goes_on),
            weights=WEIGHTS,
        )
    if not weighted.searched and not parsed.prefixes:
        return None
    return LexicalQuery(terms=weighted.searched, prefixes=parsed.prefixes, weights=WEIGHTS)
