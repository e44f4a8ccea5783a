"""What every `Chunker` does."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from kebab_core import (
    BlockId,
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkPolicy,
    LineSpan,
    PageSpan,
    TokenCounter,
)

from kebab_testing.document_strategies import documents, paged_documents, policies
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.families import examples

_settings = settings(
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    deadline=None,
    derandomize=True,
    max_examples=examples(100),
)


class ChunkerLaws:
    """Subclass it as `Test…` and return a chunker."""

    def make_token_counter(self) -> TokenCounter:
        """Return the counter the chunker is built with."""
        raise NotImplementedError

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        """Return the chunker under test."""
        raise NotImplementedError

    @pytest.mark.thorough
    @_settings
    @given(document=documents(), policy=policies())
    def test_chunks_of_any_document_keep_the_laws(
        self, document: CanonicalDocument, policy: ChunkPolicy
    ) -> None:
        chunker = self.make_chunker(self.make_token_counter())
        chunks = chunker.chunk(document, policy)
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
        assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
        assert all(chunk.doc_id == document.doc_id for chunk in chunks)
        assert all(chunk.chunker_version == chunker.chunker_version() for chunk in chunks)
        assert all(chunk.policy_hash == chunker.policy_hash(policy) for chunk in chunks)
        assert all(chunk.text.strip() for chunk in chunks)
        _check_spans(document, chunks)

    @pytest.mark.thorough
    @_settings
    @given(document=documents(), policy=policies())
    def test_chunk_with_any_policy_stays_below_the_cap(
        self, document: CanonicalDocument, policy: ChunkPolicy
    ) -> None:
        counter = self.make_token_counter()
        for chunk in self.make_chunker(counter).chunk(document, policy):
            assert chunk.token_estimate == counter.count(chunk.text)
            assert chunk.token_estimate <= policy.max_tokens or len(chunk.text) == 1

    @pytest.mark.thorough
    @_settings
    @given(document=documents(), policy=policies())
    def test_chunking_twice_gives_equal_chunks(
        self, document: CanonicalDocument, policy: ChunkPolicy
    ) -> None:
        assert self.make_chunker(self.make_token_counter()).chunk(document, policy) == self.make_chunker(
            self.make_token_counter()
        ).chunk(document, policy)

    @pytest.mark.thorough
    @_settings
    @given(document=paged_documents(), policy=policies())
    def test_no_chunk_is_of_two_pages_unless_the_chunker_crosses_them(
        self, document: CanonicalDocument, policy: ChunkPolicy
    ) -> None:
        chunker = self.make_chunker(self.make_token_counter())
        chunks = chunker.chunk(document, policy)
        pages: list[int] = []
        for chunk in chunks:
            spans = [span for span in chunk.source_spans if isinstance(span, PageSpan)]
            assert spans
            pages.extend(span.page for span in spans)
            assert chunker.crosses_pages or len({span.page for span in spans}) == 1
        assert pages == sorted(pages)
        assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
        _check_characters(document, chunks)

    def test_document_without_blocks_has_no_chunks(self) -> None:
        policy = make_policy(target_tokens=16, max_tokens=16, overlap_tokens=0)
        assert self.make_chunker(self.make_token_counter()).chunk(DocumentBuilder().build(), policy) == []

    @pytest.mark.thorough
    @_settings
    @given(policy=policies(), other=policies())
    def test_policy_hash_differs_whenever_a_size_does(self, policy: ChunkPolicy, other: ChunkPolicy) -> None:
        chunker = self.make_chunker(self.make_token_counter())
        assert (chunker.policy_hash(policy) == chunker.policy_hash(other)) == (policy == other)
        assert re.fullmatch(r"[0-9a-f]{16}", chunker.policy_hash(policy))


def _check_spans(document: CanonicalDocument, chunks: list[Chunk]) -> None:
    starts: list[int] = []
    covered: dict[BlockId, set[int]] = {}
    for chunk in chunks:
        spans = [span for span in chunk.source_spans if isinstance(span, LineSpan)]
        assert spans
        starts.extend(span.start for span in spans)
        lines = {line for span in spans for line in range(span.start, span.end + 1)}
        for block_id in chunk.block_ids:
            covered.setdefault(block_id, set()).update(lines)
    assert starts == sorted(starts)
    last_line = 0
    for block in document.blocks:
        assert isinstance(block.source_span, LineSpan)
        last_line = max(last_line, block.source_span.end)
        own = set(range(block.source_span.start, block.source_span.end + 1))
        assert own <= covered.get(block.block_id, set())
    assert all(lines and max(lines) <= last_line for lines in covered.values())


def _check_characters(document: CanonicalDocument, chunks: list[Chunk]) -> None:
    """Every character of a block that knows its own is in a chunk of that block."""
    for block in document.blocks:
        span = block.source_span
        assert isinstance(span, PageSpan)
        if span.char_start is None or span.char_end is None:
            continue
        covered = {
            char
            for chunk in chunks
            if block.block_id in chunk.block_ids
            for own in chunk.source_spans
            if isinstance(own, PageSpan) and own.page == span.page and own.char_start is not None
            for char in range(own.char_start, own.char_end or 0)
        }
        assert set(range(span.char_start, span.char_end)) <= covered
