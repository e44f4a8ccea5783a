"""Links between documents: the document that the address of a link names."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

if TYPE_CHECKING:
    from kebab_core import DocumentEntry, DocumentId, ShownPicture

_SCHEME = re.compile(r"[a-z][a-z\d+.-]+:", re.IGNORECASE)
_SUFFIX = re.compile(r"\.(?:md|markdown|html?)$")
_PAGES_OF_A_FOLDER = ("index", "readme")


class LinkResolver:
    """Finds the documents that links name: by path from the linking file or the root of its source, else by file name.

    Case, normal form and the suffix of a page are not compared. A name alone, as in `[[name]]`, is that of a file in the folder
    of the linking one, else of the one with the shortest path. `/name`, as pages of the web have it, is at the root alone.

    Args:
        entries: All documents, by source and path.
    """

    def __init__(self, entries: Iterable[DocumentEntry]) -> None:
        self._by_path: dict[tuple[str, str], DocumentEntry] = {}
        self._by_name: defaultdict[tuple[str, str], list[tuple[str, DocumentEntry]]] = defaultdict(list)
        for entry in entries:
            path = _fold(entry.doc_path)
            for form in (path, _SUFFIX.sub("", path)):
                self._by_path.setdefault((entry.source_id, form), entry)
            self._by_name[entry.source_id, _last(path)].append((_SUFFIX.sub("", path), entry))

    def resolve(self, linking: DocumentEntry, address: str) -> DocumentEntry | None:
        """Return the document that a link in another one names; None for pages of the web and for what is not indexed."""
        for path in _readings(address):
            found = self._at_path(linking, path) or self._by_its_name(linking, path)
            if found is not None:
                return found
        return None

    def _at_path(self, linking: DocumentEntry, path: str) -> DocumentEntry | None:
        folder = posixpath.dirname(_fold(linking.doc_path))
        for start in ([] if path.startswith("/") else [folder]) + [""]:
            whole = posixpath.normpath(posixpath.join(start, path.lstrip("/")))
            forms = [
                whole,
                _SUFFIX.sub("", whole),
                *(posixpath.join(whole, page) for page in _PAGES_OF_A_FOLDER),
            ]
            for form in map(posixpath.normpath, forms):
                if found := self._by_path.get((linking.source_id, form)):
                    return found
        return None

    def _by_its_name(self, linking: DocumentEntry, path: str) -> DocumentEntry | None:
        wanted = _SUFFIX.sub("", path.strip("/"))
        if path.startswith("/") and "/" not in wanted:
            return None
        named = [
            (form, entry)
            for form, entry in self._by_name.get((linking.source_id, _last(path)), ())
            if f"/{form}".endswith(f"/{wanted}")
        ]
        folder = posixpath.dirname(_fold(linking.doc_path))
        named.sort(key=lambda each: (posixpath.dirname(each[0]) != folder, each[0].count("/"), each[0]))
        return named[0][1] if named else None


class Links:
    """The links between all documents.

    Args:
        entries: All documents, by source and path.
        links: Addresses of all links with their documents.
    """

    def __init__(self, entries: Sequence[DocumentEntry], links: Iterable[tuple[DocumentId, str]]) -> None:
        self.entries = entries
        self.resolver = LinkResolver(entries)
        self._by_name: defaultdict[str, list[tuple[DocumentEntry, str]]] = defaultdict(list)
        by_id = {entry.doc_id: entry for entry in entries}
        for doc_id, address in links:
            linking = by_id.get(doc_id)
            if linking is not None:
                for name in {_last(path) for path in _readings(address)}:
                    self._by_name[name].append((linking, address))

    def find_linking(self, target: DocumentEntry) -> list[DocumentEntry]:
        """Find the documents with a link to another one, by source and path."""
        name = _last(_fold(target.doc_path))
        named = (
            chain.from_iterable(self._by_name.values())
            if name in _PAGES_OF_A_FOLDER
            else self._by_name.get(name, ())
        )
        found = {
            linking.doc_id
            for linking, address in named
            if linking.doc_id != target.doc_id and self.resolver.resolve(linking, address) == target
        }
        return [entry for entry in self.entries if entry.doc_id in found]


class Showing(NamedTuple):
    """A document that shows or links to a picture."""

    entry: DocumentEntry
    labels: tuple[str, ...]
    """What stands around the picture in it. See `ShownPicture`."""


def group_by_target(
    shown: Iterable[ShownPicture], entries: Sequence[DocumentEntry], resolver: LinkResolver
) -> Mapping[DocumentId, Sequence[Showing]]:
    """Return the documents that show each picture, by source and path, each once.

    Args:
        shown: What documents show.
        entries: All documents.
        resolver: Finds those that addresses name.
    """
    by_id = {entry.doc_id: entry for entry in entries}
    found: dict[DocumentId, dict[DocumentId, Showing]] = {}
    for each in shown:
        showing = by_id.get(each.doc_id)
        target = showing and resolver.resolve(showing, each.address)
        if showing is not None and target is not None and target.doc_id != each.doc_id:
            own = found.setdefault(target.doc_id, {})
            before = own[each.doc_id].labels if each.doc_id in own else ()
            own[each.doc_id] = Showing(showing, (*before, *each.labels))
    return {
        target: sorted(own.values(), key=lambda each: (each.entry.source_id, each.entry.doc_path))
        for target, own in found.items()
    }


def _readings(address: str) -> Iterator[str]:
    """Yield the folded paths that an address may mean, as typed and percent-decoded; none for a page of the web."""
    if _SCHEME.match(address) or address.startswith(("#", "//")):
        return
    path = address.partition("#")[0].partition("?")[0].strip()
    for form in dict.fromkeys((path, unquote(path))):
        if folded := _fold(form):
            yield folded


def _last(path: str) -> str:
    return _SUFFIX.sub("", path.rstrip("/").rpartition("/")[2])


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
