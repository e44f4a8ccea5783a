"""Remedies in words for the reader of a screen."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kebab_wire import REMEDY_WORDS, render_remedy as render
from kebab_words import Words

import kebab_tui.phrases as say

if TYPE_CHECKING:
    from kebab_app import CheckResult, Explanation
    from kebab_core import IngestFailure, KebabError, RemedyKind

WORK: frozenset[RemedyKind] = frozenset({"ingest", "read_files_again", "verify_files", "prune", "embed"})
"""Remedies that a run of the work screen does."""


def render_remedy(failure: KebabError | Explanation | CheckResult | IngestFailure, words: Words) -> str:
    """Say what to do about a failure; empty where only a command helps."""
    remedy = failure.remedy
    if remedy is None:
        hint = getattr(failure, "hint", None)
        return words.localize(hint) if hint else ""
    if remedy.kind in WORK:
        return words.localize(say.WORK_HELPS)
    if not _has_words(remedy.kind):
        return ""
    return render(remedy.model_copy(update={"then": None, "otherwise": None}), translate=words.translate)


@cache
def _has_words(kind: RemedyKind) -> bool:
    """Return whether the words of a remedy are those of all faces, which the catalogue has; others name a command."""
    text = REMEDY_WORDS.get(kind)
    return text is not None and Words("ko").localize_text(text) != text
