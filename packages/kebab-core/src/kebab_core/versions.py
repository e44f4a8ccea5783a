"""Labels that say which code or model produced a thing. They are compared for equality only."""

from __future__ import annotations

from typing import NewType

ParserVersion = NewType("ParserVersion", str)
"""`md-v1`, `text-v1`, …: changes when a parser reads the same bytes differently."""
ChunkerVersion = NewType("ChunkerVersion", str)
"""`md-heading-v1`, …: changes when a chunker cuts the same document differently."""
EmbeddingModelId = NewType("EmbeddingModelId", str)
EmbeddingVersion = NewType("EmbeddingVersion", str)
"""`<version>+<first 12 hex of the weights' hash>`."""
IndexVersion = NewType("IndexVersion", str)
"""Shape of the index that served a search, such as `lexical:ko-en@1`."""
PromptTemplateVersion = NewType("PromptTemplateVersion", str)
AnalyzerVersion = NewType("AnalyzerVersion", str)
"""`<analyser id>@<version>`: index and query must agree on it."""
