"""Whether a model says that the evidence does not answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kebab_core import NOT_IN_EVIDENCE

from kebab_rag.markers import strip_markers
from kebab_rag.quotes import find_quoted, fold

_SENTENCE = re.compile(r"[^\n.!?。]+(?:[.](?=\S)[^\n.!?。]*)*[.!?。]*")

_KO_SOURCE = r"(?:근거|문서|자료|지문|본문|내용|발췌|컨텍스트|지식\s?베이스|(?:제공|주어|찾)\S{0,20}\s{0,4}(?:된|진|은)\s{0,4}\S{1,20})"
_KO_LACKS = (
    r"(?:없|찾을 수|찾지 못|알 수 없|확인할 수 없|확인되지 않|나와\s?있지 않|나오지 않|언급\S{0,20}\s?(?:있지\s)?않"
    r"|포함\S{0,20}\s?(?:있지\s)?않|답할 수 없|답변할 수 없|적혀\s?있지 않|담겨\s?있지 않|다루지 않|설명\S{0,20}\s?않|명시\S{0,20}\s?않)"
)
_EN_SOURCE = r"(?:evidence|contexts?|passages?|documents?|sources?|excerpts?|texts?|knowledge base|provided information)"
_PHRASES = (
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
_SAYS_SO = re.compile("|".join(f"(?:{phrase})" for phrase in _PHRASES), re.IGNORECASE)


_AGREED = frozenset(
    {"근거가 부족하다", "근거가 부족합니다", "the evidence is not enough"}
    | {sentence.rstrip(".").casefold() for sentence in NOT_IN_EVIDENCE.values()}
)
"""What models are told to say, and nothing else: never an answer, wherever else it is written."""


def says_not_in_evidence(answer: str, passages: Mapping[int, str]) -> bool:
    """Return whether a sentence of the answer says that the evidence is not enough, whatever markers it carries.

    What the model copies is not what it says: quoted words, and sentences that stand word for word in a passage.

    Args:
        answer: What the model said, with its markers.
        passages: The text of each passage by its marker.
    """
    plain = strip_markers(answer)
    if plain.strip(" \n\t.\"'“”").casefold() in _AGREED:
        return True
    said = (sentence for sentence in _sentences(plain) if _SAYS_SO.search(_without_quoted(sentence)))
    return any(not _is_copied(sentence, passages.values()) for sentence in said)


def _without_quoted(sentence: str) -> str:
    """Return a sentence without what stands in quotation marks."""
    kept, start = [], 0
    for opening, closing in find_quoted(sentence, 0, len(sentence)):
        kept.append(sentence[start:opening])
        start = closing + 1
    return " ".join([*kept, sentence[start:]])


def may_become_refusal(said: str) -> bool:
    """Return whether what a model said so far is the beginning, or all, of what it says where no passage answers."""
    return any(sentence.startswith(said.strip()) for sentence in NOT_IN_EVIDENCE.values())


def _sentences(text: str) -> Iterator[str]:
    return (match[0].strip() for match in _SENTENCE.finditer(text))


def _is_copied(sentence: str, passages: Iterable[str]) -> bool:
    """Return whether a passage holds the sentence as whole words."""
    copied = re.compile(rf"(?<!\w){re.escape(fold(sentence))}(?!\w)")
    return any(copied.search(fold(passage)) for passage in passages)
