"""A question made ready: its telling words, and what it asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kebab_core import Analyzer, LexicalIndex, TermKind

from kebab_extractive.asked import AskedWord, weigh_words
from kebab_extractive.demands import Demands, read_demands
from kebab_extractive.forged import without_markers
from kebab_extractive.shapes import AnswerShape, asked_shapes, asks_for_code, asks_for_link
from kebab_extractive.sufficiency import SMALL_CORPUS, needed_coverage

_STOP = """
    a an the of in on at to for from by with and or but not is are was were be been am do does did has have had it its this
    that these those there here what which who whom whose when where why how i you he she we they me my your can could
    will would shall should may might must about as if so than then up out off down go goes come comes get gets happen take put give find see use need want us tell during after before since until still already also only just one any some
    happens happened happen work works cannot same many much more
    되 하 있 없 나오 들어가 걸리 쓰 쓸 보 가 오 개 어떤 모든 그것 이것 저것 그 이 저 것 무엇 뭐 누구 어디 언제 왜
"""
_EMPTY = frozenset(_STOP.split())
"""Words that tell nothing of what is asked about, whatever the analyser keeps of a question that has no others."""
_EVENTS = frozenset({AnswerShape.TIME, AnswerShape.PERSON})
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:]\d+)*(?:[가-힣](?<![은는이가을를의에로와과도만]))?")
"""A number with the unit that is written together with it."""
_WEAK = frozenset({"다시", "지나", "모두", "전체", "새로", "again", "all", "every", "new"})
"""Words that tell half of what their rarity says."""


@dataclass(frozen=True)
class Question:
    """A question made ready.

    Attributes:
        text: As asked.
        words: Its telling words.
        terms: All its terms.
        shapes: What it may be asking for.
        numbers: What it names in digits, which the passage must name, too.
        demands: What a sentence must hold beside words.
        asks_for_code: Whether it asks for a command or the like.
        asks_for_link: Whether it asks where on the net something is.
        is_to_few: Whether there are so few chunks that how rare a word is says little.
        needed: Share of the telling words that the best sentence must hold.
    """

    text: str
    words: Sequence[AskedWord]
    terms: frozenset[str]
    shapes: tuple[AnswerShape, ...]
    numbers: tuple[str, ...]
    demands: Demands
    asks_for_code: bool
    asks_for_link: bool
    is_to_few: bool
    needed: float


def read_question(text: str, *, analyzer: Analyzer, index: LexicalIndex) -> Question:
    """Return a question made ready; what reads like a marker in it is not looked for."""
    text = without_markers(text)
    demands = read_demands(text)
    terms = analyzer.analyze_query(text)
    empty = {term.start for term in terms if term.text in _EMPTY and term.kind is not TermKind.PART}
    full = [term for term in terms if term.start not in empty]
    telling = [term for term in full if not demands.state(term.start)] or full
    words = [
        word if word.wholes.isdisjoint(_WEAK) else word._replace(weight=word.weight / 2)
        for word in weigh_words(text, telling, index)
    ]
    return Question(
        text=text,
        words=words,
        terms=frozenset(term.text for term in analyzer.analyze(text)),
        shapes=asked_shapes(text),
        numbers=tuple(_NUMBER.findall(text)),
        demands=demands,
        asks_for_code=asks_for_code(text),
        asks_for_link=asks_for_link(text),
        is_to_few=index.corpus_size() < SMALL_CORPUS,
        needed=needed_coverage(
            words,
            corpus_size=index.corpus_size(),
            is_of_event=not _EVENTS.isdisjoint(asked_shapes(text)),
        ),
    )
