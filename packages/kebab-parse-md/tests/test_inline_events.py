"""The compiled parser of inline content gives what the rules of markdown-it give."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st
from kebab_parse_md.inlines import InlineContent, InlineReader
from kebab_parse_md.syntax import MarkdownSyntax
from kebab_testing.families import examples

SIGNS = (
    *(
        "*",
        "**",
        "***",
        "_",
        "__",
        "`",
        "``",
        "~",
        "~~",
        "[",
        "]",
        "(",
        ")",
        "<",
        ">",
        "\\",
        "!",
        "&",
        "&amp;",
        "&#35;",
    ),
    *(
        "a",
        "b c",
        "é",
        "한글",
        "단어 ",
        "漢字",
        "😀",
        "€",
        "1",
        ".",
        ",",
        ":",
        "/",
        "-",
        "=",
        "|",
        "{",
        "}",
        "^",
        "$",
        "%",
        "@",
    ),
    *(
        " ",
        "  ",
        "\n",
        "  \n",
        "\\\n",
        "\t",
        "\u00a0",
        "\u200b",
        "\u3000",
        "\x0b",
        "“",
        "”",
        "…",
        "，",
        "（",
        "）",
        "'",
        '"',
    ),
    *(
        "[a](b)",
        "[a](<b c>)",
        '[a](b "t")',
        "[a](b 't\nu')",
        "[a\nb](c)",
        "[a](javascript:b)",
        "](/u)",
        "[x]",
        "[^1]",
        "[[n]]",
    ),
    *(
        "[[n|a]]",
        "![a](b)",
        "![[p.png]]",
        "<http://a.b>",
        "<xref:a%2A>",
        "<a@b.co>",
        "<b>",
        "</b>",
        "<br/>",
        '<a\nb="c">',
    ),
    *(
        "<!-- x -->",
        "<!--",
        "-->",
        "<?x?>",
        "<!X y>",
        "<![CDATA[z]]>",
        "<script>",
        "#",
        "#tag",
        "# ",
        "> ",
        "- ",
        "1. ",
    ),
    *("+ ", "---\n", "===\n", "```\n", "    ", "| a |\n|---|\n", "[x]: /u\n"),
)
texts = st.lists(st.sampled_from(SIGNS), min_size=1, max_size=14).map("".join)

COMPILED, RULES = MarkdownSyntax(), MarkdownSyntax(asks_every_rule=True)


def read(syntax: MarkdownSyntax, text: str, env: dict[str, Any]) -> tuple[InlineContent, list[str]]:
    reader = InlineReader(syntax, env)
    return reader.read(text), list(reader.tags)


@pytest.mark.thorough
@settings(max_examples=examples(500))
@given(texts)
@example("**[a](b) `c`** <d@e.fg> \\#tag #tag")
@example("a\n===\n- b")
@example("[a](b\n'c')\nd")
def test_the_compiled_parser_gives_what_the_rules_give(text: str) -> None:
    content = text.strip()
    assert read(COMPILED, content, {}) == read(RULES, content, {})


@given(texts)
def test_it_gives_what_the_rules_give_beside_definitions(text: str) -> None:
    env = {"references": {"X": {"href": "/u", "title": "", "map": [0, 1]}}}
    assert read(COMPILED, text.strip(), env) == read(RULES, text.strip(), env)
