"""Stored text word for word: chunks with their neighbours, documents, lines."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from kebab_app import App
from kebab_core import (
    AssetId,
    AudioMedia,
    ChunkId,
    ChunkNotFoundError,
    DocumentId,
    DocumentNotFoundError,
    ExtractedText,
    FetchChunk,
    FetchDocument,
    FetchSpan,
    InvalidInputError,
    LineSpan,
    MediaType,
    NotIndexedError,
    PageSpan,
    PdfMedia,
    SearchMode,
    SearchQuery,
    SpanNotSupportedError,
    StorageError,
    TextPart,
    TimeSpan,
    TokenCounter,
)
from kebab_testing.records import RecordSpec, build_record

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base

NOTE = """\
---
title: 메모
tags: [a]
---
# First

one

# Second

two

# Third

three

# Fourth

four

# Fifth

five
"""


def stored(base: Base, content: str | bytes = NOTE, name: str = "a.md") -> DocumentId:
    base.write(name, content)
    base.ingest()
    return base.documents()[name].doc_id


def chunk_ids(base: Base, doc_id: DocumentId) -> list[ChunkId]:
    with base.app.base.open_for_reading().reading() as connection:
        rows = connection.execute(
            "SELECT chunk_id FROM chunks JOIN documents USING (doc_no) WHERE doc_id = ? ORDER BY ordinal",
            (doc_id,),
        )
        return [ChunkId(row[0]) for row in rows]


def test_chunk_without_context_comes_alone(base: Base) -> None:
    chunks = chunk_ids(base, stored(base))

    result = base.app.fetch(FetchChunk(chunk_id=chunks[2]))

    assert result.chunk is not None
    assert result.chunk.chunk.chunk_id == chunks[2]
    assert "three" in result.chunk.chunk.text
    assert (result.context_before, result.context_after) == ((), ())
    assert (result.text, result.truncated) == (None, False)


def test_chunk_with_context_comes_with_its_neighbours_in_reading_order(base: Base) -> None:
    chunks = chunk_ids(base, stored(base))

    result = base.app.fetch(FetchChunk(chunk_id=chunks[2], context=2))

    assert [each.chunk.chunk_id for each in result.context_before] == chunks[:2]
    assert [each.chunk.chunk_id for each in result.context_after] == chunks[3:5]


def test_chunks_farthest_away_are_left_out_first_where_the_budget_is_small(base: Base) -> None:
    chunks = chunk_ids(base, stored(base))

    whole = base.app.fetch(FetchChunk(chunk_id=chunks[2], context=2, max_tokens=10_000))
    near = base.app.fetch(FetchChunk(chunk_id=chunks[2], context=2, max_tokens=600))
    alone = base.app.fetch(FetchChunk(chunk_id=chunks[2], context=2, max_tokens=1))

    assert (len(whole.context_before), len(whole.context_after), whole.truncated) == (2, 2, False)
    assert [each.chunk.chunk_id for each in near.context_before] == [chunks[1]]
    assert near.truncated
    assert alone.chunk is not None
    assert (alone.context_before, alone.context_after, alone.truncated) == ((), (), True)


@pytest.mark.parametrize("context", [99, 1000])
def test_context_is_clamped_at_both_ends_of_the_document(base: Base, context: int) -> None:
    base.write("b.md", "# other document")
    chunks = chunk_ids(base, stored(base))

    first = base.app.fetch(FetchChunk(chunk_id=chunks[0], context=context))
    last = base.app.fetch(FetchChunk(chunk_id=chunks[-1], context=context))

    assert first.context_before == last.context_after == ()
    assert [each.chunk.chunk_id for each in first.context_after] == chunks[1:]
    assert [each.chunk.chunk_id for each in last.context_before] == chunks[:-1]


@pytest.mark.parametrize("content", [NOTE, NOTE.replace("\n", "\r\n"), "no line end", "", "\n\n", "a\rb\r"])
def test_document_is_its_source_word_for_word(base: Base, content: str) -> None:
    result = base.app.fetch(FetchDocument(doc_id=stored(base, content.encode())))

    assert (result.text, result.truncated) == (content, False)
    assert result.document.doc_path == "a.md"


def test_document_in_another_encoding_is_decoded(base: Base) -> None:
    text = "한글로 쓴 오래된 문서입니다. 잘 읽혀야 합니다.\n"

    assert base.app.fetch(FetchDocument(doc_id=stored(base, text.encode("cp949")))).text == text


def test_byte_order_mark_is_no_part_of_the_text(base: Base) -> None:
    doc_id = stored(base, "\ufeff# Title\n".encode())

    assert base.app.fetch(FetchSpan(doc_id=doc_id, line_start=1, line_end=1)).text == "# Title\n"


@pytest.mark.parametrize("max_tokens", [1, 5, 30])
def test_document_over_its_budget_is_cut_as_late_as_possible(base: Base, max_tokens: int) -> None:
    count = TokenCounter().count
    doc_id = stored(base)

    result = base.app.fetch(FetchDocument(doc_id=doc_id, max_tokens=max_tokens))

    assert result.text is not None
    assert result.truncated
    assert NOTE.startswith(result.text)
    assert count(result.text) <= max_tokens < count(NOTE[: len(result.text) + 1])


@pytest.mark.parametrize("more", [0, 1, 10_000])
def test_document_within_its_budget_is_not_cut(base: Base, more: int) -> None:
    budget = TokenCounter().count(NOTE) + more

    result = base.app.fetch(FetchDocument(doc_id=stored(base), max_tokens=budget))

    assert (result.text, result.truncated) == (NOTE, False)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("start", "end"), [(1, 1), (5, 7), (1, 23), (23, 23)])
def test_span_is_the_lines_of_the_file_front_matter_included(
    base: Base, line_end: str, start: int, end: int
) -> None:
    lines = NOTE.splitlines()
    doc_id = stored(base, NOTE.replace("\n", line_end).encode())

    result = base.app.fetch(FetchSpan(doc_id=doc_id, line_start=start, line_end=end))

    assert result.text == "".join(line + line_end for line in lines[start - 1 : end])
    assert (result.line_start, result.line_end, result.effective_end) == (start, end, end)
    assert not result.truncated


def test_span_of_a_citation_holds_the_text_of_its_chunk(base: Base) -> None:
    doc_id = stored(base)
    for chunk_id in chunk_ids(base, doc_id):
        chunk = base.app.inspect_chunk(chunk_id).chunk
        spans = [span for span in chunk.source_spans if isinstance(span, LineSpan)]
        start, end = min(span.start for span in spans), max(span.end for span in spans)

        text = base.app.fetch(FetchSpan(doc_id=doc_id, line_start=start, line_end=end)).text

        assert text is not None
        assert chunk.text.split()[-1] in text


def test_signs_that_only_python_takes_for_line_ends_do_not_count(base: Base) -> None:
    doc_id = stored(base, "one\x0b\u2028\x85still one\ntwo\n")

    assert base.app.fetch(FetchSpan(doc_id=doc_id, line_start=2, line_end=2)).text == "two\n"


def test_span_that_ends_after_the_document_says_where_it_ended_and_is_no_cut(base: Base) -> None:
    result = base.app.fetch(FetchSpan(doc_id=stored(base), line_start=22, line_end=99))

    assert (result.text, result.line_end, result.effective_end) == ("\nfive\n", 99, 23)
    assert not result.truncated


@pytest.mark.parametrize("content", [NOTE, ""])
def test_span_that_starts_after_the_document_is_empty(base: Base, content: str) -> None:
    result = base.app.fetch(FetchSpan(doc_id=stored(base, content), line_start=50, line_end=60))

    assert (result.text, result.effective_end, result.truncated) == ("", 49, False)


def test_span_over_its_budget_says_the_last_line_it_reached(base: Base) -> None:
    lines = [f"line number {number} of many\n" for number in range(1, 101)]
    doc_id = stored(base, "".join(lines))

    result = base.app.fetch(FetchSpan(doc_id=doc_id, line_start=11, line_end=90, max_tokens=40))

    assert result.text is not None
    assert result.truncated
    assert result.effective_end == 10 + len(result.text.splitlines())
    assert result.effective_end < 90
    assert "".join(lines[10:]).startswith(result.text)


def test_span_that_ends_before_it_starts_is_refused_with_the_turned_command(base: Base) -> None:
    doc_id = stored(base)

    with pytest.raises(InvalidInputError) as caught:
        base.app.fetch(FetchSpan(doc_id=doc_id, line_start=9, line_end=3))

    assert say(caught.value) == f"kebab fetch span {doc_id} 3 9"


@pytest.mark.parametrize(
    ("media", "span"),
    [(PdfMedia(), PageSpan(page=1)), (AudioMedia(format="mp3"), TimeSpan(start_ms=0, end_ms=9))],
)
def test_lines_of_a_document_that_is_addressed_otherwise_are_refused(
    base: Base, media: MediaType, span: PageSpan | TimeSpan
) -> None:
    base.ingest()
    content = b"%PDF-1.7"
    text = ExtractedText(text="text", parts=(TextPart(start=0, end=4, source_span=span),))
    record = build_record(RecordSpec(path="a.bin", media=media, content=content, text=text))
    asset = base.app.base.index.documents.put_asset(record.asset, content)
    base.app.base.index.documents.replace_document(record.model_copy(update={"asset": asset}))

    with pytest.raises(SpanNotSupportedError) as caught:
        base.app.fetch(FetchSpan(doc_id=record.document.doc_id, line_start=1, line_end=1))

    assert caught.value.details["media"] == media.kind
    assert say(caught.value)


UNKNOWN = "0" * 32


def test_unknown_chunk_is_chunk_not_found(base: Base) -> None:
    stored(base)

    with pytest.raises(ChunkNotFoundError) as caught:
        base.app.fetch(FetchChunk(chunk_id=ChunkId(UNKNOWN), context=3))

    assert say(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        FetchDocument(doc_id=DocumentId(UNKNOWN)),
        FetchSpan(doc_id=DocumentId(UNKNOWN), line_start=1, line_end=2),
    ],
)
def test_unknown_document_is_doc_not_found(base: Base, query: FetchDocument | FetchSpan) -> None:
    stored(base)

    with pytest.raises(DocumentNotFoundError) as caught:
        base.app.fetch(query)

    assert say(caught.value)


def test_fetch_before_the_first_ingest_is_not_indexed_and_makes_nothing(base: Base) -> None:
    with pytest.raises(NotIndexedError):
        base.app.fetch(FetchDocument(doc_id=DocumentId(UNKNOWN)))

    assert not base.data_dir.exists()


def test_every_kind_of_fetch_is_stamped_with_age(base: Base) -> None:
    doc_id = stored(base)
    (chunk_id, *_) = chunk_ids(base, doc_id)
    queries = (
        FetchChunk(chunk_id=chunk_id),
        FetchDocument(doc_id=doc_id),
        FetchSpan(doc_id=doc_id, line_start=1, line_end=1),
    )
    indexed_at = base.clock.now()

    base.clock.advance(timedelta(days=30))
    assert [base.app.fetch(query).stale for query in queries] == [False] * 3
    base.clock.advance(timedelta(seconds=1))
    assert [base.app.fetch(query).stale for query in queries] == [True] * 3
    assert {base.app.fetch(query).document.indexed_at for query in queries} == {indexed_at}

    base.ingest()
    assert [base.app.fetch(query).stale for query in queries] == [False] * 3
    assert {base.app.fetch(query).document.indexed_at for query in queries} == {indexed_at}


def test_threshold_of_zero_lets_nothing_age(base: Base) -> None:
    base.configure("search", stale_threshold_days=0)
    doc_id = stored(base)
    base.clock.advance(timedelta(days=10_000))

    assert not base.app.fetch(FetchDocument(doc_id=doc_id)).stale


def test_copy_is_fetched_as_it_was_indexed_whatever_became_of_the_file(base: Base) -> None:
    doc_id = stored(base, "as indexed")
    base.write("a.md", "edited since")

    assert base.app.fetch(FetchDocument(doc_id=doc_id)).text == "as indexed"


@pytest.mark.parametrize("gone", [True, False])
def test_referred_file_that_changed_or_went_is_an_error_that_says_ingest(base: Base, *, gone: bool) -> None:
    base.configure("storage", copy_threshold_mb=0)
    doc_id = stored(base, "as indexed")
    assert base.app.fetch(FetchDocument(doc_id=doc_id)).text == "as indexed"
    if gone:
        (base.root / "a.md").unlink()
    else:
        base.write("a.md", "edited since")

    with pytest.raises(StorageError) as caught:
        base.app.fetch(FetchDocument(doc_id=doc_id))

    assert "kebab ingest" in str(say(caught.value))


def test_every_hit_of_a_search_can_be_fetched(base: Base) -> None:
    stored(base, "# 김치\n\n김치찌개 끓이는 법을 적는다.\n\n# Kebab\n\nHow to grill it.\n")

    response = base.app.search(SearchQuery(text="김치찌개", mode=SearchMode.LEXICAL))

    assert response.hits
    for hit in response.hits:
        result = base.app.fetch(FetchChunk(chunk_id=hit.chunk_id))
        assert result.document.doc_id == hit.doc_id


def test_inspection_shows_what_is_stored(base: Base) -> None:
    doc_id = stored(base)
    (first, *_) = chunk_ids(base, doc_id)

    document = base.app.inspect_document(doc_id)
    chunk = base.app.inspect_chunk(first)

    assert (document.title, document.metadata.tags) == ("메모", ("a",))
    events = [(event.kind.value, event.agent) for event in document.provenance.events]
    assert events[:2] == [("discovered", "kebab-source-fs"), ("parsed", "kebab-parse-md")]
    assert [kind for kind, _ in events][-2:] == ["chunked", "indexed"]
    assert (chunk.chunk.ordinal, chunk.document.doc_id) == (0, doc_id)


def test_inspection_of_unknown_ids_is_not_found(base: Base) -> None:
    stored(base)

    with pytest.raises(DocumentNotFoundError):
        base.app.inspect_document(DocumentId(UNKNOWN))
    with pytest.raises(ChunkNotFoundError):
        base.app.inspect_chunk(ChunkId(UNKNOWN))


@pytest.mark.parametrize("replaced", [True, False])
def test_a_document_that_is_replaced_or_removed_while_it_is_read_is_not_found(
    base: Base, monkeypatch: pytest.MonkeyPatch, replaced: bool
) -> None:
    doc_id = stored(base)
    with App(base.load()) as reader:
        read_asset = reader.base.index.documents.read_asset

        def read_later(asset_id: AssetId) -> bytes:
            base.write("a.md", "# other") if replaced else (base.root / "a.md").unlink()
            base.ingest()
            return read_asset(asset_id)

        monkeypatch.setattr(
            type(reader.base.index.documents), "read_asset", lambda _, asset_id: read_later(asset_id)
        )
        with pytest.raises(DocumentNotFoundError):
            reader.fetch(FetchDocument(doc_id=doc_id))
