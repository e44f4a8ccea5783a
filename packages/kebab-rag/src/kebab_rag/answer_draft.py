"""The draft of an answer: question, hits and text so far, and the `Answer` or refusal that is built from them.

`pipeline` makes one draft for each question and fills it step by step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    Answer,
    AnswerCitation,
    AnswerRetrievalSummary,
    HopRecord,
    PromptTemplateVersion,
    RefusalReason,
    TokenUsage,
    TraceId,
    hash_canonical,
)

from kebab_rag.citations import cite_quotes
from kebab_rag.claims import cite_claim, find_claims
from kebab_rag.refusals import MAX_CANDIDATES
from kebab_rag.safe_text import make_showable

if TYPE_CHECKING:
    from kebab_core import (
        AnswerMarker,
        AnswerReading,
        Claim,
        ClaimReview,
        Clock,
        GenerationDone,
        ModelRef,
        SearchHit,
        SearchMode,
        SearchResponse,
        SessionId,
        Turn,
        VerificationSummary,
    )

    from kebab_rag.citations import ShownAnswer, ShownClaims
    from kebab_rag.claims import PassageReader
    from kebab_rag.passages import PackedPassage
    from kebab_rag.request import AnswerLanguage

HOPS_VERSION = "hops-v1"
"""Version of the prompts of multi-hop answers, named behind that of the template."""


@dataclass(kw_only=True)
class AnswerDraft:
    """The state of one question. Belongs to one thread."""

    question: str
    lang: AnswerLanguage
    mode: SearchMode
    k: int
    score_gate: float
    model: ModelRef
    template: PromptTemplateVersion
    clock: Clock
    started_ms: int
    embedding: ModelRef | None = None
    """The model whose vectors the search may have used."""
    session: SessionId | None = None
    """The conversation that the question belongs to."""
    history: tuple[Turn, ...] = ()
    """The earlier turns that the question goes on from, oldest first; none where it turns to another topic."""
    searched: str = ""
    """The question that is searched and answered: with an earlier one before it where it goes on from that one."""
    response: SearchResponse | None = None
    """The search result; None before the search."""
    packed: tuple[PackedPassage, ...] = ()
    pieces: list[str] = field(default_factory=list)
    """The text of the model so far, in pieces as they came."""
    generation: GenerationDone | None = None
    claims: ShownClaims | None = None
    """The claims that stand so far, of a reader or a model that names sentences; None of any other."""
    reading: AnswerReading | None = None
    """What a reader found; None where a model writes."""
    review: ClaimReview | None = None
    """Result of their checks."""
    verification: VerificationSummary | None = None
    """Result of the entailment check."""
    hops: list[HopRecord] | None = None
    """The rounds so far, where the question is taken apart."""
    sub_questions: list[str] = field(default_factory=list)
    """Those that were searched, in order."""
    planning: TokenUsage = field(default_factory=TokenUsage)
    """Tokens of the rounds, without those of the answer."""
    call_started_ms: int | None = None
    """When the model was asked in the last round; None once it has replied."""

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The hits of the search, best first."""
        return self.response.hits if self.response else ()

    @property
    def evidence(self) -> tuple[SearchHit, ...]:
        """The hits that are read, best first: those whose score reaches the gate."""
        return tuple(hit for hit in self.hits if score_of(hit) >= self.score_gate)

    @property
    def top_score(self) -> float:
        """The score that decides: of a reader the probability of its best quote, else that of the best hit, which the gate compares."""
        if self.reading is not None:
            known = [1.0 if each.probability is None else each.probability for each in self.reading.quotes]
            return max(known, default=0.0)
        return best_score(self.hits)

    @property
    def text(self) -> str:
        """The text of the model so far, with its markers."""
        return "".join(self.pieces)

    @property
    def passages(self) -> dict[int, str]:
        """The text of each packed passage by its marker."""
        return {each.passage.marker: each.passage.text for each in self.packed}

    def begin_hop(self, kind: Literal["decompose", "decide", "synthesize"]) -> None:
        """Add a round, in which the model is asked now."""
        self.hops = self.hops or []
        self.hops.append(HopRecord(iter=len(self.hops), kind=kind))
        self.call_started_ms = self.clock.monotonic_ms()

    def end_call(self) -> None:
        """Keep how long the model took in the last round, if it was asked and not yet measured."""
        if self.hops and self.call_started_ms is not None:
            self.change_hop(llm_call_ms=max(0, self.clock.monotonic_ms() - self.call_started_ms))
        self.call_started_ms = None

    def change_hop(self, **values: object) -> HopRecord:
        """Change fields of the last round and return it.

        Raises:
            IndexError: There is no round.
        """
        hops = self.hops or []
        hops[-1] = hops[-1].model_copy(update=values)
        return hops[-1]

    def near(self, *, below: float = math.inf) -> list[tuple[SearchHit, float]]:
        """Return the hits with the best scores below a limit, best first, at most `MAX_CANDIDATES`."""
        scored = sorted(((hit, score_of(hit)) for hit in self.hits), key=lambda each: -each[1])
        return [each for each in scored if each[1] < below][:MAX_CANDIDATES]

    def cited(self, reader: PassageReader, refusal: RefusalReason | None = None) -> Answer:
        """Return the answer as the model wrote it, or as a reader quoted it.

        Args:
            reader: Reads the lines of the passages, to cite those that are quoted.
            refusal: Reason that it is not grounded: quotes that only come near, or an interrupt; None for a grounded one.
        """
        packed = {each.passage.marker: each for each in self.packed}
        shown = self.shown()
        citations = []
        for number, cited in enumerate(shown.cited, start=1):
            passage, hit = packed[cited.marker]
            lines = reader.read(hit.citation, self.hits)
            narrow = cite_quotes(hit.citation, cited.quotes, lines)
            whole = _cite(hit, f"[{number}]", score_of(hit))
            found = {
                "citation": narrow,
                "passage": hit.citation,
                "stated_on": passage.stated_on,
                "items_left_out": cited.items_left_out if refusal is None else None,
            }
            citations.append(whole.model_copy(update=found))
        answer = self._build(shown.text, markers=shown.markers, citations=tuple(citations), refusal=refusal)
        claims = self._find_claims(answer, shown, reader)
        return answer.model_copy(update={"claims": claims, "header_rows": shown.header_rows})

    def shown(self) -> ShownAnswer:
        """Return the text so far as readers see it, with its citations."""
        if self.claims is not None:
            return self.claims.show()
        from kebab_rag.citation_numbers import show_answer

        return show_answer(self.text, self.passages)

    def _find_claims(self, answer: Answer, shown: ShownAnswer, reader: PassageReader) -> tuple[Claim, ...]:
        if self.claims is None:
            return find_claims(answer, self.hits, reader)
        cited = list(zip(answer.citations, shown.cited, strict=True))
        return tuple(
            cite_claim(
                each.text,
                [cited[number - 1] for number in each.numbers],
                self.hits,
                reader,
                is_quote=each.is_quote,
                verdict=each.verdict,
            )
            for each in self.claims.claims
        )

    def refused(
        self, reason: RefusalReason, text: str, near: Sequence[tuple[SearchHit, float]] = ()
    ) -> Answer:
        """Return a refusal that cites the nearest passages, without markers."""
        citations = tuple(_cite(hit, None, score) for hit, score in near)
        return self._build(text, refusal=reason, citations=citations)

    def aborted(self) -> Answer:
        """Return an interrupted answer: its text so far, without markers, since not all of it was checked."""
        from kebab_rag.markers import strip_markers

        said = self.text if self.claims is None else "\n".join(each.text for each in self.claims.claims)
        text = make_showable(strip_markers(said)).strip()
        return self._build(text, refusal=RefusalReason.LLM_STREAM_ABORTED)

    def packed_chunks(self) -> list[dict[str, object]]:
        """Return the passages that the model was given, as the row of an explained answer keeps them."""
        cited = {each.marker for each in self.shown().cited}
        return [
            {
                "marker": each.passage.marker,
                "chunk_id": str(each.passage.chunk_id),
                "uri": each.passage.citation.to_uri(),
                "rank": each.hit.rank,
                "score": score_of(each.hit),
                "evidence": each.hit.evidence.model_dump(mode="json"),
                "cited": each.passage.marker in cited,
                "text": each.passage.text,
            }
            for each in self.packed
        ]

    def _build(
        self,
        text: str,
        *,
        markers: tuple[AnswerMarker, ...] = (),
        citations: tuple[AnswerCitation, ...] = (),
        refusal: RefusalReason | None = None,
    ) -> Answer:
        created_at = self.clock.now()
        self.end_call()
        usage = add_usage(self.planning, self.generation.usage if self.generation else TokenUsage())
        latency_ms = self.clock.monotonic_ms() - self.started_ms
        return Answer(
            answer=text,
            markers=markers,
            citations=citations,
            grounded=refusal is None,
            refusal_reason=refusal,
            model=self.model,
            embedding=self.embedding if any(hit.embedding_model for hit in self.hits) else None,
            prompt_template_version=self.template
            if self.hops is None
            else PromptTemplateVersion(f"{self.template}+{HOPS_VERSION}"),
            retrieval=AnswerRetrievalSummary(
                trace_id=self._trace_id(created_at.isoformat()),
                mode=self.mode,
                k=self.k,
                score_gate=self.score_gate,
                top_score=self.top_score,
                chunks_returned=len(self.hits),
                chunks_used=len(self.packed),
                question=self.searched if self.searched not in {"", self.question} else None,
            ),
            usage=usage.model_copy(update={"latency_ms": latency_ms}),
            created_at=created_at,
            conversation_id=self.session,
            hops=None if self.hops is None else tuple(self.hops),
            verification=self.verification,
            review=self.review,
        )

    def _trace_id(self, created_at: str) -> TraceId:
        """Return an id made of question, time, mode, k and hits."""
        hit_ids = [str(hit.chunk_id) for hit in self.hits]
        return TraceId(
            "ret_" + hash_canonical([self.question, created_at, self.mode.value, self.k, *hit_ids])[:16]
        )


def score_of(hit: SearchHit) -> float:
    """Return the score of a hit in [0, 1]: the probability that it is about the question, or its rank on that scale."""
    return min(max(hit.score, 0.0), 1.0)


def best_score(hits: Sequence[SearchHit]) -> float:
    """Return the greatest score of hits, which need not be that of the first where they were reranked; 0 without any."""
    return max(map(score_of, hits), default=0.0)


def add_usage(one: TokenUsage, other: TokenUsage) -> TokenUsage:
    """Return the tokens of two calls together, without their time."""
    return TokenUsage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
    )


def _cite(hit: SearchHit, marker: str | None, score: float) -> AnswerCitation:
    return AnswerCitation(
        marker=marker, citation=hit.citation, indexed_at=hit.indexed_at, stale=hit.stale, score=score
    )
