"""What a model wrote as people and programs are shown it, with the places of its markers."""

from __future__ import annotations

from kebab_core import AnswerMarker

from kebab_rag.markers import split_markers
from kebab_rag.screen_text import make_showable


def show_answer(said: str) -> tuple[str, tuple[AnswerMarker, ...]]:
    """Return the text as it is shown and the markers in it, in their order.

    Args:
        said: What the model said, with its markers as `[#n]`.
    """
    text, markers = "", []
    for piece in split_markers(said.strip()):
        words = make_showable(piece.text)
        words = words if text else words.lstrip()
        if piece.marker is not None:
            markers.append(AnswerMarker(number=piece.marker, start=len(text), end=len(text) + len(words)))
        text += words
    return text.rstrip(), tuple(markers)
