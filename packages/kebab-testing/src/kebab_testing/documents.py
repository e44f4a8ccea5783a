"""Small builders of assets, contexts and documents for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Self

from kebab_core import (
    Block,
    BlockId,
    CanonicalDocument,
    ChunkPolicy,
    CodeBlock,
    CodeRole,
    CodeSpan,
    CodeSymbol,
    CopiedStorage,
    DocumentId,
    ExtractContext,
    FileUri,
    HeadingBlock,
    ImageRefBlock,
    LineSpan,
    ListBlock,
    ListItem,
    MarkdownMedia,
    MediaType,
    Metadata,
    ParagraphBlock,
    ParserVersion,
    Provenance,
    QuoteBlock,
    RawAsset,
    SourceType,
    TableBlock,
    WorkspacePath,
    asset_id_for,
    block_id_for,
    document_id_for,
    hash_bytes,
)

EPOCH = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
"""The time of everything made here."""


def make_asset(
    content: bytes, *, path: str = "notes/sample.md", media_type: MediaType | None = None
) -> RawAsset:
    """Return the asset of some bytes; Markdown unless told otherwise."""
    checksum = hash_bytes(content)
    return RawAsset(
        asset_id=asset_id_for(checksum),
        source_uri=FileUri(path=f"/knowledge/{path}"),
        workspace_path=WorkspacePath(path),
        media_type=media_type or MarkdownMedia(),
        byte_len=len(content),
        checksum=checksum,
        discovered_at=EPOCH,
        stored=CopiedStorage(path=f"assets/{checksum}"),
    )


def make_context(
    content: bytes, *, path: str = "notes/sample.md", media_type: MediaType | None = None
) -> ExtractContext:
    """Return what an extractor is told beside the bytes."""
    return ExtractContext(
        asset=make_asset(content, path=path, media_type=media_type),
        file_created_at=EPOCH,
        file_modified_at=EPOCH,
        extracted_at=EPOCH,
        discovered_by="finder",
    )


def make_policy(
    *, target_tokens: int = 380, max_tokens: int = 440, overlap_tokens: int = 60, label: str = "words-v1"
) -> ChunkPolicy:
    """Return a policy, by default of the sizes that kebab is configured with."""
    return ChunkPolicy(
        target_tokens=target_tokens,
        max_tokens=max_tokens,
        overlap_tokens=overlap_tokens,
        token_counter=label,
    )


class DocumentBuilder:
    """Builds a document block by block, as a parser would: one blank line between blocks, ids by recipe."""

    def __init__(
        self, *, path: str = "notes/sample.md", title: str = "Sample", metadata: Metadata | None = None
    ) -> None:
        self._path = WorkspacePath(path)
        self._title = title
        self._metadata = metadata or Metadata(
            created_at=EPOCH, updated_at=EPOCH, source_type=SourceType.MARKDOWN
        )
        self._asset = make_asset(path.encode(), path=path)
        self._headings: list[tuple[int, str]] = []
        self._blocks: list[Block] = []
        self._seen: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._line = 1

    @property
    def doc_id(self) -> DocumentId:
        """The id the document will have."""
        return document_id_for(
            workspace_path=self._path,
            asset_id=self._asset.asset_id,
            parser_version=ParserVersion("md-v1"),
            source_id="default",
        )

    def heading(self, text: str, *, level: int = 1) -> Self:
        """Return self with a heading, which closes the sections it closes."""
        self._headings = [each for each in self._headings if each[0] < level]
        self._headings.append((level, text))
        span = self._take(1)
        self._blocks.append(
            HeadingBlock(
                block_id=self._id("heading", span),
                heading_path=self._heading_path,
                source_span=span,
                level=level,
                text=text,
            )
        )
        return self

    def paragraph(self, text: str) -> Self:
        """Return self with a paragraph of as many lines as the text has."""
        span = self._take(text.count("\n") + 1)
        self._blocks.append(
            ParagraphBlock(
                block_id=self._id("paragraph", span),
                heading_path=self._heading_path,
                source_span=span,
                text=text,
            )
        )
        return self

    def quote(self, text: str) -> Self:
        """Return self with a quote of as many lines as the text has."""
        span = self._take(text.count("\n") + 1)
        self._blocks.append(
            QuoteBlock(
                block_id=self._id("quote", span),
                heading_path=self._heading_path,
                source_span=span,
                text=text,
            )
        )
        return self

    def code(self, code: str, *, lang: str | None = None) -> Self:
        """Return self with fenced code: two lines more than the text has."""
        span = self._take(code.count("\n") + 3)
        self._blocks.append(
            CodeBlock(
                block_id=self._id("code", span),
                heading_path=self._heading_path,
                source_span=span,
                lang=lang,
                code=code,
            )
        )
        return self

    def code_unit(
        self,
        code: str,
        *,
        symbol: str | None = None,
        defines: CodeSymbol | None = None,
        statements: tuple[tuple[int, ...], ...] | None = None,
    ) -> Self:
        """Return self with a unit of a source file: as many lines as the text has, a blank one after them.

        Args:
            code: Its text.
            symbol: What its span is cited by.
            defines: The symbol that it defines, of which kind and signature count: its lines are those of the unit.
            statements: Lines in which its statements begin, counted from its own first, which is 1, by depth.
        """
        lines = self._take(code.count("\n") + 1)
        span = CodeSpan(line_start=lines.start, line_end=lines.end, symbol=symbol, lang="python")
        symbols = (
            (defines.model_copy(update={"line_start": lines.start, "line_end": lines.end}),)
            if defines
            else None
        )
        self._blocks.append(
            CodeBlock(
                block_id=self._id("code", lines),
                heading_path=self._heading_path,
                source_span=span,
                lang="python",
                code=code,
                symbols=symbols,
                role=CodeRole.DEFINITION if defines else CodeRole.LEFTOVER,
                statements=statements
                and tuple(tuple(lines.start + line - 1 for line in depth) for depth in statements),
            )
        )
        return self

    def listing(self, *items: str, ordered: bool = False) -> Self:
        """Return self with a list, each item on as many lines as it has, the number part of an ordered item."""
        first = self._line
        span = self._take(sum(item.count("\n") + 1 for item in items))
        made: list[ListItem] = []
        for item in items:
            last = first + item.count("\n")
            made.append(ListItem(text=item, source_span=LineSpan(start=first, end=last)))
            first = last + 1
        self._blocks.append(
            ListBlock(
                block_id=self._id("list", span),
                heading_path=self._heading_path,
                source_span=span,
                ordered=ordered,
                items=tuple(made),
            )
        )
        return self

    def table(self, headers: Sequence[str], rows: Sequence[Sequence[str]]) -> Self:
        """Return self with a table: a line for the header, one for the rule, one for each row."""
        span = self._take(2 + len(rows))
        self._blocks.append(
            TableBlock(
                block_id=self._id("table", span),
                heading_path=self._heading_path,
                source_span=span,
                headers=tuple(headers),
                rows=tuple(tuple(row) for row in rows),
            )
        )
        return self

    def image(self, src: str, *, alt: str = "") -> Self:
        """Return self with a picture that stands alone."""
        span = self._take(1)
        self._blocks.append(
            ImageRefBlock(
                block_id=self._id("image_ref", span),
                heading_path=self._heading_path,
                source_span=span,
                asset_id=None,
                src=src,
                alt=alt,
            )
        )
        return self

    def build(self) -> CanonicalDocument:
        """Return the document as it stands."""
        return CanonicalDocument(
            doc_id=self.doc_id,
            source_asset_id=self._asset.asset_id,
            workspace_path=self._path,
            title=self._title,
            lang="en",
            blocks=tuple(self._blocks),
            metadata=self._metadata,
            provenance=Provenance(),
            parser_version=ParserVersion("md-v1"),
        )

    @property
    def _heading_path(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._headings)

    def _take(self, lines: int) -> LineSpan:
        span = LineSpan(start=self._line, end=self._line + lines - 1)
        self._line = span.end + 2
        return span

    def _id(self, kind: str, span: LineSpan) -> BlockId:
        key = (kind, self._heading_path)
        self._seen[key] += 1
        return block_id_for(
            doc_id=self.doc_id,
            block_kind=kind,
            heading_path=self._heading_path,
            ordinal=self._seen[key] - 1,
            source_span=span,
        )
