"""Answers and conversations, and the requests and streams of language models that write them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal, NewType

from pydantic import Field, JsonValue, model_validator

from kebab_core.chunk import TableRows
from kebab_core.citation import Citation
from kebab_core.ids import ChunkId, PromptTemplateVersion
from kebab_core.messages import Message
from kebab_core.model import Count, Model, Position, UtcDatetime
from kebab_core.search import Coverage, Evidence, SearchHit, SearchMode

TraceId = NewType("TraceId", str)
"""`ret_` and 16 hex digits."""
SessionId = NewType("SessionId", str)


class RefusalReason(StrEnum):
    """Reason of a refusal."""

    SCORE_GATE = "score_gate"
    LLM_SELF_JUDGE = "llm_self_judge"
    NO_INDEX = "no_index"
    NO_CHUNKS = "no_chunks"
    WEAK_SUPPORT = "weak_support"
    """Not sure: what is quoted comes nearest to the question, and may not answer it."""
    NOT_PROVEN = "not_proven"
    """A chat model answered, and not all that it wrote is said by what it cites; the claims say which."""
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
    """Tokens and time that an answer took."""

    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    latency_ms: int = Field(default=0, ge=0)


class AnswerCitation(Model):
    """A citation with the marker that stands for it in the text; near candidates have none."""

    marker: str | None
    """`[n]`, as in the text; numbers count in order of appearance."""
    citation: Citation
    """The lines that are quoted, where the text before the marker is a quote; else the whole passage."""
    passage: Citation | None = None
    """The whole passage; None for near candidates and for answers stored before this was kept."""
    stated_on: dt.date | None = None
    """The day that its document states; None where only the file's time is known, and for near candidates."""
    indexed_at: UtcDatetime
    stale: bool
    score: float | None = Field(default=None, ge=0, le=1)
    """Evidence score of the passage, on the scale of `AnswerRetrievalSummary.top_score`."""
    items_left_out: int | None = Field(default=None, ge=1)
    """Items of a list, rows of a table or lines of code of its passage that stand between quoted ones or behind them."""


class AnswerMarker(Model):
    """Position of a marker in `answer`: code points, half open."""

    number: Position
    """Number of the citation `[n]`."""
    start: Count
    end: Count


class HeaderRange(Model):
    """Position in `answer` of the header row of a table, which names the columns of the rows below it: code points, half open."""

    start: Count
    end: Count


class AnswerRetrievalSummary(Model):
    """Summary of the retrieval behind an answer."""

    trace_id: TraceId
    """Names the answer: `ret_` and 16 hex digits."""
    mode: SearchMode
    k: int = Field(ge=1)
    score_gate: float = Field(ge=0, le=1)
    """Minimum score of a passage that is read; 0 reads whatever search finds."""
    top_score: float = Field(ge=0, le=1)
    """The score that decides: with the built-in reader the probability that its best quote answers, else the score of the best hit."""
    chunks_returned: int = Field(ge=0)
    chunks_used: int = Field(ge=0)
    """Passages given to the model."""
    question: str | None = None
    """The question that was searched, where it is not the one that was asked: in a conversation, with an earlier one before
    it."""


class HopRecord(Model):
    """One round of a multi-hop answer."""

    iter: int = Field(ge=0)
    """Number of the round, from 0."""
    kind: Literal["decompose", "decide", "synthesize"]
    """What the model was asked: to take the question apart, whether anything is missing, or to answer."""
    sub_queries: tuple[str, ...] = ()
    """The sub-questions that were searched."""
    context_chunks_added: int = Field(default=0, ge=0)
    """Passages that the searches found and that were not there before."""
    forced_stop: bool = False
    """True where a limit ended the search, not the model."""
    llm_call_ms: int = Field(default=0, ge=0)
    """Milliseconds that the model took."""


class VerificationSummary(Model):
    """Result of the entailment check."""

    nli_score: float = Field(ge=0, le=1)
    nli_threshold: float = Field(ge=0, le=1)
    nli_passed: bool


class ClaimVerdict(StrEnum):
    """What a claim rests on."""

    QUOTED = "quoted"
    """It stands word for word in what it cites."""
    SUPPORTED = "supported"
    """In the model's own words, all of which the sentences that it cites hold, or entail."""
    NOT_PROVEN = "not_proven"
    """In the model's own words: not improbable by what it cites, and not all of it is said there."""
    UNCHECKED = "unchecked"
    """In the model's own words, of which only the citation is known to exist."""


class ClaimCheck(StrEnum):
    """A check that a claim of a chat model must pass to be shown."""

    MALFORMED = "malformed"
    """It can be read, and is whole."""
    NOT_IN_EVIDENCE = "not_in_evidence"
    """It does not say that the evidence is not enough."""
    NO_SENTENCE = "no_sentence"
    """It names a sentence."""
    UNKNOWN_SENTENCE = "unknown_sentence"
    """Every sentence that it names was given to the model."""
    LINK = "link"
    """Every address of the web in it stands in what it cites."""
    QUOTATION = "quotation"
    """Words that it puts in quotation marks stand in what it cites."""
    FIGURE = "figure"
    DATE = "date"
    UNIT = "unit"
    NAME = "name"
    """Its figures, dates, units and names stand in what it cites, unless it is probable all the same."""
    NEGATION = "negation"
    """Its negations are those of what it cites, unless it is probable all the same."""
    SUPPORT = "support"
    """Its words follow from what it cites, by their probability, and what it adds to the question stands there."""
    NO_ANSWER = "no_answer"
    """It adds something to the question, is no heading, and cites sentences that are about the question."""
    ENTAILMENT = "entailment"
    """A model finds that what it cites entails it."""
    LANGUAGE = "language"
    """It is in the language of the question."""


_CONTRADICTIONS = frozenset({
    ClaimCheck.LINK,
    ClaimCheck.QUOTATION,
    ClaimCheck.FIGURE,
    ClaimCheck.DATE,
    ClaimCheck.UNIT,
    ClaimCheck.NAME,
    ClaimCheck.NEGATION,
    ClaimCheck.SUPPORT,
})


class ClaimSource(Model):
    """One citation of a claim."""

    marker: str
    """`[n]`"""
    citation: Citation
    """Narrowed to the lines, characters or time of the quote where there is one, else of the whole passage."""
    quote: str | None
    """The text of the source that bears the claim, as it stands there; null where it is not known which."""


class Claim(Model):
    """Text of an answer between two groups of markers."""

    text: str
    sources: tuple[ClaimSource, ...]
    """Empty for text after the last marker."""
    verdict: ClaimVerdict


class DroppedClaim(Model):
    """A claim that a chat model wrote and that failed a check."""

    text: str
    check: ClaimCheck
    """The first check that it failed."""
    detail: str = ""
    """The part of it that failed, such as a figure; empty where that is the whole."""


class ClaimReview(Model):
    """Result of the checks of the claims that a chat model wrote."""

    written: int = Field(ge=0)
    """Claims of all replies."""
    dropped: tuple[DroppedClaim, ...] = ()
    """Those that are not shown, in order; of a reply that was asked for again, too."""
    repaired: bool = False
    """True where the model was asked a second time."""
    other_language: bool = False
    """True where the claims are in another language than the question, although the model was asked again."""

    @property
    def contradicted(self) -> int:
        """Number of claims that are not shown because they are improbable by what they cite."""
        return sum(each.check in _CONTRADICTIONS for each in self.dropped)


_MIN_COMPARED = 2


class Answer(Model):
    """A grounded answer, one that is not sure (`weak_support`) or not proven (`not_proven`), or a refusal that says why."""

    answer: str
    markers: tuple[AnswerMarker, ...] = ()
    """The markers in the text, in its order. Of answers that are not grounded only those with claims have some."""
    header_rows: tuple[HeaderRange, ...] = Field(default=(), exclude_if=lambda rows: not rows)
    """Header rows of tables that are quoted to name the columns of other rows, in the order of the text."""
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
    """The rounds of a multi-hop answer, in order, whatever its end; empty where the model was not asked, None for any other
    answer."""
    verification: VerificationSummary | None = None
    claims: tuple[Claim, ...] = ()
    """The text by claims, in its order. Of answers that are not grounded only `weak_support`, `not_proven`, and one that was
    interrupted after a whole claim, have some."""
    review: ClaimReview | None = None
    """Checks of the claims; None where no chat model was asked for claims."""

    @property
    def compared_days(self) -> Mapping[str, dt.date]:
        """The day that its document states, by marker, where two or more documents that state one are cited; else empty."""
        dated = [each for each in self.citations if each.marker and each.stated_on]
        if len({(each.citation.source_id, each.citation.path) for each in dated}) < _MIN_COMPARED:
            return {}
        return {each.marker: each.stated_on for each in dated if each.marker and each.stated_on}


class HopDone(Model):
    """A round of a multi-hop answer has searched; such events come before `RetrievalDone`."""

    ts: UtcDatetime
    kind: Literal["hop_done"] = "hop_done"
    hop: HopRecord


class RetrievalDone(Model):
    """The evidence is there; generation starts."""

    ts: UtcDatetime
    kind: Literal["retrieval_done"] = "retrieval_done"
    hits: tuple[SearchHit, ...]
    coverage: Coverage | None = None
    """Coverage of the search."""


class AnswerToken(Model):
    """More of the answer's text."""

    ts: UtcDatetime
    kind: Literal["token"] = "token"
    delta: str
    marker: Position | None = None
    """Number of the citation where `delta` is its marker `[n]`; absent for any other text."""
    header_row: bool | None = None
    """True where `delta` is the header row of a table, which names the columns of the rows after it; absent for any other text."""
    verdict: ClaimVerdict | None = None
    """Of a marker: the verdict on its claim; absent where claims are not checked."""


class AnswerFinal(Model):
    """The whole answer; always the last event."""

    ts: UtcDatetime
    kind: Literal["final"] = "final"
    answer: Answer
    persisted: bool = True
    """Whether it is stored, to be shown again by its trace id."""
    unstored_reason: Message | None = None
    """Reason that storing it failed; None where it is stored or was not to be."""


AnswerEvent = Annotated[HopDone | RetrievalDone | AnswerToken | AnswerFinal, Field(discriminator="kind")]


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


class Passage(Model):
    """One packed piece of evidence; `[#marker]` in the output refers to it."""

    marker: int = Field(ge=1, le=999)
    chunk_id: ChunkId
    citation: Citation
    title: str
    heading_path: tuple[str, ...]
    lang: str
    stated_on: dt.date | None = None
    """The day that its document states, as in `Metadata`."""
    text: str
    score: float | None = None
    """Score of its hit, the probability that it is about what was asked, or that of the reranker where it is greater; None where it has
    none."""
    evidence: Evidence = Evidence()
    """Signals of relevance of its hit."""
    tables: tuple[TableRows, ...] = ()
    """The rows of tables with a header row in `text`, in its order."""


class PassageQuote(Model):
    """Text of one passage that a reader chose, word for word: one claim of an answer."""

    marker: int = Field(ge=1, le=999)
    """Marker of the passage."""
    ranges: tuple[tuple[int, int], ...] = Field(min_length=1)
    """Half open ranges of code points of its text, in order; several where what stands between them is left out."""
    probability: float | None = Field(default=None, ge=0, le=1)
    """Probability that it answers the question; None where the reader knows none."""

    @model_validator(mode="after")
    def _are_ascending(self) -> PassageQuote:
        places = [place for each in self.ranges for place in each]
        if places[0] < 0 or any(start >= end for start, end in self.ranges) or places != sorted(places):
            raise ValueError("ranges must be ascending, apart and not empty")
        return self


class AnswerReading(Model):
    """Quotes that a reader chose of the passages for a question."""

    answers: bool
    """True if the quotes answer the question, false if they only come near."""
    quotes: tuple[PassageQuote, ...] = ()
    """As they are to be shown, the first one first. Empty where nothing comes near."""

    @model_validator(mode="after")
    def _answers_by_quotes(self) -> AnswerReading:
        if self.answers and not self.quotes:
            raise ValueError("an answer must have a quote")
        return self


class ChatMessage(Model):
    """One message to a chat model, or from it."""

    role: Literal["system", "user", "assistant"]
    text: str
    picture: bytes | None = Field(default=None, exclude_if=lambda picture: picture is None)
    """A PNG that goes with the text."""


class GenerateRequest(Model):
    """One call of a model that writes."""

    messages: tuple[ChatMessage, ...] = Field(min_length=1)
    """The rendered prompt, in order: instructions, earlier turns if there are any, the question with its evidence."""
    question: str
    """The question alone, as it is searched."""
    evidence: tuple[Passage, ...] = ()
    """The passages in the prompt."""
    json_schema: dict[str, JsonValue] | None = None
    """JSON Schema of the reply; None for plain text."""
    stop: tuple[str, ...] = ()
    """The model stops before it writes one of these."""
    max_tokens: int = Field(ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = None


class FinishReason(StrEnum):
    """Reason that a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    ABORTED = "aborted"
    ERROR = "error"


class TokenDelta(Model):
    """More text."""

    kind: Literal["token"] = "token"
    text: str


class GenerationDone(Model):
    """The last item of every stream."""

    kind: Literal["done"] = "done"
    finish_reason: FinishReason
    usage: TokenUsage
    error: str | None = None


TokenChunk = Annotated[TokenDelta | GenerationDone, Field(discriminator="kind")]


class Entailment(Model):
    """Probabilities that a premise supports, leaves open or contradicts a hypothesis; they sum to 1."""

    entailment: float = Field(ge=0, le=1)
    neutral: float = Field(ge=0, le=1)
    contradiction: float = Field(ge=0, le=1)
