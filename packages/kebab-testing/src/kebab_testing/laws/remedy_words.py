"""What every table of remedy words does: one of kebab-wire, one a face."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import get_args

from kebab_core import Message, Remedy, RemedyKind

from kebab_testing.tables import walk

_KINDS: tuple[RemedyKind, ...] = get_args(RemedyKind)


class RemedyWordsLaws:
    """Subclass it as `Test…`, return a table of templates by kind, and render a remedy with it."""

    def words(self) -> Mapping[RemedyKind, str]:
        """Return the table under test."""
        raise NotImplementedError

    def render(self, remedy: Remedy) -> str:
        """Return the words of a remedy."""
        raise NotImplementedError

    def test_kinds_with_words_are_kinds_of_remedies(self) -> None:
        assert set(self.words()) <= set(_KINDS)

    def test_templates_use_only_fields_of_remedies(self) -> None:
        for kind, template in self.words().items():
            plain = re.sub(r"\[(?!\d\])|(?<!\d)\]|\|", " ", template)
            fields = {name.partition("[")[0] for _, name, _, _ in Formatter().parse(plain) if name}
            assert fields <= set(Remedy.model_fields) - {"kind", "then", "otherwise"}, kind

    @walk("kind", _KINDS)
    def test_every_kind_is_rendered_whole(self, kind: RemedyKind) -> None:
        text = self.render(
            Remedy(
                kind=kind,
                advice=Message("look at {path}", path="/a"),
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
        )
        assert text
        assert text == text.strip()
        assert "None" not in text
        assert not re.search(r"[\[\]{}|]", text)
