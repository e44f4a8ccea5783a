"""`AnswerRecord`: an answer in the store, and as a turn of its conversation."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, cast

from kebab_core import ChatSession, InvalidInputError, RefusalReason, StorageError, Turn

if TYPE_CHECKING:
    from kebab_core import Answer, AnswerRepo, Message, SessionId
    from pydantic import JsonValue

    from kebab_rag.answer_draft import AnswerDraft

_LOG = logging.getLogger("kebab.rag")


@dataclass
class AnswerRecord:
    """Stores one answer. A failure to store is recorded, not raised.

    Attributes:
        answers: The store of answers, or why there is none; None stores nothing.
        explain: Whether to store the packed passages too.
        is_wanted: Whether the answer is to be stored.
        is_written: Whether it is stored.
        failure: The reason why it is not stored; None without one.
    """

    answers: AnswerRepo | StorageError | None
    sessions: AnswerRepo | None = None
    _: KW_ONLY
    explain: bool
    is_wanted: bool = True
    is_written: bool = False
    failure: Message | None = None

    def write(self, draft: AnswerDraft, answer: Answer) -> Answer:
        """Store an answer if that is wanted and possible; return it with its place in its conversation.

        An answer that was broken off is no turn: the next question does not go on from it.
        """
        if self.answers is None or not self.is_wanted:
            return answer
        packed = cast("JsonValue", draft.packed_chunks()) if self.explain else None
        try:
            if isinstance(self.answers, StorageError):
                raise self.answers
            if draft.session and answer.refusal_reason is not RefusalReason.LLM_STREAM_ABORTED:
                answer = answer.model_copy(
                    update={"turn_index": self._append_turn(draft, draft.session, answer)}
                )
            self.answers.record(question=draft.question, answer=answer, packed_chunks=packed)
            self.is_written = True
        except StorageError as error:
            _LOG.warning("an answer could not be stored", exc_info=True)
            self.failure = error.message
        return answer

    def _append_turn(self, draft: AnswerDraft, session_id: SessionId, answer: Answer) -> int | None:
        if self.sessions is None:
            return None
        if self.sessions.get_session(session_id) is None:
            session = ChatSession(
                session_id=session_id,
                created_at=answer.created_at,
                updated_at=answer.created_at,
                title=draft.question,
            )
            with suppress(InvalidInputError):  # another process has begun it meanwhile
                self.sessions.create_session(session)
        turn = Turn(
            question=draft.question,
            answer=answer.answer,
            citations=answer.citations if answer.grounded else (),
            created_at=answer.created_at,
        )
        return self.sessions.append_turn(session_id, turn)
