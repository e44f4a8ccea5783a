from __future__ import annotations

import pytest
from kebab_chunk import CHUNKER_VERSIONS, HeadingChunker, build_chunker
from kebab_core import (
    CanonicalDocument,
    Chunk,
    ImageRefBlock,
    InvalidInputError,
    LongDocument,
    ModelCaption,
    OcrText,
    PageSpan,
    RegionSpan,
)
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import CharacterCounter, WordCounter
from kebab_testing.tables import walk


def cut(document: CanonicalDocument, *, largest: int = 100) -> list[Chunk]:
    policy = make_policy(target_tokens=min(80, largest), max_tokens=largest, overlap_tokens=0)
    return list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy))


@walk(
    ("src", "alt", "text"),
    [
        ("a/그림.png?raw=1", "", "그림.png"),
        ("a/b.png", "설명", "설명 (b.png)"),
        ("https://x.invalid/b.png", "설명", "설명"),
        ("https://x.invalid/path/", "", "path"),
        ("data:image/png;base64", "", "Sample"),
    ],
)
def test_picture_alone_is_found_by_its_words_its_name_or_the_title(src, alt, text):
    (chunk,) = cut(DocumentBuilder().image(src, alt=alt).build())
    assert chunk.text == text
    assert chunk.token_estimate == len(text.split())


def test_picture_without_words_stays_beside_the_text_around_it():
    document = DocumentBuilder().paragraph("a").image("data:image/png;base64").paragraph("b").build()
    (chunk,) = cut(document)
    assert chunk.text == "a\n\nb"
    assert len(chunk.block_ids) == 3


def test_text_read_in_a_picture_is_part_of_its_chunk_and_below_the_cap():
    document = DocumentBuilder().image("a.png").build()
    (block,) = document.blocks
    assert isinstance(block, ImageRefBlock)
    span = RegionSpan(x=0, y=0, w=10, h=10)
    ocr = OcrText(joined="낱말 " * 90, engine="e", engine_version="1")
    caption = ModelCaption(text="a cat", model="m", model_version="1")
    seen = block.model_copy(update={"ocr": ocr, "caption": caption, "source_span": span})
    chunks = cut(document.model_copy(update={"blocks": (seen,)}), largest=40)
    assert " ".join(chunk.text for chunk in chunks).split() == ["a.png", *["낱말"] * 90, "a", "cat"]
    assert all(chunk.source_spans == (span,) for chunk in chunks)
    assert all(chunk.token_estimate <= 40 for chunk in chunks)


def test_title_that_stands_for_nothing_visible_keeps_the_cap():
    document = DocumentBuilder(title="가" * 50).image("data:image/png").build()
    policy = make_policy(target_tokens=16, max_tokens=16)
    (chunk,) = HeadingChunker(CharacterCounter()).chunk(LongDocument.of(document), policy)
    assert chunk.text == "가" * 16


@walk("place", [PageSpan(page=2), RegionSpan(x=0, y=0, w=9, h=9)])
def test_parts_of_a_page_or_a_picture_are_cited_by_their_characters(place: PageSpan | RegionSpan):
    text = "낱말 하나. " * 60
    document = DocumentBuilder().paragraph(text.strip()).build()
    (block,) = document.blocks
    span = place.model_copy(update={"char_start": 7, "char_end": 7 + len(text.strip())})
    document = document.model_copy(update={"blocks": (block.model_copy(update={"source_span": span}),)})
    chunks = cut(document, largest=40)
    assert len(chunks) > 2
    for chunk in chunks:
        (own,) = chunk.source_spans
        assert isinstance(own, type(place))
        assert own.char_start is not None
        assert own.char_end is not None
        page_text = " " * 7 + text
        assert page_text[own.char_start : own.char_end].strip() == chunk.text


def test_policy_hash_follows_the_counter_that_is_used():
    policy = make_policy(label="another-v1")
    by_words, by_characters = HeadingChunker(WordCounter()), HeadingChunker(CharacterCounter())
    assert by_words.policy_hash(policy) == make_policy(label="words-v1").hash()
    assert by_words.policy_hash(policy) != by_characters.policy_hash(policy)


def test_target_above_the_cap_is_the_cap():
    document = DocumentBuilder().paragraph("a " * 10).paragraph("b " * 10).build()
    policy = make_policy(target_tokens=1000, max_tokens=16, overlap_tokens=500)
    assert [
        len(c.text.split()) for c in HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy)
    ] == [10, 10]


def test_ids_depend_on_policy_and_document_only():
    document = DocumentBuilder().heading("h").paragraph("x").build()
    (one,), (same,), (other,) = cut(document), cut(document), cut(document, largest=99)
    assert one.chunk_id == same.chunk_id != other.chunk_id


def test_registry_builds_every_chunker_it_names_and_no_other():
    for version in CHUNKER_VERSIONS:
        assert build_chunker(version, WordCounter()).chunker_version() == version
    with pytest.raises(InvalidInputError):
        build_chunker("md-heading-v0", WordCounter())
