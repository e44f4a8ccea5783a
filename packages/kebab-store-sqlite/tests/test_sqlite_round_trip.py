"""Whatever the domain allows comes back from the database equal."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    AudioRefBlock,
    Block,
    BlockId,
    ByteSpan,
    ChunkTerms,
    CodeBlock,
    CodeInline,
    CodeSpan,
    DocumentRecord,
    EmphInline,
    HeadingBlock,
    HexId,
    ImageRefBlock,
    LineSpan,
    LinkInline,
    ListBlock,
    ListItem,
    Metadata,
    ModelCaption,
    OcrRegion,
    OcrText,
    PageSpan,
    ParagraphBlock,
    QuoteBlock,
    RegionSpan,
    SourceType,
    StrongInline,
    TableBlock,
    TextInline,
    TimeSpan,
    Transcript,
    TranscriptSegment,
)
from kebab_store_sqlite import SqliteDatabase, SqliteDocumentStore, check_integrity, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
NUMBER = st.integers(0, 2**53 - 1)
SHARE = st.floats(0, 1)
HEX = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")
LINE = st.integers(1, 10**6)
INSTANT = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(UTC))  # noqa: DTZ001
SPAN = st.one_of(
    st.builds(lambda a, n: LineSpan(start=a, end=a + n), LINE, NUMBER),
    st.builds(lambda a, n: ByteSpan(start=a, end=a + n), LINE, NUMBER),
    st.builds(PageSpan, page=LINE),
    st.builds(lambda p, a, n: PageSpan(page=p, char_start=a, char_end=a + n), LINE, LINE, NUMBER),
    st.builds(RegionSpan, x=NUMBER, y=NUMBER, w=NUMBER, h=NUMBER, page=st.none() | LINE),
    st.builds(lambda a, n: TimeSpan(start_ms=a, end_ms=a + n), LINE, NUMBER),
    st.builds(lambda a, s: CodeSpan(line_start=a, line_end=a, symbol=s, lang=s), LINE, st.none() | TEXT),
)
INLINE = st.recursive(
    st.builds(TextInline, text=TEXT)
    | st.builds(CodeInline, text=TEXT)
    | st.builds(LinkInline, text=TEXT, href=TEXT),
    lambda inner: (
        st.builds(StrongInline, children=st.tuples(inner))
        | st.builds(EmphInline, children=st.tuples(inner, inner))
    ),
    max_leaves=4,
)
INLINES = st.lists(INLINE, max_size=3).map(tuple)
TEXTS = st.lists(TEXT, max_size=3).map(tuple)
COMMON = {"block_id": HEX.map(BlockId), "heading_path": TEXTS, "source_span": SPAN}
OCR = st.builds(
    OcrText,
    joined=TEXT,
    regions=st.lists(
        st.builds(OcrRegion, bbox=st.tuples(NUMBER, NUMBER, NUMBER, NUMBER), text=TEXT, confidence=SHARE),
        max_size=2,
    ).map(tuple),
    engine=TEXT,
    engine_version=TEXT,
)
TRANSCRIPT = st.builds(
    Transcript,
    segments=st.tuples(
        st.builds(TranscriptSegment, start_ms=NUMBER, end_ms=NUMBER, text=TEXT, confidence=st.none() | SHARE)
    ),
    engine=TEXT,
    engine_version=TEXT,
    language=TEXT,
)
BLOCK = st.one_of(
    st.builds(HeadingBlock, **COMMON, level=st.integers(1, 6), text=TEXT),
    st.builds(ParagraphBlock, **COMMON, text=TEXT, inlines=INLINES),
    st.builds(
        ListBlock,
        **COMMON,
        ordered=st.booleans(),
        items=st.lists(st.builds(ListItem, text=TEXT, inlines=INLINES, source_span=SPAN), max_size=3).map(
            tuple
        ),
    ),
    st.builds(CodeBlock, **COMMON, lang=st.none() | TEXT, code=TEXT),
    st.builds(TableBlock, **COMMON, headers=TEXTS, rows=st.lists(TEXTS, max_size=2).map(tuple)),
    st.builds(QuoteBlock, **COMMON, text=TEXT, inlines=INLINES),
    st.builds(
        ImageRefBlock,
        **COMMON,
        asset_id=st.none() | HEX,
        src=TEXT,
        alt=TEXT,
        ocr=st.none() | OCR,
        caption=st.none() | st.builds(ModelCaption, text=TEXT, model=TEXT, model_version=TEXT),
    ),
    st.builds(AudioRefBlock, **COMMON, asset_id=HEX, duration_ms=NUMBER, transcript=st.none() | TRANSCRIPT),
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
METADATA = st.builds(
    Metadata,
    aliases=TEXTS,
    tags=TEXTS,
    created_at=INSTANT,
    updated_at=INSTANT,
    source_type=st.sampled_from(SourceType),
    user=st.dictionaries(TEXT, JSON, max_size=2),
    repo=st.none() | TEXT,
    code_lang=st.none() | TEXT,
)


@st.composite
def records(draw: st.DrawFn) -> DocumentRecord:
    record = build_record(RecordSpec(paragraphs=draw(st.lists(TEXT, max_size=3)), title=draw(TEXT)))
    blocks: tuple[Block, ...] = tuple(draw(st.lists(BLOCK, max_size=4)))
    document = record.document.model_copy(
        update={"blocks": blocks, "metadata": draw(METADATA), "lang": draw(TEXT)}
    )
    change = {
        "heading_path": draw(TEXTS),
        "section_label": draw(st.none() | TEXT),
        "source_spans": tuple(draw(st.lists(SPAN, max_size=3))),
        "block_ids": tuple(block.block_id for block in blocks),
    }
    chunks = tuple(chunk.model_copy(update=change) for chunk in record.chunks)
    terms = tuple(
        ChunkTerms(title=draw(TEXT), heading=draw(TEXT), body=draw(TEXT), surface="") for _ in chunks
    )
    update = {"document": document, "chunks": chunks, "terms": terms, "indexed_at": draw(INSTANT)}
    return record.model_copy(update=update)


@pytest.fixture(scope="module")
def shared_database() -> Iterator[SqliteDatabase]:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_database(Path(folder), clock=FixedClock(), copy_threshold_bytes=1) as database,
    ):
        yield database
        assert check_integrity(database) == []


@pytest.mark.thorough
@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(record=records())
def test_documents_and_chunks_come_back_equal(
    shared_database: SqliteDatabase, record: DocumentRecord
) -> None:
    store = SqliteDocumentStore(shared_database)
    store.replace_document(record)
    found = store.get_document(record.document.doc_id)
    assert found is not None
    expected = {"indexed_at": record.indexed_at, "doc_version": found.doc_version}
    assert found == record.document.model_copy(update=expected)
    assert [item.chunk for item in store.get_chunks([chunk.chunk_id for chunk in record.chunks])] == list(
        record.chunks
    )
    assert all(isinstance(block.block_id, HexId) for block in found.blocks)
    summary = store.get_indexed_document(record.document.doc_id)
    assert summary is not None
    assert (summary.indexed_at, summary.title) == (record.indexed_at, record.document.title)
    assert summary.aliases == record.document.metadata.aliases
