"""Match of a query with a passage and with the names of its document, in [0, 1]; what `score` adds up besides similarity.

Words of a passage are looked for as letters: analysing every candidate would cost 2 ms each. Names, which are short, are
compared by terms.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property

from kebab_core import Analyzer, CodeSymbol, IndexedChunk, IndexedDocument, Term
from kebab_text import fold, inverse_document_frequency, replace_dates

from kebab_search.ranking import SENTENCE_END, find_all
from kebab_search.symbol_search import SymbolNames
from kebab_search.term_weights import WeightedQuery, WordForms, forms_of, split_words

_CLOSING = "?!.。 "
"""Marks that close a question, folded."""
_HYPHEN = re.compile("-(?=[a-z])")
_BRACKETS = re.compile(r"[()\[\]{}（）［］「」『』《》〈〉【】]")


class PassageMatch:
    """Matches of one query. Names are looked up together with `look_up_names`, each once.

    Args:
        query: The weighted query.
        analyzer: The one that the index was made with.
        frequencies: Number of chunks that hold each term.
        corpus_size: Chunks in the index.
        symbols: The names that the query may have for symbols.
        typed: The words of the query as they are typed.
    """

    def __init__(
        self,
        query: WeightedQuery,
        *,
        analyzer: Analyzer,
        frequencies: Callable[[Iterable[str]], Mapping[str, int]],
        corpus_size: int,
        symbols: SymbolNames,
        typed: str,
    ) -> None:
        self._query = query
        self._analyzer = analyzer
        self._frequencies = frequencies
        self._corpus_size = corpus_size
        self._symbols = symbols
        self._typed = replace_dates(fold(typed)).split()
        self._names: dict[str, float] = {}

    def share(self, passage: IndexedChunk) -> float:
        """Compute the share of the query's words in one sentence, names and headings, weighted by inverse frequency.

        Of all sentences the one that holds most. 1 only if nothing is missing; a word that no chunk holds is missing.
        Words that are too common to be searched do not count. Source code says in several lines what prose says in a
        sentence: the mean of its best line and of all its lines counts.
        """
        around = self._letters("\n".join((*passage.document.names, *passage.chunk.heading_path)))
        text = self._letters(passage.chunk.text)
        shown = total = 0.0
        places: list[tuple[float, list[int]]] = []
        for forms, weight in self._sought:
            total += weight
            if any(_holds(around, form) for form in forms):
                shown += weight
            elif form := next((form for form in forms if _holds(text, form)), ""):
                places.append((weight, find_all(text, form)))
        if not total:
            return 0.0
        held = _best_sentence(text, places)
        if passage.chunk.role is not None:
            held = (held + sum(weight for weight, _ in places)) / 2
        return min(1.0, (shown + held) / total)

    def has_phrase(self, passage: IndexedChunk) -> bool:
        """True if the text holds the whole query as it is typed, two words at least, or if its heading is that question.

        A heading is compared without the mark at the end: a question is typed with one, and most headings have none.
        """
        if len(self._typed) <= 1:
            return False
        typed = " ".join(self._typed)
        if typed in " ".join(self._query.letters(passage.chunk.text).split()):
            return True
        heading = "".join(passage.chunk.heading_path[-1:])
        return " ".join(self._query.letters(heading).split()).rstrip(_CLOSING) == typed.rstrip(_CLOSING)

    def name(self, document: IndexedDocument) -> float:
        """Compute how well the query names a document: the best of its title, file stem, aliases and parts of its title.

        Parts are what stands before, in and after brackets. The share of the query that the name holds times the share
        of the name that the query holds, both weighted by inverse frequency.
        """
        return max(self._match_names(_names_of(document)))

    def symbol(self, passage: IndexedChunk) -> tuple[CodeSymbol | None, float]:
        """Find the symbol that the query names and the passage defines, with the match; None and 0 where there is none."""
        named = [(self._symbols.match(each.symbol), each) for each in passage.chunk.symbols]
        match, symbol = max(named, key=lambda pair: pair[0], default=(0.0, None))
        return (symbol, match) if match else (None, 0.0)

    def heading(self, passage: IndexedChunk) -> float:
        """Compute likewise how well the query names a section that a passage stands in; 0 for headings of twice its length."""
        return max(self._match_names(self._short_headings(passage)), default=0.0)

    def look_up_names(self, passages: Iterable[IndexedChunk]) -> None:
        """Match the names and headings of passages, by one look-up of the terms of all; they are remembered."""
        self._match_names({
            name for one in passages for name in (*_names_of(one.document), *self._short_headings(one))
        })

    def _short_headings(self, passage: IndexedChunk) -> Iterator[str]:
        most = 2 * sum(word.length for word in self._query.forms)
        return (one for one in passage.chunk.heading_path if len(one) <= most)

    @cached_property
    def _sought(self) -> tuple[tuple[tuple[str, ...], float], ...]:
        unknown = inverse_document_frequency(0, self._corpus_size)
        return tuple(
            (tuple(map(_join_hyphenated, forms)), weight)
            for forms, weight in _sought_forms(self._query, unknown=unknown)
        )

    def _letters(self, text: str) -> str:
        return _join_hyphenated(self._query.letters(text))

    def _match_names(self, names: Collection[str] | Iterator[str]) -> list[float]:
        """Compute the matches of names, in order."""
        wanted = list(names)
        terms_of: dict[str, tuple[list[Term], float]] = {}
        for name in wanted:
            if name in self._names or name in terms_of:
                continue
            self._names[name] = 0.0
            folded = self._letters(name)
            if any(_holds(folded, form) for forms, _ in self._sought for form in forms):
                terms = self._analyzer.analyze(name)
                share = _share(self._query.forms, {term.text for term in terms})
                if share:
                    terms_of[name] = terms, share
        if terms_of:
            texts = {term.text for terms, _ in terms_of.values() for term in terms}
            weights = {
                text: inverse_document_frequency(count, self._corpus_size)
                for text, count in self._frequencies(texts).items()
            }
            for name, (terms, share) in terms_of.items():
                words = [forms_of(word, weights) for word in split_words(terms)]
                self._names[name] = share * _share(words, self._query.weights.keys())
        return [self._names[name] for name in wanted]


def _names_of(document: IndexedDocument) -> set[str]:
    return {*document.names, *filter(None, map(str.strip, _BRACKETS.split(document.title)))}


def _join_hyphenated(text: str) -> str:
    """Write hyphenated words in one, as the index has them, too: in `e-mail` it finds `email`."""
    return _HYPHEN.sub("", text)


def _holds(text: str, form: str) -> bool:
    """True if a text holds a form as letters; digits at its ends are those of the whole number: `345` is not in `1345`."""
    at = text.find(form)
    while at >= 0:
        end = at + len(form)
        is_cut = form[0].isdecimal() and text[at - 1 : at].isdecimal()
        if not is_cut and not (form[-1].isdecimal() and text[end : end + 1].isdecimal()):
            return True
        at = text.find(form, at + 1)
    return False


def _sought_forms(query: WeightedQuery, *, unknown: float) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the forms of each word, the shortest first, with its weight.

    A word that is known by its parts alone is each of these. One that no chunk holds as a term may stand there as letters.

    Args:
        query: The weighted query.
        unknown: Weight of a term that no chunk holds.
    """
    for word in query.forms:
        held = {form for form in word.wholes if form in query.searched or form in query.inflected}
        pieces = [text for text in word.pieces if text in query.searched]
        if held:
            stems = {query.inflected[form] for form in held if form in query.inflected}
            yield (
                tuple(
                    sorted(
                        {
                            *held,
                            *stems,
                            *_apart(held, word.pieces),
                            *(query.apart[form] for form in held if form in query.apart),
                        },
                        key=len,
                    )
                ),
                word.weight,
            )
        elif pieces:
            total = sum(word.pieces.values())
            for text in pieces:
                yield (text,), word.weight * word.pieces[text] / total
        elif word.weight >= unknown:
            yield tuple(form for form in word.wholes if len(form) > 1), word.weight


def _apart(words: Iterable[str], pieces: Collection[str]) -> Iterator[str]:
    """Yield words as two of their parts with a blank between them."""
    for word in words:
        for piece in pieces:
            if word.startswith(piece) and word[len(piece) :] in pieces:
                yield f"{piece} {word[len(piece) :]}"


def _share(words: Iterable[WordForms], held: Collection[str]) -> float:
    total = found = 0.0
    for word in words:
        total += word.weight
        found += word.weight * word.share(held)
    return found / total if total else 0.0


def _best_sentence(text: str, places: list[tuple[float, list[int]]]) -> float:
    """Sum the weights of the words in the sentence that holds most of them."""
    if len(places) <= 1:
        return sum(weight for weight, _ in places)
    ends = [end.start() for end in SENTENCE_END.finditer(text)]
    held: dict[int, float] = {}
    for weight, starts in places:
        for sentence in {bisect_right(ends, start) for start in starts}:
            held[sentence] = held.get(sentence, 0.0) + weight
    return max(held.values())
