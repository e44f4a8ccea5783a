from __future__ import annotations

from kebab_chunk import HeadingChunker
from kebab_core import CanonicalDocument, Chunk, LineSpan, LinkInline, ListItem, LongDocument
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.tables import walk


def cut(builder: DocumentBuilder, *, target: int = 20, largest: int = 30, overlap: int = 0) -> list[Chunk]:
    document: CanonicalDocument = builder.build()
    policy = make_policy(target_tokens=target, max_tokens=largest, overlap_tokens=overlap)
    return list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy))


def words(count: int, name: str = "w") -> str:
    return " ".join(f"{name}{n}" for n in range(count))


def spans(chunks: list[Chunk]) -> list[tuple[int, int]]:
    return [(span.start, span.end) for chunk in chunks for span in chunk.source_spans]


def test_every_heading_opens_a_chunk_with_its_text_and_path():
    first, second, third = (words(5, name) for name in "xyz")
    builder = DocumentBuilder().paragraph(first).heading("A").paragraph(second)
    chunks = cut(builder.heading("B", level=2).paragraph(third))
    assert [(chunk.text, chunk.heading_path, chunk.section_label) for chunk in chunks] == [
        (first, (), None),
        (f"A\n\n{second}", ("A",), "A"),
        (f"B\n\n{third}", ("A", "B"), "B"),
    ]


def test_section_without_words_is_joined_to_the_next_and_one_with_a_word_is_not():
    text = words(5)
    builder = DocumentBuilder().heading("A").heading("B", level=2).paragraph("{% include b.html %}")
    chunks = cut(builder.heading("C", level=2).paragraph("word").heading("D", level=2).paragraph(text))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [
        ("A\n\nB\n\n{% include b.html %}\n\nC\n\nword", ("A", "C")),
        (f"D\n\n{text}", ("A", "D")),
    ]


def test_few_words_before_headings_are_joined_to_the_first_text_below_them():
    text = words(5)
    chunks = cut(DocumentBuilder().paragraph("tags: a").heading("A").heading("B", level=2).paragraph(text))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [
        (f"tags: a\n\nA\n\nB\n\n{text}", ("A", "B"))
    ]


def test_few_words_before_the_first_heading_are_joined_to_its_section():
    text = words(5)
    chunks = cut(DocumentBuilder().paragraph("tags: a b").heading("A").paragraph(text))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [(f"tags: a b\n\nA\n\n{text}", ("A",))]


@walk(
    "blank",
    [
        "{% include toc.html %}",
        "{{ page.navigation }}",
        "[ ]",
        "https://example.org/a/b/c/d/e/f",
        "---",
    ],
)
def test_text_without_words_is_joined_to_what_follows_and_gives_it_no_other_headings(blank):
    text = words(5)
    chunks = cut(DocumentBuilder().paragraph(blank).heading("A").paragraph(text))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [(f"{blank}\n\nA\n\n{text}", ("A",))]


def test_text_without_words_at_the_end_is_joined_to_what_precedes():
    text = words(5)
    chunks = cut(DocumentBuilder().heading("A").paragraph(text).heading("B").paragraph("{{ footer }}"))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [
        (f"A\n\n{text}\n\nB\n\n{{{{ footer }}}}", ("A",))
    ]
    assert spans(chunks) == [(1, 7)]


def test_list_of_links_only_is_joined_to_what_follows():
    def item(text: str, line: int) -> ListItem:
        link = LinkInline(text=text, href=f"{text}.md")
        return ListItem(text=text, inlines=(link,), source_span=LineSpan(start=line, end=line))

    text = words(5)
    document = DocumentBuilder().listing("one of many", "the other one").heading("A").paragraph(text).build()
    navigation, *others = document.blocks
    items = (item("one of many", 1), item("the other one", 2))
    linked = document.model_copy(update={"blocks": (navigation.model_copy(update={"items": items}), *others)})
    policy = make_policy(target_tokens=20, max_tokens=30, overlap_tokens=0)
    (chunk,) = HeadingChunker(WordCounter()).chunk(LongDocument.of(linked), policy)
    assert chunk.heading_path == ("A",)
    assert len(list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy))) == 2


def test_paragraph_of_links_only_is_joined_to_what_follows():
    link = LinkInline(text="the original text in full", href="original.md")
    document = DocumentBuilder().heading("A").paragraph(link.text).heading("B").paragraph(words(5)).build()
    blocks = list(document.blocks)
    blocks[1] = blocks[1].model_copy(update={"inlines": (link,)})
    policy = make_policy(target_tokens=20, max_tokens=30, overlap_tokens=0)
    chunker = HeadingChunker(WordCounter())
    assert len(list(chunker.chunk(LongDocument.of(document), policy))) == 2
    (chunk,) = chunker.chunk(LongDocument.of(document.model_copy(update={"blocks": tuple(blocks)})), policy)
    assert chunk.heading_path == ("B",)


def test_section_of_footnotes_is_joined_to_what_precedes_where_it_fits():
    builder = DocumentBuilder().heading("A").paragraph(words(5)).heading("Notes")
    (chunk,) = cut(builder.paragraph("[^1]: Chapter 5, page 84 of the book"))
    assert chunk.heading_path == ("A",)
    assert chunk.text.endswith("Notes\n\n[^1]: Chapter 5, page 84 of the book")
    assert len(cut(builder.paragraph("[^2]: " + words(18)))) == 2


def test_code_and_tables_of_few_words_are_chunks_of_their_own():
    builder = DocumentBuilder().heading("A").code("make all").heading("B").table(("k", "v"), [("1", "2")])
    assert [chunk.heading_path for chunk in cut(builder)] == [("A",), ("B",)]


def test_headings_without_text_between_them_share_the_chunk_of_what_follows():
    chunks = cut(DocumentBuilder().heading("A").heading("B", level=2).heading("C").paragraph("x"))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [("A\n\nB\n\nC\n\nx", ("C",))]


def test_headings_at_the_end_are_not_lost():
    chunks = cut(DocumentBuilder().paragraph("x").heading("A").heading("B"))
    assert [chunk.text for chunk in chunks] == ["x\n\nA\n\nB"]
    full = cut(DocumentBuilder().paragraph(words(30)).heading("A").heading("B"))
    assert [chunk.text for chunk in full] == [words(30), "A\n\nB"]


def test_many_headings_without_text_fill_several_chunks():
    builder = DocumentBuilder()
    for n in range(100):
        builder.heading(f"h{n}")
    chunks = cut(builder)
    assert len(chunks) == 5
    assert " ".join(chunk.text for chunk in chunks).split() == [f"h{n}" for n in range(100)]


def test_heading_is_divided_from_a_paragraph_only_after_the_first_sentences():
    long = " ".join(f"{words(9, f's{n}')} end." for n in range(3))
    chunks = cut(DocumentBuilder().heading("one two three").paragraph(long))
    assert len(chunks) == 2
    assert chunks[0].text.startswith("one two three\n\ns00")
    assert "s00" in chunks[0].text


def test_heading_stands_alone_only_before_code_that_must_stay_whole():
    chunks = cut(DocumentBuilder().heading("one two three").code(words(28)))
    assert [len(chunk.text.split()) for chunk in chunks] == [3, 28]


def test_heading_larger_than_a_chunk_is_divided_and_ends_beside_its_text():
    chunks = cut(DocumentBuilder().heading(words(70)).paragraph("x"))
    assert chunks[-1].text.endswith("x")
    assert " ".join(" ".join(chunk.text.split()) for chunk in chunks) == words(70) + " x"


def test_blocks_are_packed_until_the_target():
    builder = DocumentBuilder().heading("h")
    for n in range(6):
        builder.paragraph(words(6, f"p{n}-"))
    assert [len(chunk.text.split()) for chunk in cut(builder)] == [19, 18]


def test_block_larger_than_the_target_but_not_the_cap_stays_whole():
    chunks = cut(DocumentBuilder().paragraph(words(5)).paragraph(words(28)).paragraph(words(5)))
    assert [len(chunk.text.split()) for chunk in chunks] == [5, 28, 5]


def test_section_is_cut_into_chunks_with_one_span_each():
    builder = DocumentBuilder().heading("h").paragraph(words(15)).paragraph("a\n" + words(9)).heading("i")
    assert spans(cut(builder)) == [(1, 3), (5, 8)]


@walk("size", [29, 30])
def test_code_stays_whole_up_to_the_cap(size):
    builder = DocumentBuilder().paragraph(words(10)).code("\n".join(words(size).split()))
    assert len(cut(builder)) == 2


def test_code_above_the_cap_is_cut_at_blank_lines_and_keeps_indents():
    code = (
        "def f():\n    " + words(8, "a") + "\n\n    " + words(8, "b") + "\n\ndef g():\n    " + words(16, "c")
    )
    chunks = cut(DocumentBuilder().code(code))
    assert [chunk.text for chunk in chunks] == [
        f"def f():\n    {words(8, 'a')}\n\n    {words(8, 'b')}",
        f"def g():\n    {words(16, 'c')}",
    ]
    assert spans(chunks) == [(1, 6), (7, 9)]


def test_long_code_without_blank_lines_is_cut_at_lines():
    chunks = cut(DocumentBuilder().code("\n".join(f"  line {n}" for n in range(25))))
    assert all(line.startswith("  line") for chunk in chunks for line in chunk.text.split("\n"))
    assert spans(chunks) == [(1, 11), (12, 21), (22, 27)]


def test_table_above_the_cap_is_cut_between_rows_under_its_header():
    rows = [(f"r{n}", words(4, f"c{n}-")) for n in range(8)]
    chunks = cut(DocumentBuilder().paragraph("앞").table(("key", "값"), rows))
    assert all("key | 값\nr" in chunk.text for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.split("\n") if line.startswith("r")] == [
        f"{key} | {value}" for key, value in rows
    ]
    assert spans(chunks) == [(1, 6), (7, 8), (9, 10), (11, 12)]


def test_table_row_above_the_cap_is_divided_under_its_header():
    chunks = cut(DocumentBuilder().table(("key", "value"), [("r", words(70))]))
    assert all(chunk.text.startswith("key | value") for chunk in chunks)
    assert " ".join(chunk.text for chunk in chunks).count("w69") == 1


def test_header_too_large_to_repeat_is_shown_once():
    chunks = cut(DocumentBuilder().table((words(20, "h"), "v"), [(words(9, "r"), "1"), (words(9, "s"), "2")]))
    assert " ".join(chunk.text for chunk in chunks).count("h0 ") == 1


def test_list_is_cut_between_items_with_their_markers_and_lines():
    chunks = cut(DocumentBuilder().listing(*(f"{words(7, f'i{n}-')}\n{words(2)}" for n in range(5))))
    assert [chunk.text.count("- i") for chunk in chunks] == [2, 2, 1]
    assert all(chunk.text.startswith("- i") for chunk in chunks)
    assert spans(chunks) == [(1, 4), (5, 8), (9, 10)]


def test_numbered_items_show_the_number_of_their_text():
    (chunk,) = cut(DocumentBuilder().listing("3. 셋\n   둘째 줄", "4. 넷", ordered=True))
    assert chunk.text == "3. 셋\n   둘째 줄\n4. 넷"


def test_lines_of_an_item_are_indented_below_its_marker():
    (chunk,) = cut(DocumentBuilder().listing("가\n\n나\n- 다"))
    assert chunk.text == "- 가\n\n  나\n  - 다"


def test_long_paragraph_is_cut_at_sentences_of_both_languages():
    text = f"{words(12)} 끝났습니다. {words(12)} done! {words(12)} 그렇습니까? {words(12)} 끝。{words(12)}"
    ends = [chunk.text.split()[-1] for chunk in cut(DocumentBuilder().paragraph(text))]
    assert ends == ["끝났습니다.", "done!", "그렇습니까?", "끝。", "w11"]


def test_pieces_of_a_paragraph_have_their_own_lines_and_parts():
    chunks = cut(DocumentBuilder().paragraph("\n".join(f"{words(9, f'l{n}-')} end." for n in range(6))))
    assert spans(chunks) == [(1, 2), (3, 4), (5, 6)]
    assert len({chunk.block_ids for chunk in chunks}) == 1
    assert len({chunk.chunk_id for chunk in chunks}) == 3


def test_paragraph_whose_lines_are_not_known_is_cited_whole():
    builder = DocumentBuilder().paragraph(words(30) + "\n" + words(30))
    document = builder.build()
    (block,) = document.blocks
    joined = block.model_copy(update={"text": getattr(block, "text", "").replace("\n", " ")})
    document = document.model_copy(update={"blocks": (joined,)})
    policy = make_policy(target_tokens=20, max_tokens=30, overlap_tokens=0)
    assert set(spans(list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), policy)))) == {
        (1, 2)
    }


def test_section_that_ends_without_a_heading_ends_its_chunk():
    first, second = words(5, "x"), words(5, "y")
    document = DocumentBuilder().heading("h").paragraph(first).paragraph(second).build()
    *before, last = document.blocks
    outside = last.model_copy(update={"heading_path": ()})
    document = document.model_copy(update={"blocks": (*before, outside)})
    chunks = list(HeadingChunker(WordCounter()).chunk(LongDocument.of(document), make_policy()))
    assert [(chunk.text, chunk.heading_path) for chunk in chunks] == [
        (f"h\n\n{first}", ("h",)),
        (second, ()),
    ]
