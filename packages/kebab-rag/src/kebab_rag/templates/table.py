"""Every template by its version."""

from __future__ import annotations

from collections.abc import Mapping

from kebab_rag.templates.rag_v1 import RAG_V1
from kebab_rag.templates.rag_v2 import RAG_V2
from kebab_rag.templates.rag_v3 import RAG_V3
from kebab_rag.templates.template import PromptTemplate

TEMPLATES: Mapping[str, PromptTemplate] = {each.version: each for each in (RAG_V1, RAG_V2, RAG_V3)}
