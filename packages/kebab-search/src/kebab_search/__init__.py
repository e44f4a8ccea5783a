"""Lexical, vector and hybrid search over kebab's Protocols.

`SearchRetriever` parses a query, finds candidates in a `LexicalIndex` and a `VectorStore`, fuses their scores, and
returns the best with snippet, citation and evidence. It knows no database, no language and no model: they are arguments.

    >>> from kebab_search import parse_query
    >>> parse_query('"vector index" 언제').phrases
    ('vector index',)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_search.batched_embedder import (
        BatchedQueryEmbedder as BatchedQueryEmbedder,
        embedding_texts as embedding_texts,
    )
    from kebab_search.fusion import merge_candidates as merge_candidates
    from kebab_search.lexical_search import LexicalSearch as LexicalSearch
    from kebab_search.paging import (
        Cursor as Cursor,
        digest_query as digest_query,
        open_page as open_page,
    )
    from kebab_search.passage_examiner import (
        MetWord as MetWord,
        Nearness as Nearness,
        PassageExaminer as PassageExaminer,
    )
    from kebab_search.query import (
        ParsedQuery as ParsedQuery,
        is_bound as is_bound,
        parse_query as parse_query,
    )
    from kebab_search.query_centroids import (
        NO_CENTROIDS as NO_CENTROIDS,
        QueryCentroids as QueryCentroids,
        compute_centroids as compute_centroids,
        decode_centroids as decode_centroids,
    )
    from kebab_search.retriever import SearchRetriever as SearchRetriever
    from kebab_search.score import chance_z_score as chance_z_score
    from kebab_search.syntax import parse_syntax as parse_syntax
    from kebab_search.vector_search import VectorSearch as VectorSearch

__getattr__, __dir__ = lazy_exports(__name__)
