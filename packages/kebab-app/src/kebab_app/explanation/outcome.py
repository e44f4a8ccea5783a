"""Where a document ends up among the hits, or what kept it from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import LegFailure, NotIndexedError, SearchMode, SearchQuery
from kebab_search import Nearness, parse_query
from kebab_wire import WhyTermV1

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
    bound = _bound_by(asked)
    if bound is not None:
        way.stop(
            "no_match",
            "order",
            f"{bound} stands in none of its passages",
            fix="search without the quotation marks",
        )
    elif asked.query.mode is SearchMode.LEXICAL:
        way.stop("no_match", "order", "no word of the query finds it", fix=_other_words(asked))
    elif asked.stored.pending and not isinstance(asked.nearness, LegFailure):
        way.stop(
            "vectors_pending",
            "order",
            "no word of the query finds it, and not all of its passages can be found by meaning yet",
            fix="kebab embed",
        )
    elif isinstance(asked.nearness, LegFailure):
        fix = asked.nearness.hint or _other_words(asked)
        way.stop("no_match", "order", "no word of the query finds it, and meaning was not asked", fix=fix)
    else:
        _tell_below_floor(asked.nearness, asked, way)


def _tell_below_floor(nearness: list[Nearness], asked: Asked, way: Way) -> None:
    best = best_of(nearness)
    if best is None or best.standing >= best.floor:
        way.stop("no_match", "order", "nothing of the query finds it", fix=_other_words(asked))
        return
    way.stop(
        "below_floor",
        "order",
        f"no word of the query finds it, and in meaning it stands out by {best.standing:.1f} deviations "
        f"where {best.floor:.1f} make a hit",
        fix=_other_words(asked),
    )


def _bound_by(asked: Asked) -> str | None:
    """Return the phrase or the syntax that must hold and does not; None where nothing of the kind is asked for."""
    parsed = parse_query(asked.query.text)
    if parsed.raw is not None:
        return f"{parsed.raw!r}"
    missing = [word.text for word in asked.words if word.kind == "phrase" and not word.passages]
    return f'the phrase "{missing[0]}"' if missing else None


def _other_words(asked: Asked) -> str:
    return f'ask with words that stand in it, such as those of its title: "{asked.stored.document.title}"'
