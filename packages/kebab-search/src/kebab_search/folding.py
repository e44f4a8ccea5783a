"""Folding: candidates as hits, one for each document, or for each page with its translations, and for all equal copies.

A hit stands where its best passage does, and shows it, unless that holds the query's words in label fields only and the
text of another passage holds them. A document whose file, or whose best passage, is that of a hit before it is a copy: it is told
beside that hit. Of copies the one with the best score is shown, of equal ones the first by path and source. The next passages of the document are told beside it, and so is a page whose
translation is a hit before it. Places are given out in the steps of `ranking`, but to documents: the first ten from the
same candidates that the first ten passages come from. So a search costs no more where documents are folded, and the
order does not depend on how many hits are asked for. Called by `ResponseBuilder`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DocumentId, IndexedDocument
from kebab_text import find_label_fields

from kebab_search.ranking import Candidate, candidates_by_step, find_words, step_above
from kebab_search.term_weights import WeightedQuery

if TYPE_CHECKING:
    from kebab_core import DocumentStore, Selection

MAX_MORE = 3
"""Further passages that a hit shows."""
_WINDOW = 2
"""Passages that count as further ones: those among the best of their step, so many for each of its places."""
_MOST_TIMES = 4
"""Times as many places as asked for are looked at to fill a page: more cost more than a search may."""


class FoldedOrder(NamedTuple):
    """Candidates as hits.

    Attributes:
        hits: The passage that each hit shows, with its further passages and copies, best first; their scores never rise.
        hit_ranks: The rank of its hit, from 1, for each document that is part of one.
    """

    hits: Sequence[Candidate]
    hit_ranks: Mapping[DocumentId, int]


def fold_documents(
    candidates: Sequence[Candidate],
    *,
    query: WeightedQuery,
    places: int,
    by_surface: Sequence[Candidate] = (),
) -> FoldedOrder:
    """Order candidates by score and fold them by document, and documents by page.

    Args:
        candidates: As for `put_in_order`.
        query: The words of the query.
        places: Hits needed, at least 1.
        by_surface: As for `put_in_order`.

    Returns:
        The first hits, up to the next step or fewer: a beginning of the order for any greater number.
    """
    hits: list[Candidate] = []
    hit_ranks: dict[DocumentId, int] = {}
    pages: dict[tuple[str, ...], list[tuple[int, set[str]]]] = {}
    held: dict[str, int] = {}
    """Ranks of hits by the texts of their passages and by their files; an id is no text."""
    score: float | None = None
    for step, pool in candidates_by_step(candidates, places=places, by_surface=by_surface):
        placed: dict[DocumentId, list[tuple[int, Candidate]]] = {}
        copies: dict[int, list[Candidate]] = {}
        for rank, candidate in enumerate(pool, start=1):
            document = candidate.passage.document
            lowered = candidate if score is None else candidate._replace(score=min(candidate.score, score))
            if document.doc_id in placed:
                if rank <= _WINDOW * step:
                    placed[document.doc_id].append((rank, lowered))
            elif document.doc_id not in hit_ranks:
                own = {candidate.passage.chunk.text, document.asset_id or document.doc_id}
                same = pages.setdefault(page_key(document), [])
                hit_rank = next((at for at, languages in same if document.lang not in languages), None)
                copied = min((held[each] for each in own & held.keys()), default=None)
                if hit_rank is None and copied is not None:
                    hit_ranks[document.doc_id] = copied
                    copies.setdefault(copied, []).append(candidate)
                    continue
                if hit_rank is None and len(hits) + len(placed) < step:
                    hit_rank = len(hits) + len(placed) + 1
                    placed[document.doc_id] = [(rank, lowered)]
                    held |= dict.fromkeys(own, hit_rank)
                    same.append((hit_rank, set()))
                if hit_rank is not None:
                    hit_ranks[document.doc_id] = hit_rank
                    next(languages for at, languages in same if at == hit_rank).add(document.lang)
        # A copy that only a later step finds is not told, so that a hit is the same however many are asked for.
        hits += [
            _build_hit(ranked, query)._replace(copies=copies.get(place, ()))
            for place, ranked in enumerate(placed.values(), start=len(hits) + 1)
        ]
        score = hits[-1].score if hits else None
    return FoldedOrder(hits, hit_ranks)


def _build_hit(ranked: Sequence[tuple[int, Candidate]], query: WeightedQuery) -> Candidate:
    """Build the hit of a document, with the score of its best passage, from its passages with their ranks."""
    best, *others = (candidate for _, candidate in ranked)
    text = best.passage.chunk.text
    if others and (own := _own_text(text)) != text and not find_words(query, query.letters(own)):
        held = find_words(query, query.letters(text)).keys()
        for other in others:
            own = query.letters(_own_text(other.passage.chunk.text))
            if held and held <= find_words(query, own).keys():
                return other._replace(
                    score=best.score, further=[each for each in ranked if each[1] is not other]
                )
    return best._replace(further=ranked[1:])


def _own_text(text: str) -> str:
    """Return a text without its label fields."""
    kept, end = [], 0
    for label_field in find_label_fields(text):
        kept.append(text[end : label_field.start])
        end = label_field.end
    return "".join([*kept, text[end:]])


def more_places(places: int, *, hits: int, wanted: int) -> int:
    """Number of places to look at next where those looked at hold fewer hits than wanted."""
    return max(step_above(places + 1), step_above(places * wanted // max(1, hits)))


def most_places(wanted: int) -> int:
    """Number of places beyond which a page stays shorter than asked for, if it has a hit."""
    return _MOST_TIMES * step_above(wanted)


_NAME_PARTS = re.compile(r"[\W_]+")
_NAME = re.compile(r"[^\W_]+")
_LANGUAGE_NAMES: Mapping[str, frozenset[str]] = {
    "en": frozenset({"en", "us", "gb", "eng", "english"}),
    "ko": frozenset({"ko", "kr", "kor", "korean"}),
    "ja": frozenset({"ja", "jp", "jpn", "japanese"}),
    "zh": frozenset({"zh", "cn", "tw", "hans", "hant", "chinese"}),
}
"""Parts of paths that name a language."""
_SEPARATORS = ".-_"
Translations = Mapping[DocumentId, tuple[IndexedDocument, ...]]
"""Translations of pages by the id of the page."""


def page_key(document: IndexedDocument) -> tuple[str, ...]:
    """Compute a key that a page shares with its translations: the parts of its path but for names of its language."""
    return _key(f"{document.source_id}/{document.doc_path}", document.lang)


@lru_cache(maxsize=1024)
def _key(name: str, lang: str) -> tuple[str, ...]:
    names = _names_of(lang)
    return tuple(part for part in _NAME_PARTS.split(name.lower()) if part and part not in names)


def find_translations(
    hits: Sequence[Candidate], *, documents: DocumentStore, within: Selection | None
) -> Translations:
    """Find the translations of the pages of hits among stored documents, by their ids; pages without any are left out.

    Looks up the paths that a translation may have, in the languages of the documents.

    Args:
        hits: Passages of the pages.
        documents: The stored documents.
        within: Only these; None is all of them.

    Returns:
        For each page its translations by language, source and path.
    """
    pages = [hit.passage.document for hit in hits]
    names = {lang: _names_of(lang) for lang in documents.languages()}
    places = {place for page in pages for place in _places(page, names)}
    by_key: dict[tuple[str, ...], list[IndexedDocument]] = {}
    for found in documents.find_documents(places) if places else ():
        if within is None or found.doc_id in within:
            by_key.setdefault(page_key(found), []).append(found)
    by_page = {
        page.doc_id: tuple(
            sorted(
                (one for one in by_key.get(page_key(page), ()) if one.lang != page.lang),
                key=lambda one: (one.lang, one.source_id, one.doc_path),
            )
        )
        for page in pages
    }
    return {doc_id: found for doc_id, found in by_page.items() if found}


def _names_of(lang: str) -> frozenset[str]:
    return _LANGUAGE_NAMES.get(lang, frozenset({lang}))


def _places(page: IndexedDocument, names: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """Yield the sources and paths that a translation may have, by the names of all languages."""
    own = _names_of(page.lang)
    others = frozenset[str]().union(*names.values()) - own
    if not others:
        return
    for path in _replace_names(page.doc_path, own, others) or _insert_names(page.doc_path, others):
        yield page.source_id, path
    for source_id in _replace_names(page.source_id, own, others):
        yield source_id, page.doc_path


def _replace_names(path: str, own: Iterable[str], others: Iterable[str]) -> list[str]:
    """List a path with each part that is a name of its own language replaced by the others, or left out."""
    found = []
    for part in _NAME.finditer(path):
        start, end = part.span()
        if part[0].lower() in own:
            spelled = str.upper if part[0].isupper() else str
            found += [f"{path[:start]}{spelled(name)}{path[end:]}" for name in others]
            found.append(path[: max(0, start - 1)] + path[end if start else end + 1 :])
    return found


def _insert_names(path: str, names: Iterable[str]) -> Iterator[str]:
    """Yield a path without a language with names as a folder, or behind the stem of the file."""
    folders = [0, *(slash.end() for slash in re.finditer("/", path))]
    stem, dot, extension = path.rpartition(".") if "." in path[folders[-1] + 1 :] else (path, "", "")
    is_upper = stem[folders[-1] :].isupper()
    for name in names:
        yield from (f"{path[:at]}{name}/{path[at:]}" for at in folders)
        for separator in _SEPARATORS:
            yield f"{stem}{separator}{name.upper() if is_upper else name}{dot}{extension}"
            if is_upper:
                yield f"{stem}{separator}{name}{dot}{extension}"
