"""What a document's stored form depends on besides its bytes.

A document is processed again exactly when its bytes or this fingerprint change. Search, answer, model and
logging settings take no part.
"""

from __future__ import annotations

from kebab_core import ChunkPolicy, SourceSettings, hash_canonical


def fingerprint_document(  # every argument is one axis of the version table
    *,
    parser_version: str,
    chunker_version: str,
    policy: ChunkPolicy,
    analyzer_version: str,
    source: SourceSettings,
) -> str:
    """Return 32 hex digits that differ whenever a setting or version that affects the output differs."""
    return hash_canonical({
        "parser": parser_version,
        "chunker": chunker_version,
        "policy": policy.model_dump(mode="json"),
        "analyzer": analyzer_version,
        "trust_level": source.trust_level,
        "source_type": source.source_type,
    })[:32]
