"""Reading order, paragraphs, tables, words over line ends, headings, running lines."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from kebab_core import HeadingBlock, PageSpan, ParagraphBlock, QuoteBlock, Rectangle, TableBlock
from kebab_testing.pdf_files import WIDTH, Line, PageSpec, block_texts, column, page_texts, write_pdf
from kebab_testing.tables import walk
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    TextStringObject,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Edit, Extract

PROSE = [f"line {number:02} of a paragraph with some words" for number in range(1, 11)]


def test_columns_are_read_one_after_the_other_even_if_drawn_line_by_line(extract: Extract) -> None:
    left = [f"left column line {number:02} of a long text" for number in range(8)]
    right = [f"right column line {number:02} of a long text" for number in range(8)]
    rows = chain.from_iterable(zip(column(50, 100, *left), column(320, 100, *right), strict=True))
    title = Line(180, 60, "A title over both of the columns", 16)

    document = extract(write_pdf(PageSpec([title, *rows])))

    assert block_texts(document) == [title.text, "\n".join(left), "\n".join(right)]


def test_a_box_beside_a_text_is_read_after_it_even_if_it_is_drawn_first(extract: Extract) -> None:
    box = ["Opening hours", "Monday from nine to five", "Sunday from ten to noon"]
    text = [f"line {number} of the text that stands left" for number in range(6)]
    wide = [
        f"line {number} below has the whole width of the page and goes on to its right margin"
        for number in range(3)
    ]
    page = PageSpec([*column(330, 112, *box), *column(60, 106, *text), *column(60, 106 + 12 * 6, *wide)])

    lines = "\n".join(block_texts(extract(write_pdf(page)))).split("\n")

    assert lines == [*text, *box, *wide]


def test_wrapped_lines_that_are_drawn_row_by_row_are_columns(extract: Extract) -> None:
    left = [
        "The Committee read the report",
        "of the last year and asked for",
        "a second one, which it reads",
        "in May. It then votes.",
    ]
    right = [
        "All members of the office may",
        "propose a change until the end",
        "of March; proposals that come",
        "later are read next year.",
    ]
    rows = chain.from_iterable(zip(column(50, 100, *left), column(320, 100, *right), strict=True))

    assert block_texts(extract(write_pdf(PageSpec(list(rows))))) == ["\n".join(left), "\n".join(right)]


@walk("is_drawn_by_row", [True, False])
@walk("columns", [2, 3])
@walk("shift", [2, 6, 8])
def test_columns_whose_lines_differ_in_height_are_read_one_after_the_other(
    extract: Extract, columns: int, shift: int, *, is_drawn_by_row: bool
) -> None:
    texts = [
        [f"{part} line of the {place} column" for part in ("first", "second", "third", "fourth", "last")]
        for place in ("left", "middle", "right")[:columns]
    ]
    lines = [column(40 + 190 * at, 100 + shift * (at % 2), *own, pitch=13) for at, own in enumerate(texts)]
    body = sorted(chain(*lines), key=lambda line: line.y) if is_drawn_by_row else chain(*lines)
    title = Line(180, 60, "A title over all of the columns", 16)

    document = extract(write_pdf(PageSpec([title, *body])))

    assert block_texts(document) == [title.text, *map("\n".join, texts)]


@walk(
    "cells",
    [
        [(f"Invoice {1000 + n}", f"Customer A{n}", f"2026-01-{n}", f"1,{100 + n}.50") for n in range(10, 20)],
        [(f"Deadline for item {n}", f"The supplier delivers item {n} on day {n} of the month") for n in "ABCDEF"],
        [(f"서울특별시 강남구 테헤란로 {n}", f"납품 업체는 물건 {n}을 매달 첫째 주에 인도한다.") for n in range(10, 16)],
    ],
)  # fmt: skip
def test_cells_as_wide_as_lines_of_text_stay_in_their_rows(
    extract: Extract, cells: list[tuple[str, ...]]
) -> None:
    lines = [
        Line(50 + (80 if len(texts) > 2 else 220) * at, 100 + 14 * row, text)
        for row, texts in enumerate(cells)
        for at, text in enumerate(texts)
    ]
    (table,) = extract(write_pdf(PageSpec(lines))).blocks

    assert isinstance(table, TableBlock)
    assert (table.headers, *table.rows) == tuple(cells)


def test_table_keeps_header_and_cells_and_stands_in_the_text_as_passages_show_it(extract: Extract) -> None:
    cells = [("Item", "Price", "Stock"), ("Apple", "1,200", "14"), ("Pear", "900", ""), ("Plum", "750", "3")]
    lines = [
        Line(60 + 150 * at, 200 + 16 * row, text)
        for row, texts in enumerate(cells)
        for at, text in enumerate(texts)
        if text
    ]
    document = extract(write_pdf(PageSpec([Line(60, 100, "Prices of fruit in this year."), *lines])))

    (table,) = [block for block in document.blocks if isinstance(block, TableBlock)]
    assert (table.headers, *table.rows) == tuple(cells)
    assert (
        "Item | Price | Stock\nApple | 1,200 | 14\nPear | 900 | \nPlum | 750 | 3" in page_texts(document)[0]
    )


def _draw_table(y: float, *cells: tuple[str, ...]) -> list[Line]:
    return [
        Line(60 + 150 * at, y + 16 * row, text)
        for row, texts in enumerate(cells)
        for at, text in enumerate(texts)
        if text
    ]


FRUIT = (("Item", "Price", "Stock"), ("Apple", "1,200", "14"), ("Pear", "900", "7"), ("Plum", "750", "3"))


@walk(
    ("heading", "shown"),
    [
        ([Line(60, 184, "2.", 12), Line(90, 184, "Prices of fruit", 12)], "2. Prices of fruit"),
        ([Line(60, 184, "2.1"), Line(100, 184, "Prices of fruit")], "2.1 Prices of fruit"),
        ([Line(60, 184, "제3조"), Line(120, 184, "과일의 값")], "제3조 과일의 값"),
        ([Line(60, 266, "3."), Line(90, 266, "Prices of fruit")], "3. Prices of fruit"),
        ([Line(2, 200, "Prices", 14)], "Prices"),
    ],
)
def test_heading_at_a_table_is_no_row_of_it(heading: list[Line], shown: str, extract: Extract) -> None:
    blocks = extract(write_pdf(PageSpec([*heading, *_draw_table(200, *FRUIT)]))).blocks

    (table,) = [block for block in blocks if isinstance(block, TableBlock)]
    (paragraph,) = [block for block in blocks if isinstance(block, ParagraphBlock)]
    assert (table.headers, *table.rows) == FRUIT
    assert paragraph.text == shown


def test_numbered_rows_are_rows_of_their_table(extract: Extract) -> None:
    rows = (("1.", "Apple", "14"), ("2.", "Pear", "7"), ("3.", "Plum", ""))
    (table,) = extract(write_pdf(PageSpec(_draw_table(200, *rows)))).blocks
    assert isinstance(table, TableBlock)
    assert (table.headers, *table.rows) == rows


def test_table_of_a_header_and_one_row_is_a_table(extract: Extract) -> None:
    lines = [
        Line(60, 100, "Prices of this year."),
        *_draw_table(200, *FRUIT[:2]),
        Line(60, 300, "All in won."),
    ]

    _, table, _ = extract(write_pdf(PageSpec(lines))).blocks

    assert isinstance(table, TableBlock)
    assert (table.headers, *table.rows) == FRUIT[:2]


def test_wide_amount_at_the_right_end_of_its_column_stays_apart_from_the_cell_before(
    extract: Extract,
) -> None:
    cells = [
        ("Item", "Customer", "Amount"),
        ("A1", "Long Customer Name Limited", "5.00"),
        ("A2", "Short", "1,234,567.00"),
        ("A3", "Other Customer Company", "12.50"),
    ]
    lines = [
        Line(x, 100 + 16 * row, text)
        for row, (item, customer, amount) in enumerate(cells)
        for x, text in ((60, item), (190, customer), (380 - 5 * len(amount), amount))
    ]
    (table,) = extract(write_pdf(PageSpec(lines))).blocks

    assert isinstance(table, TableBlock)
    assert (table.headers, *table.rows) == tuple(cells)


def test_wrapped_lines_of_a_cell_stay_in_their_cell(extract: Extract) -> None:
    cells = [
        ("Role", "Duty", "Limit"),
        ("Editor", "Edits the articles\nbefore they print", "5 per week"),
        ("Printer", "Prints the issue on\nthe large machine", "1 per day"),
        ("Courier", "Brings the issue to\nall subscribers", "300 stops"),
    ]
    lines = [
        line
        for row, texts in enumerate(cells)
        for at, text in enumerate(texts)
        for line in column(60 + 150 * at, 100 + 36 * row, *text.split("\n"))
    ]
    below = Line(60, 260, "A text that is not in the table stands below it.")

    table, paragraph = extract(write_pdf(PageSpec([*lines, below]))).blocks

    assert isinstance(table, TableBlock)
    assert isinstance(paragraph, ParagraphBlock)
    assert (table.headers, *table.rows) == tuple(
        tuple(text.replace("\n", " ") for text in texts) for texts in cells
    )


def test_table_that_goes_on_on_the_next_page_has_the_header_of_the_page_before(extract: Extract) -> None:
    header = ("Item", "Price", "Store")
    rows = [[(f"Item {kind}", f"1,{page}0{n}", "North") for n, kind in enumerate("ABCD")] for page in "123"]
    pages = [_draw_table(700, header, *rows[0]), *(_draw_table(60, *each) for each in rows[1:])]

    document = extract(write_pdf(*map(PageSpec, pages)))

    tables = [block for block in document.blocks if isinstance(block, TableBlock)]
    assert [(table.headers, list(table.rows)) for table in tables] == [(header, each) for each in rows]
    assert "Price" not in page_texts(document)[1]


@walk("header", [("Item", "Price", "Store"), ("Name", "Weight", "Place")])
def test_table_at_the_top_of_a_page_keeps_its_own_header(extract: Extract, header: tuple[str, ...]) -> None:
    rows = [("Apple", "1,200", "North"), ("Pear", "900", "South"), ("Plum", "750", "East")]
    first = _draw_table(700, ("Item", "Price", "Store"), *rows)

    document = extract(write_pdf(PageSpec(first), PageSpec(_draw_table(60, header, *rows))))

    second = document.blocks[-1]
    assert isinstance(second, TableBlock)
    assert (second.headers, list(second.rows)) == (header, rows)


def test_justified_lines_with_wide_blanks_are_no_table(extract: Extract) -> None:
    texts = [
        "대륙에서 관측한 여름기온은",
        "여러해동안 평균 기온보다",
        "높다고 보고서는 적었으며",
        "대학들의 협력을 다루었다",
    ]
    lines = []
    for row, words in enumerate(map(str.split, texts)):
        blank, x = (180 - 10 * sum(map(len, words))) / (len(words) - 1), 60.0
        for word in words:
            lines.append(Line(x, 200 + 12 * row, word))
            x += 10 * len(word) + blank
    (block,) = extract(write_pdf(PageSpec([*lines, Line(60, 248, "그 뒤에 끝난다.")]))).blocks

    assert isinstance(block, ParagraphBlock)
    assert block.text.split("\n") == [*texts, "그 뒤에 끝난다."]


def test_numbered_lines_are_no_table(extract: Extract) -> None:
    lines = [
        Line(x, 100 + 14 * number, text)
        for number in range(1, 6)
        for x, text in ((60, f"{number}."), (90, f"step {number} of the work"))
    ]
    assert {block.kind for block in extract(write_pdf(PageSpec(lines))).blocks} == {"paragraph"}


@walk("turn", [90, 270])
def test_lines_that_run_up_or_down_follow_each_other_as_they_are_read(turn: int, extract: Extract) -> None:
    lines = column(60, 100, "first line of three", "second line of three", "third line of three")
    texts = block_texts(extract(write_pdf(PageSpec(lines, extra=f"/Rotate {turn}"))))
    assert "\n".join(texts).split("\n") == [line.text for line in lines]


def test_paragraphs_end_at_gaps_and_indents(extract: Extract) -> None:
    lines = [*column(60, 100, "first one", "goes on"), *column(60, 150, "second one", "goes on", "and on")]
    lines += [Line(80, 186, "third one"), Line(60, 198, "ends")]

    texts = block_texts(extract(write_pdf(PageSpec(lines))))

    assert texts == ["first one\ngoes on", "second one\ngoes on\nand on", "third one\nends"]


def test_running_headers_are_one_block_in_all_and_page_numbers_none(extract: Extract) -> None:
    pages = [
        PageSpec([
            Line(60, 40, "Handbook of Tests"),
            *column(60, 200, *(f"{line} on page {number}" for line in PROSE)),
            Line(290, 770, str(number)),
        ])
        for number in range(1, 5)
    ]
    document = extract(write_pdf(*pages))

    assert all(text.startswith("Handbook of Tests\n\n") for text in page_texts(document))
    assert [text.rpartition("\n\n")[2] for text in page_texts(document)] == ["1", "2", "3", "4"]
    assert [text for text in block_texts(document) if "of a paragraph" not in text] == ["Handbook of Tests"]
    assert len(document.blocks) == 5


def test_chapter_heads_and_page_numbers_in_them_leave_the_passages(extract: Extract) -> None:
    heads = ["Growth", "Plants"] * 3
    pages = [
        PageSpec([
            Line(60, 40, head),
            Line(400, 40, str(number)),
            *column(60, 100, *PROSE),
            Line(60, 770, f"Page {number} of 6"),
        ])
        for number, head in enumerate(heads, 1)
    ]
    texts = block_texts(extract(write_pdf(*pages)))

    assert [text for text in texts if "of a paragraph" not in text] == ["Growth 1", "Page 1 of 6", "Plants 2"]


@walk(
    "tops",
    [
        [("ACME Ltd.", f"Invoice No. 2026-{number}", f"Amount due: {number * 7} euros") for number in (418, 419, 420)],
        [(f"Invoice {number}", "Payable at once") for number in (418, 419, 420)],
        [(f"Minutes of the meeting of May {number}", f"Votes: {number + 3}") for number in range(1, 5)],
        [(f"{number} Chapter about {word}",) for number, word in enumerate(("alpha", "beta", "gamma", "delta"), 1)],
        [(f"{number + at} on the {day}th: {number * 3}" for at in range(40)) for number, day in ((1, 4), (41, 5), (81, 6))],
    ],
)  # fmt: skip
def test_lines_that_differ_from_page_to_page_are_never_running(
    tops: list[Sequence[str]], extract: Extract
) -> None:
    lines = [list(top) for top in tops]

    found = "\n".join(
        block_texts(extract(write_pdf(*(PageSpec(column(60, 40, *top, *PROSE)) for top in lines))))
    )

    assert [line for top in lines for line in top if line not in found] == []


def test_titles_in_large_type_and_heads_of_tables_are_not_running(extract: Extract) -> None:
    slides = [PageSpec([Line(60, 60, f"Quarter {at}", 24), *column(60, 120, *PROSE)]) for at in range(1, 5)]
    assert "Quarter 3" in block_texts(extract(write_pdf(*slides)))

    rows = [[(60, "Day"), (200, "Paid")], *[[(60, f"May {at}"), (200, f"{at * 9}")] for at in range(1, 9)]]
    table = [Line(x, 40 + 12 * at, text) for at, row in enumerate(rows) for x, text in row]
    document = extract(write_pdf(*[PageSpec(table)] * 3))
    assert [block.headers for block in document.blocks if isinstance(block, TableBlock)] == [
        ("Day", "Paid")
    ] * 3


def test_text_at_an_edge_that_does_not_repeat_is_kept(extract: Extract) -> None:
    pages = [PageSpec([Line(60, 40, f"{word} at the top")]) for word in ("Apple", "Banana", "Cherry")]
    assert len(extract(write_pdf(*pages)).blocks) == 3


def test_word_divided_with_a_hyphen_is_whole_and_a_compound_keeps_it(extract: Extract) -> None:
    lines = column(60, 100, "this text has an infor-", "mation on what is well-", "known, and it ends here")
    known = column(60, 300, "here the information stands whole", "and so does known or well as one")

    texts = block_texts(extract(write_pdf(PageSpec([*lines, *known]))))

    assert texts[0] == "this text has an information\non what is well-known,\nand it ends here"


def test_korean_words_divided_at_line_ends_are_whole_where_the_document_divides_words(
    extract: Extract,
) -> None:
    lines = column(60, 100, "우리는 큰 데이터베", "이스를 쓰고 오래된 문", "서를 읽고 작은 색", "인을 지운다")
    known = column(
        60,
        400,
        "여기 데이터베이스를 쓰고 문서를 읽는다 끝",
        "그리고 색인을 다시 만들고 검색한다 끝",
        "또 문서를 새로 쓰는 사람은 색인을 본다",
    )
    texts = block_texts(extract(write_pdf(PageSpec([*lines, *known]))))

    assert texts[0] == "우리는 큰 데이터베이스를\n쓰고 오래된 문서를\n읽고 작은 색인을\n지운다"


def test_korean_words_stay_apart_where_lines_end_between_words(extract: Extract) -> None:
    lines = column(60, 100, "우리는 문서를", "읽고 색인을", "다시 만든다")
    known = column(60, 400, "이제 문서를 읽고 색인을 다시 만든다 끝")

    texts = block_texts(extract(write_pdf(PageSpec([*lines, *known]))))

    assert texts[0] == "우리는 문서를\n읽고 색인을\n다시 만든다"


def test_outline_gives_headings_and_their_path(edit: Edit, extract: Extract) -> None:
    content = write_pdf(
        PageSpec([Line(60, 80, "1 Growth", 18), *column(60, 120, "Plants grow.", "They need light.")]),
        PageSpec([
            Line(60, 80, "1.1 Roots", 14),
            Line(60, 120, "Roots drink."),
            Line(60, 300, "2 Decay", 18),
        ]),
    )

    def add_outline(writer: PdfWriter) -> None:
        growth = writer.add_outline_item(title="Growth", page_number=0)
        writer.add_outline_item(title="Roots", page_number=1, parent=growth)
        writer.add_outline_item(title="Decay", page_number=1)

    document = extract(edit(content, add_outline))

    headings = [block for block in document.blocks if isinstance(block, HeadingBlock)]
    assert [(block.text, block.level) for block in headings] == [
        ("1 Growth", 1),
        ("1.1 Roots", 2),
        ("2 Decay", 1),
    ]
    paths = dict(zip(block_texts(document), (block.heading_path for block in document.blocks), strict=True))
    assert paths["Plants grow.\nThey need light."] == ("1 Growth",)
    assert paths["Roots drink."] == ("1 Growth", "1.1 Roots")


def test_rectangles_lie_where_the_text_is_drawn_on_pages_that_are_turned_too(extract: Extract) -> None:
    line = Line(100, 200, "twelve chars")  # 60 points wide
    places = {}
    for turn in (0, 90, 180, 270):
        span = extract(write_pdf(PageSpec([line], extra=f"/Rotate {turn}"))).blocks[0].source_span
        assert isinstance(span, PageSpan)
        assert span.rectangles
        places[turn] = span.rectangles[0]

    upright = places[0]
    assert (upright.x, upright.w) == (100, 60)
    assert upright.y <= 192
    assert upright.y + upright.h >= 200
    assert (places[180].x, places[180].y) == (WIDTH - 160, 800 - upright.y - upright.h)
    assert (places[90].y, places[90].h) == (100, 60)
    assert (places[270].x, places[270].w) == (upright.y, upright.h)


def test_ligatures_are_their_letters_and_characters_of_private_use_are_left_out(extract: Extract) -> None:
    lines = column(60, 100, "we \ufb01nd the \ufb02ow of \ufb03ve a\ufb00airs", "\uf0b7 an item", "a\ue123b")

    texts = block_texts(extract(write_pdf(PageSpec(lines))))

    assert texts == ["we find the flow of ffive affairs", "• an item\nab"]


def test_what_was_filled_into_a_form_is_text(edit: Edit, extract: Extract) -> None:
    def add_field(writer: PdfWriter) -> None:
        field = DictionaryObject({
            NameObject("/Type"): NameObject("/Annot"),
            NameObject("/Subtype"): NameObject("/Widget"),
            NameObject("/FT"): NameObject("/Tx"),
            NameObject("/T"): TextStringObject("name"),
            NameObject("/V"): TextStringObject("Filled in by hand"),
            NameObject("/DA"): TextStringObject("/Helv 12 Tf 0 g"),
            NameObject("/Rect"): ArrayObject([FloatObject(side) for side in (60, 600, 300, 620)]),
        })
        reference = writer._add_object(field)
        writer.pages[0][NameObject("/Annots")] = ArrayObject([reference])
        form = DictionaryObject({
            NameObject("/Fields"): ArrayObject([reference]),
            NameObject("/DA"): TextStringObject("/Helv 12 Tf 0 g"),
        })
        writer.root_object[NameObject("/AcroForm")] = form

    content = edit(write_pdf(PageSpec([Line(60, 100, "Name of the ship:")])), add_field)

    assert block_texts(extract(content)) == ["Name of the ship:", "Filled in by hand"]


def test_comments_of_readers_are_quotes_behind_the_text_of_their_page(edit: Edit, extract: Extract) -> None:
    def add_comments(writer: PdfWriter) -> None:
        said = [
            ("/Text", "새 예산을\r확인할 것", "이영희"),
            ("/Highlight", "Check this.", ""),
            ("/Popup", "Check this.", ""),
        ]
        writer.pages[0][NameObject("/Annots")] = ArrayObject([
            writer._add_object(
                DictionaryObject({
                    NameObject("/Type"): NameObject("/Annot"),
                    NameObject("/Subtype"): NameObject(kind),
                    NameObject("/Contents"): TextStringObject(text),
                    NameObject("/T"): TextStringObject(author),
                    NameObject("/Rect"): ArrayObject([FloatObject(side) for side in (160, 700, 60, 680)]),
                })
            )
            for kind, text, author in said
        ])

    document = extract(
        edit(write_pdf(PageSpec([Line(60, 100, "Budget of the year")]), PageSpec()), add_comments)
    )

    _, first, second = document.blocks
    assert isinstance(first, QuoteBlock)
    assert isinstance(second, QuoteBlock)
    assert block_texts(document) == [
        "Budget of the year",
        "Comment (이영희): 새 예산을\n확인할 것",
        "Comment: Check this.",
    ]
    assert isinstance(first.source_span, PageSpan)
    assert first.source_span.rectangles == (Rectangle(x=60, y=100, w=100, h=20),)
    assert page_texts(document) == ["\n\n".join(block_texts(document)), ""]


def test_blanks_between_the_letters_of_recognised_text_are_none(extract: Extract) -> None:
    # every word is one string, as text layers of scans have it, but for letters that were set by themselves
    words = [(60, "Nort"), (82, "h "), (94, "Buon"), (116, "a "), (128, "Vista "), (160, "Drive ")]
    lines = [Line(x, 100 + 14 * row, word) for row in range(3) for x, word in words]

    assert block_texts(extract(write_pdf(PageSpec(lines)))) == ["\n".join(["North Buona Vista Drive"] * 3)]


@walk("gap", [1.6, 2.8])
def test_blank_behind_a_full_stop_is_kept_where_the_page_shows_a_gap(gap: float, extract: Extract) -> None:
    lines = [
        Line(60, 100, "It came to an end."),
        Line(150 + gap, 100, "Next came the rest, as one says."),
        Line(60, 112, "Most of the blanks of this page are written in it."),
    ]
    assert block_texts(extract(write_pdf(PageSpec(lines))))[0].startswith("It came to an end. Next came")


def test_every_block_is_cut_out_of_its_page_by_its_span(extract: Extract) -> None:
    pages = [
        PageSpec(column(60, 100, *PROSE)),
        PageSpec(),
        PageSpec(column(60, 100, "e\u0301te\u0301", "가나다")),
    ]
    document = extract(write_pdf(*pages))

    assert block_texts(document) == [getattr(block, "text", "") for block in document.blocks]
    assert block_texts(document)[-1] == "\u00e9t\u00e9\n가나다"
    assert len(page_texts(document)) == 3
    assert page_texts(document)[1] == ""


@walk(
    ("lines", "text"),
    [
        ([Line(60, 100, "10"), Line(70, 96, "6", 7)], "10^6"),
        ([Line(60, 100, "(10"), Line(75, 96, "-6", 7), Line(82, 100, ")")], "(10^-6)"),
        ([Line(60, 100, "1998"), Line(80, 96, "12", 7), Line(87, 100, ",")], "1998^12,"),
        ([Line(60, 100, "10"), Line(70, 102, "6", 7)], "106"),
        ([Line(60, 100, "10"), Line(70, 100, "6", 7)], "106"),
        ([Line(60, 100, "2026-01-15")], "2026-01-15"),
        ([Line(60, 100, "m"), Line(65, 96, "2", 7)], "m2"),
    ],
)
def test_numbers_above_the_line_stay_apart_from_those_before_them(
    lines: list[Line], text: str, extract: Extract
) -> None:
    assert block_texts(extract(write_pdf(PageSpec(lines)))) == [text]


def test_numbers_above_the_line_stay_apart_where_each_letter_is_drawn_by_itself(
    edit: Edit, extract: Extract
) -> None:
    def draw(size: int, x: float, y: float, text: str) -> str:
        letters = f" {size / 2} 0 Td ".join(f"<{ord(letter):04x}> Tj" for letter in text)
        return f"BT /F {size} Tf 1 0 0 -1 {x} {y} Tm {letters} ET\n"

    def change(writer: PdfWriter) -> None:
        drawn = DecodedStreamObject()
        parts = [
            draw(14, 80, 60, "some words"),
            draw(14, 80, 100, "about 10"),
            draw(11, 136, 94, "6"),
            draw(14, 141.5, 100, " units"),
        ]
        drawn.set_data(f"q .75 0 0 -.75 0 792 cm\n{''.join(parts)}Q".encode())
        writer.pages[0][NameObject("/Contents")] = writer._add_object(drawn)

    page = edit(write_pdf(PageSpec([Line(60, 100, "some words about 10 6 units")])), change)
    assert "about 10^6 units" in "\n".join(block_texts(extract(page)))
