"""Answers as pages show them: three looks that cannot be mistaken for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Claim, ClaimSource, ClaimVerdict, Message, media_type_of
from kebab_text import visible
from kebab_words import Phrases, find_verdict
from markupsafe import Markup, escape

from kebab_web.documents.markdown import render_markdown, restore_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kebab_core import Answer, Turn
    from kebab_words import AnswerVerdict

_SAID: Mapping[AnswerVerdict, tuple[str, Message]] = {
    "grounded": ("✓", Phrases.GROUNDED),
    "unsure": ("?", Phrases.NOT_SURE),
    "unproven": ("△", Phrases.NOT_PROVEN_ANSWER),
    "refused": ("∅", Phrases.REFUSED),
    "stopped": ("■", Phrases.STOPPED),
}
"""Sign and heading of each verdict."""


class ShownAnswer(NamedTuple):
    """An answer."""

    answer: Answer | None
    """None for a turn of a conversation of which only text and citations are left."""
    question: str
    look: AnswerVerdict
    sign: str
    heading: Message
    claims: list[tuple[int, Claim, Markup]]
    """Each with its number among all of the answer, from 1, and its text as HTML; none of a refusal."""

    @staticmethod
    def show_quote(source: ClaimSource) -> Markup:
        """Return the quote of a source as HTML: Markdown as it is read, any other text as it is."""
        quote = visible(source.quote or "")
        if media_type_of(source.citation.path).kind != "markdown":
            return escape(quote)
        return Markup('<div class="text">{}</div>').format(Markup(render_markdown(quote)))  # noqa: S704 - cleaned by nh3


def show_answer(question: str, answer: Answer) -> ShownAnswer:
    """Prepare an answer for a page."""
    verdict = find_verdict(answer)
    look: AnswerVerdict = "unsure" if verdict == "unproven" else verdict
    return ShownAnswer(answer, question, look, *_SAID[verdict], _show(answer.claims))


def show_turn(turn: Turn) -> ShownAnswer:
    """Prepare a turn of a conversation whose answer is not at hand: nothing says whether documents support it."""
    sources = (
        ClaimSource(marker=each.marker or "", citation=each.citation, quote=None) for each in turn.citations
    )
    claim = Claim(text=visible(turn.answer), sources=tuple(sources), verdict=ClaimVerdict.QUOTED)
    return ShownAnswer(None, turn.question, "unsure", "?", Phrases.NOT_STORED, _show([claim]))


def _show(claims: Iterable[Claim]) -> list[tuple[int, Claim, Markup]]:
    shown = []
    for number, claim in enumerate(claims, 1):
        if text := restore_blocks(claim.text.strip(), [each.quote for each in claim.sources if each.quote]):
            shown.append((number, claim, Markup(render_markdown(text))))  # noqa: S704 - cleaned by nh3
    return shown
