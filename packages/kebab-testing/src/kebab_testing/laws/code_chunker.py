"""What every `Chunker` of source code does."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkPolicy,
    CodeBlock,
    CodeSpan,
    RepeatedLead,
    TokenCounter,
)

from kebab_testing.document_strategies import code_documents, policies
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.families import examples

_settings = settings(
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    deadline=None,
    derandomize=True,
    max_examples=examples(60),
)
_WORD = re.compile(r"\w")


class CodeChunkerLaws:
    """Subclass it as `Test…` and return a chunker. A document that the chunker gives no chunk of counts as not read."""

    texts: ClassVar[st.SearchStrategy[str] | None] = None
    """Texts of files that the chunker is made for; None for any."""

    def make_token_counter(self) -> TokenCounter:
        """Return the counter the chunker is built with."""
        raise NotImplementedError

    def make_chunker(self, counter: TokenCounter) -> Chunker:
        """Return the chunker under test."""
        raise NotImplementedError

    @pytest.mark.thorough
    @_settings
    @given(data=st.data(), policy=policies())
    def test_chunks_of_any_source_file_keep_the_laws(self, data: st.DataObject, policy: ChunkPolicy) -> None:
        document = data.draw(code_documents(self.texts))
        counter = self.make_token_counter()
        chunker = self.make_chunker(counter)
        chunks = chunker.chunk(document, policy)
        assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
        assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
        for chunk in chunks:
            assert chunk.doc_id == document.doc_id
            assert chunk.chunker_version == chunker.chunker_version()
            assert chunk.policy_hash == chunker.policy_hash(policy)
            assert chunk.text.strip()
            assert chunk.token_estimate == counter.count(chunk.text)
            assert chunk.token_estimate <= policy.max_tokens or len(chunk.text) == 1
        assert chunker.chunk(document, policy) == chunks
        _check_lines(document, chunks)

    def test_document_without_blocks_has_no_chunks(self) -> None:
        policy = make_policy(target_tokens=16, max_tokens=16, overlap_tokens=0)
        assert self.make_chunker(self.make_token_counter()).chunk(DocumentBuilder().build(), policy) == []


def _check_lines(document: CanonicalDocument, chunks: list[Chunk]) -> None:
    """Every line with a word is in a chunk, and every chunk is as its lines stand in the file."""
    lines = _lines(document)
    covered: set[int] = set()
    starts: list[int] = []
    for chunk in chunks:
        (span,) = chunk.source_spans
        assert isinstance(span, CodeSpan)
        own = range(span.line_start, span.line_end + 1)
        written = "\n".join(lines[line] for line in own)
        text = chunk.text
        if chunk.lead is not None:
            assert text[: chunk.lead.end - 1] == _lead_text(lines, chunk.lead)
            text = text[chunk.lead.end :]
        assert text in written
        assert text == written or len(own) == 1
        assert all(symbol.line_start in own for symbol in chunk.symbols)
        covered.update(own)
        starts.append(own.start)
    assert starts == sorted(starts)
    if chunks:
        assert {line for line, text in lines.items() if _WORD.search(text)} <= covered


def _lines(document: CanonicalDocument) -> dict[int, str]:
    """Return the lines of the blocks of a document by number."""
    lines: dict[int, str] = {}
    for block in document.blocks:
        assert isinstance(block, CodeBlock)
        assert isinstance(block.source_span, CodeSpan)
        lines |= dict(enumerate(block.code.split("\n"), start=block.source_span.line_start))
    return lines


def _lead_text(lines: dict[int, str], lead: RepeatedLead) -> str:
    span = lead.source_span
    assert isinstance(span, CodeSpan)
    return "\n".join(lines[line] for line in range(span.line_start, span.line_end + 1))
