"""Translations: documents that are the same page in another language, told by the names of their files and sources.

`ko/search.md` and `en/search.md`, `README.md` and `README.ko.md`, `docs-en` and `docs-ko` as sources. Titles and texts do
not count. Called where hits are built.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from kebab_core import DocumentId, DocumentSet, DocumentStore, IndexedDocument

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
    pages: Sequence[IndexedDocument], *, documents: DocumentStore, within: DocumentSet | None
) -> Translations:
    """Find the translations of pages among stored documents, by their ids; pages without any are left out.

    Looks up the paths that a translation may have, in the languages of the documents.

    Args:
        pages: The pages.
        documents: The stored documents.
        within: Only these; None is all of them.

    Returns:
        For each page its translations by language, source and path.
    """
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
