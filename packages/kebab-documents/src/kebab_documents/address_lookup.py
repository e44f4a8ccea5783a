"""The document that an address names, or the error that lists what it may mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from kebab_core import (
    DEFAULT_SOURCE_ID,
    SHOWN_ID_DIGITS,
    AmbiguousAddressError,
    CaptionCitation,
    ChunkId,
    CodeCitation,
    DocumentId,
    DocumentNotFoundError,
    InvalidInputError,
    LineCitation,
    PageCitation,
    PathReading,
    RegionCitation,
    Remedy,
    SlideCitation,
    SourceId,
    WorkspacePath,
    build_citation,
    cite_fragment,
    ends_of_symbol,
    fold_name,
    parse_address,
    split_name,
)

from kebab_documents.document_parts import is_in_part

if TYPE_CHECKING:
    from kebab_core import (
        Citation,
        DocumentStore,
        IndexedDocument,
        LexicalIndex,
        ParsedAddress,
        SourceSpan,
        StoredSymbol,
    )

_CHARS = "char="
_SYMBOL = "symbol:"
"""Before the name of a symbol of source code, where no source has this id and the path behind it."""
_ON_DISK = ("/", "./", "../", "~/")
_NEAR_SYMBOLS = 3
MAX_CANDIDATES = 10
"""Candidates that the error about an ambiguous address lists."""


class FoundAddress(NamedTuple):
    """A document, and the part of it that an address names."""

    document: IndexedDocument
    citation: Citation | None
    """The part; None for the whole document."""
    chunk_id: ChunkId | None = None
    """The passage, where the address is its id."""
    chars: tuple[int, int | None] | None = None
    """Code points of the text of the document; None as the second is its end."""

    @property
    def address(self) -> str:
        """The address as kebab writes it."""
        if self.citation is not None:
            return self.citation.to_address()
        return (
            self.document.to_address() if self.chars is None else address_of_chars(self.document, *self.chars)
        )

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line of the part; None where it has none."""
        match self.citation:
            case LineCitation(start=start, end=end) | CodeCitation(line_start=start, line_end=end):
                return start, end
        return None

    @property
    def page(self) -> int | None:
        """Page or slide of the part; None where it has none."""
        match self.citation:
            case (
                PageCitation(page=page)
                | RegionCitation(page=page)
                | CaptionCitation(page=page)
                | SlideCitation(slide=page)
            ):
                return page
        return None

    def holds(self, span: SourceSpan) -> bool:
        """Return True if a place in the document shares something with the part, or the address is of all of it."""
        return is_in_part(self.citation, span)

    @property
    def first_line(self) -> int | None:
        """First line of the part; None where it has none."""
        return None if self.lines is None else self.lines[0]


class FilePlace(NamedTuple):
    """A path on disk as a path in a source."""

    source_id: SourceId | None
    """None where it lies outside of all sources."""
    path: WorkspacePath | None


@dataclass(frozen=True, kw_only=True)
class AddressLookup:
    """Finds documents by address."""

    documents: DocumentStore
    index: LexicalIndex
    """The symbols of source code."""
    source_ids: Sequence[SourceId]
    """Configured sources, the order of candidates."""
    find_file: Callable[[str], Sequence[FilePlace]]
    """Places of a text that is the path of a file; none where no such file exists, or outside of all sources without `files`."""
    files: bool = True
    """Whether `find_file` looks at the disk, so that what it finds exists."""
    find_near: Callable[[str], Sequence[str]] = lambda _text: ()
    """Addresses of documents with a similar name, nearest first, for an error."""

    def find(self, text: str) -> FoundAddress:
        """Find what an address names.

        It is looked for as a path in a source, as a path on disk, as an id or a prefix of one, and with `symbol:` before it
        as the name of a symbol of source code or its last parts, in this order. A path
        without a source is one of the source `default`, else of the only source that has it. What begins like a path on
        disk (`/`, `./`, `../`, `~/`) is looked for there first, so that no document elsewhere is taken for the file; without
        `files` only as a path below the folder of a source, by its spelling.

        Raises:
            AmbiguousAddressError: Several documents have the path in different sources, several ids the prefix, or several
                symbols the name.
            DocumentNotFoundError: It names nothing that is indexed.
            InvalidInputError: It cannot be an address, or is the rank of a hit, which only a terminal remembers.
        """
        parsed = parse_address(text)
        if parsed.hit is not None:
            raise InvalidInputError(
                "{address!r} is a hit of the last search in a terminal, which is not known here",
                remedy=Remedy(kind="fetch_address"),
                address=text,
            )
        is_file = text.startswith(_ON_DISK)
        found = self._by_file(parsed) if is_file else None
        if found is None:
            found = self._by_path(parsed.paths, text)
        if found is None and not is_file:
            found = self._by_file(parsed)
        if found is None and parsed.id_prefix:
            found = self._by_id(parsed)
        if found is None and text.startswith(_SYMBOL):
            found = self._by_symbol(text.removeprefix(_SYMBOL).strip(), text)
        return found or self._raise_missing(parsed)

    def _by_path(self, readings: Sequence[PathReading], text: str) -> FoundAddress | None:
        sources = dict.fromkeys([SourceId(DEFAULT_SOURCE_ID), *self.source_ids])
        places = {
            (source_id, reading.path)
            for reading in readings
            for source_id in (sources if reading.source_id is None else [reading.source_id])
        }
        documents = {
            (each.source_id, each.doc_path): each for each in self.documents.find_documents(sorted(places))
        }
        for reading in readings if documents else ():
            named = sources if reading.source_id is None else [reading.source_id]
            there = [
                documents[place] for source_id in named if (place := (source_id, reading.path)) in documents
            ]
            if there:
                return _part_of(_only_one(there, text, reading.fragment), reading.fragment)
        return None

    def _by_file(self, parsed: ParsedAddress) -> FoundAddress | None:
        """Find the document of a file on disk.

        Raises:
            DocumentNotFoundError: The file exists and is not indexed.
        """
        readings_of_file = [(parsed.file, parsed.fragment), (parsed.text, "")]
        if parsed.text.startswith(f"{parsed.file}:"):
            readings_of_file.reverse()  # `path:10` may be all of a name
        for file, fragment in dict.fromkeys(readings_of_file):
            places = self.find_file(file)
            readings = [
                PathReading(one.source_id, one.path, fragment) for one in places if one.path is not None
            ]
            found = self._by_path(readings, parsed.text)
            if found is not None:
                return found
            if places and self.files:
                raise DocumentNotFoundError(
                    "{path!r} is a file that is not in the index",
                    remedy=Remedy(kind="explain_file", path=file),
                    path=file,
                )
        return None

    def _by_id(self, parsed: ParsedAddress) -> FoundAddress | None:
        """Find a document or passage by its id or the beginning of one.

        Raises:
            AmbiguousAddressError: Several begin so.
        """
        ids = self.documents.find_ids(parsed.id_prefix, limit=MAX_CANDIDATES + 1)
        if len(ids) > 1:
            error = _ambiguous(parsed.text, [self._describe(each) for each in ids])
            raise error
        return None if not ids else self._of_id(ids[0], parsed.fragment)

    def _by_symbol(self, name: str, text: str) -> FoundAddress | None:
        """Find the definition of a symbol, by the spelling of its name if several differ in it alone.

        Declarations without a body, such as those of a header, count where there is no definition.

        Raises:
            AmbiguousAddressError: Several symbols have the name.
            DocumentNotFoundError: None has it.
        """
        parts = split_name(name)
        if not parts:
            return None
        wanted = fold_name("".join(parts))
        same = self.index.find_symbols([fold_name(parts[-1])])
        named = [each for each in same if wanted in ends_of_symbol(each.symbol)]
        spelt = [each for each in named if each.symbol.endswith(name)]
        cited = [one for one in map(self._cite_symbol, spelt or named) if one is not None]
        found = [one for one, is_declared in cited if not is_declared] or [one for one, _ in cited]
        if not found:
            self._raise_unknown_symbol(fold_name(parts[-1]), text)
        if len(found) > 1:
            error = _ambiguous(text, [one.address for one in found])
            raise error
        return found[0]

    def _cite_symbol(self, stored: StoredSymbol) -> tuple[FoundAddress, bool] | None:
        """Return the place of a symbol, and whether it is only declared there; None where it is gone."""
        for each in self.documents.get_chunks([stored.chunk_id]):
            symbol = each.chunk.symbols[stored.place]
            cited = CodeCitation(
                path=each.document.doc_path,
                source_id=each.document.source_id,
                line_start=symbol.line_start,
                line_end=symbol.line_end,
                symbol=symbol.symbol,
                lang=each.document.code_lang,
            )
            return FoundAddress(each.document, cited), symbol.signature.endswith(";")
        return None

    def _raise_unknown_symbol(self, name: str, text: str) -> NoReturn:
        like = get_close_matches(name, self.index.list_symbol_names(), n=_NEAR_SYMBOLS)
        near = [each for one in like for each in self.index.find_symbols([one])]
        names = tuple(dict.fromkeys(f"{_SYMBOL}{each.symbol}" for each in near))[:_NEAR_SYMBOLS]
        raise DocumentNotFoundError(
            "no symbol has the name {address!r}",
            remedy=Remedy(kind="did_you_mean", names=names) if names else Remedy(kind="list_documents"),
            address=text.removeprefix(_SYMBOL),
        )

    def _of_id(self, found: DocumentId | ChunkId, fragment: str) -> FoundAddress | None:
        if isinstance(found, ChunkId):
            for each in self.documents.get_chunks([found]):
                if fragment:
                    return _part_of(each.document, fragment)
                return FoundAddress(each.document, build_citation(each), found)
            return None
        document = self.documents.get_indexed_document(found)
        return None if document is None else _part_of(document, fragment)

    def _describe(self, found: DocumentId | ChunkId) -> str:
        """Return an id with what it names."""
        meant = self._of_id(found, "")
        return found if meant is None else f"{found[: 2 * SHOWN_ID_DIGITS]} {meant.address}"

    def _raise_missing(self, parsed: ParsedAddress) -> NoReturn:
        near = self.find_near(parsed.file)
        raise DocumentNotFoundError(
            "no document has the address {address!r}",
            remedy=Remedy(kind="did_you_mean", names=tuple(near)) if near else Remedy(kind="list_documents"),
            address=parsed.text,
        )


def _only_one(there: Sequence[IndexedDocument], text: str, fragment: str) -> IndexedDocument:
    """Return the document of the source `default`, or the only one.

    Raises:
        AmbiguousAddressError: There are several, none of them in `default`.
    """
    if len(there) > 1 and there[0].source_id != DEFAULT_SOURCE_ID:
        error = _ambiguous(text, [_part_of(each, fragment).address for each in there])
        raise error
    return there[0]


def _ambiguous(text: str, candidates: Sequence[str]) -> AmbiguousAddressError:
    shown = list(candidates[:MAX_CANDIDATES])
    return AmbiguousAddressError(
        "{address!r} is ambiguous",
        remedy=Remedy(
            kind="choose", name=", ".join([*shown, *(["…"] if len(candidates) > len(shown) else [])])
        ),
        address=text,
        candidates=shown,
    )


def address_of_chars(document: IndexedDocument, start: int, end: int | None) -> str:
    """Return the address of code points of the text of a document, up to its end for None."""
    return f"{document.to_address()}#char={start},{'' if end is None else end}"


def _part_of(document: IndexedDocument, fragment: str) -> FoundAddress:
    if not fragment:
        return FoundAddress(document, None)
    if fragment.startswith(_CHARS):
        start, _, end = fragment.removeprefix(_CHARS).partition(",")
        return FoundAddress(document, None, chars=(int(start), int(end) if end else None))
    try:
        return FoundAddress(document, cite_fragment(document.source_id, document.doc_path, fragment))
    except InvalidInputError as error:
        error.remedy = error.remedy or Remedy(kind="fetch_address", document=document.to_address())
        raise
