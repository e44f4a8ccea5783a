"""What a model writes on its way to those who wait for it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import cast

from kebab_core import AnswerToken, FinishReason, GenerationDone, ModelUnreachableError, TokenChunk

from kebab_rag.answering import Answering
from kebab_rag.markers import MarkerStream, Piece
from kebab_rag.screen_text import make_showable
from kebab_rag.self_refusal import may_become_refusal


def relay_text(run: Answering, stream: Iterator[TokenChunk]) -> Iterator[AnswerToken]:
    """Pass on what a model writes, but for the agreed refusal; `run` keeps all of it.

    Args:
        run: The question.
        stream: Of the model; closed at the end, however it comes.

    Yields:
        The text, markers as they are shown and by themselves.

    Raises:
        ModelUnreachableError: The model ended with an error.
    """
    shown, held = MarkerStream(), ""
    with closing(cast("Generator[TokenChunk, None, None]", stream)) as chunks:
        for chunk in chunks:
            if isinstance(chunk, GenerationDone):
                run.done = chunk
                break
            run.said.append(chunk.text)
            held += chunk.text
            if not may_become_refusal(run.text):
                yield from _tokens(run, shown.feed(held))
                held = ""
    if run.done is None or run.done.finish_reason is FinishReason.ERROR:
        why = run.done and run.done.error
        raise ModelUnreachableError(
            f"the model {run.model.id!r} stopped: {why or 'no reason given'}", hint="kebab doctor"
        )
    if not may_become_refusal(run.text):
        yield from _tokens(run, shown.flush())


def _tokens(run: Answering, pieces: Iterable[Piece]) -> Iterator[AnswerToken]:
    for piece in pieces:
        if delta := make_showable(piece.text):
            yield AnswerToken(ts=run.clock.now(), delta=delta, marker=piece.marker)
