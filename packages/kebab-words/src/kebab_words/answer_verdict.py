"""Verdict on an answer: whether the documents support it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kebab_core import RefusalReason

if TYPE_CHECKING:
    from kebab_core import Answer

AnswerVerdict = Literal["grounded", "unsure", "unproven", "refused", "stopped"]


def find_verdict(answer: Answer) -> AnswerVerdict:
    """Return the verdict on an answer: `unsure` quotes the nearest spans, `unproven` has claims that no source supports."""
    if answer.grounded:
        return "grounded"
    match answer.refusal_reason:
        case RefusalReason.WEAK_SUPPORT | RefusalReason.LLM_SELF_JUDGE:
            return "unsure"
        case RefusalReason.NOT_PROVEN:
            return "unproven"
        case RefusalReason.LLM_STREAM_ABORTED:
            return "stopped"
        case _:
            return "refused"
