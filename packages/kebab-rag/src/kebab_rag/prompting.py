"""From evidence to what a model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kebab_core import GenerateRequest, IndexedChunk, TokenCounter

from kebab_rag.answering import Answering
from kebab_rag.budgets import TokenBudget, count_prompt, plan_budget
from kebab_rag.packing import PackedPassage, pack_passages, render_evidence
from kebab_rag.templates.table import TEMPLATES
from kebab_rag.templates.template import Prompt


class Prompting(NamedTuple):
    """What fits into one model."""

    counter: TokenCounter
    window: int
    """Tokens that the model reads and writes in all."""
    max_context_tokens: int
    """Tokens of evidence at most."""

    def pack(self, run: Answering, chunks: Sequence[IndexedChunk]) -> tuple[PackedPassage, ...]:
        """Return the passages of the hits that fit beside instructions and question.

        Args:
            run: The question with its hits.
            chunks: Those of the hits, in any order.

        Raises:
            ContextOverflowError: Nothing fits.
        """
        budget = self._budget(run)
        return pack_passages(run.hits, chunks, budget=budget.evidence, counter=self.counter)

    def write(self, run: Answering, *, temperature: float, seed: int | None) -> GenerateRequest:
        """Return the request for the packed passages, with limits that keep the model inside its window.

        Raises:
            ContextOverflowError: Instructions and question leave no room.
        """
        evidence = tuple(each.passage for each in run.packed)
        prompt = self._render(run, render_evidence(evidence))
        return GenerateRequest(
            system=prompt.system,
            user=prompt.user,
            question=run.question,
            evidence=evidence,
            stop=prompt.stop,
            max_tokens=self._budget(run).answer(count_prompt(prompt, self.counter)),
            temperature=temperature,
            seed=seed,
        )

    def _budget(self, run: Answering) -> TokenBudget:
        return plan_budget(
            self._render(run, ""),
            window=self.window,
            max_context_tokens=self.max_context_tokens,
            counter=self.counter,
        )

    def _render(self, run: Answering, evidence: str) -> Prompt:
        return TEMPLATES[run.template].render(question=run.question, evidence=evidence, lang=run.lang)
