"""What a language model is asked and what it streams back."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from kebab_core.answer import TokenUsage
from kebab_core.citation import Citation
from kebab_core.ids import ChunkId
from kebab_core.model import Model

NOT_IN_EVIDENCE: Mapping[str, str] = {
    "ko": "근거가 부족합니다. 찾은 문서에는 이 질문의 답이 없습니다.",
    "en": "The evidence is not enough: the passages found do not answer this question.",
}
"""What a model says, word for word and without a marker, where no passage answers; by language of the question."""


class Passage(Model):
    """One packed piece of evidence; `[#marker]` in the output refers to it."""

    marker: int = Field(ge=1, le=999)
    chunk_id: ChunkId
    citation: Citation
    title: str
    heading_path: tuple[str, ...]
    lang: str
    text: str


class GenerateRequest(Model):
    """One call. Chat models read `system` and `user`; an extractive model reads `question` and `evidence`."""

    system: str
    user: str
    question: str
    evidence: tuple[Passage, ...] = ()
    stop: tuple[str, ...] = ()
    max_tokens: int = Field(ge=1)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    images: tuple[bytes, ...] = ()


class FinishReason(StrEnum):
    """Why a model stopped."""

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
    """How far a premise supports a hypothesis; the three sum to 1."""

    entailment: float = Field(ge=0, le=1)
    neutral: float = Field(ge=0, le=1)
    contradiction: float = Field(ge=0, le=1)
