"""Finding passages: lexical, vector and hybrid retrieval over kebab's Protocols.

Parses what was typed, asks a `LexicalIndex` and a `VectorStore` for candidates, boosts and fuses them, and shows the
best with snippet, citation and evidence. Knows no database, no language and no model: they come in as arguments.

    >>> from kebab_search import parse_query
    >>> parse_query('"vector index" 언제').phrases
    ('vector index',)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_search.anchors import (
        NO_ANCHORS as NO_ANCHORS,
        Anchors as Anchors,
        decode_anchors as decode_anchors,
        make_anchors as make_anchors,
    )
    from kebab_search.budget import HitCost as HitCost
    from kebab_search.citations import build_citation as build_citation
    from kebab_search.examination import (
        MetWord as MetWord,
        Nearness as Nearness,
        PassageExaminer as PassageExaminer,
    )
    from kebab_search.hybrid import HybridRetriever as HybridRetriever
    from kebab_search.joined import is_bound as is_bound
    from kebab_search.lexical import LexicalRetriever as LexicalRetriever
    from kebab_search.primed import PrimedEmbedder as PrimedEmbedder, meant_texts as meant_texts
    from kebab_search.query import ParsedQuery as ParsedQuery, parse_query as parse_query
    from kebab_search.vector import VectorRetriever as VectorRetriever
    from kebab_search.vector_leg import VectorLeg as VectorLeg

__getattr__, __dir__ = lazy_exports(__name__)
