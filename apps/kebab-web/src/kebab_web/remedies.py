"""Remedies in words for the reader of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_wire import REMEDY_WORDS, render_remedy as render

if TYPE_CHECKING:
    from kebab_core import KebabError, LegFailure
    from kebab_words import Words


def render_remedy(failure: KebabError | LegFailure, words: Words) -> str:
    """Say what to do about a failure; empty where only a command of the terminal helps, which `kebab doctor` names."""
    if failure.remedy is None:
        return words.localize(failure.hint) if failure.hint else ""
    if failure.remedy.kind not in REMEDY_WORDS:
        return ""
    return render(
        failure.remedy.model_copy(update={"then": None, "otherwise": None}), translate=words.translate
    )
