from __future__ import annotations

import re
from itertools import groupby, pairwise

import pytest
from hypothesis import given, settings, strategies as st
from kebab_chunk import HeadingChunker
from kebab_chunk.boundaries import TextLimit, cut_ranges, longest_prefix
from kebab_chunk.packing import group_ranges, split_text
from kebab_core import (
    Block,
    CanonicalDocument,
    ChunkPolicy,
    CodeBlock,
    HeadingBlock,
    ImageRefBlock,
    ListBlock,
    LongDocument,
    TableBlock,
)
from kebab_testing.document_strategies import documents, policies
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import CharacterCounter, WordCounter
from kebab_testing.families import examples


def words_of(block: Block) -> list[str]:
    if isinstance(block, CodeBlock):
        return block.code.split()
    if isinstance(block, ListBlock):
        return [word for item in block.items for word in item.text.split()]
    if isinstance(block, TableBlock):
        return [word for row in (block.headers, *block.rows) for cell in row for word in cell.split()]
    if isinstance(block, ImageRefBlock):
        return block.alt.split()
    return str(getattr(block, "text", "")).split()


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(documents(), policies())
def test_every_word_of_a_block_stands_in_a_chunk_of_that_block_in_order(
    document: CanonicalDocument, policy: ChunkPolicy
):
    chunks = list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy))
    for block in document.blocks:
        text = iter(
            word for chunk in chunks if block.block_id in chunk.block_ids for word in chunk.text.split()
        )
        assert all(word in text for word in words_of(block))


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(documents(), policies())
def test_no_chunk_is_of_headings_only_where_text_follows_that_can_be_divided(
    document: CanonicalDocument, policy: ChunkPolicy
):
    by_id = {block.block_id: block for block in document.blocks}
    chunks = list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy))
    for chunk, following in pairwise(chunks):
        blocks = [by_id[block_id] for block_id in chunk.block_ids]
        next_block = by_id[following.block_ids[0]]
        if all(isinstance(block, HeadingBlock) for block in blocks):
            assert isinstance(next_block, CodeBlock | TableBlock | HeadingBlock)


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(documents(), policies())
def test_all_text_of_a_chunk_stands_under_its_headings(document: CanonicalDocument, policy: ChunkPolicy):
    by_id = {block.block_id: block for block in document.blocks}
    for chunk in HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy):
        assert bool(chunk.heading_path) <= any(by_id[block_id].heading_path for block_id in chunk.block_ids)
        assert chunk.section_label == (chunk.heading_path[-1] if chunk.heading_path else None)
        bodies = [block for i in chunk.block_ids if not isinstance(block := by_id[i], HeadingBlock)]
        for block in bodies:
            if block.heading_path and re.search(r"\w", " ".join(words_of(block))):
                assert block.heading_path[: len(chunk.heading_path)] == chunk.heading_path


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(documents(), policies())
def test_a_chunk_of_two_sections_has_few_words_in_all_but_one(
    document: CanonicalDocument, policy: ChunkPolicy
):
    by_id = {block.block_id: block for block in document.blocks}
    for chunk in HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy):
        sections = [
            list(group)
            for _, group in groupby((by_id[i] for i in chunk.block_ids), key=lambda block: block.heading_path)
        ]
        full = [
            section
            for section in sections
            if sum(len(words_of(block)) for block in section if not isinstance(block, HeadingBlock)) >= 5
        ]
        assert len(full) <= 1


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(st.text(st.sampled_from("가나다 ab.\n\u0301👩\u200d"), max_size=300), st.integers(1, 20))
def test_text_falls_into_parts_that_fit_and_lose_only_white_space(text: str, limit: int):
    counter = CharacterCounter()
    for kind in ("prose", "code"):
        ranges = split_text(text, kind, TextLimit(counter, limit))
        assert all(counter.count(text[start:end]) <= limit for start, end in ranges)
        assert "".join("".join(text[a:b].split()) for a, b in ranges) == "".join(text.split())


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 9)), max_size=30), st.integers(1, 20))
def test_groups_of_parts_hold_every_part_once_and_only_single_parts_pass_the_limit(
    steps: list[tuple[int, int]], limit: int
):
    parts, end = [], 0
    for gap, size in steps:
        parts.append((end + gap, end + gap + size))
        end += gap + size
    groups = group_ranges("x" * end, parts, TextLimit(CharacterCounter(), limit))
    assert [p for g in groups for p in parts if g[0] <= p[0] and p[1] <= g[1]] == parts
    assert all(end - start <= limit or (start, end) in parts for start, end in groups)


def test_code_of_very_many_lines_gives_chunks_near_the_target():
    text = "\n".join(f"line {number}" for number in range(30_000))
    counter = WordCounter()
    document = DocumentBuilder().code(text).build()
    chunks = list(
        HeadingChunker(counter).chunk(
            LongDocument.of(document), make_policy(target_tokens=400, max_tokens=600, overlap_tokens=0)
        )
    )
    assert "\n".join(chunk.text for chunk in chunks).split() == text.split()
    assert all(300 <= chunk.token_estimate <= 400 for chunk in chunks[:-1])


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(st.text(max_size=50), st.sampled_from(["a", r"\n", r"\s+", "."]))
def test_cut_ranges_are_a_partition(text: str, pattern: str):
    ranges = cut_ranges(text, (0, len(text)), re.compile(pattern))
    assert "".join(text[start:end] for start, end in ranges) == text
    assert all(start < end for start, end in ranges)


def test_longest_prefix_ends_at_white_space_or_between_whole_characters():
    def end(text: str, limit: int) -> int:
        return longest_prefix(text, (0, len(text)), TextLimit(CharacterCounter(), limit))

    assert end("ab cd", 3) == 3
    assert end("abcde", 3) == 3
    assert end("abe\u0301", 3) == 2
    assert end("x" * 5000, 4321) == 4321
    assert end("x", 0) == 1


def test_word_of_several_chunks_is_cut_without_loss():
    word = "가" * 1000
    policy = make_policy(target_tokens=100, max_tokens=100, overlap_tokens=0)
    chunks = list(
        HeadingChunker(CharacterCounter()).chunk(
            LongDocument.of(DocumentBuilder().paragraph(word).build()), policy
        )
    )
    assert "".join(chunk.text for chunk in chunks) == word
    assert len(chunks) == 10


def test_single_character_above_the_cap_is_the_only_exception():
    class Heavy(CharacterCounter):
        def count(self, text: str) -> int:
            return 100 * super().count(text)

    document = DocumentBuilder().paragraph("가나").build()
    policy = make_policy(target_tokens=16, max_tokens=16, overlap_tokens=0)
    assert [chunk.text for chunk in HeadingChunker(Heavy()).chunk(LongDocument.of(document), policy)] == [
        "가",
        "나",
    ]


def test_very_large_blocks_are_cut_to_their_ends():
    builder = DocumentBuilder()
    builder.listing(*(f"item {n} 항목" for n in range(5_000)))
    builder.table(("k", "v"), [(f"{n}", "값 v") for n in range(3_000)])
    builder.paragraph("낱말 " * 30_000).code("x = 1\n" * 10_000).paragraph("z" * 300_000)
    chunks = list(HeadingChunker(WordCounter()).chunk(LongDocument.of(builder.build()), make_policy()))
    assert sum(chunk.text.count("item") for chunk in chunks) >= 5_000
    assert max(chunk.token_estimate for chunk in chunks) <= 440
