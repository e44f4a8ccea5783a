"""Remedies as commands."""

from __future__ import annotations

from collections.abc import Mapping

from kebab_cli.remedies import COMMANDS, render_remedy
from kebab_core import Remedy, RemedyKind
from kebab_testing.laws.remedy_words import RemedyWordsLaws


class TestCommands(RemedyWordsLaws):
    def words(self) -> Mapping[RemedyKind, str]:
        return COMMANDS

    def render(self, remedy: Remedy) -> str:
        return render_remedy(remedy)


def test_paths_and_packages_are_quoted_for_a_shell() -> None:
    assert render_remedy(Remedy(kind="ingest", path="/my notes")) == "kebab ingest '/my notes'"
    assert render_remedy(Remedy(kind="install_packages", name="a>=1 b")) == "uv pip install 'a>=1' b"
