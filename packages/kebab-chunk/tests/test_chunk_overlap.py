from __future__ import annotations

from kebab_chunk import HeadingChunker
from kebab_core import Chunk, LongDocument
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import WordCounter


def cut(builder: DocumentBuilder, *, target: int = 20, largest: int = 30, overlap: int = 8) -> list[Chunk]:
    policy = make_policy(target_tokens=target, max_tokens=largest, overlap_tokens=overlap)
    return list(HeadingChunker(WordCounter()).chunk(LongDocument.of(builder.build()), policy))


def words(count: int, name: str) -> str:
    return " ".join(f"{name}{n}" for n in range(count))


def test_chunk_begins_with_the_whole_blocks_that_ended_the_one_before():
    builder = (
        DocumentBuilder()
        .paragraph(words(10, "a"))
        .paragraph("b1 b2")
        .paragraph("c1 c2")
        .paragraph(words(15, "d"))
    )
    first, second = cut(builder)
    assert second.text == f"b1 b2\n\nc1 c2\n\n{words(15, 'd')}"
    assert [(span.start, span.end) for span in second.source_spans] == [(3, 7)]
    assert second.block_ids[:2] == first.block_ids[1:]


def test_chunk_begins_with_the_last_sentences_where_no_whole_block_fits():
    builder = (
        DocumentBuilder()
        .paragraph(f"{words(10, 'a')}.\n{words(4, 'b')}. {words(3, 'c')}.")
        .paragraph(words(15, "d"))
    )
    _, second = cut(builder)
    assert second.text == f"{words(4, 'b')}. {words(3, 'c')}.\n\n{words(15, 'd')}"
    assert [(span.start, span.end) for span in second.source_spans] == [(2, 4)]


def test_chunk_begins_with_the_last_items_of_a_list():
    builder = DocumentBuilder().listing(words(9, "a"), "b1 b2", "c1 c2").paragraph(words(15, "d"))
    _, second = cut(builder)
    assert second.text == f"- b1 b2\n- c1 c2\n\n{words(15, 'd')}"


def test_pieces_of_one_paragraph_overlap_by_sentences():
    text = " ".join(f"{words(5, f's{n}-')}." for n in range(9))
    first, second, third = cut(DocumentBuilder().paragraph(text), overlap=5)
    assert first.text.split(". ")[-1].rstrip(".") == second.text.split(". ")[0]
    assert second.text.split(". ")[-1].rstrip(".") == third.text.split(". ")[0]


def test_nothing_is_repeated_across_headings():
    builder = DocumentBuilder().paragraph("a b c").paragraph("d e f").heading("h").paragraph(words(5, "g"))
    assert [chunk.text for chunk in cut(builder)] == ["a b c\n\nd e f", f"h\n\n{words(5, 'g')}"]


def test_headings_and_parts_of_code_or_tables_are_not_repeated_as_sentences():
    builder = (
        DocumentBuilder().heading("h").code("a. " * 18).table(("k", "v"), [("1", "b. " * 13)]).paragraph("c")
    )
    first, second = cut(builder)
    assert first.text.startswith("h")
    assert second.text.startswith("k | v")
    assert second.text.endswith("c")


def test_overlap_gives_way_where_it_would_pass_the_cap():
    builder = DocumentBuilder().paragraph(words(10, "a")).paragraph(words(7, "b")).paragraph(words(28, "c"))
    assert cut(builder)[1].text == words(28, "c")


def test_a_whole_chunk_is_never_repeated():
    builder = DocumentBuilder().paragraph("a b").paragraph(words(19, "c")).paragraph("d")
    assert [chunk.text.split()[0] for chunk in cut(builder)] == ["a", "c0", "d"][: len(cut(builder))]


def test_overlap_of_zero_repeats_nothing():
    builder = DocumentBuilder().paragraph("a b c").paragraph("d e f").paragraph(words(17, "g"))
    assert [chunk.text for chunk in cut(builder, overlap=0)] == ["a b c\n\nd e f", words(17, "g")]


def test_only_paragraph_of_a_headed_chunk_is_not_repeated():
    builder = DocumentBuilder().heading("h").heading("i").paragraph(words(5, "a")).paragraph(words(19, "c"))
    assert [chunk.text for chunk in cut(builder)] == [f"h\n\ni\n\n{words(5, 'a')}", words(19, "c")]


def test_overlap_gives_up_its_first_blocks_only_as_far_as_it_must():
    builder = (
        DocumentBuilder()
        .paragraph(words(9, "a"))
        .paragraph("b1 b2")
        .paragraph("c1 c2")
        .paragraph(words(27, "d"))
    )
    assert cut(builder)[1].text == f"c1 c2\n\n{words(27, 'd')}"
