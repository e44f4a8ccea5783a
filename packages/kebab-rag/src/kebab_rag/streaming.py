"""Streaming: the text of a model, passed on while it is written. `pipeline` calls `stream_text`."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import TYPE_CHECKING, cast

from kebab_core import AnswerToken, FinishReason, GenerationDone, ModelUnreachableError, Remedy, TokenChunk

from kebab_rag.citation_numbers import CitationNumbers
from kebab_rag.markers import Piece, split_markers
from kebab_rag.safe_text import make_showable
from kebab_rag.verdict import may_become_refusal

if TYPE_CHECKING:
    from kebab_rag.answer_draft import AnswerDraft

_UNFINISHED = re.compile(r"\[(?:#[0-9]{0,3})?\Z")


def stream_text(draft: AnswerDraft, stream: Iterator[TokenChunk]) -> Iterator[AnswerToken]:
    """Yield the text of a model as it comes, except for an agreed refusal. `draft` keeps all of it.

    Args:
        draft: The draft of the answer.
        stream: The model's stream. It is closed at the end, also after an error.

    Yields:
        The text as it is shown. Every marker is a token of its own.

    Raises:
        ModelUnreachableError: The model ended with an error.
    """
    markers, numbers, held_back = MarkerStream(), CitationNumbers(draft.passages), ""
    for text in read_stream(draft, stream):
        draft.pieces.append(text)
        held_back += text
        if not may_become_refusal(draft.text):
            yield from _tokens(draft, map(numbers.renumber, markers.feed(held_back)))
            held_back = ""
    if not may_become_refusal(draft.text):
        yield from _tokens(draft, map(numbers.renumber, markers.flush()))


def read_stream(draft: AnswerDraft, stream: Iterator[TokenChunk]) -> Iterator[str]:
    """Yield the text of a model as it comes; `draft` keeps its end.

    Args:
        draft: The draft of the answer.
        stream: The model's stream. It is closed at the end, also after an error.

    Raises:
        ModelUnreachableError: The model ended with an error.
    """
    with closing(cast("Generator[TokenChunk, None, None]", stream)) as chunks:
        for chunk in chunks:
            if isinstance(chunk, GenerationDone):
                draft.generation = chunk
                break
            yield chunk.text
    if draft.generation is None or draft.generation.finish_reason is FinishReason.ERROR:
        why = draft.generation and draft.generation.error
        raise ModelUnreachableError(
            "the model {model!r} stopped: {reason}",
            remedy=Remedy(kind="doctor"),
            _model=draft.model.id,
            _reason=why or "no reason given",
        )


def _tokens(draft: AnswerDraft, pieces: Iterable[Piece]) -> Iterator[AnswerToken]:
    for piece in pieces:
        if delta := make_showable(piece.text):
            yield AnswerToken(ts=draft.clock.now(), delta=delta, marker=piece.marker)


class MarkerStream:
    """Finds the markers in a text that comes in pieces, wherever the pieces are cut.

    The beginning of a possible marker is held back until the rest has come. All output together is `show_markers` of
    all input.
    """

    def __init__(self) -> None:
        self._held = ""

    def feed(self, delta: str) -> Iterator[Piece]:
        """Return the pieces that can be shown by now."""
        text = self._held + delta
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return split_markers(text[:end])

    def flush(self) -> Iterator[Piece]:
        """Return the text that is still held back, at the end of the stream."""
        held, self._held = self._held, ""
        return split_markers(held)
