"""What a document's stored form depends on besides its bytes.

A document is processed again exactly when its bytes or this fingerprint change. Search, answer, model and
logging settings take no part.
"""

from __future__ import annotations

from typing import NamedTuple

from kebab_core import ChunkPolicy, CodeIngestSettings, SourceSettings, hash_canonical
from kebab_source_fs import SNIFF_VERSION


class Fingerprints(NamedTuple):
    """What becomes of files of one medium and source depends on their bytes and on these."""

    document: str
    skip: str
    """Of being left out for what is in them."""


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


def fingerprint_skip(document: str, code: CodeIngestSettings) -> str:
    """Return 32 hex digits that differ whenever a file that its content keeps out may be let in.

    Args:
        document: Fingerprint of the document it would become: a parser may refuse a file too.
        code: Which source files are left out.
    """
    return hash_canonical({
        "document": document,
        "code": code.model_dump(mode="json"),
        "sniff": SNIFF_VERSION,
    })[:32]
