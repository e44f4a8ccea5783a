"""Ways around the parser's rules come to what the rules come to."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st
from kebab_parse_md.inlines import split_simple
from kebab_parse_md.syntax import MarkdownSyntax

SIGNS = [
    *(
        "\n",
        "\n\n",
        " ",
        "  ",
        "    ",
        "\t",
        "  \n",
        "a",
        "b c",
        "한글",
        "단어 ",
        "1",
        ".",
        ":",
        "!",
        "=",
        "@",
    ),
    *(
        "> ",
        ">> ",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "2) ",
        "# ",
        "###### ",
        "#tag ",
        "---\n",
        "***\n",
        "===\n",
        "_",
        "__",
    ),
    *(
        "*",
        "**",
        "~",
        "~~",
        "`",
        "``",
        "```\n",
        "~~~ py\n",
        "\\",
        "\\\n",
        "&",
        "&amp;",
        "&#35;",
        "|",
        "| a | b |\n",
    ),
    *(
        "|---|---|\n",
        ":--",
        "a | b\n--- | ---\nc | d\n",
        "[",
        "]",
        "](/u)",
        "](<a b>)",
        "[x]",
        "[x]: /u 't'\n",
        "![a](b)",
    ),
    *(
        "[^1]",
        "[^1]: note\n",
        "[[",
        "]]",
        "[[n|a]]",
        "![[p.png]]",
        "<",
        ">",
        "<b>",
        "</b>",
        "<br>",
        "<div>\n",
        "</div>",
    ),
    *(
        '<a name="x-y"></a>',
        '<a href="`">',
        "<!-- ",
        "-->",
        "<http://a.b>",
        "<a@b.c>",
        "<?",
        "?>",
        "<script>\n",
        "\x0c",
    ),
]
texts = st.lists(st.sampled_from(SIGNS), max_size=40).map("".join)
spans = st.lists(
    st.sampled_from([*"ab.!_~&<>`'\n\t ", "한글", "`c`", "<b>", "</b>", '<a id="x">', "<br />", "  \n"]),
    max_size=20,
).map(lambda parts: "".join(parts).strip())

SHORT, FULL = MarkdownSyntax(), MarkdownSyntax(asks_every_rule=True)
PIECE_OF = {
    "text": "text",
    "softbreak": "break",
    "hardbreak": "break",
    "code_inline": "code",
    "html_inline": "html",
}


def read(syntax: MarkdownSyntax, text: str) -> list[Any]:
    tokens, env = syntax.parse_blocks(text)
    inlines = [
        [token.as_dict() for token in syntax.apply_rules(token.content, env)]
        for token in tokens
        if token.type == "inline"
    ]
    # Asking for a footnote makes an empty list of them, which says nothing.
    defined = (env.get("references"), env.get("footnotes") or {"refs": {}, "list": {}})
    return [[token.as_dict() for token in tokens], defined, inlines]


@given(texts)
def test_asking_only_rules_that_could_match_gives_what_asking_all_gives(text: str) -> None:
    assert read(SHORT, text) == read(FULL, text)


@given(spans)
def test_text_taken_apart_without_the_rules_is_what_they_make_of_it(text: str) -> None:
    pieces = split_simple(text)
    tokens = FULL.apply_rules(text, {})
    assert pieces in (None, [(PIECE_OF.get(token.type), token.content) for token in tokens])


def test_code_tags_and_line_ends_are_taken_apart() -> None:
    assert split_simple('see `a_b`  \n<br> <a id="x"></a>end') == [
        ("text", "see "),
        ("code", "a_b"),
        ("break", ""),
        ("html", "<br>"),
        ("text", " "),
        ("html", '<a id="x">'),
        ("html", "</a>"),
        ("text", "end"),
    ]


def test_anything_else_is_left_to_the_rules() -> None:
    left = [
        "*a*",
        "[a](b)",
        "``a``",
        "a `b",
        "a < b",
        "<a@b.c>",
        "_a_",
        "~~a~~",
        "&amp;",
        "a\\",
        "<a b>",
        "x" * 5000,
    ]
    assert [text for text in left if split_simple(text) is not None] == []
