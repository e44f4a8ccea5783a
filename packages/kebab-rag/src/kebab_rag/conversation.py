"""Follow-up questions of a conversation: made whole for the search, and given to a chat model with the earlier turns.

A question such as "and the second one?" finds nothing by itself. It is searched behind the last question that stood alone,
by rules, so that every provider answers it alike. Whether one with words of its own goes on or turns to another topic,
the evidence decides: the reading whose first hit has more of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ChatMessage, TermKind
from kebab_text import has_hangul

from kebab_rag.safe_text import clean_text

if TYPE_CHECKING:
    from kebab_core import Analyzer, Term, TokenCounter, Turn

_PRONOUN = re.compile(
    r"(?<!\w)(?:[그이저](?:것|거|건|게|걸|곳|들|때)\S{0,4}|그중\S{0,4}|[그이]\s(?=\S)|거기\S{0,3}|여기\S{0,3}|걔\S{0,2}"
    r"|(?:it|its|that|those|these|this|they|them|their|he|she|his|her|former|latter|ones?)\b)",
    re.IGNORECASE,
)
"""A word that stands for something said before."""
_CONNECTIVE = re.compile(
    r"\s*(?:(?:그럼|그러면|그렇다면|그리고|그런데|근데|그래서|또는?|또한|왜)(?=[\s,?]|$)"
    r"|(?:and|but|so|then|what about|how about|why)\b(?!\s+(?:do|does|did|is|are|was|were|should|can|must)\b))",
    re.IGNORECASE,
)
"""A beginning that goes on from what was said."""
_ORDINAL = re.compile(
    r"(?:첫|두|세|네|다섯|여섯)\s?번째|마지막|다음|나머지|다른|하나|"
    r"\b(?:first|second|third|fourth|fifth|last|next|other|others|another|rest|else)\b",
    re.IGNORECASE,
)
"""A place in a list, which says nothing without the list."""

_QUESTION_WORD = re.compile(
    r"(?:언제|어디|누가|누구|무엇|무슨|어떤|어떻게|얼마|뭐|몇\s?|왜)\S{0,4}|\b(?:when|where|who|whom|whose|how(?:\s(?:long|many|much|often|far))?|what|which|why)\b",
    re.IGNORECASE,
)


class Reading(NamedTuple):
    """One way to read a question of a conversation."""

    text: str
    """The question to be searched."""
    is_whole: bool
    """Whether an earlier question stands before the one that was asked."""


def read_follow_up(question: str, history: Sequence[Turn], analyzer: Analyzer) -> tuple[Reading, ...]:
    """Return the readings of a question, one or two; of two, the one with more evidence holds.

    Args:
        question: The question as asked.
        history: The earlier turns, oldest first.
        analyzer: Finds the content words.
    """
    alone = Reading(question, is_whole=False)
    own = _own_words(question, analyzer)
    written = {question.count(" ", 0, word.start) for word in own}  # a compound is one word
    earlier = next((turn.question for turn in reversed(history) if _has_topic(turn.question, analyzer)), None)
    if earlier is None and history:
        earlier = history[0].question
    if earlier is None or (len(written) > 1 and not _points_back(question)):
        return (alone,)
    whole = Reading(f"{earlier} {question}", is_whole=True)
    says_nothing = all(word.kind is TermKind.STEM and has_hangul(word.text) for word in own)
    return (whole,) if says_nothing or (len(written) == 1 and _PRONOUN.search(question)) else (whole, alone)


def _points_back(question: str) -> bool:
    return bool(_PRONOUN.search(question) or _CONNECTIVE.match(question))


def _has_topic(question: str, analyzer: Analyzer) -> bool:
    return not _points_back(question) and len(_own_words(question, analyzer)) > 1


def _own_words(question: str, analyzer: Analyzer) -> Sequence[Term]:
    """Return the content words that are neither question words nor refer to an earlier turn.

    Those that are stems of Korean are verbs, which say nothing about what was spoken of.
    """
    patterns = (_PRONOUN, _ORDINAL, _CONNECTIVE, _QUESTION_WORD)
    taken = [match.span() for pattern in patterns for match in pattern.finditer(question)]
    words = {term.start: term for term in analyzer.analyze_query(question) if term.kind is not TermKind.PART}
    return [word for word in words.values() if not any(start <= word.start < end for start, end in taken)]


def recent_turns(history: Sequence[Turn], *, budget: int, counter: TokenCounter) -> tuple[Turn, ...]:
    """Return the newest turns that fit a budget together, oldest first, with answers as a model is shown them.

    Args:
        history: The earlier turns, oldest first.
        budget: Estimated tokens of all of them.
        counter: Estimates tokens.
    """
    kept: list[Turn] = []
    for turn in reversed(history):
        shown = turn.model_copy(update={"answer": clean_text(_strip_citations(turn)).strip()})
        budget -= counter.count(shown.question) + counter.count(shown.answer)
        if budget < 0:
            break
        kept.append(shown)
    return tuple(reversed(kept))


def _strip_citations(turn: Turn) -> str:
    """Return an answer without `[1]`, which would stand for another passage in the next one."""
    text = turn.answer
    for citation in turn.citations:
        if citation.marker is not None:
            text = text.replace(f" {citation.marker}", "").replace(citation.marker, "")
    return text


def render_turns(turns: Sequence[Turn]) -> Iterator[ChatMessage]:
    """Yield the messages of turns, in order."""
    for turn in turns:
        yield ChatMessage(role="user", text=turn.question)
        yield ChatMessage(role="assistant", text=turn.answer)
