"""Dispatch by first character gives what all rules give."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st
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
        "* TOC\n{:toc}\n",
        "[TOC]\n",
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

SHORT, FULL = MarkdownSyntax(), MarkdownSyntax(asks_every_rule=True)


def read(syntax: MarkdownSyntax, text: str) -> list[Any]:
    env: dict[str, Any] = {}
    tokens = syntax.parse_opening(text, env, is_whole=True).tokens
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
