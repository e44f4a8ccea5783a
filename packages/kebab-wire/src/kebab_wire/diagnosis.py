"""`why.v1` and `doctor.v1`: the explanation why a file is found or not, and the results of health checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from kebab_app import DocumentState, ExclusionRule, FailureDetail, QueryTerm, StepName, Verdict
from kebab_core import (
    Count,
    Message,
    Position,
    ScoreKind,
    SearchMode,
    SourceSpan,
)
from pydantic import model_validator

from kebab_wire.base import Advice, AdvisedPart, WireId, WireObject, WirePart, mirror
from kebab_wire.search import LegFailureV1, QueryV1, wire_query

if TYPE_CHECKING:
    from kebab_app import Explanation, HealthReport

    from kebab_wire.remedies import RemedyRenderer


class WhyStepV1(AdvisedPart):
    """One step from file to search result."""

    name: StepName
    state: Literal["ok", "note", "stop"]
    """`note`: passed, with a remark. `stop`: the file got no further."""
    detail: Message | str
    fix: Advice = None
    """Remedy: a command, or a setting to change."""


class WhyRuleV1(ExclusionRule, WirePart):
    """The rule that leaves the file out."""


class WhyFailureV1(FailureDetail, WirePart):
    """The stage of ingest that failed, and its error with fields as in `error.v1`."""


class WhyDocumentV1(DocumentState, WirePart):
    """The document made from the file."""


class WhyPassageV1(WirePart):
    """A passage of the file."""

    chunk_id: WireId
    ordinal: Count
    """Position in the document, from 0."""
    heading_path: tuple[str, ...]
    uri: str
    """Citation of the passage as a URI."""
    source_spans: tuple[SourceSpan, ...]
    token_estimate: Count
    has_vector: bool | None = None
    """Absent where no model is configured."""
    terms: tuple[str, ...] | None = None
    """Terms of the query in it; absent without a query."""
    cosine: float | None = None
    """Cosine similarity with the query."""
    standing: float | None = None
    """Z-score of the cosine similarity: standard deviations above the mean of all passages in the same script; absent
    without vector search."""
    floor: float | None = None
    """Minimum z-score of a hit that shares no term with the query; absent where every hit must share one."""


class WhyTermV1(QueryTerm, WirePart):
    """One term of the query."""


class WhyLegV1(WirePart):
    """Position of the file's best passage in the search of one mode."""

    mode: SearchMode
    rank: Position | None
    """Rank among the hits of that mode, from 1; null where it is not among the examined ones."""
    score: float | None = None
    score_kind: ScoreKind | None = None
    chunk_id: WireId | None = None
    looked_at: Count
    """Number of hits examined; all of them where there are fewer than a thousand."""
    matches: bool
    """Whether any passage of the file is a hit, at any rank."""
    filtered: bool
    """Whether the filters were applied: not where they exclude the file."""
    failure: LegFailureV1 | None = None
    """Reason that this search was not possible, or lacked its vectors."""


class WhyV1(WireObject):
    """Explanation why a file is found or not: its steps through ingest and, for a query, through search."""

    schema_version: Literal["why.v1"] = "why.v1"
    asked: str
    """The path or id as given."""
    query: QueryV1 | None = None
    verdict: Verdict
    summary: Message | str
    """The verdict as a sentence."""
    fix: Advice = None
    """Remedy, where there is one."""
    steps: tuple[WhyStepV1, ...]
    """In order; none after a step that stopped the file, except for a query, whose remaining steps are reported too."""
    source_id: str | None = None
    doc_path: str | None = None
    disk_path: str | None = None
    rule: WhyRuleV1 | None = None
    failure: WhyFailureV1 | None = None
    document: WhyDocumentV1 | None = None
    passages: tuple[WhyPassageV1, ...] = ()
    terms: tuple[WhyTermV1, ...] | None = None
    """Absent without a query."""
    legs: tuple[WhyLegV1, ...] | None = None
    """Absent without a query."""

    @property
    def can_be_found(self) -> bool:
        """Whether the verdict is a success."""
        return self.verdict in {"indexed", "found"}


def wire_why(explanation: Explanation, *, render: RemedyRenderer | None = None) -> WhyV1:
    """Convert an explanation for the wire.

    Args:
        explanation: The explanation.
        render: Words of remedies; None: the shared words.
    """
    return mirror(
        WhyV1,
        explanation,
        render,
        query=wire_query(explanation.query) if explanation.query else None,
        passages=tuple(
            mirror(WhyPassageV1, passage, standing=passage.z_score, floor=passage.min_z_score)
            for passage in explanation.passages
        ),
    )


class DoctorCheck(AdvisedPart):
    """One check."""

    name: str
    ok: bool
    detail: Message | str
    hint: Advice = None
    """Remedy; only where the check failed."""


class DoctorReport(WireObject):
    """Results of all checks of `kebab doctor`."""

    schema_version: Literal["doctor.v1"] = "doctor.v1"
    ok: bool
    """Whether all checks passed."""
    checks: tuple[DoctorCheck, ...]
    repaired: tuple[Message | str, ...] | None = None
    """Repairs made before the checks, one sentence each; only where repair was requested."""

    @model_validator(mode="after")
    def _sum_of_checks(self) -> DoctorReport:
        if self.ok != all(check.ok for check in self.checks):
            raise ValueError("ok must say whether all checks are")
        return self


def wire_doctor(report: HealthReport, *, render: RemedyRenderer | None = None) -> DoctorReport:
    """Convert a health report for the wire.

    Args:
        report: The report.
        render: Words of remedies; None: the shared words.
    """
    return mirror(DoctorReport, report, render)
