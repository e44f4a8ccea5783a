"""Answers as pages show them: three looks that cannot be mistaken for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import CellCitation, ClaimVerdict, say_origin
from kebab_text import visible
from kebab_words import Phrases, find_verdict
from markupsafe import Markup

import kebab_web.phrases as say
from kebab_web.documents.markdown import render_markdown, restore_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kebab_core import Answer, AnswerCitation, Claim, ClaimSource, Message, Turn
    from kebab_words import AnswerVerdict

_SAID: Mapping[AnswerVerdict, tuple[str, Message]] = {
    "grounded": ("✓", Phrases.GROUNDED),
    "unsure": ("?", Phrases.NOT_SURE),
    "unproven": ("△", Phrases.NOT_PROVEN_ANSWER),
    "refused": ("∅", Phrases.REFUSED),
    "stopped": ("■", Phrases.STOPPED),
}
"""Sign and heading of each verdict."""


class Source(NamedTuple):
    """A place that a claim rests on."""

    marker: str
    """The number in brackets."""
    address: str
    place: str
    section: str
    quote: str
    origin: Message | None
    """Origin of text that was recognised, heard or written by a model; None for text of the document."""


class ShownClaim(NamedTuple):
    """A claim with its places."""

    number: int
    """Among all of the answer, from 1."""
    html: str
    sources: list[Source]
    is_proven: bool
    is_of_cells: bool
    """Its lines are rows of a sheet."""


class ShownAnswer(NamedTuple):
    """An answer."""

    answer: Answer | None
    """None for a turn of a conversation of which only text and citations are left."""
    question: str
    look: AnswerVerdict
    sign: str
    heading: Message
    text: str
    """Message of kebab in place of claims; empty where there are claims."""
    claims: list[ShownClaim]
    nearest: list[Source]
    """The nearest places of a refusal."""
    contradicted: int
    footer: tuple[Message, ...]
    """Who wrote it, and on how many passages it rests."""


def show_answer(question: str, answer: Answer) -> ShownAnswer:
    """Prepare an answer for a page."""
    verdict = find_verdict(answer)
    sign, heading = _SAID[verdict]
    claims = [
        ShownClaim(
            number,
            _render_claim(each),
            _list_sources(each.sources),
            each.verdict is not ClaimVerdict.NOT_PROVEN,
            any(isinstance(source.citation, CellCitation) for source in each.sources),
        )
        for number, each in enumerate(answer.claims, 1)
        if each.text.strip()
    ]
    contradicted = answer.review.contradicted if answer.review is not None else 0
    return ShownAnswer(
        answer,
        question,
        "unsure" if verdict == "unproven" else verdict,
        sign,
        heading,
        "" if claims or verdict == "refused" else visible(answer.answer),
        claims,
        [] if claims else _list_sources(answer.citations),
        contradicted,
        tuple(_list_remarks(answer)),
    )


def show_turn(turn: Turn) -> ShownAnswer:
    """Prepare a turn of a conversation whose answer is not at hand: nothing says whether documents support it."""
    html = Markup(render_markdown(visible(turn.answer)))  # noqa: S704 - cleaned by nh3
    claim = ShownClaim(1, html, _list_sources(turn.citations), is_proven=True, is_of_cells=False)
    return ShownAnswer(None, turn.question, "unsure", "?", Phrases.NOT_STORED, "", [claim], [], 0, ())


def _render_claim(claim: Claim) -> str:
    text = restore_blocks(claim.text.strip(), [each.quote for each in claim.sources if each.quote])
    return Markup(render_markdown(text))  # noqa: S704 - cleaned by nh3


def _list_remarks(answer: Answer) -> Iterator[Message]:
    yield say.QUOTED if answer.model.provider == "extractive" else say.written_by(answer.model.id)
    used = answer.retrieval.chunks_used
    if used and answer.grounded:
        yield Phrases.passages_used(len({each.marker for each in answer.citations if each.marker}), used)
    elif used:
        yield say.passages_read(used)
    yield Phrases.seconds(answer.usage.latency_ms / 1000)


def _list_sources(cited: Sequence[AnswerCitation | ClaimSource]) -> list[Source]:
    return [
        Source(
            (each.marker or "").strip("[]"),
            each.citation.to_passage_address(),
            each.citation.to_place(),
            getattr(each.citation, "section", None) or "",
            visible(getattr(each, "quote", None) or ""),
            say_origin(each.citation),
        )
        for each in cited
    ]
