"""Finding passages: lexical, vector and hybrid retrieval over kebab's Protocols.

Parses what was typed, asks a `LexicalIndex` and a `VectorStore` for candidates, boosts and fuses them, and shows the
best with snippet, citation and evidence. Knows no database, no language and no model: they come in as arguments.

    >>> from kebab_search import parse_query
    >>> parse_query('"vector index" 언제').phrases
    ('vector index',)
"""

from kebab_search.anchors import NO_ANCHORS, Anchors, decode_anchors, make_anchors
from kebab_search.budget import HitCost
from kebab_search.citations import build_citation
from kebab_search.examination import MetWord, Nearness, PassageExaminer
from kebab_search.hybrid import HybridRetriever
from kebab_search.joined import is_bound
from kebab_search.lexical import LexicalRetriever
from kebab_search.primed import PrimedEmbedder, meant_texts
from kebab_search.query import ParsedQuery, parse_query
from kebab_search.vector import VectorRetriever
from kebab_search.vector_leg import VectorLeg

__all__ = [
    "NO_ANCHORS",
    "Anchors",
    "HitCost",
    "HybridRetriever",
    "LexicalRetriever",
    "MetWord",
    "Nearness",
    "ParsedQuery",
    "PassageExaminer",
    "PrimedEmbedder",
    "VectorLeg",
    "VectorRetriever",
    "build_citation",
    "decode_anchors",
    "is_bound",
    "make_anchors",
    "meant_texts",
    "parse_query",
]
