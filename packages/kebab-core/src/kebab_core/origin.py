"""Where a cited text is from, if it does not stand in the document as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core.citation import CaptionCitation, RegionCitation, TimeCitation
from kebab_core.messages import Message

if TYPE_CHECKING:
    from kebab_core.citation import Citation


def is_recognised(citation: Citation) -> bool:
    """Return True if a citation is of text that was recognised in a picture, which may be misread."""
    return isinstance(citation, RegionCitation) and citation.char_end is not None


def is_heard(citation: Citation) -> bool:
    """Return True if a citation is of speech that was heard in a recording, which may be misheard; subtitles are not."""
    if not isinstance(citation, TimeCitation) or citation.end_ms <= citation.start_ms:
        return False
    from kebab_core.formats import media_type_of

    return media_type_of(citation.path.name).kind == "audio"


def say_origin(citation: Citation) -> Message | None:
    """Return the origin of cited text that was recognised, heard or written by a model; None for text of the document itself."""
    if isinstance(citation, CaptionCitation):
        return Message("written by the model {model}, not in the picture", model=citation.model)
    if is_heard(citation):
        return Message("heard in a recording")
    return Message("read from a picture") if is_recognised(citation) else None
