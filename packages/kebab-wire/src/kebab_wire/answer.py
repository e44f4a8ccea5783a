"""`answer.v1`, `answer_event.v1`, `answer_record.v1` and `answer_list.v1`."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal

from kebab_core import (
    Answer,
    AnswerCitation,
    AnswerEvent,
    AnswerFinal,
    AnswerMarker,
    AnswerRetrievalSummary,
    AnswerToken,
    Claim,
    ClaimReview,
    ClaimSource,
    ClaimVerdict,
    Count,
    Coverage,
    DroppedClaim,
    HeaderRange,
    HopDone,
    HopRecord,
    ModelRef,
    Position,
    RefusalReason,
    RetrievalDone,
    SearchHit,
    Share,
    TokenUsage,
    VerificationSummary,
)
from pydantic import Field, TypeAdapter

from kebab_wire.base import Timestamp, WireObject, WirePart, mirror
from kebab_wire.citation import CitationV1, wire_citation
from kebab_wire.search import CoverageV1, FileFinder, SearchHitV1, find_existing, wire_search_hit

if TYPE_CHECKING:
    from kebab_wire.remedies import RemedyRenderer


class AnswerCitationV1(WirePart):
    """A passage that the answer cites, or in a refusal a near candidate."""

    marker: str | None
    """`[n]`, as in the answer, counted in order of appearance; null for a near candidate."""
    citation: CitationV1
    """The lines that are quoted, where the text before the marker is a quote; else the whole passage."""
    passage: CitationV1 | None = None
    """The whole passage that is quoted; absent for a near candidate and for answers stored by older versions."""
    stated_on: dt.date | None = None
    """The day that its document states in front matter, properties or name: `2026-11-21`; absent where it states none."""
    indexed_at: Timestamp
    """Time the document's content was last processed."""
    stale: bool
    """The file on disk may differ from the stored document."""
    score: Share | None = None
    """Evidence score of the passage, on the scale of `retrieval.top_score`."""
    file: str | None = None
    """Absolute path of the file, where it exists."""
    items_left_out: Count | None = None
    """Items of a list, rows of a table or lines of code of its passage that stand between quoted ones or behind them;
    absent where there are none, or one item alone is quoted."""


class ClaimSourceV1(ClaimSource, WirePart):
    """Source of one claim of an answer."""

    citation: CitationV1
    """Narrowed to the lines of the quote where there is one; a quote from several places has one source for each."""


class AnswerClaimV1(WirePart):
    """Text of an answer up to the markers that follow it."""

    text: str
    sources: tuple[ClaimSourceV1, ...]
    """Empty where no marker follows."""
    verdict: ClaimVerdict | None = None
    """`quoted`: it stands word for word in its sources; `supported`: in the model's own words, which its sources hold;
    `not_proven`: in the model's own words, which they make probable and do not wholly hold; `unchecked`: in the model's own
    words. Absent for answers stored by older versions."""


class ClaimReviewV1(WirePart):
    """Result of the checks of the claims that a chat model wrote."""

    written: Count
    """Claims of all replies of the model."""
    dropped_by_check: dict[str, Position]
    """Number of claims that failed each check; checks that none failed are absent."""
    contradicted: Count = 0
    """Claims that are not shown because what they cite makes them improbable; those of the checks `link` to `support`."""
    dropped: tuple[DroppedClaim, ...] | None = None
    """The claims that failed, where an explanation was asked for; absent otherwise."""
    repaired: bool
    """The model was asked a second time, since no claim of its first reply stood."""
    other_language: bool
    """The claims are in another language than the question, although the model was asked again."""


class AnswerV1(WireObject):
    """A grounded answer, one that is not sure, or a refusal that says why."""

    schema_version: Literal["answer.v1"] = "answer.v1"
    answer: str
    """Text with a marker `[n]` after each cited claim. With `weak_support` its first line says that nothing answers, and the
    nearest passages are quoted below; other refusals have no marker."""
    markers: tuple[AnswerMarker, ...] | None = None
    """The markers `[n]` of citations in `answer`, in order; anything else that looks like one is quoted text. Absent for
    answers stored by older versions."""
    header_rows: tuple[HeaderRange, ...] | None = None
    """Header rows of tables in `answer`, in order: names of columns, quoted with the rows below them. Absent where there are
    none."""
    citations: tuple[AnswerCitationV1, ...]
    grounded: bool
    refusal_reason: RefusalReason | None
    """Null exactly where `grounded`."""
    model: ModelRef
    embedding: ModelRef | None = None
    prompt_template_version: str
    retrieval: AnswerRetrievalSummary
    usage: TokenUsage
    created_at: Timestamp
    conversation_id: str | None = None
    turn_index: Count | None = None
    hops: tuple[HopRecord, ...] | None = None
    """The rounds of a multi-hop answer, in order, whatever its end; empty where the model was not asked, absent for any other
    answer."""
    verification: VerificationSummary | None = None
    persisted: bool = True
    """Whether it is stored, to be shown again by its trace id."""
    claims: tuple[AnswerClaimV1, ...] | None = None
    """The answer by claims, each with what it rests on; empty for a refusal, absent for answers stored by older versions
    unless an explanation was asked for."""
    review: ClaimReviewV1 | None = None
    """Checks of the claims; absent where no chat model was asked for claims."""
    hits: tuple[SearchHitV1, ...] | None = None
    """Hits of the retrieval, best first, where an explanation was asked for; absent otherwise."""
    coverage: CoverageV1 | None = None
    """Coverage of the search; absent for answers that are shown again."""


class _AnswerEventBase(WireObject):
    schema_version: Literal["answer_event.v1"] = "answer_event.v1"


class HopDoneV1(HopDone, _AnswerEventBase):
    """A round of a multi-hop answer has searched; such events come before `retrieval_done`."""


class RetrievalDoneV1(RetrievalDone, _AnswerEventBase):
    """The hits; the first event but for rounds of a multi-hop answer."""

    hits: tuple[SearchHitV1, ...]  # type: ignore[assignment]  # as they are printed
    coverage: CoverageV1 | None = None


class AnswerTokenV1(AnswerToken, _AnswerEventBase):
    """More of the answer's text: a claim that was checked, or text of a template without claims, which is not."""


class AnswerFinalV1(_AnswerEventBase):
    """Last event: the checked answer, which may differ from the text so far and may be a refusal."""

    ts: Timestamp
    kind: Literal["final"] = "final"
    answer: AnswerV1


AnswerEventV1 = Annotated[
    HopDoneV1 | RetrievalDoneV1 | AnswerTokenV1 | AnswerFinalV1, Field(discriminator="kind")
]
"""Any number of hop_done where the question is taken apart, retrieval_done, any number of tokens, final."""


class AnswerRecordV1(WireObject):
    """A stored answer with its question."""

    schema_version: Literal["answer_record.v1"] = "answer_record.v1"
    question: str
    answer: AnswerV1


class AnswerListV1(WireObject):
    """Stored answers, newest first."""

    schema_version: Literal["answer_list.v1"] = "answer_list.v1"
    answers: tuple[AnswerRecordV1, ...]


def wire_answer(
    answer: Answer,
    *,
    persisted: bool = True,
    hits: Sequence[SearchHit] | None = None,
    coverage: Coverage | None = None,
    render: RemedyRenderer | None = None,
    find_file: FileFinder | None = None,
) -> AnswerV1:
    """Return an answer for the wire.

    Args:
        answer: The answer.
        persisted: Whether it was stored.
        hits: Hits of the retrieval, where an explanation was requested.
        coverage: Coverage of the search.
        render: Words of remedies; None: the shared words.
        find_file: Finds the files of citations; None leaves their paths out.
    """
    return mirror(
        AnswerV1,
        answer,
        render,
        citations=[wire_answer_citation(cited, find_file) for cited in answer.citations],
        header_rows=answer.header_rows or None,
        persisted=persisted,
        claims=[_wire_claim(claim) for claim in answer.claims],
        review=answer.review and _wire_review(answer.review, is_explained=hits is not None),
        hits=None if hits is None else [wire_search_hit(hit, find_file=find_file) for hit in hits],
        coverage=coverage,
    )


def _wire_claim(claim: Claim) -> AnswerClaimV1:
    return AnswerClaimV1(
        text=claim.text,
        sources=tuple(
            ClaimSourceV1(marker=each.marker, citation=wire_citation(each.citation), quote=each.quote)
            for each in claim.sources
        ),
        verdict=claim.verdict,
    )


def _wire_review(review: ClaimReview, *, is_explained: bool) -> ClaimReviewV1:
    return ClaimReviewV1(
        written=review.written,
        dropped_by_check=dict(Counter(each.check.value for each in review.dropped)),
        contradicted=review.contradicted,
        dropped=review.dropped if is_explained else None,
        repaired=review.repaired,
        other_language=review.other_language,
    )


def wire_answer_citation(cited: AnswerCitation, find_file: FileFinder | None) -> AnswerCitationV1:
    """Return a citation of an answer for the wire."""
    passage = None if cited.passage is None else wire_citation(cited.passage)
    file = find_existing(find_file, cited.citation.source_id, cited.citation.path)
    return mirror(AnswerCitationV1, cited, citation=wire_citation(cited.citation), passage=passage, file=file)


def wire_answer_event(
    event: AnswerEvent,
    *,
    coverage: Coverage | None = None,
    render: RemedyRenderer | None = None,
    find_file: FileFinder | None = None,
) -> AnswerEventV1:
    """Return an event for the wire.

    Args:
        event: The event.
        coverage: Coverage of the search, for the answer of the last event.
        render: Words of remedies; None: the shared words.
        find_file: Finds the files of hits and citations; None leaves their paths out.
    """
    match event:
        case RetrievalDone():
            return mirror(
                RetrievalDoneV1, event, hits=[wire_search_hit(hit, find_file=find_file) for hit in event.hits]
            )
        case AnswerFinal():
            answer = wire_answer(
                event.answer,
                persisted=event.persisted,
                coverage=coverage,
                render=render,
                find_file=find_file,
            )
            return AnswerFinalV1(ts=event.ts, answer=answer)
    return _wire_type().validate_python(event, from_attributes=True)


def wire_answer_record(
    question: str, answer: Answer, *, find_file: FileFinder | None = None
) -> AnswerRecordV1:
    """Return a stored answer for the wire."""
    return AnswerRecordV1(question=question, answer=wire_answer(answer, find_file=find_file))


def wire_answer_list(
    answers: Iterable[tuple[str, Answer]], *, find_file: FileFinder | None = None
) -> AnswerListV1:
    """Return stored answers for the wire, in the order given."""
    return AnswerListV1(answers=tuple(wire_answer_record(*record, find_file=find_file) for record in answers))


@cache
def _wire_type() -> TypeAdapter[AnswerEventV1]:
    """The validator of events; building it takes a hundred times as long as using it."""
    return TypeAdapter(AnswerEventV1)
