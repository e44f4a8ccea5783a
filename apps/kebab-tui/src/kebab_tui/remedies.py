"""Remedies in words for the reader of a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_wire import render_hint
from kebab_words import Phrases

import kebab_tui.phrases as say

if TYPE_CHECKING:
    from kebab_app import Explanation
    from kebab_core import IngestFailure, KebabError
    from kebab_words import Words


def render_remedy(failure: KebabError | Explanation | IngestFailure, words: Words) -> str:
    """Render what to do about a failure; empty where only a command helps."""
    if failure.remedy is not None and failure.remedy.kind in Phrases.RUNS:
        return words.localize(say.WORK_HELPS)
    return render_hint(failure, words)
