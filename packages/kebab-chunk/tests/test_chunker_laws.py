"""Laws of the chunkers of text and of source code."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_chunk import CHUNKER_VERSIONS, build_chunker
from kebab_core import (
    BlockId,
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkPolicy,
    CodeBlock,
    CodeSpan,
    LineSpan,
    LongDocument,
    PageSpan,
    RepeatedLead,
)
from kebab_testing.document_strategies import code_documents, code_lines, documents, paged_documents, policies
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import CharacterCounter, WordCounter
from kebab_testing.families import examples

_settings = settings(
    suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow],
    deadline=None,
    derandomize=True,
    max_examples=examples(100),
)
_code_settings = settings(_settings, max_examples=examples(60))
_WORD = re.compile(r"\w")


class Make(NamedTuple):
    """Makes a chunker."""

    version: str
    counter: type[WordCounter | CharacterCounter]

    def __call__(self) -> Chunker:
        return build_chunker(self.version, self.counter())

    def __str__(self) -> str:
        return f"{self.version} {self.counter.__name__}"


TEXT_CHUNKERS = [
    Make(CHUNKER_VERSIONS[0], WordCounter),
    Make("pdf-page-v2", WordCounter),
    Make(CHUNKER_VERSIONS[0], CharacterCounter),
]
CODE_CHUNKERS = [
    Make("code-text-paragraph-v1", CharacterCounter),
    Make("code-python-ast-v2", CharacterCounter),
    Make("manifest-file-v1", WordCounter),
    Make("dockerfile-file-v2", CharacterCounter),
]
RESOURCES = Make("k8s-manifest-resource-v1", CharacterCounter)
RESOURCE = st.tuples(
    st.sampled_from(("web", "{{ .Release.Name }}-web", '"인증 서버"', "")),
    st.lists(code_lines().filter(lambda line: line.strip() not in {"}", "---"}), max_size=30),
).map(
    lambda pair: "\n".join(
        ["apiVersion: v1", "kind: ConfigMap", "metadata:", f"  name: {pair[0]}", "data:", "  script: |"]
        + [f"    {line}" for line in pair[1]]
    )
)
MANIFESTS = st.lists(RESOURCE | st.just("# 주석") | st.just("{{- if .x }}"), min_size=1, max_size=4).map(
    "\n---\n".join
)

of_text = pytest.mark.parametrize("make", TEXT_CHUNKERS, ids=str)
of_code = pytest.mark.parametrize(
    ("make", "texts"),
    [
        *((make, None) for make in CODE_CHUNKERS),
        (RESOURCES, MANIFESTS | st.lists(code_lines(), max_size=9).map("\n".join)),
    ],
    ids=[*map(str, CODE_CHUNKERS), str(RESOURCES)],
)


@pytest.mark.thorough
@of_text
@_settings
@given(document=documents(), policy=policies())
def test_chunks_of_any_document_keep_the_laws(
    make: Make, document: CanonicalDocument, policy: ChunkPolicy
) -> None:
    chunker = make()
    chunks = list(chunker.chunk(LongDocument.of(document), policy))
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    assert all(chunk.doc_id == document.doc_id for chunk in chunks)
    assert all(chunk.chunker_version == chunker.chunker_version() for chunk in chunks)
    assert all(chunk.policy_hash == chunker.policy_hash(policy) for chunk in chunks)
    assert all(chunk.text.strip() for chunk in chunks)
    _check_spans(document, chunks)


@pytest.mark.thorough
@of_text
@_settings
@given(document=documents(), policy=policies())
def test_chunk_with_any_policy_stays_below_the_cap(
    make: Make, document: CanonicalDocument, policy: ChunkPolicy
) -> None:
    counter = make.counter()
    for chunk in make().chunk(LongDocument.of(document), policy):
        assert chunk.token_estimate == counter.count(chunk.text)
        assert chunk.token_estimate <= policy.max_tokens or len(chunk.text) == 1


@pytest.mark.thorough
@of_text
@_settings
@given(document=documents(), policy=policies())
def test_chunking_twice_gives_equal_chunks(
    make: Make, document: CanonicalDocument, policy: ChunkPolicy
) -> None:
    assert list(make().chunk(LongDocument.of(document), policy)) == list(
        make().chunk(LongDocument.of(document), policy)
    )


@pytest.mark.thorough
@of_text
@_settings
@given(document=paged_documents(), policy=policies())
def test_no_chunk_is_of_two_pages_unless_the_chunker_crosses_them(
    make: Make, document: CanonicalDocument, policy: ChunkPolicy
) -> None:
    chunker = make()
    chunks = list(chunker.chunk(LongDocument.of(document), policy))
    pages: list[int] = []
    for chunk in chunks:
        spans = [span for span in chunk.source_spans if isinstance(span, PageSpan)]
        assert spans
        pages.extend(span.page for span in spans)
        assert chunker.crosses_pages or len({span.page for span in spans}) == 1
    assert pages == sorted(pages)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    _check_characters(document, chunks)


@pytest.mark.parametrize("make", [*TEXT_CHUNKERS, *CODE_CHUNKERS, RESOURCES], ids=str)
def test_document_without_blocks_has_no_chunks(make: Make) -> None:
    policy = make_policy(target_tokens=16, max_tokens=16, overlap_tokens=0)
    assert list(make().chunk(LongDocument.of(DocumentBuilder().build()), policy)) == []


@pytest.mark.thorough
@of_text
@_settings
@given(policy=policies(), other=policies())
def test_policy_hash_differs_whenever_a_size_does(
    make: Make, policy: ChunkPolicy, other: ChunkPolicy
) -> None:
    chunker = make()
    assert (chunker.policy_hash(policy) == chunker.policy_hash(other)) == (policy == other)
    assert re.fullmatch(r"[0-9a-f]{16}", chunker.policy_hash(policy))


@pytest.mark.thorough
@of_code
@_code_settings
@given(data=st.data(), policy=policies())
def test_chunks_of_any_source_file_keep_the_laws(
    make: Make, texts: st.SearchStrategy[str] | None, data: st.DataObject, policy: ChunkPolicy
) -> None:
    document = data.draw(code_documents(texts))
    counter = make.counter()
    chunker = make()
    chunks = list(chunker.chunk(LongDocument.of(document), policy))
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    for chunk in chunks:
        assert chunk.doc_id == document.doc_id
        assert chunk.chunker_version == chunker.chunker_version()
        assert chunk.policy_hash == chunker.policy_hash(policy)
        assert chunk.text.strip()
        assert chunk.token_estimate == counter.count(chunk.text)
        assert chunk.token_estimate <= policy.max_tokens or len(chunk.text) == 1
    assert list(chunker.chunk(LongDocument.of(document), policy)) == chunks
    _check_lines(document, chunks)


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
