"""Words of remedies: every kind has them, from fields that remedies have."""

from __future__ import annotations

import re
from string import Formatter
from typing import get_args

import pytest
from kebab_core import Remedy, RemedyKind
from kebab_wire import REMEDY_WORDS, render_remedy

KINDS = get_args(RemedyKind)


def test_kinds_with_words_are_kinds_of_remedies() -> None:
    assert set(REMEDY_WORDS) == set(KINDS)


@pytest.mark.parametrize("kind", sorted(REMEDY_WORDS))
def test_templates_use_only_fields_of_remedies(kind: RemedyKind) -> None:
    template = re.sub(r"\[(?!\d\])|(?<!\d)\]|\|", " ", REMEDY_WORDS[kind])
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


def test_sequences_and_alternatives_are_joined() -> None:
    then = Remedy(kind="embed")
    remedy = Remedy(kind="free_space", otherwise=Remedy(kind="check_permissions", path="/d", then=then))
    assert render_remedy(remedy, {"embed": "make them"}) == (
        "free some disk space, or check the permissions of '/d'; then make them"
    )


def test_values_are_written_as_in_a_settings_file() -> None:
    assert render_remedy(Remedy(kind="set", setting="a.b", value="한글")) == 'set a.b = "한글"'
    assert render_remedy(Remedy(kind="set", setting="a.b", value=False)) == "set a.b = false"
    assert render_remedy(Remedy(kind="set", setting="a.b")) == "set a.b"
