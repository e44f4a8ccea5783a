"""Words of remedies: every kind has them, from fields that remedies have."""

from __future__ import annotations

import re
from string import Formatter
from typing import get_args

import pytest
from kebab_core import Remedy, RemedyKind
from kebab_mcp.remedies import TOOL_CALLS, render_remedy

KINDS = get_args(RemedyKind)


def test_kinds_with_words_are_kinds_of_remedies() -> None:
    assert set(TOOL_CALLS) <= set(KINDS)


@pytest.mark.parametrize("kind", sorted(TOOL_CALLS))
def test_templates_use_only_fields_of_remedies(kind: RemedyKind) -> None:
    template = re.sub(r"\[(?!\d\])|(?<!\d)\]|\|", " ", TOOL_CALLS[kind])
    fields = {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}
    assert fields <= set(Remedy.model_fields) - {"kind", "then", "otherwise"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_rendered_whole(kind: RemedyKind) -> None:
    remedy = Remedy(
        kind=kind,
        path="/a b",
        setting="s.t",
        value=7,
        name="n",
        document="0" * 32,
        lines=(3, 9),
        count=2,
        names=("n", "m"),
        line_numbers=(3, 9),
    )
    text = render_remedy(remedy)
    assert text == text.strip()
    assert "None" not in text
    assert not re.search(r"[\[\]{}|]", text)


def test_what_has_no_tool_is_for_the_user() -> None:
    assert render_remedy(Remedy(kind="doctor")) == "call `doctor`"
    assert render_remedy(Remedy(kind="ingest")) == "the user can run: kebab ingest"
