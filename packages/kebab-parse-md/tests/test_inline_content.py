from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_core import (
    CodeInline,
    EmphInline,
    LinkInline,
    ParagraphBlock,
    QuoteBlock,
    StrongInline,
    TextInline,
)
from kebab_parse_md.inlines import InlineReader
from kebab_parse_md.syntax import MarkdownSyntax
from kebab_testing.tables import walk


def inlines_of(document):
    (block,) = document.blocks
    assert isinstance(block, ParagraphBlock | QuoteBlock)
    return block.inlines


def test_plain_paragraph_has_no_inlines(read):
    assert inlines_of(read("그냥 글\n둘째 줄 \\* 끝\n")) == ()


def test_inlines_keep_links_code_and_emphasis_in_order(read):
    assert inlines_of(read("a [b *c*](d.md) `e` **f *g***\n")) == (
        TextInline(text="a "),
        LinkInline(text="b c", href="d.md"),
        TextInline(text=" "),
        CodeInline(text="e"),
        TextInline(text=" "),
        StrongInline(children=(TextInline(text="f "), EmphInline(children=(TextInline(text="g"),)))),
    )


def test_wikilink_points_to_its_target_and_shows_its_alias(read):
    assert inlines_of(read("[[노트#절|별칭]]")) == (LinkInline(text="별칭", href="노트#절"),)


def test_quote_has_the_inlines_of_all_its_paragraphs(read):
    assert inlines_of(read("> [a](b)\n>\n> plain\n>\n> `c`\n")) == (
        LinkInline(text="a", href="b"),
        TextInline(text="\n"),
        CodeInline(text="c"),
    )


@walk("text", ["**" * 300 + "글" + "**" * 300, "*a **b " * 100 + "글" + "** *" * 100])
def test_emphasis_deeper_than_anyone_writes_is_flattened_with_all_its_words(read, text):
    (block,) = read(text).blocks
    assert "글" in block.text
    assert 0 < depth(block.inlines) <= 10


def depth(inlines):
    return max((1 + depth(getattr(inline, "children", ())) for inline in inlines), default=0)


@walk(
    ("text", "tags"),
    [
        ("#하나 글 #two/three, #4th (#no)", ("하나", "two/three", "4th")),
        ("#1 C# a#b http://x/#y &#35;z", ()),
        ("`#code` [#link](#href) [[#wiki]] \\#escaped", ()),
        ("# 제목 #tag\n\n```\n#fence\n```\n", ()),
        ("> #quote\n\n- #item\n\n|#cell|\n|-|\n|#row|\n", ("quote", "item", "cell", "row")),
        ("**#strong** 줄\n#next #next", ("strong", "next")),
        ("---\ntags: [b, a]\n---\n#a #c\n", ("b", "a", "c")),
    ],
)
def test_tags_of_running_text_join_those_of_front_matter(read, text, tags):
    assert read(text).metadata.tags == tags


@given(st.text(st.sampled_from('ab가 _~&>!]#;\n\t.1-"()|'), max_size=20))
def test_text_taken_for_plain_is_what_the_rules_make_of_it(text):
    plain, ruled = MarkdownSyntax(), MarkdownSyntax()
    ruled.parse_inlines = ruled.apply_rules
    readers = InlineReader(plain, {}), InlineReader(ruled, {})
    first, second = (reader.read(text.strip()) for reader in readers)
    assert first == second
    assert readers[0].tags == readers[1].tags
