"""What many answers come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kebab_core import Model

from kebab_eval.answering import AnswerResult, auroc
from kebab_eval.golden_metrics import mean_of
from kebab_eval.summary import find_percentile


class AnswerMetrics(Model):
    """Shares from 0 to 1, 1 is best; None where nothing can be measured by it."""

    questions: int
    answerable: int
    unanswerable: int
    failed: int
    """Questions that ended with an error; they count as not answered."""
    answered: float | None
    """Of the answerable ones, how many got a grounded answer."""
    answer_in_citations: float | None
    """Of those with a known answer, how often a cited passage holds it; not answered counts as not."""
    answer_in_printed: float | None
    """Of those, how often what is printed holds it."""
    must_contain: float | None
    forbidden: float | None
    """Of those that forbid something, how many answers have none of it."""
    quotes_verbatim: float | None
    """Of all cited claims, how many stand word for word in the lines they cite."""
    citation_coverage: float | None
    """Of all claims of grounded answers, how many are cited."""
    citation_precision: float | None
    """Of all citations where relevant documents are known, how many are of one."""
    refusal_precision: float | None
    """Of all refusals, how many were right."""
    refusal_recall: float | None
    """Of all unanswerable questions, how many were refused."""
    refusal_auroc: float | None
    """How often the evidence of an answerable question exceeds that of an unanswerable one."""
    in_language: float | None
    """Of all texts, how many are in the language of their question."""
    latency_p50: float
    """Milliseconds of one answer, search included."""
    latency_p95: float
    cpu_p50: float
    """The same of the time that this process worked."""
    cpu_p95: float


def summarize_answers(results: Sequence[AnswerResult]) -> AnswerMetrics:
    """Return the shares over all questions; there must be at least one."""
    answerable = [result for result in results if result.answerable]
    unanswerable = [result for result in results if not result.answerable]
    refused = [result for result in results if result.is_refused]
    claims = [claim for result in results for claim in result.given.claims]
    latencies = sorted(result.given.latency_ms for result in results)
    worked = sorted(result.given.cpu_ms for result in results)
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
        cpu_p50=find_percentile(worked, 50),
        cpu_p95=find_percentile(worked, 95),
    )


def _citation_precision(results: Sequence[AnswerResult]) -> float | None:
    counted = [result for result in results if result.relevant_citations is not None]
    cited = sum(len(result.given.cited_documents) for result in counted)
    return sum(result.relevant_citations or 0 for result in counted) / cited if cited else None


def _scores(results: Iterable[AnswerResult]) -> list[float]:
    return [result.given.top_score for result in results]
