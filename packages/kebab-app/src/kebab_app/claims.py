"""What an answer says, claim by claim, with the lines of the sources that it rests on."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import normalize

from kebab_core import FetchSpan, KebabError, LineCitation

from kebab_app.fetch import fetch

if TYPE_CHECKING:
    from kebab_core import Answer, AnswerCitation, Citation, SearchHit

    from kebab_app.knowledge_base import KnowledgeBase

_MARKER = re.compile(r"\[\d{1,3}\]")
_UNTOLD = re.compile(r"[\s`*_~\\]+")
"""White space, and marks of Markdown that a passage does not show."""


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
    return tuple(
        Claim(text, tuple(_find_source(base, text, cited[marker], hits) for marker in markers))
        for text, markers in split_claims(answer.answer, cited)
    )


def split_claims(text: str, markers: Collection[str]) -> list[tuple[str, list[str]]]:
    """Return the stretches of a text with the markers that follow each.

    Args:
        text: With markers such as `[1]`.
        markers: Those that are meant; others are text.

    Returns:
        Text without markers and the markers behind it; the last may have none.
    """
    claims: list[tuple[str, list[str]]] = []
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


def _find_source(
    base: KnowledgeBase, claim: str, cited: AnswerCitation, hits: Sequence[SearchHit]
) -> ClaimSource:
    marker, citation = cited.marker or "", cited.citation
    hit = next((hit for hit in hits if hit.citation == citation), None)
    if hit is None or not isinstance(citation, LineCitation):
        return ClaimSource(marker, citation, None)
    try:
        span = FetchSpan(doc_id=hit.doc_id, line_start=citation.start, line_end=citation.end)
        lines = (fetch(base, span).text or "").splitlines()
    except KebabError:
        return ClaimSource(marker, citation, None)  # gone since it was found; the claim still stands as cited
    found = find_lines(claim, lines)
    if found is None:
        return ClaimSource(marker, citation, None)
    first, last = found
    narrowed = citation.model_copy(update={"start": citation.start + first, "end": citation.start + last})
    return ClaimSource(marker, narrowed, "\n".join(lines[first : last + 1]).strip())


def find_lines(claim: str, lines: Sequence[str]) -> tuple[int, int] | None:
    """Return the first and last line, from 0, of the shortest stretch that holds a claim word for word.

    White space, emphasis and the way characters are composed make no difference.
    """
    folded = [_fold(line) for line in lines]
    wanted = _fold(claim)
    if not wanted or wanted not in "".join(folded):
        return None
    last = next(end for end in range(len(folded)) if wanted in "".join(folded[: end + 1]))
    first = next(start for start in range(last, -1, -1) if wanted in "".join(folded[start : last + 1]))
    return first, last


def _fold(text: str) -> str:
    return _UNTOLD.sub("", normalize("NFC", text))
