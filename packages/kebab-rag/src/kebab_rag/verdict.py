"""Verdict on what a model wrote: a grounded answer, or a refusal.

An answer is grounded if it cites passages, all of them exist, all it quotes stands in them, and it does not say that
the evidence is not enough. `pipeline` calls `judge_answer` when the stream has ended, `streaming` calls
`may_become_refusal` while it runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kebab_core import FinishReason, RefusalReason
from kebab_text import fold_forms

from kebab_rag.markers import MARKER, find_markers, strip_markers
from kebab_rag.safe_text import BAR, clean_text, drop_hidden

_MARKER_GROUP = re.compile(rf"(?:{MARKER.pattern}[ \t]*)+")
_QUOTATION_MARKS = {'"': '"', "“": "”", "「": "」", "『": "』", "«": "»", "„": "“”", "＂": "＂"}
_CLOSING_MARK = {mark: re.compile(f"[{signs}]") for mark, signs in _QUOTATION_MARKS.items()}
"""Closing marks of a quotation by its opening mark."""
_OPENING_MARK = re.compile(f"[{''.join(_CLOSING_MARK)}]")
_BARRED_LINE = re.compile(rf"\n[ \t]*{re.escape(BAR)}")
_TRAILING = " .,;:!?…。、"
_SENTENCE = re.compile(r"[^\n.!?。]+(?:[.](?=\S)[^\n.!?。]*)*[.!?。]*")
_KO_SOURCE = r"(?:근거|문서|자료|지문|본문|내용|발췌|컨텍스트|지식\s?베이스|(?:제공|주어|찾)\S{0,20}\s{0,4}(?:된|진|은)\s{0,4}\S{1,20})"
_KO_LACKS = (
    r"(?:없|찾을 수|찾지 못|알 수 없|확인할 수 없|확인되지 않|나와\s?있지 않|나오지 않|언급\S{0,20}\s?(?:있지\s)?않"
    r"|포함\S{0,20}\s?(?:있지\s)?않|답할 수 없|답변할 수 없|적혀\s?있지 않|담겨\s?있지 않|다루지 않|설명\S{0,20}\s?않|명시\S{0,20}\s?않)"
)
_EN_SOURCE = r"(?:evidence|contexts?|passages?|documents?|sources?|excerpts?|texts?|knowledge base|provided information)"
_REFUSAL_PHRASES = (
    r"근거(?:가|는|도)?\s*(?:너무\s*|아직\s*|많이\s*)?(?:부족|불충분|충분하지\s*않|없)",
    rf"{_KO_SOURCE}(?:에|에는|에서|에서는|에선|만으로는|으로는|로는|안에는|속에는|중에는)\s.{{0,60}}{_KO_LACKS}",
    rf"{_KO_SOURCE}(?:은|는|이|가)\s.{{0,60}}(?:나와\s?있지 않|언급하지 않|포함하지 않|다루지 않|답하지 않|설명하지 않)",
    r"(?:정보|내용|자료)(?:가|는|이|은)\s*(?:부족|불충분|충분하지\s*않)",
    r"(?:답|답변|대답)(?:을|은|이)?\s*(?:할|드릴|찾을)\s*수\s*(?:가\s*)?없",
    r"\b(?:evidence|context|information|passages?|documents?|sources?)\b.{0,20}\b(?:is|are|was|were)\s*(?:not|n't)\s+(?:enough|sufficient)",
    r"\b(?:not enough|insufficient|inadequate)\s+(?:\w{1,40}\s+)?(?:evidence|information|context|details?)\b",
    rf"\b{_EN_SOURCE}\b.{{0,40}}\b(?:do|does|did)(?:\s+not|n't)\s+(?:\w{{1,40}}\s+)?(?:contain|mention|provide|include|answer|say|specify|state|describe|give|address|discuss|tell|cover|explain|indicate|have|support)",
    rf"\b(?:not|n't|never|nowhere)\s+(?:\w{{1,40}}\s+)?(?:found|mentioned|stated|given|provided|specified|included|present|covered|in)\b.{{0,30}}\b{_EN_SOURCE}\b",
    rf"\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|not able to|impossible to)\b.{{0,40}}\b(?:answer|determine|find|tell|say|conclude)\b.{{0,60}}\b{_EN_SOURCE}\b",
    rf"\b(?:no|nothing)\b.{{0,60}}\b(?:in|within|from)\s+(?:the|this|these|any of the|your)\s+(?:\w{{1,40}}\s+){{0,2}}{_EN_SOURCE}\b",
    r"\bI\s+(?:do not|don't|cannot|can't)\s+(?:know|answer|have (?:enough|any) (?:information|evidence))\b",
)
_REFUSAL = re.compile("|".join(f"(?:{phrase})" for phrase in _REFUSAL_PHRASES), re.IGNORECASE)
_AGREED_REFUSALS = frozenset({"근거가 부족하다", "근거가 부족합니다", "the evidence is not enough"})
"""Sentences that models are told to write where no passage answers. An answer that is one of them is a refusal, even if a
passage holds the same words."""


def judge_answer(
    said: str, passages: Mapping[int, str], *, finish_reason: FinishReason
) -> RefusalReason | None:
    """Return the verdict on what a model wrote: None for a grounded answer, else the reason of the refusal.

    Args:
        said: All that the model wrote, with its markers.
        passages: The text of each packed passage by its marker.
        finish_reason: Why the model stopped.
    """
    if finish_reason is FinishReason.ABORTED:
        return RefusalReason.LLM_STREAM_ABORTED
    cited = find_markers(said)
    if not cited or not all(marker in passages for marker in cited) or find_misquotations(said, passages):
        return RefusalReason.LLM_SELF_JUDGE
    return RefusalReason.LLM_SELF_JUDGE if says_not_in_evidence(said, passages) else None


class Quotation(NamedTuple):
    """Quoted words and the markers of the passages that they are credited to."""

    text: str
    markers: tuple[int, ...]


def find_quotations(answer: str) -> Iterator[Quotation]:
    """Yield the words in quotation marks between a marker and the one before it.

    Neighbouring markers count as one that names several passages.
    """
    start = 0
    for group in _MARKER_GROUP.finditer(answer):
        markers = tuple(int(match[1]) for match in MARKER.finditer(group[0]))
        for opening, closing in find_quoted(answer, start, group.start()):
            yield Quotation(text=answer[opening + 1 : closing], markers=markers)
        start = group.end()


def find_misquotations(answer: str, passages: Mapping[int, str]) -> tuple[Quotation, ...]:
    """Return the quotations that none of the passages they are credited to holds.

    Texts are compared with forms of letters and white space folded, and without punctuation at the end of the quotation.

    Args:
        answer: All that the model wrote, with its markers.
        passages: The text of each passage by its marker.
    """
    return tuple(
        quotation
        for quotation in find_quotations(answer)
        if not any(occurs(quotation.text, passages.get(marker, "")) for marker in quotation.markers)
    )


def occurs(quoted: str, passage: str) -> bool:
    """Return True if a passage holds a text, or each of its lines, as it is stored or as a prompt shows it.

    Lines count one by one because rows of a table are quoted together even if other rows stand between them.
    """
    lines = [line for line in quoted.splitlines() if fold(line).strip(_TRAILING)]
    return _occurs(quoted, passage) or (len(lines) > 1 and all(_occurs(line, passage) for line in lines))


def says_not_in_evidence(answer: str, passages: Mapping[int, str]) -> bool:
    """Return True if a sentence of the answer says that the evidence is not enough, with or without markers.

    Copied text does not count: quoted words, and sentences that stand word for word in a passage.

    Args:
        answer: All that the model wrote, with its markers.
        passages: The text of each passage by its marker.
    """
    plain = strip_markers(answer)
    if plain.strip(" \n\t.\"'“”").casefold() in _AGREED_REFUSALS:
        return True
    refusing = (sentence for sentence in _sentences(plain) if _REFUSAL.search(_without_quoted(sentence)))
    return any(not _is_copied(sentence, passages.values()) for sentence in refusing)


def may_become_refusal(said: str) -> bool:
    """Return True if the text so far may be the beginning, or all, of an agreed refusal, which is shown only when it is checked."""
    start = said.strip().casefold()
    return any(sentence.startswith(start.rstrip(".")) for sentence in _AGREED_REFUSALS)


def _sentences(text: str) -> Iterator[str]:
    return (match[0].strip() for match in _SENTENCE.finditer(text))


def _without_quoted(sentence: str) -> str:
    """Return a sentence without its quoted words."""
    kept, start = [], 0
    for opening, closing in find_quoted(sentence):
        kept.append(sentence[start:opening])
        start = closing + 1
    return " ".join([*kept, sentence[start:]])


def _is_copied(sentence: str, passages: Iterable[str]) -> bool:
    """Return True if a passage holds the sentence as whole words."""
    copied = re.compile(rf"(?<!\w){re.escape(fold(sentence))}(?!\w)")
    return any(copied.search(fold(passage)) for passage in passages)


def _occurs(quoted: str, passage: str) -> bool:
    words = fold(_BARRED_LINE.sub("\n", quoted))
    wanted = {words, words.rstrip(_TRAILING)}
    held = (fold(passage), fold(clean_text(passage)))
    return any(text in each for each in held for text in wanted)


def find_quoted(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the places of quotations, in order. They do not overlap and none is empty.

    Takes linear time: after an opening mark that is never closed, the same mark is skipped.

    Args:
        text: Any text.
        start: Offset to begin at.
        end: Offset to stop at; None is the end of the text. A quotation that is not closed before it is ignored.

    Yields:
        Offsets of the opening and the closing mark.
    """
    unclosed = set[str]()
    end = len(text) if end is None else end
    while opening := _OPENING_MARK.search(text, start, end):
        start, mark = opening.end(), opening[0]
        if mark in unclosed:
            continue
        closing = _CLOSING_MARK[mark].search(text, start, end)
        if closing is None:
            unclosed.add(mark)
        elif closing.start() > start:
            yield opening.start(), closing.start()
            start = closing.end()


def fold(text: str) -> str:
    """Return a text without hidden characters and forms of letters, each run of white space as one blank."""
    return " ".join(fold_forms(drop_hidden(text)).text.split())
