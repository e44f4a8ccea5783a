"""Answers as lists show them: three looks that cannot be mistaken for one another."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ClaimVerdict, RefusalReason, is_recognised
from rich.style import Style
from rich.text import Text

import kebab_tui.phrases as say
from kebab_tui.hits import address_of
from kebab_tui.items import Place
from kebab_tui.texts import BAD, CITED, GOOD, LINK, QUIET, STRONG, join, show, wrap
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kebab_core import Answer, AnswerCitation, Claim, ClaimSource, Message, Turn
    from kebab_words import Words


class Look(NamedTuple):
    """How an answer is shown."""

    bar: str
    """Before each line."""
    sign: str
    style: Style
    said: Message


GROUNDED = Look("▌", "✓", GOOD, say.GROUNDED)
UNSURE = Look("┆", "?", CITED, say.NOT_SURE)
NOT_PROVEN = Look("┆", "?", CITED, say.NOT_PROVEN_ANSWER)
REFUSED = Look("┊", "∅", QUIET, say.REFUSED)
NOT_STORED = Look("│", "?", QUIET, say.NOT_STORED)
STOPPED = Look("│", "x", QUIET, say.STOPPED)
WRITING = Look("│", " ", QUIET, say.READING)


def look_of(answer: Answer) -> Look:
    """Choose the look of an answer."""
    if answer.grounded:
        return GROUNDED
    match answer.refusal_reason:
        case RefusalReason.WEAK_SUPPORT | RefusalReason.LLM_SELF_JUDGE:
            return UNSURE
        case RefusalReason.NOT_PROVEN:
            return NOT_PROVEN
        case RefusalReason.LLM_STREAM_ABORTED:
            return STOPPED
        case _:
            return REFUSED


def list_answer(number: int, question: str, answer: Answer, words: Words) -> Iterator[Item]:
    """List a question and its answer.

    Args:
        number: Tells the turn apart from others.
        question: The question.
        answer: The answer.
        words: The language of the reader.

    Yields:
        What was asked, the verdict, and the claims, or the nearest places, each of which can be chosen.
    """
    look = look_of(answer)
    yield from head(question, look, words)
    if answer.retrieval.question:
        yield _plain(look, show(f"{words.localize(say.ASKED_AS)}: {answer.retrieval.question}", QUIET))
    claims = [each for each in answer.claims if each.text.strip()]
    for at, claim in enumerate(claims):
        yield _show_claim(f"{number}.{at}", claim, look, words)
    if not claims:
        if look is not REFUSED and answer.answer.strip():
            yield _plain(look, show(answer.answer.strip()))
        for at, cited in enumerate(answer.citations):
            yield _show_citation(f"{number}.{at}", cited, look)
    if answer.review is not None and answer.review.contradicted:
        yield _plain(look, show(words.localize(say.left_out(answer.review.contradicted)), QUIET))


def list_turn(number: int, turn: Turn, words: Words) -> Iterator[Item]:
    """List a turn of a conversation whose answer is no longer stored: nothing says whether documents support it.

    Yields:
        What was asked and answered, and the places that were cited.
    """
    yield from show_writing(turn.answer, turn.question, NOT_STORED, words)
    for at, cited in enumerate(turn.citations):
        yield _show_citation(f"{number}.{at}", cited, NOT_STORED)


def head(question: str, look: Look, words: Words) -> Iterator[Item]:
    """Show a question and what is said of its answer.

    Yields:
        Two lines, which cannot be chosen.
    """
    yield Item(lambda width: wrap(show(question, STRONG), width))
    yield _plain(look, show(f"{look.sign} {words.localize(look.said)}", look.style + STRONG))


def show_writing(text: str, question: str, look: Look, words: Words) -> Iterator[Item]:
    """Show an answer while it is written.

    Yields:
        Lines, which cannot be chosen.
    """
    yield from head(question, look, words)
    if text.strip():
        yield _plain(look, show(text.strip()))


def describe(answer: Answer, words: Words) -> str:
    """Say what wrote an answer, of how much, and in which time."""
    said = [words.localize(look_of(answer).said), answer.model.id]
    if answer.retrieval.chunks_returned:
        used = say.passages_used(answer.retrieval.chunks_used, answer.retrieval.chunks_returned)
        said.append(words.localize(used))
    said.append(words.localize(say.seconds(answer.usage.latency_ms / 1000)))
    return ", ".join(said)


def _plain(look: Look, text: Text) -> Item:
    return Item(lambda width: _barred(look, wrap(text, width - 2)))


def _barred(look: Look, lines: Sequence[Text]) -> list[Text]:
    return [join(Text(f"{look.bar} ", look.style), each) for each in lines]


def _show_claim(key: str, claim: Claim, look: Look, words: Words) -> Item:
    is_proven = claim.verdict is not ClaimVerdict.NOT_PROVEN
    text = show(claim.text.strip())

    def draw(width: int) -> list[Text]:
        lines = wrap(text, width - 2)
        if not is_proven:
            lines.append(show(f"? {words.localize(say.NOT_PROVEN)}", BAD))
            lines += [
                line
                for each in claim.sources
                if each.quote
                for line in wrap(show(f"> {each.quote}", QUIET), width - 2)
            ]
        lines += [line for each in claim.sources for line in wrap(_source(each, words), width - 2)]
        return _barred(look, lines)

    if not claim.sources:
        return Item(draw)
    addresses = tuple(address_of(each.citation) for each in claim.sources)
    texts = tuple((claim.text, each.quote) if each.quote else (claim.text,) for each in claim.sources)
    return Item(draw, key, Place(addresses, texts))


def _source(source: ClaimSource, words: Words) -> Text:
    said = f"  {words.localize(say.READ_FROM_PICTURE)}" if is_recognised(source.citation) else ""
    return join(Text(f"{source.marker} ", LINK), show(f"{source.citation.to_place()}{said}", QUIET))


def _show_citation(key: str, cited: AnswerCitation, look: Look) -> Item:
    line = join(
        Text(f"{cited.marker} " if cited.marker else "", LINK), show(cited.citation.to_place(), QUIET)
    )
    return Item(lambda width: _barred(look, wrap(line, width - 2)), key, Place((address_of(cited.citation),)))
