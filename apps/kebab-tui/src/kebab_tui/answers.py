"""Items of answers: verdict, claims and their places, with a look for each verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ClaimVerdict, say_origin
from kebab_words import Phrases, describe_answer, find_verdict
from rich.style import Style
from rich.text import Text

from kebab_tui.items import Place
from kebab_tui.texts import BAD, CITED, GOOD, LINK, QUIET, STRONG, join, show, wrap
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kebab_core import Answer, AnswerCitation, Claim, ClaimSource, Message, Turn
    from kebab_words import AnswerVerdict, Words


class Look(NamedTuple):
    """Look of a verdict: the bar before each line, sign, style and words."""

    bar: str
    sign: str
    style: Style
    said: Message


LOOKS: Mapping[AnswerVerdict, Look] = {
    "grounded": Look("▌", "✓", GOOD, Phrases.GROUNDED),
    "unsure": Look("┆", "?", CITED, Phrases.NOT_SURE),
    "unproven": Look("┆", "?", CITED, Phrases.NOT_PROVEN_ANSWER),
    "refused": Look("┊", "∅", QUIET, Phrases.REFUSED),
    "stopped": Look("│", "x", QUIET, Phrases.STOPPED),
}
NOT_STORED = Look("│", "?", QUIET, Phrases.NOT_STORED)
WRITING = Look("│", " ", QUIET, Phrases.READING)


def look_of(answer: Answer) -> Look:
    """Return the look of an answer."""
    return LOOKS[find_verdict(answer)]


def list_answer(number: int, question: str, answer: Answer, words: Words) -> Iterator[Item]:
    """Yield the items of an answer: question, verdict, then claims, or the nearest places where there are none.

    Args:
        number: Of the turn in its conversation, part of the keys of claims and places, which can be chosen.
        question: The question.
        answer: The answer.
        words: The language of the reader.
    """
    look = look_of(answer)
    yield from head(question, look, words)
    if answer.retrieval.question:
        yield _plain(look, show(f"{words.localize(Phrases.ASKED_AS)}: {answer.retrieval.question}", QUIET))
    claims = [each for each in answer.claims if each.text.strip()]
    for at, claim in enumerate(claims):
        yield _show_claim(f"{number}.{at}", claim, look, words)
    if not claims:
        if look is not LOOKS["refused"] and answer.answer.strip():
            yield _plain(look, show(answer.answer.strip()))
        for at, cited in enumerate(answer.citations):
            yield _show_citation(f"{number}.{at}", cited, look)
    if answer.review is not None and answer.review.contradicted:
        yield _plain(look, show(words.localize(Phrases.left_out(answer.review.contradicted)), QUIET))


def list_turn(number: int, turn: Turn, words: Words) -> Iterator[Item]:
    """Yield the items of a turn whose answer is no longer stored, so that its verdict is unknown: question, text, citations."""
    yield from show_writing(turn.answer, turn.question, NOT_STORED, words)
    for at, cited in enumerate(turn.citations):
        yield _show_citation(f"{number}.{at}", cited, NOT_STORED)


def head(question: str, look: Look, words: Words) -> Iterator[Item]:
    """Yield the items of a question and its verdict, which cannot be chosen."""
    yield Item(lambda width: wrap(show(question, STRONG), width))
    yield _plain(look, show(f"{look.sign} {words.localize(look.said)}", look.style + STRONG))


def show_writing(text: str, question: str, look: Look, words: Words) -> Iterator[Item]:
    """Yield the items of an answer that is being written, which cannot be chosen."""
    yield from head(question, look, words)
    if text.strip():
        yield _plain(look, show(text.strip()))


def describe(answer: Answer, words: Words) -> str:
    """Return the verdict on an answer, who wrote it, its passages and its time, as one line."""
    said = [look_of(answer).said, *describe_answer(answer)]
    return ", ".join(map(words.localize, said))


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
            lines.append(show(f"? {words.localize(Phrases.NOT_PROVEN)}", BAD))
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
    addresses = tuple(each.citation.to_passage_address() for each in claim.sources)
    texts = tuple((claim.text, each.quote) if each.quote else (claim.text,) for each in claim.sources)
    return Item(draw, key, Place(addresses, texts))


def _source(source: ClaimSource, words: Words) -> Text:
    origin = say_origin(source.citation)
    said = f"  {words.localize(origin)}" if origin else ""
    return join(Text(f"{source.marker} ", LINK), show(f"{source.citation.to_place()}{said}", QUIET))


def _show_citation(key: str, cited: AnswerCitation, look: Look) -> Item:
    line = join(
        Text(f"{cited.marker} " if cited.marker else "", LINK), show(cited.citation.to_place(), QUIET)
    )
    return Item(
        lambda width: _barred(look, wrap(line, width - 2)), key, Place((cited.citation.to_passage_address(),))
    )
