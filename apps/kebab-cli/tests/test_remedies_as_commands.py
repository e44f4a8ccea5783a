"""Words of remedies: every kind has them, from fields that remedies have."""

from __future__ import annotations

import re
from string import Formatter
from typing import get_args

import pytest
from kebab_cli.remedies import COMMANDS, render_remedy
from kebab_core import Remedy, RemedyKind

KINDS = get_args(RemedyKind)


def test_kinds_with_words_are_kinds_of_remedies() -> None:
    assert set(COMMANDS) <= set(KINDS)


@pytest.mark.parametrize("kind", sorted(COMMANDS))
def test_templates_use_only_fields_of_remedies(kind: RemedyKind) -> None:
    template = re.sub(r"\[(?!\d\])|(?<!\d)\]|\|", " ", COMMANDS[kind])
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


def test_paths_and_packages_are_quoted_for_a_shell() -> None:
    assert render_remedy(Remedy(kind="ingest", path="/my notes")) == "kebab ingest '/my notes'"
    assert render_remedy(Remedy(kind="install_packages", name="a>=1 b")) == "uv pip install 'a>=1' b"
