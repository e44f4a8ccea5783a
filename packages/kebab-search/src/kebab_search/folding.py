"""Folding: candidates as hits, one for each document, or for each page with its translations, and for all equal copies.

A hit stands where its best passage does, and shows it, unless that holds the query's words in label fields only and the
text of another passage holds them. A document whose file, or whose best passage, is that of a hit before it is a copy: it is told
beside that hit. Of copies the one with the best score is shown, of equal ones the first by path and source. The next passages of the document are told beside it, and so is a page whose
translation is a hit before it. Places are given out in the steps of `ranking`, but to documents: the first ten from the
same candidates that the first ten passages come from. So a search costs no more where documents are folded, and the
order does not depend on how many hits are asked for. Called by `ResponseBuilder`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kebab_core import DocumentId
from kebab_text import find_label_fields

from kebab_search.ranking import Candidate, candidates_by_step, find_words, step_above
from kebab_search.term_weights import WeightedQuery
from kebab_search.translations import page_key

MAX_MORE = 3
"""Further passages that a hit shows."""
_WINDOW = 2
"""Passages that count as further ones: those among the best of their step, so many for each of its places."""
_MOST_TIMES = 4
"""Times as many places as asked for are looked at to fill a page: more cost more than a search may."""


class FoldedHit(NamedTuple):
    """A hit.

    Attributes:
        best: The passage that it shows.
        further: The next passages of the document with their ranks among all passages of the step, best first.
        copies: The same passage in other documents, best first.
    """

    best: Candidate
    further: Sequence[tuple[int, Candidate]] = ()
    copies: Sequence[Candidate] = ()


class FoldedOrder(NamedTuple):
    """Candidates as hits.

    Attributes:
        hits: Best first; their scores never rise.
        hit_ranks: The rank of its hit, from 1, for each document that is part of one.
    """

    hits: Sequence[FoldedHit]
    hit_ranks: Mapping[DocumentId, int]


def fold_documents(
    candidates: Sequence[Candidate],
    *,
    query: WeightedQuery,
    places: int,
    by_surface: Sequence[Candidate] = (),
) -> FoldedOrder:
    """Order candidates by score and fold them by document, and documents by page.

    Args:
        candidates: As for `put_in_order`.
        query: The words of the query.
        places: Hits needed, at least 1.
        by_surface: As for `put_in_order`.

    Returns:
        The first hits, up to the next step or fewer: a beginning of the order for any greater number.
    """
    hits: list[FoldedHit] = []
    hit_ranks: dict[DocumentId, int] = {}
    pages: dict[tuple[str, ...], list[tuple[int, set[str]]]] = {}
    held: dict[str, int] = {}
    """Ranks of hits by the texts of their passages and by their files; an id is no text."""
    score: float | None = None
    for step, pool in candidates_by_step(candidates, places=places, by_surface=by_surface):
        placed: dict[DocumentId, list[tuple[int, Candidate]]] = {}
        copies: dict[int, list[Candidate]] = {}
        for rank, candidate in enumerate(pool, start=1):
            document = candidate.passage.document
            lowered = candidate if score is None else candidate._replace(score=min(candidate.score, score))
            if document.doc_id in placed:
                if rank <= _WINDOW * step:
                    placed[document.doc_id].append((rank, lowered))
            elif document.doc_id not in hit_ranks:
                own = {candidate.passage.chunk.text, document.asset_id or document.doc_id}
                same = pages.setdefault(page_key(document), [])
                hit_rank = next((at for at, languages in same if document.lang not in languages), None)
                copied = min((held[each] for each in own & held.keys()), default=None)
                if hit_rank is None and copied is not None:
                    hit_ranks[document.doc_id] = copied
                    copies.setdefault(copied, []).append(candidate)
                    continue
                if hit_rank is None and len(hits) + len(placed) < step:
                    hit_rank = len(hits) + len(placed) + 1
                    placed[document.doc_id] = [(rank, lowered)]
                    held |= dict.fromkeys(own, hit_rank)
                    same.append((hit_rank, set()))
                if hit_rank is not None:
                    hit_ranks[document.doc_id] = hit_rank
                    next(languages for at, languages in same if at == hit_rank).add(document.lang)
        # A copy that only a later step finds is not told, so that a hit is the same however many are asked for.
        hits += [
            _build_hit(ranked, query)._replace(copies=copies.get(place, ()))
            for place, ranked in enumerate(placed.values(), start=len(hits) + 1)
        ]
        score = hits[-1].best.score if hits else None
    return FoldedOrder(hits, hit_ranks)


def _build_hit(ranked: Sequence[tuple[int, Candidate]], query: WeightedQuery) -> FoldedHit:
    """Build the hit of a document, with the score of its best passage, from its passages with their ranks."""
    best, *others = (candidate for _, candidate in ranked)
    text = best.passage.chunk.text
    if others and (own := _own_text(text)) != text and not find_words(query, query.letters(own)):
        held = find_words(query, query.letters(text)).keys()
        for other in others:
            own = query.letters(_own_text(other.passage.chunk.text))
            if held and held <= find_words(query, own).keys():
                return FoldedHit(
                    other._replace(score=best.score), [each for each in ranked if each[1] is not other]
                )
    return FoldedHit(best, ranked[1:])


def _own_text(text: str) -> str:
    """Return a text without its label fields."""
    kept, end = [], 0
    for label_field in find_label_fields(text):
        kept.append(text[end : label_field.start])
        end = label_field.end
    return "".join([*kept, text[end:]])


def count_hits(
    candidates: Sequence[Candidate], *, query: WeightedQuery, by_surface: Sequence[Candidate] = ()
) -> int:
    """Count the hits that candidates are; arguments as for `fold_documents`."""
    places = max(1, len(candidates))
    return len(fold_documents(candidates, query=query, places=places, by_surface=by_surface).hits)


def more_places(places: int, *, hits: int, wanted: int) -> int:
    """Number of places to look at next where those looked at hold fewer hits than wanted."""
    return max(step_above(places + 1), step_above(places * wanted // max(1, hits)))


def most_places(wanted: int) -> int:
    """Number of places beyond which a page stays shorter than asked for, if it has a hit."""
    return _MOST_TIMES * step_above(wanted)
