"""Putting a document together from its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from kebab_core import (
    UNDETERMINED_LANG,
    Block,
    CanonicalDocument,
    DocumentId,
    ExtractContext,
    LanguageDetector,
    ParserVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    document_id_for,
)

from kebab_parse_md.metadata import DocumentFacts
from kebab_parse_md.parsed import ParsedBlock, prose_of

AGENT = "kebab-parse-md"
NO_TEXT = "the document has no text"
_LANGUAGE_SAMPLE_CHARS = 4096


def assemble_document(
    context: ExtractContext,
    *,
    parser_version: ParserVersion,
    title: str,
    lang: str,
    facts: DocumentFacts,
    warnings: Sequence[str],
    build: Callable[[DocumentId], tuple[Block, ...]],
) -> CanonicalDocument:
    """Return the document; `build` makes its blocks once its id is known."""
    asset = context.asset
    doc_id = document_id_for(
        workspace_path=asset.workspace_path,
        asset_id=asset.asset_id,
        parser_version=parser_version,
        source_id=context.source_id,
    )
    return CanonicalDocument(
        doc_id=doc_id,
        source_asset_id=asset.asset_id,
        source_id=context.source_id,
        workspace_path=asset.workspace_path,
        title=title,
        lang=lang,
        blocks=build(doc_id),
        metadata=facts.metadata,
        provenance=_provenance(context, parser_version, (*warnings, *facts.warnings)),
        parser_version=parser_version,
    )


def detect_language(detector: LanguageDetector, blocks: Iterable[ParsedBlock]) -> str:
    """Return the language of the first few thousand characters of prose, code left out."""
    sample = ""
    for block in blocks:
        prose = prose_of(block)
        if prose:
            sample += prose[:_LANGUAGE_SAMPLE_CHARS] + "\n"
        if len(sample) > _LANGUAGE_SAMPLE_CHARS:
            break
    return detector.detect(sample[:_LANGUAGE_SAMPLE_CHARS]) if sample else UNDETERMINED_LANG


def _provenance(
    context: ExtractContext, parser_version: ParserVersion, warnings: Sequence[str]
) -> Provenance:
    at = context.extracted_at
    discovered = ProvenanceEvent(
        at=context.asset.discovered_at, agent=context.discovered_by, kind=ProvenanceKind.DISCOVERED
    )
    parsed = ProvenanceEvent(at=at, agent=AGENT, kind=ProvenanceKind.PARSED, note=parser_version)
    warned = (
        ProvenanceEvent(at=at, agent=AGENT, kind=ProvenanceKind.WARNING, note=note) for note in warnings
    )
    return Provenance(events=(discovered, parsed, *warned))
