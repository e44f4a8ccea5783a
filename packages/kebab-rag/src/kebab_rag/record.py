"""The row that every answer leaves."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from kebab_core import Answer, AnswerRepo, StorageError

from kebab_rag.answering import Answering

if TYPE_CHECKING:
    from pydantic import JsonValue

_LOG = logging.getLogger("kebab.rag")


@dataclass
class AnswerRecord:
    """Stores one answer; that it cannot be stored keeps nobody from reading it.

    Attributes:
        answers: Where answers are kept; None keeps nothing.
        explain: Keep what the model was given, too.
        is_wanted: Whether there is anything to keep.
        is_written: Whether it is stored.
        failure: Why it could not be.
    """

    answers: AnswerRepo | None
    explain: bool
    is_wanted: bool = True
    is_written: bool = False
    failure: str | None = None

    def write(self, run: Answering, answer: Answer) -> None:
        """Store an answer where that is wanted and possible."""
        if self.answers is None or not self.is_wanted:
            return
        packed = cast("JsonValue", run.packed_chunks()) if self.explain else None
        try:
            self.answers.record(question=run.question, answer=answer, packed_chunks=packed)
            self.is_written = True
        except StorageError as error:
            _LOG.warning("an answer could not be stored", exc_info=True)
            self.failure = error.message
