"""What is asked."""

from __future__ import annotations

from kebab_core import Model, SearchFilters, SearchMode
from pydantic import Field


class AskRequest(Model):
    """One question with how to look for its evidence and how to write the answer."""

    question: str
    k: int | None = Field(default=None, ge=1, le=1000)
    """How many passages to look at; None takes the configured number."""
    mode: SearchMode = SearchMode.HYBRID
    filters: SearchFilters = SearchFilters()
    explain: bool = False
    """Whether the stored row keeps what the model was given."""
    temperature: float | None = Field(default=None, ge=0, le=2)
    """None leaves it to whoever passes the question on, in the end 0: as repeatable as the model gets."""
    seed: int | None = None
    """None leaves it to whoever passes the question on, in the end to the model."""
