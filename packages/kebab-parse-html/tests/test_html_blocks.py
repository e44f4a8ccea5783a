"""Blocks of a page, as the text that is read shows them."""

from __future__ import annotations

import pytest
from kebab_core import CodeBlock, HeadingBlock, ListBlock, QuoteBlock, TableBlock, list_links


def test_headings_paragraphs_and_their_lines(read) -> None:  # type: ignore[no-untyped-def]
    document = read(
        "<h1>Guide</h1><p>First\n  line<br>second</p><div>a <b>bold</b> text<p>next</div><h2>Part</h2>x"
    )
    assert document.text.text == "# Guide\n\nFirst line\nsecond\n\na bold text\n\nnext\n\n## Part\n\nx\n"
    assert document.blocks[-1].heading_path == ("Guide", "Part")
    lines = document.text.text.split("\n")
    for block in document.blocks:
        assert block.text in "\n".join(lines[block.source_span.start - 1 : block.source_span.end])


def test_links_keep_their_targets(read) -> None:  # type: ignore[no-untyped-def]
    document = read(
        '<p>See <a href="https://example.org/a">the guide</a>, <a href="#top">up</a>,'
        ' <a href="javascript:go()">go</a> and <a href="notes/Refund%20policy.html">terms</a>.</p>'
    )
    assert document.text.text == "See the guide (https://example.org/a), up, go and terms (Refund policy).\n"
    assert [link.href for _, link in list_links(document.blocks[0])] == [
        "https://example.org/a",
        "notes/Refund%20policy.html",
    ]


def test_lists_keep_numbers_and_nesting(read) -> None:  # type: ignore[no-untyped-def]
    document = read("<ol start=3><li>three<ul><li>inner<li>more</ul><li><p>four<p>still four</ol>")
    assert document.text.text == "3. three\n  - inner\n  - more\n4. four\n   still four\n"
    assert [type(block) for block in document.blocks] == [ListBlock]


def test_a_list_with_headings_is_a_container(read) -> None:  # type: ignore[no-untyped-def]
    document = read("<ul><li><h3>One</h3><p>first</p></li><li><h3>Two</h3><p>second</p></li></ul>")
    assert isinstance(document.blocks[0], HeadingBlock)
    assert document.blocks[3].heading_path == ("Two",)


def test_terms_and_explanations(text_of) -> None:  # type: ignore[no-untyped-def]
    assert text_of("<dl><dt>BM25<dd>a ranking function<dt>RRF<dd>a fusion</dl>") == (
        "- BM25: a ranking function\n- RRF: a fusion\n"
    )
    assert text_of("<dl><dt>open(path)<dd><p>Opens.</p><pre>open('x')</pre></dl>") == (
        "open(path)\n\nOpens.\n\n```\nopen('x')\n```\n"
    )


def test_what_follows_an_article_is_outside_of_its_sections(read) -> None:  # type: ignore[no-untyped-def]
    document = read(
        "<h1>Blog</h1><article><h2>One</h2><p>a</p><aside><h3>Box</h3><p>b</p></aside><p>c</p></article><p>d</p>"
    )
    paths = {block.text: block.heading_path for block in document.blocks}
    assert paths["b"] == ("Blog", "One", "Box")
    assert (paths["c"], paths["d"]) == (("Blog", "One"), ("Blog",))


def test_code_keeps_its_lines_and_language(read) -> None:  # type: ignore[no-untyped-def]
    for page in (
        '<pre><code class="language-python">def f():\n    return 1\n</code></pre>',
        '<div><pre class="highlight-source-python">def f():<br>    return 1</pre></div>',
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        '<td><pre data-lang="python">def f():\n    return 1\n</pre></td></tr></table>',
    ):
        block = read(page).blocks[0]
        assert isinstance(block, CodeBlock)
        assert (block.lang, block.code) == ("python", "def f():\n    return 1")


def test_tables_of_data_keep_headers_and_spans(read) -> None:  # type: ignore[no-untyped-def]
    document = read(
        "<table><caption>Prices</caption><thead><tr><th rowspan=2>Item<th colspan=2>2024<tr><th>Q1<th>Q2</thead>"
        "<tr><td rowspan=2>Kimchi<td>10<td>11<tr><td colspan=2>none</table>"
    )
    block = document.blocks[1]
    assert isinstance(block, TableBlock)
    assert block.headers == ("Item", "2024 Q1", "2024 Q2")
    assert block.rows == (("Kimchi", "10", "11"), ("Kimchi", "none", "none"))
    assert document.text.text.startswith("Prices\n\n| Item | 2024 Q1 | 2024 Q2 |\n")


def test_tables_that_only_place_text_are_paragraphs(text_of) -> None:  # type: ignore[no-untyped-def]
    page = "<table><tr><td><table><tr><td><h1>Mail</h1><p>Hello.</p></td></tr></table></td><td>Side</td></tr></table>"
    assert text_of(page) == "# Mail\n\nHello.\n\nSide\n"


def test_spans_of_cells_are_bounded(read) -> None:  # type: ignore[no-untyped-def]
    row = "<tr><th colspan=9999>a<th colspan=9999 rowspan=9999>b</tr>"
    block = read(f"<table>{row * 50}<tr><td>x<td>y</table>").blocks[0]
    assert isinstance(block, TableBlock)
    assert len(block.headers) <= 300


def test_no_cell_is_lost_behind_those_over_many_columns(read) -> None:  # type: ignore[no-untyped-def]
    block = read("<table><tr><th colspan=200>a<th colspan=200>b<th>c<th>d<tr><td>1<td>2</table>").blocks[0]
    assert isinstance(block, TableBlock)
    assert [text for text in dict.fromkeys(block.headers) if text] == ["a", "b", "c", "d"]


def test_quotes_are_one_block(read) -> None:  # type: ignore[no-untyped-def]
    document = read(
        "<blockquote><p>One.</p><blockquote>Two.</blockquote><ul><li>three</ul></blockquote><p>after"
    )
    assert document.text.text == "> One.\n> Two.\n> - three\n\nafter\n"
    assert isinstance(document.blocks[0], QuoteBlock)


def test_words_are_whole_and_in_nfc(text_of) -> None:  # type: ignore[no-untyped-def]
    page = "<p>re&shy;fund\u200bable&nbsp;&nbsp;오\u1112\u1161\u11ab국 <ruby>漢<rp>(</rp><rt>한</rt><rp>)</rp></ruby></p>"
    assert text_of(page) == "refundable 오한국 漢(한)\n"


def test_formulas_are_as_written(text_of) -> None:  # type: ignore[no-untyped-def]
    page = (
        '<p>So <span class="katex"><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2'
        '</annotation></semantics></math><span aria-hidden="true">x2</span></span> holds and goes on for a while.</p>'
    )
    assert text_of(page) == "So x^2 holds and goes on for a while.\n"


def test_deep_nesting_is_read(text_of) -> None:  # type: ignore[no-untyped-def]
    assert text_of("<span>" * 5000 + "deep" + "</span>" * 5000 + "<p>after") == "deep\n\nafter\n"
    assert "x" in text_of("<b><p>x" * 300)
    assert "leaf" in text_of("<ul><li>a" * 200 + "leaf")


@pytest.mark.thorough
@pytest.mark.parametrize("tag", ["div", "span", "ul><li", "table><tr><td"])
def test_elements_without_end_keep_every_word(text_of, tag: str) -> None:  # type: ignore[no-untyped-def]
    page = f"<script>'<div>'</script><!-- <div> -->{f'<{tag}>말 ' * 4000}뒤"
    text = text_of(page)
    assert text.count("말") > 3800  # the innermost element with nearly all text is the main one
    assert "뒤" in text


def test_a_power_is_no_digit_of_the_number_before_it(text_of) -> None:  # type: ignore[no-untyped-def]
    page = (
        "<h2>10<sup>6</sup> m</h2><p>In <b>1998</b><sup>3</sup>, 20 m<sup>2</sup>, 2<sup>n</sup>, 5<sup>th</sup>,"
        " 10<sup>\u22126</sup>, 1887<sup>[4]</sup></p>"
    )
    assert text_of(page) == "## 10^6 m\n\nIn 1998^3, 20 m2, 2^n, 5th, 10^\u22126, 1887[4]\n"
