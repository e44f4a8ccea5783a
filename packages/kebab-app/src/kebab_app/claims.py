"""What an answer says, claim by claim, with the lines of the sources that it rests on."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

from kebab_core import FetchSpan, KebabError, LineCitation

from kebab_app.fetch import fetch

if TYPE_CHECKING:
    from kebab_core import Answer, AnswerCitation, Citation, SearchHit

    from kebab_app.knowledge_base import KnowledgeBase

_MARKER = re.compile(r"\[\d{1,3}\]")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_BULLET = re.compile(r"^[ \t>]*([-*+]|#{1,6})[ \t]+", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)\s]*\)")
_UNTOLD = re.compile(r"[\s`*_~\\]+")
"""White space, and marks of Markdown that a passage does not show."""


_MOST_PIECES = 4
"""How many markers of a claim may be its text."""
_Piece = tuple[str, list[str]]


@dataclass(frozen=True, slots=True)
class ClaimSource:
    """One citation of a claim."""

    marker: str
    citation: Citation
    """Narrowed to the lines of the quote where the claim is one, else that of the whole passage."""
    quote: str | None
    """These lines as they stand in the source; None where the claim is in the model's own words."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Text of an answer between two groups of markers."""

    text: str
    sources: tuple[ClaimSource, ...]
    """Empty for text after the last marker."""


def find_claims(base: KnowledgeBase, answer: Answer, hits: Sequence[SearchHit]) -> tuple[Claim, ...]:
    """Return the claims of a grounded answer, in their order; none of a refusal.

    Args:
        base: Where it was asked.
        answer: The answer.
        hits: What retrieval found for it.

    Returns:
        The claims with their sources.
    """
    cited = {citation.marker: citation for citation in answer.citations if citation.marker}
    lines = {marker: read_cited_lines(base, each.citation, hits) for marker, each in cited.items()}
    pieces, claims, start = split_claims(answer.answer, cited), [], 0
    while start < len(pieces):
        end = _find_end(pieces, start, lines)
        text, markers = _join_pieces(pieces[start:end]), pieces[end - 1][1]
        sources = (_find_source(text, cited[marker], lines[marker]) for marker in markers)
        claims.append(Claim(text, tuple(sources)))
        start = end
    return tuple(claims)


def _find_end(pieces: Sequence[_Piece], start: int, lines: Mapping[str, Sequence[str]]) -> int:
    """Return where a claim ends: a marker within it that stands in its source just so is text, not a marker."""
    for end in range(min(start + _MOST_PIECES, len(pieces)), start + 1, -1):
        text = _join_pieces(pieces[start:end])
        if any(find_lines(text, lines[marker]) for marker in pieces[end - 1][1]):
            return end
    return start + 1


def _join_pieces(pieces: Sequence[_Piece]) -> str:
    inner = (f"{text} {''.join(markers)}" for text, markers in pieces[:-1])
    return " ".join([*inner, pieces[-1][0]])


def split_claims(text: str, markers: Collection[str]) -> list[_Piece]:
    """Return the stretches of a text with the markers that follow each.

    Args:
        text: With markers such as `[1]`.
        markers: Those that are meant; others are text.

    Returns:
        Text without markers and the markers behind it; the last may have none.
    """
    claims: list[_Piece] = []
    start = 0
    for match in _MARKER.finditer(text):
        if match[0] not in markers:
            continue
        between = text[start : match.start()].strip()
        if between or not claims:
            claims.append((between, [match[0]]))
        elif match[0] not in claims[-1][1]:
            claims[-1][1].append(match[0])
        start = match.end()
    rest = text[start:].strip()
    return [*claims, (rest, [])] if rest else claims


def _find_source(claim: str, cited: AnswerCitation, lines: Sequence[str]) -> ClaimSource:
    marker, citation = cited.marker or "", cited.citation
    found = find_lines(claim, lines)
    if found is None or not isinstance(citation, LineCitation):
        return ClaimSource(marker, citation, None)
    first, last = found
    narrowed = citation.model_copy(update={"start": citation.start + first, "end": citation.start + last})
    return ClaimSource(marker, narrowed, "\n".join(lines[first : last + 1]).strip())


def read_cited_lines(base: KnowledgeBase, citation: Citation, hits: Sequence[SearchHit]) -> list[str]:
    """Return the lines of the source that a citation names; none where it names no lines, or they are gone.

    Args:
        base: Where it was asked.
        citation: Of an answer.
        hits: What retrieval found for it.
    """
    hit = next((hit for hit in hits if hit.citation == citation), None)
    if hit is None or not isinstance(citation, LineCitation):
        return []
    span = FetchSpan(doc_id=hit.doc_id, line_start=citation.start, line_end=citation.end)
    try:
        return (fetch(base, span).text or "").splitlines()
    except KebabError:
        return []  # gone since it was found; the claim still stands as cited


def find_lines(claim: str, lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the first and last line, from 0, of the shortest stretch that holds a claim word for word.

    White space, marks of Markdown and the way characters are composed make no difference.
    """
    folded = ["" if _FENCE.match(line) else _fold(line) for line in lines]
    wanted = _fold(claim)
    if not wanted or wanted not in "".join(folded):
        return None
    last = next(end for end in range(len(folded)) if wanted in "".join(folded[: end + 1]))
    first = next(start for start in range(last, -1, -1) if wanted in "".join(folded[start : last + 1]))
    return first, last


def _fold(text: str) -> str:
    return _UNTOLD.sub("", _LINK.sub(r"\1", _BULLET.sub("", normalize("NFC", text))))
