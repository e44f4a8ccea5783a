"""How many tokens a prompt may take and an answer may have."""

from __future__ import annotations

from typing import NamedTuple

from kebab_core import ContextOverflowError, TokenCounter

from kebab_rag.templates.template import Prompt

_RESERVE = 256
"""Tokens kept free for the answer, and for what the estimate is off."""
_MAX_ANSWER = 1024
"""Tokens that no answer passes: what is longer does not answer."""


class TokenBudget(NamedTuple):
    """Estimated tokens."""

    evidence: int
    """For all passages together, at least 1."""
    window: int
    """What the model reads and writes in all."""

    def answer(self, prompt: int) -> int:
        """Return how long the answer to a prompt of so many tokens may be, at least 1."""
        return max(1, min(_MAX_ANSWER, self.window - prompt))


def plan_budget(frame: Prompt, *, window: int, max_context_tokens: int, counter: TokenCounter) -> TokenBudget:
    """Return what is left for evidence beside the instructions and the question, which are never cut.

    Args:
        frame: The prompt without evidence.
        window: What the model reads and writes in all.
        max_context_tokens: What the evidence may take however large the window is.
        counter: Estimates tokens.

    Raises:
        ContextOverflowError: Instructions and question leave no room.
    """
    fixed = count_prompt(frame, counter)
    left = window - fixed - _RESERVE
    if left < 1:
        raise ContextOverflowError(
            f"instructions and question take {fixed} of the {window} tokens that the model reads",
            hint="ask a shorter question, or use a model that reads more",
            prompt_tokens=fixed,
            context_tokens=window,
        )
    return TokenBudget(evidence=min(max_context_tokens, left), window=window)


def count_prompt(prompt: Prompt, counter: TokenCounter) -> int:
    """Return the estimated tokens of both messages."""
    return counter.count(prompt.system) + counter.count(prompt.user)
