"""Finding passages: lexical retrieval over kebab's Protocols.

Parses what was typed, asks a `LexicalIndex` for candidates, boosts them, and shows the best with snippet, citation
and evidence. Knows no database and no language: both come in as arguments.

    >>> from kebab_search import parse_query
    >>> parse_query('"vector index" 언제').phrases
    ('vector index',)
"""

from kebab_search.budget import HitCost
from kebab_search.citations import build_citation
from kebab_search.lexical import LexicalRetriever
from kebab_search.query import ParsedQuery, parse_query

__all__ = ["HitCost", "LexicalRetriever", "ParsedQuery", "build_citation", "parse_query"]
