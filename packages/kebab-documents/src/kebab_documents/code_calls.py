"""Calls of a name in other files of a source, found in the index of words and then read in the files.

Names are compared, nothing is resolved: a call of another function with the same name is a call, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import Analyzer, CodeBlock, LexicalQuery, SearchFilters, format_address, split_symbol

from kebab_documents.relations import RelatedDocument, Relation

if TYPE_CHECKING:
    from kebab_core import (
        CanonicalDocument,
        CodeSymbol,
        DocumentEntry,
        DocumentId,
        DocumentStore,
        LexicalIndex,
    )

_CALL = re.compile(r"\b([^\W\d]\w{0,200})!?\s{0,2}\(")
"""A name before a bracket, of a macro of Rust, too."""
_MOST_NAMES = 8
"""Names that one look is for: those of the definitions in some lines."""
_MOST_PASSAGES = 300
"""Passages with a name that are looked at, the most relevant ones."""
_MOST_FILES = 60
"""Files of these that are read."""
_LINE_CHARS = 80
"""Length of a line that calls outside of every definition, in code points."""


class CallSearch(NamedTuple):
    """What was looked at for calls of a definition in other files."""

    names: tuple[str, ...]
    """The names that were looked for."""
    files: int
    """Other files of the source with one of the names before a bracket, which were read."""
    is_complete: bool
    """False where more passages or files have the names than were looked at."""


@dataclass(frozen=True, kw_only=True)
class CallFinder:
    """Finds calls in the files of the source that a definition is in."""

    documents: DocumentStore
    index: LexicalIndex
    analyzer: Analyzer
    entries: Sequence[DocumentEntry]
    """All documents."""

    def find(
        self, names: Sequence[str], own: DocumentEntry, *, limit: int
    ) -> tuple[list[RelatedDocument], CallSearch]:
        """Find the definitions that call one of some names, and lines outside of definitions that do, by path and line.

        Args:
            names: Last parts of symbols.
            own: The file of the definition, which is left out.
            limit: Maximum number of them.
        """
        files, is_complete = self._find_files(names[:_MOST_NAMES], own)
        found = (one for entry in files for one in self._read(entry, frozenset(names)))
        callers = [one for _, one in zip(range(limit), found, strict=False)]
        is_complete = is_complete and len(names) <= _MOST_NAMES
        return callers, CallSearch(tuple(names[:_MOST_NAMES]), len(files), is_complete)

    def _find_files(self, names: Sequence[str], own: DocumentEntry) -> tuple[list[DocumentEntry], bool]:
        """Find the other files with one of the names, by path, and whether these are all."""
        others = self.documents.resolve_filters(SearchFilters(media=("code",), source_id=(own.source_id,)))
        others = (others or frozenset()) - {own.doc_id}
        found: set[DocumentId] = set()
        is_complete = True
        for name in names if others else ():
            words = tuple(term.text for term in self.analyzer.surface(name))
            if not words:
                continue
            query = LexicalQuery(phrases=(words,))
            matches = self.index.search(query, limit=_MOST_PASSAGES, documents=others)
            chunks = self.documents.get_chunks([match.chunk_id for match in matches])
            found |= {each.chunk.doc_id for each in chunks if name in _called_in(each.chunk.text)}
            is_complete = is_complete and len(matches) < _MOST_PASSAGES
        files = [entry for entry in self.entries if entry.doc_id in found]
        return files[:_MOST_FILES], is_complete and len(files) <= _MOST_FILES

    def _read(self, entry: DocumentEntry, names: frozenset[str]) -> Iterator[RelatedDocument]:
        """Yield the innermost definitions of a file that call, and the lines outside of definitions that do."""
        document = self.documents.get_document(entry.doc_id)
        blocks = [] if document is None else list_code(document)
        every = [symbol for block in blocks for symbol in block.symbols or ()]
        heads = {symbol.line_start for symbol in every if last_name(symbol) in names}
        seen: set[CodeSymbol] = set()
        for block in blocks:
            first = getattr(block.source_span, "line_start", 1)
            for line, text in enumerate(block.code.split("\n"), start=first):
                if names.isdisjoint(_called_in(text)) or line in heads:
                    continue
                caller = innermost_at(every, line)
                if caller is None:
                    shown = " ".join(text.split())[:_LINE_CHARS]
                    address = format_address(entry.source_id, entry.doc_path, f"L{line}")
                    yield RelatedDocument(entry, Relation.CALLED_BY, address, shown)
                elif caller not in seen:
                    seen.add(caller)
                    yield describe_symbol(entry, caller, Relation.CALLED_BY)


def list_code(document: CanonicalDocument) -> list[CodeBlock]:
    """List the blocks of source code of a document."""
    return [block for block in document.blocks if isinstance(block, CodeBlock)]


def called_names(blocks: Sequence[CodeBlock], symbol: CodeSymbol) -> frozenset[str]:
    """Return the names before a bracket in the lines of a symbol, its own name where it calls itself left out."""
    names: set[str] = set()
    for block in blocks:
        start = getattr(block.source_span, "line_start", 1)
        lines = block.code.split("\n")[max(0, symbol.line_start - start) : symbol.line_end - start + 1]
        if symbol.line_end >= start:
            names |= _called_in("\n".join(lines))
    return frozenset(names - {last_name(symbol)})


def innermost_at(every: Sequence[CodeSymbol], line: int) -> CodeSymbol | None:
    """Return the innermost symbol around a line; None outside of all."""
    around = [each for each in every if each.line_start <= line <= each.line_end]
    return min(around, key=lambda each: each.line_end - each.line_start, default=None)


def last_name(symbol: CodeSymbol) -> str:
    """Return the last part of the name of a symbol."""
    return split_symbol(symbol.symbol)[-1].rstrip("!")


def describe_symbol(entry: DocumentEntry, symbol: CodeSymbol, relation: Relation) -> RelatedDocument:
    """Return a definition with the reason why it is related."""
    fragment = f"L{symbol.line_start}" + (
        f"-L{symbol.line_end}" if symbol.line_end > symbol.line_start else ""
    )
    address = format_address(entry.source_id, entry.doc_path, fragment)
    return RelatedDocument(entry, relation, address, symbol.symbol)


def _called_in(text: str) -> set[str]:
    return {found[1] for found in _CALL.finditer(text)}
