"""Where a document ends up among the hits, or what kept it from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import LegFailure, NotIndexedError, SearchMode, SearchQuery
from kebab_search import Nearness
from kebab_wire import WhyTermV1

from kebab_app.explanation.binding import find_bound, name_other_words
from kebab_app.explanation.leg_standing import LegStanding
from kebab_app.explanation.meaning import best_of
from kebab_app.explanation.stored import Stored

if TYPE_CHECKING:
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase

_MAX_K = 1000


class Asked(NamedTuple):
    """A query and what it met.

    Attributes:
        query: What was asked, filters that keep the document out included.
        stored: The document.
        words: What of the query stands in it.
        standing: Where it stands in the search that was asked for.
        nearness: How near its passages are, or why there is no telling.
    """

    query: SearchQuery
    stored: Stored
    words: tuple[WhyTermV1, ...]
    standing: LegStanding
    nearness: list[Nearness] | LegFailure


def tell_outcome(base: KnowledgeBase, asked: Asked, way: Way) -> None:
    """Note the place of the document among the hits, or the nearest reason why it has none."""
    standing = asked.standing
    if standing.rank is not None:
        _tell_rank(base, asked, standing.rank, way)
    elif standing.matches:
        way.stop(
            "too_deep",
            "order",
            f"it matches, but is not among the best {standing.looked_at} passages",
            fix=f"ask with words that only it has, or search in it alone: --doc-id {asked.stored.document.doc_id}",
        )
    elif standing.failure is not None and asked.query.mode is SearchMode.VECTOR:
        _tell_no_vectors(standing.failure, asked, way)
    else:
        _tell_no_match(asked, way)


def _tell_rank(base: KnowledgeBase, asked: Asked, rank: int, way: Way) -> None:
    query, looked_at = asked.query, asked.standing.looked_at
    is_first = "its best passage is" if len(asked.stored.chunks) > 1 else "it is"
    detail = f"{is_first} hit {rank} of {looked_at}{'' if asked.standing.is_filtered else ' without these filters'}"
    if rank > query.k:
        fix = f"--k {rank}" if rank <= _MAX_K else f"--doc-id {asked.stored.document.doc_id}"
        way.stop("beyond_k", "order", f"{detail}; the first {query.k} are shown", fix=fix)
    elif way.verdict is None and query.max_tokens is not None and not _is_shown(base, asked):
        way.stop(
            "over_budget",
            "order",
            f"{detail}, but the hits before it take up the {query.max_tokens} tokens of --max-tokens",
            fix="raise --max-tokens, or go on with --cursor",
        )
    else:
        way.go_on("order", detail)


def _is_shown(base: KnowledgeBase, asked: Asked) -> bool:
    hits = base.retriever.search(asked.query).hits
    return any(hit.doc_id == asked.stored.document.doc_id for hit in hits)


def _tell_no_vectors(failure: LegFailure, asked: Asked, way: Way) -> None:
    is_pending = failure.code == NotIndexedError.code and asked.stored.embedded is not None
    way.stop(
        "vectors_pending" if is_pending else "not_searchable", "order", failure.message, fix=failure.hint
    )


def _tell_no_match(asked: Asked, way: Way) -> None:
    bound = find_bound(asked.query.text, asked.words, title=asked.stored.document.title)
    if bound is not None:
        way.stop("no_match", "order", bound.detail, fix=bound.fix)
    elif asked.query.mode is SearchMode.LEXICAL:
        way.stop("no_match", "order", _by_words(asked), fix=_other_words(asked))
    elif asked.stored.pending and not isinstance(asked.nearness, LegFailure):
        way.stop(
            "vectors_pending",
            "order",
            f"{_by_words(asked)}, and not all of its passages can be found by meaning yet",
            fix="kebab embed",
        )
    elif isinstance(asked.nearness, LegFailure):
        fix = asked.nearness.hint or _other_words(asked)
        way.stop("no_match", "order", f"{_by_words(asked)}, and meaning was not asked", fix=fix)
    else:
        _tell_below_floor(asked.nearness, asked, way)


def _tell_below_floor(nearness: list[Nearness], asked: Asked, way: Way) -> None:
    best = best_of(nearness)
    if best is None or best.floor is None or best.standing >= best.floor:
        way.stop("no_match", "order", "nothing of the query finds it", fix=_other_words(asked))
        return
    way.stop(
        "below_floor",
        "order",
        f"{_by_words(asked)}, and in meaning it stands out by {best.standing:.1f} deviations "
        f"where {best.floor:.1f} make a hit",
        fix=_other_words(asked),
    )


def _by_words(asked: Asked) -> str:
    if asked.query.mode is SearchMode.VECTOR:
        return "words are not searched with --mode vector"
    return "no word of the query finds it"


def _other_words(asked: Asked) -> str:
    if asked.query.mode is not SearchMode.VECTOR:
        return name_other_words(asked.stored.document.title)
    if any(word.searched and word.passages for word in asked.words):
        return "--mode hybrid, which finds it by its words too"
    return f"--mode hybrid, and {name_other_words(asked.stored.document.title)}"
