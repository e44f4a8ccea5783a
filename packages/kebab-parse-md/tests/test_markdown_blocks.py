from __future__ import annotations

from kebab_core import CodeBlock, ImageRefBlock, ListBlock, TableBlock, block_id_for, list_links
from kebab_testing.tables import walk

CONSTRUCTS = {
    "atx heading": ("# 제목 **굵게**\n", [(1, 1, "heading", "제목 굵게")]),
    "closed atx heading": ("## Two ##\n", [(1, 1, "heading", "Two")]),
    "setext heading": ("Top\n===\n\nSub\n---\n", [(1, 2, "heading", "Top"), (4, 5, "heading", "Sub")]),
    "heading with an anchor": ('# <a name="x"></a>이름\n', [(1, 1, "heading", "이름")]),
    "heading with attributes": (
        "# 첫걸음 { #first-steps }\n## b {: .c}\n",
        [(1, 1, "heading", "첫걸음"), (2, 2, "heading", "b")],
    ),
    "heading that ends in braces": ("# struct {}\n", [(1, 1, "heading", "struct {}")]),
    "heading without words": ("#\n\ntext\n", [(3, 3, "paragraph", "text")]),
    "paragraph keeps its lines": ("하나\n둘  \n셋\\\n넷\n", [(1, 4, "paragraph", "하나\n둘\n셋\n넷")]),
    "emphasis, code and strike": ("a *b* **c** `d e` ~~f~~\n", [(1, 1, "paragraph", "a b c d e f")]),
    "escapes and entities": (r"\*a\* &amp; &lt;b&gt;", [(1, 1, "paragraph", "*a* & <b>")]),
    "link and autolink": ("[글](x.md) <http://a.b>\n", [(1, 1, "paragraph", "글 (x) http://a.b")]),
    "autolink with escapes": ("<http://a.b/%5E>\n", [(1, 1, "paragraph", "http://a.b/%5E")]),
    "link over lines": (
        "[글\n둘](\nhttp://a.b\n'c') 끝\n",
        [(1, 4, "paragraph", "글\n둘\n(http://a.b)\n끝")],
    ),
    "reference links and definitions": (
        "[글][r] [r] ![그림][s]\n\n[r]: http://a.b\n[s]:\n  <c d.png>\n  '제목\n  둘'\n\n> [r]: e.md\n",
        [
            (1, 1, "paragraph", "글 r 그림"),
            (3, 7, "paragraph", "r (http://a.b)\ns\n(c d.png)\n제목\n둘"),
            (9, 9, "quote", "r (e)"),
        ],
    ),
    "picture by reference": (
        "![그림][s]\n\n[s]: a.png\n",
        [(1, 1, "image_ref", "a.png 그림"), (3, 3, "paragraph", "s (a.png)")],
    ),
    "character data": (
        "글 <![CDATA[하나]]>\n\n<![CDATA[\n둘]]>\n",
        [(1, 1, "paragraph", "글 하나"), (4, 4, "paragraph", "둘")],
    ),
    "footnote in a list": ("- [^1]: 하나\n", [(1, 1, "list", "[^1]: 하나")]),
    "picture in a line": ("앞 ![그림](a.png) 뒤\n", [(1, 1, "paragraph", "앞 그림 (a.png) 뒤")]),
    "picture alone": ("![그림](그림/a.png)\n", [(1, 1, "image_ref", "그림/a.png 그림")]),
    "linked picture alone": ("[![b](b.svg)](http://c)\n", [(1, 1, "paragraph", "b (b.svg) (http://c)")]),
    "two pictures alone": (
        "![a](a.png)\n![b](b.png)\n",
        [(1, 2, "image_ref", "a.png a"), (1, 2, "image_ref", "b.png b")],
    ),
    "picture written into the text": (
        "![x](data:image/png;base64,AAAA)\n",
        [(1, 1, "image_ref", "data:image/png;base64 x")],
    ),
    "bullets": ("- 하나\n- 둘\n\n  더\n", [(1, 4, "list", "하나\n둘\n\n더")]),
    "numbers keep their values": ("3. 셋\n4. 넷\n", [(1, 2, "list", "3. 셋\n4. 넷")]),
    "nested lists": (
        "- a\n  - b\n    1) c\n       d\n- e\n",
        [(1, 5, "list", "a\n- b\n  1) c\n     d\ne")],
    ),
    "task list": ("- [ ] 할 일\n- [x] 한 일\n", [(1, 2, "list", "[ ] 할 일\n[x] 한 일")]),
    "code in an item": ("- a\n\n  ```\n  x = 1\n  ```\n", [(1, 5, "list", "a\n\n\nx = 1")]),
    "table in an item": ("- t\n\n  |a|b|\n  |-|-|\n  |1|2|\n", [(1, 5, "list", "t\n\na | b\n\n1 | 2")]),
    "fence": ("```py\nx = 1\n\ny\n```\n", [(1, 5, "code", "x = 1\n\ny")]),
    "open fence": ("~~~\nx\n", [(1, 2, "code", "x")]),
    "empty fence": ("```\n```\n", []),
    "indented code": ("a\n\n    x\n      y\n", [(1, 1, "paragraph", "a"), (3, 4, "code", "x\n  y")]),
    "table": (
        "| a | b |\n|---|:-:|\n| `x\\|y` | 1<br>2 |\n| z |\n",
        [(1, 4, "table", "a | b\nx|y | 1 2\nz | ")],
    ),
    "quote": ("> 가\n> 나\n>\n> - 다\n", [(1, 4, "quote", "가\n나\n\n- 다")]),
    "quote in a quote": ("> a\n>> b\n", [(1, 2, "quote", "a\n> b")]),
    "lazy quote": ("> a\nb\n", [(1, 2, "quote", "a\nb")]),
    "callout": ("> [!note]\n> 글\n", [(1, 2, "quote", "Note\n글")]),
    "callout with a title": ("> [!WARNING]- 조심\n> 글\n", [(1, 2, "quote", "Warning: 조심\n글")]),
    "callout whose title says its kind": ("> [!tip] Tip of the day\n", [(1, 1, "quote", "Tip of the day")]),
    "html block": (
        '<div>\n<!-- no -->\n<b>보임</b> <img alt="그림" src=x>\n</div>\n',
        [(3, 3, "paragraph", "보임 그림")],
    ),
    "html comment": ("<!-- a\n\nb -->\n\nc\n", [(5, 5, "paragraph", "c")]),
    "html comments without a word": ("<!--> a <!---> b <!----> c\n", [(1, 1, "paragraph", "a b c")]),
    "html comment that never closes": ("<!-- 메모\n본문\n", [(1, 2, "paragraph", "메모\n본문")]),
    "script and style": ("<script>\nvar x\n</script>\n\n<style>\nb {}\n</style>\n", []),
    "rule": ("a\n\n***\n\nb\n", [(1, 1, "paragraph", "a"), (5, 5, "paragraph", "b")]),
    "footnote": (
        "글[^1] 끝\n\n[^1]: 각주\n    이어짐\n\n뒤\n",
        [
            (1, 1, "paragraph", "글[^1] 끝"),
            (3, 4, "paragraph", "[^1]: 각주\n이어짐"),
            (6, 6, "paragraph", "뒤"),
        ],
    ),
    "wikilinks": (
        "[[노트]] [[노트#절|별칭]] ![[다른 글]]\n",
        [(1, 1, "paragraph", "노트 별칭 (노트) 다른 글")],
    ),
    "embedded picture": ("![[폴더/그림.PNG|300]]\n", [(1, 1, "image_ref", "폴더/그림.PNG")]),
    "embedded picture with words": ("![[a.png|그래프]]\n", [(1, 1, "image_ref", "a.png 그래프")]),
    "brackets that are a link": ("[[1]](http://a.b)\n", [(1, 1, "paragraph", "[1] (http://a.b)")]),
    "wikilink before round brackets": (
        "the [[second factor]](2FA) of [[a]](#b)\n",
        [(1, 1, "paragraph", "the second factor(2FA) of [a]")],
    ),
    "link to a section": ("[절](#b) [글의 절](x.md#b)\n", [(1, 1, "paragraph", "절 글의 절 (x)")]),
    "link that says its target": (
        "[First steps](../first-steps.md) [a.b](http://a.b) [글 1](글%201.md)\n",
        [(1, 1, "paragraph", "First steps a.b (http://a.b) 글 1")],
    ),
    "link of a reference": ("[#12](http://a.b/12) [@who](http://a.b)\n", [(1, 1, "paragraph", "#12 @who")]),
    "link without text": ("[](<my plan.pdf>) 글\n", [(1, 1, "paragraph", "my plan.pdf 글")]),
    "link in a heading": ("# [글](http://a.b)\n", [(1, 1, "heading", "글")]),
    "link in a list": ("- [글](http://a.b)\n", [(1, 1, "list", "글 (http://a.b)")]),
    "embedded picture in a line": (
        "앞 ![[Picture 1.png|300]] 뒤\n",
        [(1, 1, "paragraph", "앞 Picture 1.png 뒤")],
    ),
    "picture of another site in a line": (
        "앞 ![그림](http://a.b/c.png) 뒤\n",
        [(1, 1, "paragraph", "앞 그림 뒤")],
    ),
    "tags": ("글 #태그\n", [(1, 1, "paragraph", "글 #태그")]),
    "attributes of a paragraph": (
        "글\n{: .note}\n\n{: .note #a}\n글\n",
        [(1, 2, "paragraph", "글"), (5, 5, "paragraph", "글")],
    ),
    "attributes of a quote": ("> 글\n{: .note}\n", [(1, 2, "quote", "글")]),
    "table of contents": (
        "* TOC\n{:toc}\n\n1. 목차\n{: toc .x}\n\n[TOC]\n\n[[_TOC_]]\n\n글\n",
        [(11, 11, "paragraph", "글")],
    ),
    "table of contents before a list": (
        "* TOC\n{:toc}\n\n* 하나\n* 둘\n",
        [(4, 5, "list", "하나\n둘")],
    ),
    "table of contents before text": (
        "앞\n* TOC\n{:toc}\n[TOC]\n[[toc]]\n[[_TOC_]]\n{% include a/b.html %}\n뒤\n",
        [(1, 1, "paragraph", "앞"), (8, 8, "paragraph", "뒤")],
    ),
    "list about a table of contents": ("* TOC\n", [(1, 1, "list", "TOC")]),
    "table of contents as an item": ("- [[toc]]\n", [(1, 1, "list", "toc")]),
    "code about a table of contents": (
        "```\n* TOC\n{:toc}\n```\n",
        [(1, 4, "code", "* TOC\n{:toc}")],
    ),
    "file that a site generator includes": ("{% include a.html %}\n", []),
    "picture that a site generator includes": (
        '{% include a.html caption="그림" %}\n',
        [(1, 1, "paragraph", '{% include a.html caption="그림" %}')],
    ),
    "wikilink in a table": ("|a|\n|-|\n|[[n\\|별칭]]|\n", [(1, 3, "table", "a\n별칭 (n)")]),
}


@walk(("text", "expected"), CONSTRUCTS.values())
def test_construct_becomes_the_blocks_a_reader_sees(outline, text, expected):
    assert outline(text) == expected


@walk("text", [text for text, _ in CONSTRUCTS.values()])
@walk("newline", ["\r\n", "\r"])
def test_other_line_ends_give_the_same_blocks(outline, text, newline):
    assert outline(text.replace("\n", newline)) == outline(text)


def test_lines_count_front_matter(outline):
    assert outline("---\ntitle: x\n---\n\n# h\n") == [(5, 5, "heading", "h")]


def test_lines_are_not_ended_by_what_only_python_takes_for_line_ends(outline):
    assert outline("a\u2028b\x0bc\x85d\n\ne\n") == [
        (1, 1, "paragraph", "a\u2028b\x0bc\x85d"),
        (3, 3, "paragraph", "e"),
    ]


def test_byte_order_mark_is_no_part_of_the_text(outline):
    assert outline("\ufeff# h\n") == [(1, 1, "heading", "h")]


def test_text_is_composed_even_where_entities_spell_it_apart(outline):
    assert outline("# \u1100\u1161\n\n&#x1100;&#x1161;\n") == [
        (1, 1, "heading", "가"),
        (3, 3, "paragraph", "가"),
    ]


def test_heading_paths_follow_levels_and_end_with_the_heading_itself(read):
    document = read("a\n# 하나\n## 둘\nb\n#### 넷\n## 다시\n# 끝\nc\n")
    assert [block.heading_path for block in document.blocks] == [
        (),
        ("하나",),
        ("하나", "둘"),
        ("하나", "둘"),
        ("하나", "둘", "넷"),
        ("하나", "다시"),
        ("끝",),
        ("끝",),
    ]


def test_heading_without_words_ends_the_sections_above(read):
    document = read("# a\n## b\n##\nx\n")
    assert document.blocks[-1].heading_path == ("a",)


def test_repeated_headings_give_different_ids(read):
    document = read("# a\n\nx\n\n# a\n\nx\n")
    assert len({block.block_id for block in document.blocks}) == len(document.blocks) == 4


def test_ordinals_count_blocks_of_equal_kind_and_path(read):
    document = read("# a\n\nx\n\n```\nc\n```\n\ny\n")
    for block, ordinal in zip(document.blocks, (0, 0, 0, 1), strict=True):
        assert block.block_id == block_id_for(
            doc_id=document.doc_id,
            block_kind=block.kind,
            heading_path=("a",),
            ordinal=ordinal,
            source_span=block.source_span,
        )


def test_lists_keep_their_shape_to_any_depth_people_write(outline):
    text = "\n".join(f"{'  ' * depth}- d{depth}" for depth in range(20))
    ((_, _, _, shown),) = outline(text)
    assert shown.split("\n")[-1] == f"{'  ' * 18}- d19"


def test_code_language_is_the_first_word_in_lower_case(read):
    infos = ["Python title=x", "{.rust}", "c++", ""]
    blocks = read("\n\n".join(f"```{info}\nx\n```" for info in infos)).blocks
    assert [block.lang for block in blocks if isinstance(block, CodeBlock)] == ["python", "rust", "c++", None]


def test_list_items_have_their_own_lines_and_order(read):
    (block,) = read("1. a\n   b\n\n2. c\n").blocks
    assert isinstance(block, ListBlock)
    assert block.ordered
    assert [(item.source_span.start, item.source_span.end) for item in block.items] == [(1, 2), (4, 4)]


def test_table_rows_have_at_least_as_many_cells_as_headers(read):
    (block,) = read("|a|b|\n|-|-|\n|1|\n|1|2|3|\n1|2|3 \\| 4|\n").blocks
    assert isinstance(block, TableBlock)
    assert block.rows == (("1", ""), ("1", "2", "3"), ("1", "2", "3 | 4"))


def test_links_of_headings_and_of_tables_by_row_are_kept_beside_their_text(read):
    heading, table = read(
        "# 회의 [[환불 정책]]\n\n|안건|문서|\n|-|-|\n|[[결정\\|결정 A]]|**[b](B%20c.md)** `[[x]]`|\n| |[c](c.md)|\n"
    ).blocks
    assert (heading.text, [(link.href, link.text) for link in heading.links]) == (
        "회의 환불 정책",
        [("환불 정책", "환불 정책")],
    )
    assert [(span.start, span.end, link.href, link.text) for span, link in list_links(table)] == [
        (5, 5, "결정", "결정 A"),
        (5, 5, "B%20c.md", "b"),
        (6, 6, "c.md", "c"),
    ]
    assert [span for span, _ in list_links(heading)] == [heading.source_span]


def test_an_unescaped_alias_in_a_table_keeps_its_words(read):
    (block,) = read("|a|b|\n|-|-|\n|[[page|alias]]|x|\n|[[page\\|alias]]|x|\n").blocks
    assert isinstance(block, TableBlock)
    assert block.rows == (("[[page", "alias]]", "x"), ("alias (page)", "x"))


def test_a_table_inside_a_list_keeps_cells_beyond_its_header(read):
    (block,) = read("- item\n\n  |a|b|\n  |-|-|\n  |1|2|three|\n").blocks
    assert isinstance(block, ListBlock)
    assert "three" in block.items[0].text


def test_picture_keeps_its_address_as_written(read):
    (block,) = read("![그림](<폴더/내 그림.png>)\n").blocks
    assert isinstance(block, ImageRefBlock)
    assert block.src == "폴더/내 그림.png"


@walk("source", ["# {}", "{}\n==="])
def test_heading_of_more_than_a_thousand_letters_is_a_paragraph(outline, source):
    longest, longer = "x" * 1000, "x" * 1001
    assert [kind for _, _, kind, _ in outline(source.format(longest))] == ["heading"]
    assert [kind for _, _, kind, _ in outline(source.format(longer))] == ["paragraph"]
