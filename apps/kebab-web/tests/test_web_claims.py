"""How a claim is shown: code and tables of the lines that it quotes stay code and tables."""

from __future__ import annotations

from kebab_app import WordRange
from kebab_testing.tables import walk
from kebab_web.documents.markdown import render_markdown, restore_blocks


@walk(
    ("text", "quotes", "shown"),
    [
        (
            "Run it:\n\nmake all\n\nmake check",
            ["Run it:\n\n```sh\nmake all\n\nmake check\n```"],
            ">make all\n\nmake check\n</code></pre>",
        ),
        (
            "make **all**",
            ["```sh\nmake **all**\n```"],
            ">make **all**\n</code></pre>",
        ),
        ("Item | Owner\ntapes | Kim", ["| Item | Owner |", "| tapes | Kim |"], "<td>Kim</td>"),
        ("a | b is a choice", ["a | b is a choice"], '<p data-l="1-1">a | b is a choice</p>'),
        ("two lines\nof prose", ["two lines\nof prose"], '<p data-l="1-2">two lines\nof prose</p>'),
    ],
)
def test_blocks_of_a_claim_are_shown_as_in_its_source(*, text: str, quotes: list[str], shown: str) -> None:
    assert shown in render_markdown(restore_blocks(text, quotes))


def test_a_word_that_names_the_language_of_code_is_marked_in_the_code_alone() -> None:
    shown = render_markdown("```python\npython -V\n```", words=[WordRange(1, 3, 9), WordRange(2, 0, 6)])
    assert 'class="language-python"><mark>python</mark> -V' in shown
