"""Explanations: why one file is found or not, as values, and the trace that collects the steps of one.

`explain_file` makes them. Faces turn them into wire objects and text; what is the same there is a model.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    Count,
    DocumentId,
    MediaKind,
    Model,
    Position,
    RuleOrigin,
    SkipReason,
    UtcDatetime,
    WorkspacePath,
)

if TYPE_CHECKING:
    from kebab_core import (
        ChunkId,
        LegFailure,
        Message,
        Remedy,
        ScoreKind,
        SearchMode,
        SearchQuery,
        SourceSpan,
    )

Verdict = Literal[
    "indexed",
    "found",
    "source_missing",
    "outside_sources",
    "left_out",
    "unreadable_folder",
    "not_ingested",
    "failed",
    "removed",
    "no_passages",
    "not_searchable",
    "filtered_out",
    "no_match",
    "below_floor",
    "vectors_pending",
    "too_deep",
    "beyond_k",
    "over_budget",
]
"""The first reason. `indexed` and, with a query, `found` are the good ones; `below_floor` is too little evidence."""
StepName = Literal[
    "source", "rules", "ingest", "file", "index", "vectors", "filters", "words", "meaning", "order", "answer"
]
"""From the disk to a search result, in this order."""
IngestStage = Literal["scan", "read", "content", "parse", "cut", "analyse", "store"]
"""Stages of the ingest of one file, in this order."""
FileChange = Literal["edited", "gone"]
"""Known change of a file since it was indexed."""
TermKind = Literal["term", "phrase", "prefix", "word", "raw"]


@dataclass(frozen=True, kw_only=True)
class ExplanationStep:
    """One step."""

    name: StepName
    state: Literal["ok", "note", "stop"]
    """`note`: passed, with a remark. `stop`: the file got no further."""
    detail: Message
    remedy: Remedy | None = None


class ExclusionRule(Model):
    """The rule that leaves a file out."""

    reason: SkipReason
    path: WorkspacePath
    """The path that is left out, inside the source: the file, or the folder above it as a whole."""
    is_folder: bool
    origin: RuleOrigin | None = None
    name: str | None = None
    """Path of the ignore file, key of the setting, or name of the built-in rule."""
    pattern: str | None = None
    """The pattern as written."""
    line: Position | None = None
    """Line of the ignore file."""
    limit_bytes: Count | None = None


class FailureDetail(Model):
    """The error that ended the ingest of a file."""

    stage: IngestStage | None = None
    """Absent where it is no longer known."""
    code: str
    message: str
    at: UtcDatetime | None = None
    """Time of the failure; absent where the file was tried just now."""


class DocumentState(Model):
    """The document that a file became."""

    doc_id: DocumentId
    title: str
    lang: str
    media: MediaKind
    indexed_at: UtcDatetime
    stale: bool
    """The file on disk may differ from the stored document."""
    change: FileChange | None = None
    """Known change of the file since."""
    is_external: bool
    """It was ingested as a single file, and kebab keeps a copy of it."""
    passage_count: Count
    embedded_count: Count | None
    """Number of passages with vectors; null where no model is configured."""


@dataclass(frozen=True, kw_only=True)
class PassageState:
    """One passage of the document, and what the query finds in it."""

    chunk_id: ChunkId
    ordinal: int
    """Position in the document, from 0."""
    heading_path: tuple[str, ...]
    uri: str
    """Citation."""
    source_spans: tuple[SourceSpan, ...]
    token_estimate: int
    has_vector: bool | None = None
    """None where no model is configured."""
    terms: tuple[str, ...] | None = None
    """Terms of the query in the passage; None without a query."""
    cosine: float | None = None
    z_score: float | None = None
    """Similarity to the query in standard deviations above the mean of the passage's script; None where not computed."""
    min_z_score: float | None = None
    """Minimum z-score of a hit that shares no term with the query; None where a hit must share one."""


class QueryTerm(Model):
    """One term of the query."""

    text: str
    kind: TermKind
    """A term of the analyser, an exact phrase, a prefix of words, a word as typed, full-text syntax."""
    weight: float | None = None
    """Inverse document frequency; absent for terms that only filter."""
    searched: bool
    """Whether the index was searched for it; not where no passage holds it, or where it is too common."""
    in_index: Count | None = None
    """Number of passages of the whole index that hold it, 0 for none; absent where only known to be at least one."""
    passages: tuple[Count, ...]
    """Ordinals of the file's passages that hold it."""


@dataclass(frozen=True, kw_only=True)
class SearchPosition:
    """Position of the file's best passage in one search mode."""

    mode: SearchMode
    rank: int | None = None
    """Of the hit that shows it, from 1; None where the file is not among the hits that were looked at."""
    translation: WorkspacePath | None = None
    """The document that this hit shows, where that is a translation of the file."""
    score: float | None = None
    score_kind: ScoreKind | None = None
    chunk_id: ChunkId | None = None
    looked_at: int = 0
    """Hits that were looked at: all, where fewer than a thousand."""
    matches: bool = False
    """Whether any passage of the file is a hit, however deep."""
    filtered: bool = True
    """Whether all filters were in force; those that keep the file out are not."""
    failure: LegFailure | None = None
    """Error of this search, or of its vectors."""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Why a file is found or not."""

    asked: str
    """Name of the file, as given."""
    query: SearchQuery | None = None
    verdict: Verdict
    summary: Message
    """The verdict as a sentence."""
    remedy: Remedy | None = None
    """The next step, where there is one."""
    steps: tuple[ExplanationStep, ...]
    source_id: str | None = None
    doc_path: WorkspacePath | None = None
    disk_path: str
    rule: ExclusionRule | None = None
    failure: FailureDetail | None = None
    document: DocumentState | None = None
    passages: tuple[PassageState, ...] = ()
    terms: tuple[QueryTerm, ...] | None = None
    """None without a query."""
    legs: tuple[SearchPosition, ...] | None = None
    """One for each search mode; None without a query."""

    @property
    def can_be_found(self) -> bool:
        """Whether nothing keeps the file from being found."""
        return self.verdict in {"indexed", "found"}


@dataclass
class ExplanationTrace:
    """Steps of an explanation in order, and the verdict of the first that stopped the file."""

    steps: list[ExplanationStep] = field(default_factory=list)
    verdict: Verdict | None = None
    """None until a step stops the file."""

    @property
    def decisive_step(self) -> ExplanationStep | None:
        """The first step that stopped the file, else the first with a remark."""
        of_state = {state: [step for step in self.steps if step.state == state] for state in ("stop", "note")}
        return next(iter([*of_state["stop"], *of_state["note"]]), None)

    def ok(self, name: StepName, detail: Message) -> None:
        """Add a step that the file passed."""
        self.steps.append(ExplanationStep(name=name, state="ok", detail=detail))

    def note(self, name: StepName, detail: Message, *, remedy: Remedy | None = None) -> None:
        """Add a step that the file passed, with a remark."""
        self.steps.append(ExplanationStep(name=name, state="note", detail=detail, remedy=remedy))

    def stop(
        self,
        verdict: Verdict,
        name: StepName,
        detail: Message,
        *,
        remedy: Remedy | None = None,
        is_passed: bool = False,
    ) -> None:
        """Add a step that stopped the file; the verdict of the first such step counts.

        Args:
            verdict: The reason.
            name: Of the step.
            detail: The reason as a sentence.
            remedy: What to do.
            is_passed: Add a remark only, because the index has a version of the file.
        """
        if is_passed:
            self.note(name, detail, remedy=remedy)
            return
        self.verdict = self.verdict or verdict
        self.steps.append(ExplanationStep(name=name, state="stop", detail=detail, remedy=remedy))
