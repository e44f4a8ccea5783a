"""`why.v1`."""

from __future__ import annotations

from typing import Literal

from kebab_core import MediaKind, RuleOrigin, ScoreKind, SearchMode, SkipReason

from kebab_wire.base import Count, Position, Timestamp, WireId, WireObject, WirePart
from kebab_wire.search import LegFailureV1, QueryV1
from kebab_wire.span import SpanV1

WhyVerdict = Literal[
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
"""The nearest reason. `indexed` and, where a query was asked about, `found` are the good ones."""
WhyStepName = Literal[
    "source", "rules", "ingest", "file", "index", "vectors", "filters", "words", "meaning", "order", "answer"
]
"""Along the way of a file into a result, in this order."""
WhyStage = Literal["scan", "read", "content", "parse", "cut", "analyse", "store"]
"""Of ingest, in this order."""


class WhyStepV1(WirePart):
    """One step of the way."""

    name: WhyStepName
    state: Literal["ok", "note", "stop"]
    """`note`: passed, though something is to be said of it. `stop`: the file got no further."""
    detail: str
    fix: str | None = None
    """What to do: a command, or a setting to change."""


class WhyRuleV1(WirePart):
    """What left the file out."""

    reason: SkipReason
    path: str
    """What is left out: the file, or the folder above it as a whole; inside the source."""
    is_folder: bool
    origin: RuleOrigin | None = None
    name: str | None = None
    """The path of the ignore file, the key of the setting, or what is built in."""
    pattern: str | None = None
    """As it is written."""
    line: Position | None = None
    """Of the ignore file."""
    limit_bytes: Count | None = None


class WhyFailureV1(WirePart):
    """How far ingest got with the file, as `error.v1` would say it."""

    stage: WhyStage | None = None
    """Absent where it cannot be told any more."""
    code: str
    message: str
    at: Timestamp | None = None
    """When; absent where it was tried just now."""


class WhyDocumentV1(WirePart):
    """What the file became."""

    doc_id: WireId
    title: str
    lang: str
    media: MediaKind
    indexed_at: Timestamp
    stale: bool
    """What is stored may no longer be what is on disk."""
    change: Literal["edited", "gone"] | None = None
    """What is known to have become of the file since."""
    is_external: bool
    """It was given by name, and kebab keeps a copy of it."""
    passage_count: Count
    embedded_count: Count | None
    """How many passages have vectors; null where no model is configured."""


class WhyPassageV1(WirePart):
    """A passage of the file."""

    chunk_id: WireId
    ordinal: Count
    """Position in the document, from 0."""
    heading_path: tuple[str, ...]
    uri: str
    """Where it stands, as citations say it."""
    source_spans: tuple[SpanV1, ...]
    token_estimate: Count
    has_vector: bool | None = None
    """Absent where no model is configured."""
    terms: tuple[str, ...] | None = None
    """What of the query stands in it; absent without a query."""
    cosine: float | None = None
    standing: float | None = None
    """By how many deviations it is nearer to the query than the mean of its script; absent where meaning was not asked."""
    floor: float | None = None
    """How many deviations it takes to be a hit for that alone; absent where only what holds words can be one."""


class WhyTermV1(WirePart):
    """Something that the query asks for."""

    text: str
    kind: Literal["term", "phrase", "prefix", "word", "raw"]
    """A term of the analyser, an exact phrase, the beginning of a word, a word as typed, full-text syntax."""
    weight: float | None = None
    """Inverse frequency: the rarer, the more; absent for what only lets passages through."""
    searched: bool
    """The index was asked for it; not where no passage holds it, or where it is too common to tell."""
    in_index: Count | None = None
    """How many passages of the whole index hold it; 0: it exists nowhere. Absent: some."""
    passages: tuple[Count, ...]
    """Ordinals of the file's passages that hold it."""


class WhyLegV1(WirePart):
    """Where the best passage of the file stands in one kind of search."""

    mode: SearchMode
    rank: Position | None
    """Among the hits of that mode, from 1; null where it is not among those looked at."""
    score: float | None = None
    score_kind: ScoreKind | None = None
    chunk_id: WireId | None = None
    looked_at: Count
    """How many hits were looked at; all there are, where fewer than a thousand."""
    matches: bool
    """Whether any passage of the file is a hit, however deep."""
    filtered: bool
    """Whether the filters were in force: not where they keep the file out."""
    failure: LegFailureV1 | None = None
    """Why that search could not be made, or lacked its vectors."""


class WhyV1(WireObject):
    """Why a file is found or not: its way through ingest and, for a query, through search."""

    schema_version: Literal["why.v1"] = "why.v1"
    asked: str
    """As it was named."""
    query: QueryV1 | None = None
    verdict: WhyVerdict
    summary: str
    """The same in a sentence."""
    fix: str | None = None
    """The next step, where there is one."""
    steps: tuple[WhyStepV1, ...]
    """In order; none after one that stopped the file, but for a query of which all is told that can be."""
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
        """Whether nothing stands in the way."""
        return self.verdict in {"indexed", "found"}
