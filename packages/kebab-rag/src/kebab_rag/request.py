"""The request of `RagPipeline`: a question with its options; and the language of its answer."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from kebab_core import UNDETERMINED_LANG, Model, SearchFilters, SearchMode, SessionId
from kebab_text import detect_language
from pydantic import Field, StringConstraints

SessionName = Annotated[
    SessionId,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$"),
]
"""Name of a conversation: 1 to 64 characters on one line."""


class AskRequest(Model):
    """A question with options for the search and for the model."""

    question: str
    k: int | None = Field(default=None, ge=1, le=1000)
    """Number of passages to retrieve; None takes the configured number."""
    mode: SearchMode = SearchMode.HYBRID
    filters: SearchFilters = SearchFilters()
    explain: bool = False
    """Whether the stored row keeps the passages that the model was given."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None takes the configured temperature, else 0, at which a model repeats itself best."""
    session: SessionName | None = None
    """The conversation that the question belongs to, which begins with its first question; None for a single question."""
    multi_hop: bool = False
    """Whether a chat model takes the question apart first, and its parts are searched, too."""
    seed: int | None = None
    """None takes the configured seed, else the model's own."""


AnswerLanguage = Literal["ko", "en"]

_HANGUL = re.compile("[가-힣ㄱ-ㅣ]")


def answer_language(question: str) -> AnswerLanguage:
    """Return `ko` for questions in Korean, `en` for all others.

    A question that is too short for detection is Korean if it has a Korean letter.
    """
    lang = detect_language(question)
    if lang == UNDETERMINED_LANG and _HANGUL.search(question):
        return "ko"
    return "ko" if lang == "ko" else "en"
