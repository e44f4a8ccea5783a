"""Signals of a passage for a query, in [0, 1], from its words and names alone.

Of a candidate, for `score`: `PassageMatch`. Words of a passage are looked for as letters: analysing every candidate would
cost 2 ms each. Names, which are short, are compared by terms.

Of a hit that is shown, for readers: `passage_evidence`, from its terms. Two kinds: shares of the query's words that the
passage holds, and signals of one place in it. A page about the same thing holds the words of a question too, but scattered;
what one place holds separates passages that answer from those beside them better than what the whole passage holds (2026-11):
area under the curve 0.82 instead of 0.80 on English questions half of which a related page does not answer, 0.92 instead of
0.90 on Korean ones whose passage was taken away.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from kebab_core import CodeSymbol, Evidence, FoundTerms, IndexedChunk, IndexedDocument, Term
from kebab_text import fold, inverse_document_frequency, replace_dates, split_words

from kebab_search.ranking import SENTENCE_END, closeness, find_all
from kebab_search.symbol_search import SymbolNames
from kebab_search.term_weights import WeightedQuery, WordForms, forms_of

if TYPE_CHECKING:
    from kebab_core import Analyzer, ChunkId, DocumentId

_CLOSING = "?!.。 "
"""Marks that close a question, folded."""
_HYPHEN = re.compile("-(?=[a-z])")
_GROUPED_NUMBER = re.compile(r"(?<![\d-])(?=(?:-?\d){8,20}(?![\d-]))\d+(?:-\d+)+")
"""A number that the analyser has without its hyphens, too."""
_LONG_NUMBER = re.compile(r"-?\d(?:-?\d){7,19}")
"""A number that texts may write with hyphens, or without those that it has."""
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
        self._known_names: dict[DocumentId, float] = {}
        self._names_by_document: dict[DocumentId, tuple[str, ...]] = {}
        self._known_headings: dict[ChunkId, float] = {}
        self._known_phrases: dict[ChunkId, bool] = {}
        self._known_parts: dict[ChunkId, tuple[str, str]] = {}

    def share(self, passage: IndexedChunk) -> float:
        """Compute the share of the query's words in one sentence, names and headings, weighted by inverse frequency.

        Of all sentences the one that holds most. 1 only if nothing is missing; a word that no chunk holds is missing.
        Words that are too common to be searched do not count. Source code says in several lines what prose says in a
        sentence: the mean of its best line and of all its lines counts.
        """
        around, text = self._parts(passage)
        shown = total = 0.0
        places: list[tuple[float, list[int]]] = []
        for forms, weight in self._written(around, text):
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

    def has_whole(self, passage: IndexedChunk) -> bool:
        """True if the share is 1; most passages lack a word, which shows at once."""
        around, text = self._parts(passage)
        return (
            all(
                any(_holds(part, form) for form in forms for part in (around, text))
                for forms, _ in self._written(around, text)
            )
            and self.share(passage) >= 1
        )

    def _parts(self, passage: IndexedChunk) -> tuple[str, str]:
        """Return the names and headings of a passage, and its text, as letters."""
        chunk_id = passage.chunk.chunk_id
        if chunk_id not in self._known_parts:
            around = "\n".join((*self._names_of(passage.document), *passage.chunk.heading_path))
            self._known_parts[chunk_id] = self._letters(around), self._letters(passage.chunk.text)
        return self._known_parts[chunk_id]

    def _written(self, around: str, text: str) -> Iterable[tuple[tuple[str, ...], float]]:
        """Return the forms of each word that is sought, as a passage writes numbers, with its weight."""
        if not self._has_long_number:
            return self._sought
        numbers = {number.replace("-", ""): number for number in _GROUPED_NUMBER.findall(f"{around}\n{text}")}
        return [(tuple(_written(forms, numbers)), weight) for forms, weight in self._sought]

    def has_phrase(self, passage: IndexedChunk) -> bool:
        """True if the text holds the whole query as it is typed, two words at least, or if its heading is that question.

        A heading is compared without the mark at the end: a question is typed with one, and most headings have none.
        """
        if len(self._typed) <= 1:
            return False
        chunk_id = passage.chunk.chunk_id
        if chunk_id not in self._known_phrases:
            self._known_phrases[chunk_id] = self._holds_phrase(passage)
        return self._known_phrases[chunk_id]

    def _holds_phrase(self, passage: IndexedChunk) -> bool:
        typed, text = " ".join(self._typed), self._query.letters(passage.chunk.text)
        if all(word in text for word in self._typed) and typed in " ".join(text.split()):
            return True
        heading = "".join(passage.chunk.heading_path[-1:])
        return " ".join(self._query.letters(heading).split()).rstrip(_CLOSING) == typed.rstrip(_CLOSING)

    def name(self, document: IndexedDocument) -> float:
        """Compute how well the query names a document: the best of its title, file stem, aliases and parts of its title.

        Parts are what stands before, in and after brackets. The share of the query that the name holds times the share
        of the name that the query holds, both weighted by inverse frequency.
        """
        if document.doc_id not in self._known_names:
            self._known_names[document.doc_id] = max(self._match_names(self._names_and_parts(document)))
        return self._known_names[document.doc_id]

    def is_name(self, document: IndexedDocument) -> bool:
        """True if the query, as it is typed, is all of the title, the file's name or stem, or an alias of a document."""
        typed = " ".join(self._typed)
        names = (*self._names_of(document), document.doc_path.name, document.doc_path.stem)
        return any(" ".join(self._query.letters(name).split()) == typed for name in names)

    def _names_of(self, document: IndexedDocument) -> tuple[str, ...]:
        if document.doc_id not in self._names_by_document:
            self._names_by_document[document.doc_id] = document.names
        return self._names_by_document[document.doc_id]

    def _names_and_parts(self, document: IndexedDocument) -> set[str]:
        return {*self._names_of(document), *filter(None, map(str.strip, _BRACKETS.split(document.title)))}

    def symbol(self, passage: IndexedChunk) -> tuple[CodeSymbol | None, float]:
        """Find the symbol that the query names and the passage defines, with the match; None and 0 where there is none."""
        named = [(self._symbols.match(each.symbol), each) for each in passage.chunk.symbols]
        match, symbol = max(named, key=lambda pair: pair[0], default=(0.0, None))
        return (symbol, match) if match else (None, 0.0)

    def heading(self, passage: IndexedChunk) -> float:
        """Compute likewise how well the query names a section that a passage stands in; 0 for headings of twice its length."""
        chunk_id = passage.chunk.chunk_id
        if chunk_id not in self._known_headings:
            matches = self._match_names(self._short_headings(passage))
            self._known_headings[chunk_id] = max(matches, default=0.0)
        return self._known_headings[chunk_id]

    def look_up_names(self, passages: Iterable[IndexedChunk]) -> None:
        """Match the names and headings of passages, by one look-up of the terms of all; they are remembered."""
        new = [one for one in passages if one.chunk.chunk_id not in self._known_headings]
        documents = {one.document.doc_id: one.document for one in new}
        names = {name for document in documents.values() for name in self._names_and_parts(document)}
        self._match_names(names.union(*map(self._short_headings, new)))

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

    @cached_property
    def _has_long_number(self) -> bool:
        return any(_LONG_NUMBER.fullmatch(form) for forms, _ in self._sought for form in forms)

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


def _join_hyphenated(text: str) -> str:
    """Write hyphenated words in one, as the index has them, too: in `e-mail` it finds `email`."""
    return _HYPHEN.sub("", text) if "-" in text else text


def _written(forms: Iterable[str], numbers: Mapping[str, str]) -> Iterator[str]:
    """Yield forms, and numbers as the other side groups them: the index has each without its hyphens, too."""
    for form in forms:
        yield form
        if _GROUPED_NUMBER.fullmatch(form):
            yield form.replace("-", "")
        elif number := numbers.get(form):
            yield number


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
                        key=_by_length,
                    )
                ),
                word.weight,
            )
        elif pieces:
            total = sum(word.pieces.values())
            for text in pieces:
                yield (text,), word.weight * word.pieces[text] / total
        elif word.weight >= unknown:
            yield tuple(sorted((form for form in word.wholes if len(form) > 1), key=_by_length)), word.weight


def _by_length(form: str) -> tuple[int, str]:
    return len(form), form


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


_K1 = 1.2
_LENGTH_SHARE = 0.75
"""b of BM25: the influence of a passage's length."""
_USUAL_TERMS = 150
"""Terms of a passage of usual length."""
_SATURATION = 1.2
"""k1 of BM25 as in FTS5: the greater, the more another occurrence of a term adds."""


def passage_evidence(
    query: WeightedQuery, *, text: str, terms: FoundTerms, around: Sequence[Term]
) -> Evidence:
    """Compute the evidence of a passage; signals of places only for a query with whole words.

    Args:
        query: The weighted query.
        text: The passage.
        terms: Its terms that the query has, and the number of all.
        around: Terms of its title and headings that the query has.
    """
    matching = [term for term in terms.terms if term.text in query.weights]
    shown = {term.text for term in around if term.text in query.weights}
    whole = lexical_evidence(query, chunk_terms=(term.text for term in (*terms.terms, *around)))
    if not query.forms:
        return whole
    return whole.model_copy(
        update={
            "density": _density(query, Counter(term.text for term in matching), length=terms.total),
            "sentence_coverage": _sentence_coverage(query, text=text, matching=matching, around=shown),
            "proximity": _proximity(query, matching),
        }
    )


def lexical_evidence(query: WeightedQuery, *, chunk_terms: Iterable[str]) -> Evidence:
    """Compute the shares of a query that a passage holds.

    Args:
        query: The weighted query.
        chunk_terms: Terms of the chunk with its title and headings, each as often as it occurs.
    """
    counts = Counter(chunk_terms)
    return Evidence(coverage=coverage(query, counts.keys()), bm25_ratio=bm25_ratio(query, counts))


def coverage(query: WeightedQuery, chunk_terms: Collection[str]) -> float:
    """Compute the share of the query's words that a chunk holds, weighted by inverse frequency, in [0, 1].

    A word counts once however many terms it has: in full where it or its stem occurs, else by the share of its
    parts. A word that no chunk holds counts against all of them.
    """
    return _held_share(query, dict.fromkeys(chunk_terms, 1), saturation=0.0)


def bm25_ratio(query: WeightedQuery, counts: Mapping[str, int]) -> float:
    """Compute the BM25 of a chunk over the most that the query's words can score, in [0, 1).

    It is not the score of the index over anything: that has no weight at all for a term that half of a few chunks
    hold. Words weigh and count as in `coverage`; one occurrence counts 0.45, two 0.63, five 0.81, so that holding a word
    often counts more than holding it, but never makes up for another. Length does not matter. So it means the same in a
    corpus of two chunks and of a million. A limit at what each word once would score is no better at telling answered
    from unanswered questions and leaves most of the right chunks at the limit (2026-11).

    Args:
        query: The weighted query.
        counts: How often each term occurs in the chunk.
    """
    return _held_share(query, counts, saturation=_SATURATION)


def _density(query: WeightedQuery, counts: Mapping[str, int], *, length: int) -> float:
    """Compute the BM25 of the passage's own text, length included, over the most that the words can score."""
    allowance = _K1 * (1 - _LENGTH_SHARE + _LENGTH_SHARE * length / _USUAL_TERMS)
    held = total = 0.0
    for word in query.forms:
        total += word.weight
        most = max(counts.get(text, 0) for text in word.wholes) or word.share_of_pieces(counts.keys())
        held += word.weight * most / (most + allowance)
    return held / total if total else 0.0


def _sentence_coverage(
    query: WeightedQuery, *, text: str, matching: Sequence[Term], around: set[str]
) -> float:
    """Compute the greatest share that two adjacent sentences hold, with title and headings."""
    ends = [end.end() for end in SENTENCE_END.finditer(text)]
    held: dict[int, set[str]] = {}
    for term in matching:
        held.setdefault(bisect_right(ends, term.start), set()).add(term.text)
    places = held or {0: set()}
    shares = (_share(query.forms, around | here | held.get(at + 1, set())) for at, here in places.items())
    return min(1.0, max(shares))


def _proximity(query: WeightedQuery, matching: Sequence[Term]) -> float:
    """Compute the closeness of neighbouring words of the query, by their weight."""
    starts: dict[str, list[int]] = {}
    for term in matching:
        starts.setdefault(term.text, []).append(term.start)
    near = total = 0.0
    for one, other in pairwise(query.forms):
        weight = (one.weight + other.weight) / 2
        total += weight
        first, second = _places(one, starts), _places(other, starts)
        if first and second:
            lengths = (one.length, other.length)
            near += weight * max(0.0, min(1.0, closeness(first, second, lengths=lengths)))
    return near / total if total else 0.0


def _places(word: WordForms, starts: Mapping[str, list[int]]) -> list[int]:
    return sorted({place for text in word.wholes for place in starts.get(text, ())})


def _held_share(query: WeightedQuery, counts: Mapping[str, int], *, saturation: float) -> float:
    total = held = 0.0
    for word in query.forms:
        most = max(counts.get(text, 0) for text in word.wholes)
        total += word.weight
        share, count = (1.0, most) if most else (word.share_of_pieces(counts.keys()), 1)
        held += word.weight * share * (count / (count + saturation))
    for prefix in query.prefixes:
        most = max((count for term, count in counts.items() if term.startswith(prefix)), default=0)
        total += query.prefix_weight
        held += query.prefix_weight * (most / (most + saturation)) if most else 0.0
    return min(1.0, held / total) if total else 0.0
