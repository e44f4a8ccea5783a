"""What an evaluation is asked to measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kebab_core import SearchMode

Baseline = Literal["grep", "lexical"]


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions:
    """What to measure, and against what."""

    corpus: Path | None = None
    """Folder of files to search instead of the set's own documents."""
    include: tuple[str, ...] = ()
    """Patterns of files to take from it; none takes all."""
    mode: SearchMode = SearchMode.LEXICAL
    depth: int = 10
    """How many documents to rank for each query, at least 10."""
    part: int = 1
    parts: int = 1
    """Ask only one of so many parts of the queries."""
    limit: int | None = None
    """Ask at most so many queries."""
    baselines: tuple[Baseline, ...] = ("grep",)
    compare: str | None = None
    """An earlier run to compare with."""
    answers: bool = False
    """Also ask the questions whose answers are known."""
    left_out: Literal["relevant", "related"] | None = None
    """Ask answerable questions a second time where the documents that answer them, or all of their titles, are gone."""
    k: int | None = None
    """Hits that golden suites look at, and passages that answers are made of; None takes the configured number."""
