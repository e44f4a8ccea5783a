"""Words that limit another word, and the word that they limit: negation, quantity, certainty, time, place, role.

"At least 12" limits 12, "민수에게" makes a receiver of 민수. A claim may not bind such a word to another one, add it, or leave it
out, nor take a figure from one clause into another. `claim_checks` calls `find_moved`; claim and sentences are in one
script, so nothing is translated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from kebab_core import ClaimCheck
from kebab_text import has_hangul

from kebab_rag.claim_words import WORD, is_empty, main_term
from kebab_rag.facts import DATE, Facts, write_digits

TermsOf = Callable[[str], frozenset[str]]

_LEADING: Mapping[str, str] = {
    "negation": r"not(?!\sonly\b)|never|no(?!\s(?:later|less|more|sooner|longer)\b)|none|neither|nor|cannot|unable|hardly|lacks?"
    r"|\w{2,9}n['’]t|forbidden|prohibited|안(?=\s)|못(?=\s)",
    "without": r"without",
    "only": r"only|solely|exclusively|오직|단지",
    "all": r"all|every|each|always|everyone|everything|모든|모두|항상|언제나|전부|누구나",
    "some": r"some|several|few|certain|partly|sometimes|일부|몇몇|가끔|때때로",
    "most": r"most(?=\s\w)|mostly|mainly|usually|대부분|보통|주로",
    "possibility": r"(?-i:may)|might|could|perhaps|possibly|probably|maybe|likely|아마도?",
    "advice": r"should|ought\sto",
    "duty": r"must|shall|ha(?:s|ve|d)\sto|(?:is|are)\srequired\sto|needs?\sto",
    "future": r"(?-i:will)|(?:is|are)\sgoing\sto|plans?\sto",
    "past": r"former|previously|formerly|예전",
    "at least": r"more\sthan|at\sleast|minimum|exceeds?|no\sless\sthan|최소|적어도",
    "at most": r"(?:less|fewer|no\s(?:more|longer))\sthan|at\smost|up\sto|maximum|최대|많아야",
    "above": r"over|above",
    "below": r"under|below|within",
    "about": r"about|around|nearly|almost|roughly|approximately|약|거의",
    "minus": r"minus|negative|영하|마이너스",
    "part": r"half|a\sthird\sof|a\squarter\sof|twice|절반",
    "before": r"before|prior\sto|until|till|no\slater\sthan",
    "after": r"after|since",
    "during": r"during|while",
    "from": r"from",
    "by": r"by",
    "receiver": r"(?-i:to(?=\s[A-Z]))",
    "time": r"when|whenever|once",
    "than": r"than",
    "instead": r"instead\sof|rather\sthan|except(?:\sfor)?|despite|unlike|against|excluding",
    "place": r"behind|outside|beyond|beneath|underneath",
    "condition": r"if|provided\sthat|만약|만일",
    "exception": r"unless",
}
"""Words that limit the next word that says something."""
_FOLLOWING: Mapping[str, str] = {
    "negation": r"않\w{0,4}|없(?!이)\w{0,4}|아니[다라며고]\w{0,3}|아닙니다|아닌|못\w{0,4}|불가\w{0,5}|금지\w{0,4}|마세요|마라|말아야|말\s것",
    "without": r"없이",
    "possibility": r"수도\s있\w{0,4}|모른다|모릅니다|같다|같습니다",
    "future": r"예정\w{0,4}|계획이다|계획입니다",
    "at least": r"이상\w{0,3}|초과\w{0,3}|넘[게는은어]\w{0,3}",
    "at most": r"이하\w{0,3}|미만\w{0,3}|이내\w{0,3}",
    "about": r"정도\w{0,3}|쯤\w{0,3}|가량\w{0,3}",
    "before": r"이?전(?:에\w?|까지\w?)(?!\w)",
    "after": r"(?:이후|후|뒤)(?:에\w?|부터)?(?!\w)",
    "during": r"(?:도중|동안)에?\w?(?!\w)",
    "instead": r"대신\w?|제외\w{0,3}|달리",
}
"""Words that limit the word before them."""
_ENDINGS: Mapping[str, str] = {
    "only": "(?<!지)만[이을은의]?|만으로|만에|뿐이다|뿐입니다",
    "all": "마다",
    "than": "보다",
    "place": "에서|에서는",
    "from": "부터|에게서|한테서",
    "before": "까지|까지만",
    "receiver": "에게|께|한테|에게만",
    "subject": "이|가|께서",
    "object": "을|를",
    "duty": "해야|되어야|돼야|어야|아야|여야",
    "permission": "해도|어도|아도",
}
"""Ends of Korean words that limit the word itself."""
_ENDS = {kind: re.compile(rf".(?:{ending})$") for kind, ending in _ENDINGS.items()}
_SUFFIXES = {kind: re.compile(rf"(?:{ending})$") for kind, ending in _ENDINGS.items()}
"""The same behind a figure or a Latin word."""
_NEGATIVE_WORD = re.compile(r".(?:않|없(?!이)|(?<!잘)못|불가|금지)")
_WEAKER = frozenset({
    "only",
    "all",
    "most",
    "advice",
    "duty",
    "future",
    "during",
    "time",
    "permission",
    "from",
})
"""A statement without these is weaker, not false."""
_ELSEWHERE = frozenset({"negation", "subject", "object"})
"""These are compared by clauses."""
_CONDITIONS = ("condition", "exception", "without", "instead")
"""A statement without these says more."""
_CHECKS: Mapping[str, ClaimCheck] = {
    **dict.fromkeys(("negation", "without"), ClaimCheck.NEGATION),
    **dict.fromkeys(("at least", "at most", "above", "below", "about", "minus", "part"), ClaimCheck.FIGURE),
    **dict.fromkeys(("before", "after", "during"), ClaimCheck.DATE),
}
_CLAUSE = re.compile(
    r"[,;:.!?。](?=\s)|\n|\s(?:but|while|whereas|although|though|however|because|so|and|unlike)(?=\s)"
    r"|(?<=지만)\s|(?<=으나)\s|(?<=는데)\s|(?<=[고며])\s|(?<=\w[와과])\s(?!달리)|(?<=달리)\s",
    re.IGNORECASE,
)
_LINKED_NOUN = re.compile(r"[가-힣]{1,20}[와과]$")
_GROUPS = (
    *((kind, True, rf"(?<![\w-])(?:{words})(?!\w)") for kind, words in _LEADING.items()),
    ("minus", True, r"(?<![\w.,)\]])[-−](?=\d)"),
    *((kind, False, rf"(?<!\w)(?:{words})") for kind, words in _FOLLOWING.items()),
)
"""Kind, whether the next word is limited, pattern."""
_SCAN = re.compile(
    "|".join(f"(?P<q{at}>{pattern})" for at, (_, _, pattern) in enumerate(_GROUPS))
    + r"|(?P<figure>\d[\d,.:]{0,24}(?:\s?[십백천만억조]{1,3}){0,3})(?P<counter>[가-힣]{0,8})"
    rf"|(?P<latin>{WORD.pattern})(?P<particle>[가-힣]{{0,8}})|(?P<hangul>[가-힣]{{1,40}}+)",
    re.IGNORECASE,
)
_EXCHANGED = 3
"""English words in reverse order that make an exchange: who, does, to whom."""


class _Word(NamedTuple):
    """A word or figure that says something, and how it is limited."""

    key: str
    kinds: frozenset[str]
    is_figure: bool


class _Clause(NamedTuple):
    sentence: int
    words: tuple[_Word, ...]
    is_negated: bool

    @property
    def keys(self) -> list[str]:
        return [each.key for each in self.words]

    @property
    def kinds(self) -> set[str]:
        return {kind for each in self.words for kind in each.kinds}


Failure = tuple[ClaimCheck, str]


def find_moved(claim: str, cited: Sequence[str], question: str, terms_of: TermsOf) -> Failure | None:
    """Return the check and the word of a claim that is bound otherwise than in what it cites; None without one.

    Args:
        claim: Its text.
        cited: The sentences that it cites.
        question: The question; a condition that it names need not be repeated.
        terms_of: Returns the terms of a text.
    """
    said = tuple(_read_clauses(claim, 0, terms_of))
    held = tuple(
        clause for at, sentence in enumerate(cited) for clause in _read_clauses(sentence, at, terms_of)
    )
    asked = {kind for clause in _read_clauses(question, 0, terms_of) for kind in clause.kinds}
    return (
        _find_unborne(said, held)
        or _find_limit(said, held)
        or _find_counted(said, held)
        or _find_exchange(said, held)
        or _find_condition(said, held, asked)
    )


def _find_unborne(said: Sequence[_Clause], held: Sequence[_Clause]) -> Failure | None:
    """Find a clause that puts words of several clauses together, or says no where they do not."""
    known = {key for clause in held for key in clause.keys}
    for clause in said:
        keys = [key for key in clause.keys if key in known]
        bearing = [at for at in range(len(held)) if _bears(held, at, keys)]
        if any(held[at].is_negated is clause.is_negated for at in bearing):
            continue
        if bearing or (clause.is_negated and not keys):
            return ClaimCheck.NEGATION, ""
        if keys:
            figures = [each.key for each in clause.words if each.is_figure and each.key in known]
            return (ClaimCheck.FIGURE, figures[0]) if figures else (ClaimCheck.SUPPORT, keys[-1])
    return None


def _bears(held: Sequence[_Clause], at: int, keys: Sequence[str]) -> bool:
    """Return True if one clause holds all words, or those that it lacks are carried over to it.

    Carried over are a topic, the first words of an earlier clause, if the clause does not begin with another one; what
    else but a figure it shares with an earlier clause of its sentence; a predicate from a later one, if the clause
    does not end with another one; and a clause of the sentence that is said in full.
    """
    clause = held[at]
    own = clause.keys
    places = [place for place, key in enumerate(keys) if key in own]
    if not places:
        return False
    same = [
        each for each in held if each.sentence == clause.sentence and each.is_negated is clause.is_negated
    ]
    full = {key for each in same if set(each.keys) <= set(keys) for key in each.keys}
    begun = {key for each in held if each.sentence == clause.sentence for key in each.keys[:1]}
    lead, inside, tail = set[str](), set[str](), set[str]()
    for place, each in enumerate(held):
        is_same = each.sentence == clause.sentence
        if place < at and own[0] in keys and (is_same or begun & set(keys)):
            lead |= set(takewhile(lambda key: key in keys, each.keys))
        if place < at and own[0] in keys and is_same:
            inside |= {word.key for word in each.words if not word.is_figure}
        if place > at and own[-1] in keys and is_same:
            tail |= set(each.keys)
    return all(
        key in own
        or key in full
        or key in (lead if place < places[0] else inside if place < places[-1] else tail)
        for place, key in enumerate(keys)
    )


def _find_condition(said: Sequence[_Clause], held: Sequence[_Clause], asked: set[str]) -> Failure | None:
    """Find a condition of the clause that is nearest to the claim, which neither claim nor question names."""
    keys = {key for clause in said for key in clause.keys}
    nearest = max(held, key=lambda clause: len(keys.intersection(clause.keys)), default=None)
    told = asked.union(*(clause.kinds for clause in said))
    left_out = [kind for kind in _CONDITIONS if keys and nearest and kind in nearest.kinds - told]
    return (_CHECKS.get(left_out[0], ClaimCheck.SUPPORT), "") if left_out else None


def _find_limit(said: Sequence[_Clause], held: Sequence[_Clause]) -> Failure | None:
    """Find a limit that a claim adds to a word, or leaves out."""
    every = frozenset[str]().union(*(clause.kinds for clause in held))
    orders = {key for clause in held for key in clause.keys[:1] if not has_hangul(key)}
    for word in (word for clause in said for word in clause.words):
        same = [each.kinds for clause in held for each in clause.words if each.key == word.key]
        known = frozenset[str]().union(*same) if same else every
        if word.key in orders:
            known |= {"advice", "duty"}
        added = word.kinds - known - _ELSEWHERE - ({"place"} - every)
        left_out = same[0].intersection(*same) - word.kinds - _WEAKER - _ELSEWHERE - {"place"} if same else ()
        for kind in sorted(added) or sorted(left_out):
            return _CHECKS.get(kind, ClaimCheck.SUPPORT), word.key
    return None


def _find_counted(said: Sequence[_Clause], held: Sequence[_Clause]) -> Failure | None:
    """Find a figure before an English word that stands behind another figure in what is cited."""
    counted = _find_pairs(held)
    for figure, word in _find_pairs(said) - counted:
        if word in {other for _, other in counted} and figure in {other for other, _ in counted}:
            return ClaimCheck.FIGURE, f"{figure} {word}"
    return None


def _find_pairs(clauses: Sequence[_Clause]) -> set[tuple[str, str]]:
    pairs = (pair for clause in clauses for pair in pairwise(clause.words))
    return {
        (one.key, other.key)
        for one, other in pairs
        if one.is_figure and not other.is_figure and not has_hangul(other.key)
    }


def _find_exchange(said: Sequence[_Clause], held: Sequence[_Clause]) -> Failure | None:
    """Find words that a claim exchanges: English ones around a third one, Korean ones by making a subject an object."""
    order = [key for clause in said for key in clause.keys]
    for clause in held:
        once = {
            key
            for key in clause.keys
            if clause.keys.count(key) == order.count(key) == 1 and not has_hangul(key)
        }
        shared, mine = ([key for key in keys if key in once] for keys in (clause.keys, order))
        runs = {tuple(mine[at : at + _EXCHANGED]) for at in range(len(mine) - _EXCHANGED + 1)}
        for at in range(len(shared) - _EXCHANGED + 1):
            if tuple(shared[at : at + _EXCHANGED][::-1]) in runs:
                return ClaimCheck.SUPPORT, shared[at]
    turned = _named(said, "object") & _named(held, "subject") - _named(held, "object")
    return (ClaimCheck.SUPPORT, min(turned)) if turned else None


def _named(clauses: Sequence[_Clause], kind: str) -> set[str]:
    return {word.key for clause in clauses for word in clause.words if kind in word.kinds}


def _read_clauses(text: str, sentence: int, terms_of: TermsOf) -> Iterator[_Clause]:
    text = write_digits(text).strip()
    dates = [match.span() for match in DATE.finditer(text)]
    start = 0
    for cut in _CLAUSE.finditer(text):
        if not any(low < cut.start() < high for low, high in dates) and not _ends_noun(
            text[start : cut.start()], terms_of
        ):
            yield _read_clause(text[start : cut.start()], sentence, terms_of)
            start = cut.end()
    yield _read_clause(text[start:], sentence, terms_of)


def _ends_noun(text: str, terms_of: TermsOf) -> bool:
    """Return True if the last syllable of a text, `와` or `과`, belongs to a noun such as `결과`."""
    noun = _LINKED_NOUN.search(text)
    return noun is not None and main_term(noun[0], terms_of(noun[0])).endswith(noun[0][-1])


def _read_clause(text: str, sentence: int, terms_of: TermsOf) -> _Clause:
    words: list[_Word] = []
    waiting = set[str]()
    is_negated = False
    for match in _SCAN.finditer(text):
        group = match.lastgroup or ""
        if group.startswith("q"):
            kind, is_leading, _ = _GROUPS[int(group[1:])]
            is_negated |= kind == "negation"
            if is_leading or not words:
                waiting.add(kind)
            else:
                words[-1] = words[-1]._replace(kinds=words[-1].kinds | {kind})
            continue
        is_negated |= _NEGATIVE_WORD.search(match[0]) is not None
        word = _read_word(match, terms_of)
        if word is not None:
            words.append(word._replace(kinds=word.kinds | _name_kinds(waiting, is_figure=word.is_figure)))
            waiting.clear()
    if waiting and words:
        words[-1] = words[-1]._replace(kinds=words[-1].kinds | waiting)
    return _Clause(sentence, tuple(words), is_negated)


def _name_kinds(kinds: set[str], *, is_figure: bool) -> frozenset[str]:
    """Return what words such as `over` and `about` mean before a figure or another word."""
    names = {"above": "at least", "below": "at most"} if is_figure else {"about": ""}
    return frozenset(filter(None, (names.get(kind, kind) for kind in kinds)))


def _read_word(match: re.Match[str], terms_of: TermsOf) -> _Word | None:
    if match["figure"]:
        return _Word(_name_figure(match["figure"]), _ends(match["counter"], _SUFFIXES), is_figure=True)
    text = match["latin"] or match["hangul"]
    if Facts(text, is_claim=True).numbers:
        return _Word(_name_figure(text), frozenset(), is_figure=True)
    if is_empty(text):
        return None
    kinds = _ends(match["particle"], _SUFFIXES) if match["latin"] else _ends(text, _ENDS)
    if text.endswith(("'s", "’s")):
        text, kinds = text[:-2], kinds | {"owner"}
    return _Word(main_term(text, terms_of(text)), kinds, is_figure=False)


def _name_figure(text: str) -> str:
    """Return a figure as it is compared."""
    facts = Facts(text)
    for number in facts.numbers:
        return str(number)
    for time in facts.times:
        return str(time.minutes)
    return text


def _ends(text: str, patterns: Mapping[str, re.Pattern[str]]) -> frozenset[str]:
    return frozenset(kind for kind, pattern in patterns.items() if text and pattern.search(text))
