"""A query as it is put to the index: its terms weighed, its phrases as written."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from kebab_core import Analyzer, LexicalIndex, LexicalQuery, LexicalWeights

from kebab_search.phrases import Phrase, read_phrases
from kebab_search.query import ParsedQuery
from kebab_search.weighting import WeightedQuery, weigh_query
from kebab_search.written import WrittenWord, written_words

WEIGHTS = LexicalWeights(title=2.5, heading=1.5)
"""How often a term in a title or heading counts: 0.9 points of nDCG@10 on natural Korean questions, 0.1 to 0.9
elsewhere (2026-11)."""


class Question(NamedTuple):
    """A query put to the index.

    Attributes:
        weighted: Its terms with what they tell.
        phrases: What must stand as written.
        lexical: None where no term could match.
        written: Its words as typed; none where phrases or syntax say what must be found.
        corpus_size: How many chunks there are.
        looked_up: Which of its words as typed were looked up, and with what words of the chunks found begin.
    """

    weighted: WeightedQuery
    phrases: tuple[Phrase, ...]
    lexical: LexicalQuery | None
    written: tuple[WrittenWord, ...] = ()
    corpus_size: int = 0
    looked_up: Mapping[str, str] = MappingProxyType({})


def read_question(parsed: ParsedQuery, *, analyzer: Analyzer, index: LexicalIndex) -> Question:
    """Return a query with what the analyser and the index make of it."""
    terms = analyzer.analyze_query(parsed.words)
    corpus_size = index.corpus_size()
    weighted = weigh_query(
        terms,
        frequencies=index.document_frequencies({term.text for term in terms}),
        corpus_size=corpus_size,
        prefixes=parsed.prefixes,
    )
    phrases = read_phrases(parsed, analyzer)
    free = parsed.raw is None and not phrases
    return Question(
        weighted,
        phrases,
        _lexical_query(parsed, weighted, phrases),
        written_words(parsed.words, weighted.terms) if free else (),
        corpus_size,
    )


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
