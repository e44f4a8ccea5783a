"""Assembly of a document: ids and heading paths of its blocks, and the document around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypedDict

from kebab_core import (
    Block,
    BlockId,
    CanonicalDocument,
    DocumentId,
    ExtractContext,
    LineSpan,
    LongDocument,
    Message,
    ParagraphBlock,
    ParserVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    SourceSpan,
    block_id_for,
    document_id_for,
    shorten_label,
)

from kebab_parse.metadata import DocumentFacts

NO_TEXT = Message("the document has no text")
_EMPTY = Message("the file is empty")
"""What the same is called of a file without a byte, as where that is no file of its format."""


def assemble_document(
    context: ExtractContext,
    *,
    parser_version: ParserVersion,
    agent: str,
    title: str,
    lang: str,
    facts: DocumentFacts,
    warnings: Sequence[Message | None],
    blocks: Iterator[Block],
) -> LongDocument:
    """Return the document of these blocks, which carry its id. A very long title is shortened, with a warning.

    Args:
        context: The file.
        parser_version: Label of the extractor.
        agent: Its distribution, as provenance names it.
        title: Of any length.
        lang: BCP 47 primary tag.
        facts: Metadata and their warnings.
        warnings: Those that are None are left out.
        blocks: In reading order.
    """
    asset = context.asset
    shown = shorten_label(title)
    cut = Message("the title has {chars:,} characters; {shown} are shown", chars=len(title), shown=len(shown))
    head = CanonicalDocument(
        doc_id=identify_document(context, parser_version),
        source_asset_id=asset.asset_id,
        source_id=context.source_id,
        workspace_path=asset.workspace_path,
        title=shown,
        lang=lang,
        blocks=(),
        metadata=facts.metadata,
        provenance=_provenance(
            context, parser_version, agent, (*warnings, *facts.warnings, None if shown == title else cut)
        ),
        parser_version=parser_version,
    )
    return LongDocument(head, blocks)


def add_notes(
    document: CanonicalDocument, context: ExtractContext, notes: Sequence[Message], *, agent: str
) -> CanonicalDocument:
    """Return a document with notes of what was left out of it on purpose, which are no warnings."""
    events = (
        ProvenanceEvent(at=context.extracted_at, agent=agent, kind=ProvenanceKind.NORMALIZED, note=note)
        for note in notes
    )
    provenance = document.provenance.model_copy(update={"events": (*document.provenance.events, *events)})
    return document.model_copy(update={"provenance": provenance})


def identify_document(context: ExtractContext, parser_version: ParserVersion) -> DocumentId:
    """Return the id of the document that a parser makes of a file."""
    return document_id_for(
        workspace_path=context.asset.workspace_path,
        asset_id=context.asset.asset_id,
        parser_version=parser_version,
        source_id=context.source_id,
    )


def _provenance(
    context: ExtractContext, parser_version: ParserVersion, agent: str, warnings: Sequence[Message | None]
) -> Provenance:
    at = context.extracted_at
    discovered = ProvenanceEvent(
        at=context.asset.discovered_at, agent=context.discovered_by, kind=ProvenanceKind.DISCOVERED
    )
    parsed = ProvenanceEvent(at=at, agent=agent, kind=ProvenanceKind.PARSED, note=parser_version)
    warned = (
        ProvenanceEvent(
            at=at,
            agent=agent,
            kind=ProvenanceKind.WARNING,
            note=_EMPTY if note == NO_TEXT and not context.asset.byte_len else note,
        )
        for note in warnings
        if note
    )
    return Provenance(events=(discovered, parsed, *warned))


class BlockPlace(TypedDict):
    """The fields that blocks of every kind have."""

    block_id: BlockId
    heading_path: tuple[str, ...]
    source_span: SourceSpan


class BlockBuilder:
    """Heading paths, ordinals and ids of the blocks of one document, which are built in order.

    Heading paths hold very long headings shortened; the heading's own block keeps the whole text.
    """

    def __init__(self, doc_id: DocumentId) -> None:
        self._doc_id = doc_id
        self._open: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._seen: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def open_section(self, level: int, heading: str) -> None:
        """End all sections of this level and deeper, and open one unless its heading is empty."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        if heading:
            self._open.append((level, shorten_label(heading)))
        self._path = tuple(text for _, text in self._open)

    def place(self, kind: str, span: SourceSpan) -> BlockPlace:
        """Return the fields of the next block, which is of this kind."""
        ordinal = self._seen[kind, self._path]
        self._seen[kind, self._path] += 1
        block_id = block_id_for(
            doc_id=self._doc_id,
            block_kind=kind,
            heading_path=self._path,
            ordinal=ordinal,
            source_span=span,
        )
        return BlockPlace(block_id=block_id, heading_path=self._path, source_span=span)

    def plain_paragraph(self, first_line: int, text: str) -> ParagraphBlock:
        """Return the next block: lines of the file as they are."""
        span = LineSpan(start=first_line, end=first_line + text.count("\n"))
        return ParagraphBlock(**self.place("paragraph", span), text=text)
