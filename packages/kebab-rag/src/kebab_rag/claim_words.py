"""Words of claims: which say something by themselves, which are names, and which another text holds."""

from __future__ import annotations

import re

from kebab_text import fold, has_hangul

from kebab_rag.facts import Facts, strip_figures

_LETTER = "A-Za-z0-9_À-ɏ"
WORD = re.compile(rf"[{_LETTER}][{_LETTER}.+#/'-]{{0,80}}[{_LETTER}+#]|[{_LETTER}]")
"""A word in Latin letters, or a name such as `app.get`."""
_HANGUL_WORD = re.compile(r"[가-힣]{1,40}+")
_PARTICLE = re.compile(
    r"(?:들)?(?:은|는|이|가|을|를|의|에|에서|에게|께|로|으로|와|과|도|만|까지|부터|보다|처럼|마다|이나|나|라고|이라고|라는|이라는"
    r"|입니다|이다|다|예요|이에요|이며|이고|인|이었다|였다|에는|에도|에만|에서는|로는|으로는|와는|과는)?"
)
PREDICATE = re.compile(
    r"(?:한다|합니다|된다|됩니다|했다|됐다|했습니다|됐습니다|하는|되는|하고|되고|하며|되며|하면|되면|하여|되어|해서|돼서|할|될|한|된|해|돼"
    r"|하게|하도록|하지|되지|하기|되기|하려면|있다|있습니다|있는|있으며|있고|않는다|않습니다|않다|않고|없다|없습니다|없는|는다|습니다|ㅂ니다|어요|아요|해요|돼요|세요)$"
)
_SUFFIX = re.compile(rf"(?<=[{_LETTER}`)\"'”’]){_PARTICLE.pattern[:-1]}(?![가-힣])")
"""A particle behind what is not Korean, which is no word of its own."""
_EMPTY_TEXT = """
    것 수 때 등 및 그 이 저 더 또 또는 그리고 하지만 그러나 따라서 즉 경우 다음 모두 모든 각 위해 통해 대해 대한 관한 따라 따르면 답 질문 문서 근거 내용
    있다 있습니다 있는 있으며 있고 한다 합니다 된다 됩니다 이다 입니다 하는 되는 때문 때문이다 때문입니다 이후 이전 먼저 다시 바로 같은 같이 함께 가장 매우
    a an the of in on at to for from by with and or but nor as is are was were be been being that which who whom whose if than this these
    those it its they them their he she his her you your we our i do does did has have had can could will would shall should may might must
    not no so such also when where while then there here into out up down over about after before because since until each every all any
    some both either neither only very more most other same s t using use used uses via per one they're it's answer question
    document documents evidence mean means meaning called named say says said what how why much many long
    언제 어디 어디에 어디서 어디에서 누구 누가 무엇 무엇을 무엇이 무엇인가 뭐 뭘 왜 어떻게 어떤 몇 며칠 얼마 얼마나 무슨 어느 인가 인가요 하나 하나요 되나 되나요
"""
_EMPTY = frozenset(_EMPTY_TEXT.split())
"""Words that say nothing by themselves."""
_QUESTION_WORD = re.compile("누구|무엇|어디|언제|얼마")
"""Beginning of a Korean word that asks, whatever its particle."""
_CAPITAL = re.compile(r"[A-Z]")
_INNER_CAPITAL = re.compile(r"\w[A-Z]|[\d_.+#/]")


class Vocabulary:
    """The words of a text, to look others up in.

    Args:
        text: The text.
        terms: Its terms.
    """

    def __init__(self, text: str, terms: frozenset[str]) -> None:
        self._terms = terms
        self._words = set(WORD.findall(fold(text)))
        self._hangul = set(_HANGUL_WORD.findall(text))

    def holds(self, word: str, terms: frozenset[str]) -> bool:
        """Return True if a word is in the text: as it is, by its stem or longest term, or with another particle."""
        if fold(word) in self._words or main_term(word, terms) in self._terms:
            return True
        return has_hangul(word) and any(_is_same_noun(word, other) for other in self._hangul)


def main_term(word: str, terms: frozenset[str]) -> str:
    """Return the term that stands for all of a word: the stem of an English one, else the longest.

    Args:
        word: A word.
        terms: Its terms.
    """
    is_plain = word.isascii() and word.isalpha() and not _INNER_CAPITAL.search(word)
    return (min if is_plain else max)(sorted(terms), key=len, default=word.casefold())


def is_empty(word: str) -> bool:
    """Return True for a word that says nothing by itself."""
    return word.casefold() in _EMPTY or _QUESTION_WORD.match(word) is not None


def _is_same_noun(one: str, other: str) -> bool:
    common = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    if common < 2:  # noqa: PLR2004  (a syllable is no word)
        return False
    return bool(_PARTICLE.fullmatch(one[common:]) and _PARTICLE.fullmatch(other[common:]))


def content_words(text: str) -> list[str]:
    """Return the words of a text that say something by themselves; figures are compared as facts."""
    text = _SUFFIX.sub(" ", strip_figures(text))
    words = [
        *_HANGUL_WORD.findall(text),
        *(word for word in WORD.findall(text) if re.match("[A-Za-z]", word)),
    ]
    return [word for word in words if not is_empty(word) and not _is_figure(word)]


def _is_figure(word: str) -> bool:
    return bool(Facts(word)) or any(char.isdigit() for char in word)


def find_missing_name(text: str, context: str) -> str | None:
    """Return a Latin name of a claim that what it cites does not hold."""
    held = fold(context)
    words = {word.removesuffix("'s") for word in WORD.findall(held)}
    for match in WORD.finditer(text):
        word = match[0]
        is_first = not text[: match.start()].strip(" \"'(`*") or text[: match.start()].rstrip()[-1:] in {
            ".",
            "!",
            "?",
        }
        if not is_name(word) or (is_first and not _INNER_CAPITAL.search(word)) or word == "I":
            continue
        if fold(word) not in words and (len(word) < 4 or fold(word) not in held):  # noqa: PLR2004
            return word
    return None


def is_name(word: str) -> bool:
    """Return True if a Latin word is written as names are: with a capital, a digit or a sign in it."""
    return bool(_CAPITAL.search(word) or (_INNER_CAPITAL.search(word) and re.search("[A-Za-z]", word)))
