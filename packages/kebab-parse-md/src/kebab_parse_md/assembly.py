"""Putting a document together from its parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from kebab_core import (
    UNDETERMINED_LANG,
    Block,
    CanonicalDocument,
    DocumentId,
    ExtractContext,
    LanguageDetector,
    LongDocument,
    ParserVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    document_id_for,
    shorten_label,
)

from kebab_parse_md.metadata import DocumentFacts
from kebab_parse_md.parsed import ParsedBlock, prose_of

_BlockT = TypeVar("_BlockT", bound=ParsedBlock)

AGENT = "kebab-parse-md"
NO_TEXT = "the document has no text"
LANGUAGE_SAMPLE_CHARS = 4096


def assemble_document(
    context: ExtractContext,
    *,
    parser_version: ParserVersion,
    title: str,
    lang: str,
    facts: DocumentFacts,
    warnings: Sequence[str],
    blocks: Iterator[Block],
) -> LongDocument:
    """Return the document of these blocks, which were made for its id; a very long title is shortened."""
    asset = context.asset
    shown = shorten_label(title)
    cut = () if shown == title else (f"the title has {len(title):,} characters; {len(shown)} are shown",)
    head = CanonicalDocument(
        doc_id=identify_document(context, parser_version),
        source_asset_id=asset.asset_id,
        source_id=context.source_id,
        workspace_path=asset.workspace_path,
        title=shown,
        lang=lang,
        blocks=(),
        metadata=facts.metadata,
        provenance=_provenance(context, parser_version, (*warnings, *facts.warnings, *cut)),
        parser_version=parser_version,
    )
    return LongDocument(head, blocks)


def identify_document(context: ExtractContext, parser_version: ParserVersion) -> DocumentId:
    """Return the id of what a parser makes of a file."""
    return document_id_for(
        workspace_path=context.asset.workspace_path,
        asset_id=context.asset.asset_id,
        parser_version=parser_version,
        source_id=context.source_id,
    )


def hold_whole(document: LongDocument) -> CanonicalDocument:
    """Return a document with all of its blocks."""
    return document.head.model_copy(update={"blocks": tuple(document.blocks)})


def sample_opening(blocks: Iterator[_BlockT]) -> tuple[Sequence[_BlockT], Iterator[_BlockT]]:
    """Return the first blocks, enough to tell the language of the document by, and all of them."""
    opening: list[_BlockT] = []
    chars = 0
    for block in blocks:
        opening.append(block)
        chars += len(prose_of(block))
        if chars > LANGUAGE_SAMPLE_CHARS:
            break
    return opening, chain(opening, blocks)


def detect_language(detector: LanguageDetector, blocks: Iterable[ParsedBlock]) -> str:
    """Return the language of the first few thousand characters of prose, code left out."""
    sample = ""
    for block in blocks:
        prose = prose_of(block)
        if prose:
            sample += prose[:LANGUAGE_SAMPLE_CHARS] + "\n"
        if len(sample) > LANGUAGE_SAMPLE_CHARS:
            break
    return detector.detect(sample[:LANGUAGE_SAMPLE_CHARS]) if sample else UNDETERMINED_LANG


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
