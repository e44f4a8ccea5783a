"""From parsed blocks to the blocks of a document: heading paths, ordinals, ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from kebab_core import (
    Block,
    BlockId,
    CodeBlock,
    DocumentId,
    HeadingBlock,
    ImageRefBlock,
    LineSpan,
    ListBlock,
    ListItem,
    ParagraphBlock,
    QuoteBlock,
    TableBlock,
    block_id_for,
    shorten_label,
)

from kebab_parse_md.inlines import Picture
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


def build_blocks(doc_id: DocumentId, parsed: Iterable[ParsedBlock]) -> Iterator[Block]:
    """Yield the document's blocks in the given order, each made when it is taken.

    A heading closes all sections of its level and deeper and opens its own; an empty one only closes. In
    heading paths a very long one is shortened; its own block keeps it whole.
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
                    block_id=block_id, heading_path=path, source_span=span, src=src, alt=alt
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
    """Return the address; of a picture written into the text only its kind."""
    return picture.src.partition(",")[0] if picture.src.startswith("data:") else picture.src
