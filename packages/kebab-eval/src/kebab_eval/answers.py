"""Questions with known answers, and measures of the answers to them, by rules: no model judges another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

from kebab_core import AnswerMetrics, AnswerOutcomes, InvalidInputError, Message, Model, Remedy
from kebab_text import is_korean

from kebab_eval.json_lines import read_id, read_json_lines, read_text_field
from kebab_eval.metrics import auroc, find_percentile, mean_of
from kebab_eval.queries import ABSENT, NEAR, QUERIES_FILE, Judgements, classify_language
from kebab_eval.ranking import Progress

ANSWERS_FILE = "answers.jsonl"
_KOREAN = frozenset({"ko", "mixed"})
_NOT_SURE = "weak_support"
"""Refusal reason of an answer that is not sure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question with its known answers."""

    query_id: str
    text: str
    language: str
    """See `classify_language`."""
    answerable: bool
    """False where the right answer is a refusal."""
    kind: str | None = None
    """As the suite says, if it does."""
    answers: tuple[str, ...] = ()
    """Any one of these is right; empty where they are not known."""
    relevant: frozenset[str] = frozenset()
    """Ids of the documents that answer it; empty where they are not known."""
    must_contain: tuple[str, ...] = ()
    """The answer has to contain all of these."""
    forbidden: tuple[str, ...] = ()
    """The answer must contain none of these."""


def read_questions(folder: Path, judgements: Judgements) -> list[Question]:
    """Read the questions of a set whose answers are known.

    A line of `answers.jsonl` has the `_id` of a query, and `answers`, a list of texts, or `answerable`, true or
    false; a query with neither is left out.

    Args:
        folder: Holds `queries.jsonl` and `answers.jsonl`.
        judgements: Relevant documents by query id.

    Returns:
        Questions in the order of `queries.jsonl`.

    Raises:
        InvalidInputError: A file cannot be read, a line is broken, or no question is left.
    """
    known = _read_known(folder / ANSWERS_FILE)
    path, found = folder / QUERIES_FILE, []
    for line, fields in read_json_lines(path):
        query_id = read_id(fields, path=path, line=line)
        if query_id in known:
            text = read_text_field(fields, "text", path=path, line=line, needed=True)
            found.append(_build_question(query_id, text, known[query_id], judgements.get(query_id, {})))
    questions = list({query.query_id: query for query in found}.values())
    if not questions:
        raise InvalidInputError(
            "no query in {folder!r} has a known answer",
            remedy=Remedy(
                advice=Message(
                    "check that the ids of {first} and {second} are the same",
                    first=QUERIES_FILE,
                    second=ANSWERS_FILE,
                )
            ),
            path=str(folder / ANSWERS_FILE),
            _folder=str(folder),
        )
    return questions


def _build_question(
    query_id: str, text: str, known: tuple[bool, tuple[str, ...]], grades: Mapping[str, int]
) -> Question:
    answerable, answers = known
    return Question(
        query_id=query_id,
        text=text,
        language=classify_language(text),
        answerable=answerable,
        answers=answers if answerable else (),
        relevant=frozenset(doc_id for doc_id, grade in grades.items() if grade > 0)
        if answerable
        else frozenset(),
    )


def _read_known(path: Path) -> dict[str, tuple[bool, tuple[str, ...]]]:
    known = {}
    for line, fields in read_json_lines(path):
        query_id = read_id(fields, path=path, line=line)
        answers = _texts(fields.get("answers"))
        answerable = fields.get("answerable", True if answers else None)
        if isinstance(answerable, bool):
            known[query_id] = (answerable, answers)
    return known


def _texts(value: object) -> tuple[str, ...]:
    items: Sequence[object] = value if isinstance(value, list) else ()
    return tuple(dict.fromkeys(item.strip() for item in items if isinstance(item, str) and item.strip()))


class GivenClaim(Model):
    """Text of an answer up to its next markers."""

    text: str
    is_cited: bool
    """A marker follows."""
    is_verbatim: bool
    """It stands word for word in the lines it cites."""


class GivenAnswer(Model):
    """An answer as it was printed, with its citations."""

    text: str
    grounded: bool
    refusal_reason: str | None = None
    top_score: float
    """Score that the evidence gate compared, 0 to 1."""
    claims: tuple[GivenClaim, ...] = ()
    """Empty for a refusal."""
    cited_documents: tuple[str, ...] = ()
    """The document of each citation, as the set names it; a refusal cites nothing."""
    cited_texts: tuple[str, ...] = ()
    """The text of each cited passage."""
    latency_ms: float = 0.0
    cpu_ms: float = 0.0


Ask = Callable[[Question], GivenAnswer]


class AnswerResult(Model):
    """Measures of one answer; None where something is not known or does not apply."""

    query_id: str
    text: str
    language: str
    kind: str | None = None
    answerable: bool
    given: GivenAnswer
    error: str | None = None
    """Code of the error that asking ended with; the answer is then an empty refusal."""
    answer_in_citations: bool | None = None
    """A right answer occurs in a cited passage."""
    answer_in_printed: bool | None = None
    """A right answer occurs in the printed text."""
    must_contain: bool | None = None
    forbidden: bool | None = None
    """Nothing forbidden occurs."""
    relevant_citations: int | None = None
    """Citations of documents that answer the question."""
    in_language: bool | None = None
    """Question and answer are both in Korean, or both not; Korean words in an English answer do not count."""
    right: bool | None = None
    """Whether a grounded answer meets all that is known: a right answer or all of the required text occurs in it,
    nothing forbidden does, and a document that answers the question is cited. False for a grounded answer to an
    unanswerable question. None where it is not grounded, or nothing is known."""

    @property
    def is_refused(self) -> bool:
        """True where there is no grounded answer: a refusal, or an answer that is not sure."""
        return not self.given.grounded

    @property
    def is_not_sure(self) -> bool:
        """True where passages are quoted that are said to be no answer."""
        return self.is_refused and self.given.refusal_reason == _NOT_SURE


def run_questions(questions: Sequence[Question], ask: Ask, *, progress: Progress) -> tuple[AnswerResult, ...]:
    """Ask all questions and measure the answers; a question that is refused with an error counts as not answered.

    Args:
        questions: The questions.
        ask: Answers one question.
        progress: Called after every question.

    Returns:
        One result for each question, in their order.
    """
    results = []
    for done, question in enumerate(questions, start=1):
        try:
            results.append(measure_answer(question, ask(question)))
        except InvalidInputError as error:
            nothing = GivenAnswer(text="", grounded=False, top_score=0.0)
            results.append(measure_answer(question, nothing).model_copy(update={"error": error.code}))
        progress(done, len(questions))
    return tuple(results)


def measure_answer(question: Question, given: GivenAnswer) -> AnswerResult:
    """Measure one answer. Texts are compared case folded, in NFC, with runs of white space as one space."""
    known = bool(question.answers)
    cited = tuple(map(_fold, given.cited_texts))
    printed = _fold(given.text) if given.grounded else ""
    right = tuple(map(_fold, question.answers))
    counted = bool(question.relevant) and given.grounded
    result = AnswerResult(
        query_id=question.query_id,
        text=question.text,
        language=question.language,
        kind=question.kind,
        answerable=question.answerable,
        given=given,
        answer_in_citations=any(answer in text for answer in right for text in cited) if known else None,
        answer_in_printed=any(answer in printed for answer in right) if known else None,
        must_contain=all(_fold(part) in printed for part in question.must_contain)
        if question.must_contain
        else None,
        forbidden=not any(_fold(part) in printed for part in question.forbidden)
        if question.forbidden
        else None,
        relevant_citations=sum(doc in question.relevant for doc in given.cited_documents)
        if counted
        else None,
        in_language=_is_in_language(question, given),
    )
    return result.model_copy(update={"right": _is_right(result)})


def _is_right(result: AnswerResult) -> bool | None:
    if not result.given.grounded:
        return None
    if not result.answerable:
        return False
    cites = None if result.relevant_citations is None else result.relevant_citations > 0
    known = [each for each in (result.answer_in_printed, result.must_contain, cites) if each is not None]
    return all(known) and result.forbidden is not False if known else None


def _is_in_language(question: Question, given: GivenAnswer) -> bool | None:
    if question.language == "other":
        return None
    if question.language in _KOREAN:
        return classify_language(given.text) in _KOREAN
    return not is_korean(given.text)  # English text may quote a Korean word


def _fold(text: str) -> str:
    return " ".join(normalize("NFC", text).casefold().split())


def summarize_answers(results: Sequence[AnswerResult]) -> AnswerMetrics:
    """Summarize the results of all questions, at least one."""
    answerable = [result for result in results if result.answerable]
    unanswerable = [result for result in results if not result.answerable]
    refused = [result for result in results if result.is_refused]
    claims = [claim for result in results for claim in result.given.claims]
    latencies = sorted(result.given.latency_ms for result in results)
    cpu_times = sorted(result.given.cpu_ms for result in results)
    return AnswerMetrics(
        questions=len(results),
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        failed=sum(result.error is not None for result in results),
        answered=mean_of(not result.is_refused for result in answerable),
        answer_in_citations=mean_of(result.answer_in_citations for result in results),
        answer_in_printed=mean_of(result.answer_in_printed for result in results),
        must_contain=mean_of(result.must_contain for result in results),
        forbidden=mean_of(result.forbidden for result in results),
        quotes_verbatim=mean_of(claim.is_verbatim for claim in claims if claim.is_cited),
        citation_coverage=mean_of(claim.is_cited for claim in claims),
        citation_precision=_citation_precision(results),
        refusal_precision=mean_of(not result.answerable for result in refused) if unanswerable else None,
        refusal_recall=mean_of(result.is_refused for result in unanswerable),
        refusal_auroc=auroc(_scores(answerable), _scores(unanswerable)),
        in_language=mean_of(result.in_language for result in results),
        latency_p50=find_percentile(latencies, 50),
        latency_p95=find_percentile(latencies, 95),
        cpu_p50=find_percentile(cpu_times, 50),
        cpu_p95=find_percentile(cpu_times, 95),
        answered_right=mean_of(result.right for result in results),
        answerable_right=mean_of(result.right is True for result in answerable)
        if any(result.right is not None for result in answerable)
        else None,
        not_sure=mean_of(result.is_not_sure for result in results),
        near_answered=_answered(unanswerable, NEAR),
        absent_answered=_answered(unanswerable, ABSENT),
        outcomes=tuple(_outcomes(results)),
    )


def _answered(results: Iterable[AnswerResult], kind: str) -> float | None:
    return mean_of(not result.is_refused for result in results if result.kind == kind)


def _outcomes(results: Sequence[AnswerResult]) -> Iterator[AnswerOutcomes]:
    """Yield the outcomes of each kind, answerable ones first, in the order of kinds."""
    groups: dict[tuple[bool, str], list[AnswerResult]] = {}
    for result in results:
        groups.setdefault((not result.answerable, result.kind or ""), []).append(result)
    for (_, kind), members in sorted(groups.items()):
        not_sure = sum(result.is_not_sure for result in members)
        yield AnswerOutcomes(
            kind=kind or None,
            answerable=members[0].answerable,
            questions=len(members),
            right=sum(result.right is True for result in members),
            wrong=sum(not result.is_refused and result.right is not True for result in members),
            not_sure=not_sure,
            refused=sum(result.is_refused for result in members) - not_sure,
        )


def _citation_precision(results: Sequence[AnswerResult]) -> float | None:
    counted = [result for result in results if result.relevant_citations is not None]
    cited = sum(len(result.given.cited_documents) for result in counted)
    return sum(result.relevant_citations or 0 for result in counted) / cited if cited else None


def _scores(results: Iterable[AnswerResult]) -> list[float]:
    return [result.given.top_score for result in results]
