"""What a template consists of, and how it becomes the messages of one request."""

from __future__ import annotations

from typing import NamedTuple

from kebab_core import PromptTemplateVersion


class Wording(NamedTuple):
    """A template in one language."""

    rules: str
    """The system message."""
    question: str
    """Label above the question."""
    evidence: str
    """Label above the passages."""


class Prompt(NamedTuple):
    """The messages of one request."""

    system: str
    user: str
    stop: tuple[str, ...]


class PromptTemplate(NamedTuple):
    """One version of the instructions."""

    version: PromptTemplateVersion
    ko: Wording
    en: Wording
    """The same as `ko` where a version is in Korean whatever the question's language."""

    def wording(self, lang: str) -> Wording:
        """Return the wording for a language: the Korean one for `ko`, else the English one."""
        return self.ko if lang == "ko" else self.en

    def render(self, *, question: str, evidence: str, lang: str) -> Prompt:
        """Return the messages.

        Args:
            question: As it was typed.
            evidence: The rendered passages; empty to learn what the rest takes.
            lang: The question's language, `ko` or `en`.
        """
        wording = self.wording(lang)
        user = f"{wording.question}\n{question}\n\n{wording.evidence}\n{evidence}"
        return Prompt(system=wording.rules, user=user, stop=(f"\n\n{wording.question}",))
