"""Answers, their citations, and the conversation they may belong to."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal, NewType

from pydantic import Field

from kebab_core.citation import Citation
from kebab_core.model import Model, UtcDatetime
from kebab_core.search import Coverage, SearchHit, SearchMode
from kebab_core.versions import PromptTemplateVersion

TraceId = NewType("TraceId", str)
"""`ret_` and 16 hex digits."""
SessionId = NewType("SessionId", str)


class RefusalReason(StrEnum):
    """Why an answer is a refusal."""

    SCORE_GATE = "score_gate"
    LLM_SELF_JUDGE = "llm_self_judge"
    NO_INDEX = "no_index"
    NO_CHUNKS = "no_chunks"
    LLM_STREAM_ABORTED = "llm_stream_aborted"
    MULTI_HOP_DECOMPOSE_FAILED = "multi_hop_decompose_failed"
    NLI_VERIFICATION_FAILED = "nli_verification_failed"
    NLI_MODEL_UNAVAILABLE = "nli_model_unavailable"


class ModelRef(Model):
    """A model by name and provider."""

    id: str
    provider: str
    dimensions: int | None = Field(default=None, ge=1)


class TokenUsage(Model):
    """What an answer cost."""

    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    latency_ms: int = Field(default=0, ge=0)


class AnswerCitation(Model):
    """A citation with the marker that stands for it in the text; near candidates have none."""

    marker: str | None
    """`[n]`, as it stands in the text."""
    citation: Citation
    indexed_at: UtcDatetime
    stale: bool
    score: float | None = Field(default=None, ge=0, le=1)
    """What the gate makes of the passage, on the scale of `AnswerRetrievalSummary.top_score`."""


class AnswerMarker(Model):
    """Where a marker stands in the text of an answer; whatever else looks like one is text."""

    number: int = Field(ge=1, le=999)
    """That of the citation `[n]`."""
    start: int = Field(ge=0)
    """In code points; `end` is exclusive."""
    end: int = Field(ge=1)


class AnswerRetrievalSummary(Model):
    """How the evidence was found."""

    trace_id: TraceId
    mode: SearchMode
    k: int = Field(ge=1)
    score_gate: float = Field(ge=0, le=1)
    top_score: float = Field(ge=0, le=1)
    """What the gate compared: evidence of the best hit, squashed."""
    chunks_returned: int = Field(ge=0)
    chunks_used: int = Field(ge=0)


class HopRecord(Model):
    """One round of a multi-hop answer."""

    iter: int = Field(ge=0)
    kind: Literal["decompose", "decide", "synthesize"]
    sub_queries: tuple[str, ...] = ()
    context_chunks_added: int = Field(default=0, ge=0)
    forced_stop: bool = False
    llm_call_ms: int = Field(default=0, ge=0)


class VerificationSummary(Model):
    """What the entailment check found."""

    nli_score: float = Field(ge=0, le=1)
    nli_threshold: float = Field(ge=0, le=1)
    nli_passed: bool


class Answer(Model):
    """A grounded answer, or a refusal that says why."""

    answer: str
    markers: tuple[AnswerMarker, ...] | None = None
    """The markers in the text, in its order; none in a refusal, None for answers stored before these were kept."""
    citations: tuple[AnswerCitation, ...] = ()
    grounded: bool
    refusal_reason: RefusalReason | None = None
    """Set exactly when `grounded` is false."""
    model: ModelRef
    embedding: ModelRef | None = None
    prompt_template_version: PromptTemplateVersion
    retrieval: AnswerRetrievalSummary
    usage: TokenUsage = TokenUsage()
    created_at: UtcDatetime
    conversation_id: SessionId | None = None
    turn_index: int | None = Field(default=None, ge=0)
    hops: tuple[HopRecord, ...] | None = None
    verification: VerificationSummary | None = None


class RetrievalDone(Model):
    """The evidence is there; generation starts."""

    kind: Literal["retrieval_done"] = "retrieval_done"
    ts: UtcDatetime
    hits: tuple[SearchHit, ...]
    coverage: Coverage | None = None
    """What was searched."""


class AnswerToken(Model):
    """More of the answer's text."""

    kind: Literal["token"] = "token"
    ts: UtcDatetime
    delta: str
    marker: int | None = Field(default=None, ge=1, le=999)
    """Set where the text is `[n]` and stands for a passage; None for words, whatever they look like."""


class AnswerFinal(Model):
    """The whole answer; always the last event."""

    kind: Literal["final"] = "final"
    ts: UtcDatetime
    answer: Answer
    persisted: bool = True
    """Whether it is stored, to be shown again by its trace id."""
    unstored_reason: str | None = None
    """Why storing it failed; None where it is stored or was not to be."""


AnswerEvent = Annotated[RetrievalDone | AnswerToken | AnswerFinal, Field(discriminator="kind")]


class Turn(Model):
    """One question and answer of a conversation."""

    question: str
    answer: str
    citations: tuple[AnswerCitation, ...] = ()
    created_at: UtcDatetime


class ChatSession(Model):
    """A conversation."""

    session_id: SessionId
    created_at: UtcDatetime
    updated_at: UtcDatetime
    title: str | None = None
    config_snapshot: dict[str, str] = Field(default_factory=dict)
