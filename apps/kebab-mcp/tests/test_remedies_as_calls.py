"""Remedies as tool calls."""

from __future__ import annotations

from collections.abc import Mapping

from kebab_core import Remedy, RemedyKind
from kebab_mcp.remedies import TOOL_CALLS, render_remedy
from kebab_testing.laws.remedy_words import RemedyWordsLaws


class TestToolCalls(RemedyWordsLaws):
    def words(self) -> Mapping[RemedyKind, str]:
        return TOOL_CALLS

    def render(self, remedy: Remedy) -> str:
        return render_remedy(remedy)


def test_what_has_no_tool_is_for_the_user() -> None:
    assert render_remedy(Remedy(kind="doctor")) == "call `doctor`"
    assert render_remedy(Remedy(kind="ingest")) == "the user can run: kebab ingest"
