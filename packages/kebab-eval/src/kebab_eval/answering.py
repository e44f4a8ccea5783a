"""How good one answer is, by rules: no model judges another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from unicodedata import normalize

from kebab_core import InvalidInputError, Model

from kebab_eval.asked import AskedQuery
from kebab_eval.queries import tell_language

_KOREAN = frozenset({"ko", "mixed"})


class GivenClaim(Model):
    """What an answer says before its next markers."""

    text: str
    is_cited: bool
    """Whether a marker follows."""
    is_verbatim: bool
    """Whether it stands word for word in the lines it cites."""


class GivenAnswer(Model):
    """An answer as it was printed, with what it cites."""

    text: str
    grounded: bool
    refusal_reason: str | None = None
    top_score: float
    """What the gate compared, 0 to 1."""
    claims: tuple[GivenClaim, ...] = ()
    """Of a grounded answer."""
    cited_documents: tuple[str, ...] = ()
    """The document of each citation, as the set names it; a refusal cites nothing."""
    cited_texts: tuple[str, ...] = ()
    """The text of each cited passage."""
    latency_ms: float = 0.0
    cpu_ms: float = 0.0


Ask = Callable[[AskedQuery], GivenAnswer]
Told = Callable[[int, int], None]
"""Gets how many questions are done, and how many there are."""


class AnswerResult(Model):
    """What came of one question; None where something was not known or does not apply."""

    query_id: str
    text: str
    language: str
    answerable: bool
    given: GivenAnswer
    error: str | None = None
    """Code of the error that asking ended with; the answer is then an empty refusal."""
    answer_in_citations: bool | None = None
    """A right answer occurs in a cited passage."""
    answer_in_printed: bool | None = None
    """A right answer occurs in what is printed."""
    must_contain: bool | None = None
    forbidden: bool | None = None
    """Nothing forbidden occurs."""
    relevant_citations: int | None = None
    """Citations of documents that answer the question."""
    in_language: bool | None = None
    """Whether question and answer are both in Korean, or both not."""

    @property
    def is_refused(self) -> bool:
        """Whether no answer was given."""
        return not self.given.grounded


def run_answers(queries: Sequence[AskedQuery], ask: Ask, *, progress: Told) -> tuple[AnswerResult, ...]:
    """Ask everything and measure what comes; a question that is refused with an error counts as not answered.

    Args:
        queries: What to ask.
        ask: Answers.
        progress: Is told after every question.

    Returns:
        One result for each question, in their order.
    """
    results = []
    for done, query in enumerate(queries, start=1):
        try:
            results.append(measure_answer(query, ask(query)))
        except InvalidInputError as error:
            nothing = GivenAnswer(text="", grounded=False, top_score=0.0)
            results.append(measure_answer(query, nothing).model_copy(update={"error": error.code}))
        progress(done, len(queries))
    return tuple(results)


def measure_answer(query: AskedQuery, given: GivenAnswer) -> AnswerResult:
    """Return what an answer comes to. Letters of both cases are alike, and so are kinds of white space."""
    known = bool(query.answers)
    cited = tuple(map(_fold, given.cited_texts))
    printed = _fold(given.text) if given.grounded else ""
    right = tuple(map(_fold, query.answers))
    counted = bool(query.relevant) and given.grounded
    return AnswerResult(
        query_id=query.query_id,
        text=query.text,
        language=query.language,
        answerable=query.answerable,
        given=given,
        answer_in_citations=any(answer in text for answer in right for text in cited) if known else None,
        answer_in_printed=any(answer in printed for answer in right) if known else None,
        must_contain=all(_fold(part) in printed for part in query.must_contain)
        if query.must_contain
        else None,
        forbidden=not any(_fold(part) in printed for part in query.forbidden) if query.forbidden else None,
        relevant_citations=sum(doc in query.relevant for doc in given.cited_documents) if counted else None,
        in_language=_is_in_language(query, given),
    )


def _is_in_language(query: AskedQuery, given: GivenAnswer) -> bool | None:
    if query.language == "other":
        return None
    return (query.language in _KOREAN) is (tell_language(given.text) in _KOREAN)


def _fold(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split())


def auroc(higher: Iterable[float], lower: Iterable[float]) -> float | None:
    """Return how often a value of one kind exceeds one of the other; equal ones count half.

    Args:
        higher: What should be the higher values.
        lower: What should be the lower ones.

    Returns:
        0 to 1, 0.5 is chance; None where one of them is empty.
    """
    above, below = list(higher), list(lower)
    if not above or not below:
        return None
    place, start = {}, 0
    for value, count in sorted(Counter([*above, *below]).items()):
        place[value] = start + (count + 1) / 2
        start += count
    rank_sum = sum(place[value] for value in above)
    return (rank_sum - len(above) * (len(above) + 1) / 2) / (len(above) * len(below))
