"""Assembly of a document: from parsed blocks to blocks with heading paths, ordinals and ids, and to the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kebab_core import (
    Block,
    BlockId,
    CanonicalDocument,
    CodeBlock,
    DocumentId,
    ExtractContext,
    HeadingBlock,
    ImageRefBlock,
    LineSpan,
    ListBlock,
    ListItem,
    LongDocument,
    ParagraphBlock,
    ParserVersion,
    Provenance,
    ProvenanceEvent,
    ProvenanceKind,
    QuoteBlock,
    TableBlock,
    block_id_for,
    document_id_for,
    shorten_label,
)

from kebab_parse_md.inlines import Picture
from kebab_parse_md.metadata import DocumentFacts
from kebab_parse_md.parsed import (
    Lines,
    ParsedBlock,
    ParsedCode,
    ParsedHeading,
    ParsedItem,
    ParsedList,
    ParsedParagraph,
    ParsedPicture,
    ParsedQuote,
    ParsedTable,
)

AGENT = "kebab-parse-md"
NO_TEXT = "the document has no text"


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
    """Return the document of these blocks, which carry its id. A very long title is shortened, with a warning."""
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
    """Return the id of the document that a parser makes of a file."""
    return document_id_for(
        workspace_path=context.asset.workspace_path,
        asset_id=context.asset.asset_id,
        parser_version=parser_version,
        source_id=context.source_id,
    )


def hold_whole(document: LongDocument) -> CanonicalDocument:
    """Return the document with all of its blocks in memory."""
    return document.head.model_copy(update={"blocks": tuple(document.blocks)})


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


def build_blocks(doc_id: DocumentId, parsed: Iterable[ParsedBlock]) -> Iterator[Block]:
    """Yield the blocks of a document in the given order, each built when it is taken.

    A heading ends all sections of its level and deeper, and opens its own unless it is empty. Heading paths hold very
    long headings shortened; the heading's own block keeps the whole text.
    """
    builder = _BlockBuilder(doc_id)
    built = (builder.build(block) for block in parsed)
    yield from (block for block in built if block is not None)


class _BlockBuilder:
    def __init__(self, doc_id: DocumentId) -> None:
        self._doc_id = doc_id
        self._open: list[tuple[int, str]] = []
        self._path: tuple[str, ...] = ()
        self._seen: Counter[tuple[str, tuple[str, ...]]] = Counter()

    def build(self, parsed: ParsedBlock) -> Block | None:
        if isinstance(parsed, ParsedHeading):
            return self._heading(parsed)
        span, path = _span(parsed.lines), self._path
        block_id = self._id(parsed.kind, span)
        block: Block
        match parsed:
            case ParsedParagraph(text=text, inlines=inlines):
                block = ParagraphBlock(
                    block_id=block_id, heading_path=path, source_span=span, text=text, inlines=inlines
                )
            case ParsedQuote(text=text, inlines=inlines):
                block = QuoteBlock(
                    block_id=block_id, heading_path=path, source_span=span, text=text, inlines=inlines
                )
            case ParsedCode(lang=lang, code=code):
                block = CodeBlock(
                    block_id=block_id, heading_path=path, source_span=span, lang=lang, code=code
                )
            case ParsedList(ordered=ordered, items=parsed_items):
                items = tuple(_item(item) for item in parsed_items)
                block = ListBlock(
                    block_id=block_id, heading_path=path, source_span=span, ordered=ordered, items=items
                )
            case ParsedTable(headers=headers, rows=rows):
                block = TableBlock(
                    block_id=block_id, heading_path=path, source_span=span, headers=headers, rows=rows
                )
            case ParsedPicture(picture=Picture(alt=alt) as picture):
                src = _address(picture)
                block = ImageRefBlock(
                    block_id=block_id, heading_path=path, source_span=span, asset_id=None, src=src, alt=alt
                )
        return block

    def _heading(self, parsed: ParsedHeading) -> Block | None:
        while self._open and self._open[-1][0] >= parsed.level:
            self._open.pop()
        if parsed.text:
            self._open.append((parsed.level, shorten_label(parsed.text)))
        self._path = tuple(text for _, text in self._open)
        if not parsed.text:
            return None
        span = _span(parsed.lines)
        return HeadingBlock(
            block_id=self._id(parsed.kind, span),
            heading_path=self._path,
            source_span=span,
            level=parsed.level,
            text=parsed.text,
        )

    def _id(self, kind: str, span: LineSpan) -> BlockId:
        ordinal = self._seen[kind, self._path]
        self._seen[kind, self._path] += 1
        return block_id_for(
            doc_id=self._doc_id,
            block_kind=kind,
            heading_path=self._path,
            ordinal=ordinal,
            source_span=span,
        )


def _span(lines: Lines) -> LineSpan:
    return LineSpan(start=lines.start, end=lines.end)


def _item(item: ParsedItem) -> ListItem:
    return ListItem(text=item.text, inlines=item.inlines, source_span=_span(item.lines))


def _address(picture: Picture) -> str:
    """Return the address of a picture; of a `data:` address only the media type."""
    return picture.src.partition(",")[0] if picture.src.startswith("data:") else picture.src
