"""Protocols of ingest: sources, extractors, chunkers, analysers, and the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kebab_core.assets import AttachedFile, SourceFile
    from kebab_core.chunk import Chunk, ChunkPolicy, ChunkTerms, FoundTerms, Term
    from kebab_core.document import CanonicalDocument, ExtractContext, LongDocument
    from kebab_core.files import SourceEntry, WorkspacePath
    from kebab_core.ids import AnalyzerVersion, ChunkerVersion, ParserVersion
    from kebab_core.media import MediaType
    from kebab_core.source import IgnoreEdit, PathVerdict, Repository, ScanItem, SourceScope


class Clock(Protocol):
    """Source of the time."""

    def now(self) -> datetime:
        """Return the current time in UTC, timezone-aware."""
        ...

    def monotonic_ms(self) -> int:
        """Return milliseconds from an arbitrary start; never decreases."""
        ...


class SourceConnector(Protocol):
    """Scans and reads the files of a source."""

    def scan(self, scope: SourceScope) -> Iterator[ScanItem]:
        """Yield every file below the root exactly once, as an entry or as skipped, in order of path.

        Only names and stats are read. Paths are unique after NFC.

        Args:
            scope: The folder and its rules.

        Yields:
            Entries, skipped files and folders, and folders that could not be listed.

        Raises:
            StorageError: The root is missing, not a folder, or not readable.
        """
        ...

    def read(self, entry: SourceEntry, *, discovered_at: datetime) -> SourceFile:
        """Read one file whole.

        Args:
            entry: As a scan yielded it.
            discovered_at: Stamp for the asset.

        Returns:
            Bytes, checksum and the stamp of exactly these bytes; `stored` refers to the file itself.

        Raises:
            StorageError: The file is gone or cannot be read, or changed while it was being read.
        """
        ...


@runtime_checkable
class FolderConnector(SourceConnector, Protocol):
    """A connector of folders, which explains its verdicts and knows the repositories that files lie in."""

    def explain(self, scope: SourceScope, *, edits: Mapping[str, IgnoreEdit] | None = None) -> PathVerdict:
        """Return the verdict of a scan on `scope.under`, with the rule behind it.

        Args:
            scope: As for `scan`, with `under`.
            edits: Hypothetical changes of existing ignore files, by their paths inside the source.

        Returns:
            The first item of that scan: the file itself, or the folder above it that is left out as a whole.

        Raises:
            InvalidInputError: The scope has no `under`, or it is a folder with nothing in it.
            StorageError: The root is missing or not readable, or there is no `under` in it.
        """
        ...

    def read_repository(self, scope: SourceScope, folder: WorkspacePath | None) -> Repository | None:
        """Read the facts of the repository that is checked out in a folder.

        Args:
            scope: The source.
            folder: A folder in it that holds a `.git`; None for the repository that the root is in, or is.

        Returns:
            The facts; None where it is no repository, or its files cannot be read.
        """
        ...


class Extractor(Protocol):
    """Reads one family of media into documents.

    Files of a plugin's extractor are read in worker processes with limits of time and memory, since a parser may loop,
    take all memory or end its process. One that does none of these has the attribute `isolated = False`, and small runs
    then start no process for it. Built-in extractors are isolated only if they have `isolated = True`.
    """

    def supports(self, media_type: MediaType) -> bool:
        """Return True if this extractor reads the medium."""
        ...

    def parser_version(self) -> ParserVersion:
        """Return the version label of this extractor.

        `CanonicalDocument.parser_version` is the label of one document, and part of its id: a fallback tier of the
        extractor has a label of its own. A change of either must change this one.
        """
        ...

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file.

        Pure: equal arguments give equal documents. Block spans lie inside the file and are ordered by start. Where
        the bytes are not text, or spans are not their lines, `CanonicalDocument.text` holds the text that was read in
        them: spans address it by page or time, or by its own lines.

        Args:
            context: Everything known besides the bytes.
            content: The file.

        Returns:
            The document; problems that leave it usable are provenance warnings.

        Raises:
            UnsupportedMediaError: The bytes are not of this medium (binary content under a text name).
            DocumentEncryptedError: A password is needed.
        """
        ...


@runtime_checkable
class AttachmentExtractor(Extractor, Protocol):
    """An extractor of files that hold other files, each of which becomes a document of its own."""

    def extract_attached(
        self, context: ExtractContext, content: bytes, *, reads: Callable[[str], bool]
    ) -> tuple[CanonicalDocument, Sequence[AttachedFile]]:
        """Parse one file as `extract` does, and take out the files that become documents; their text is not in this one.

        Args:
            context: Everything known besides the bytes.
            content: The file.
            reads: Whether a file of this name becomes a document.

        Returns:
            The document, and the attached files in their order.

        Raises:
            UnsupportedMediaError: The bytes are not of this medium.
            DocumentEncryptedError: A password is needed.
        """
        ...


@runtime_checkable
class LongExtractor(Extractor, Protocol):
    """An extractor that can read a text without holding the whole document in memory."""

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Parse one file as `extract` does, handing its blocks out one by one.

        Everything that `extract` raises is raised here, nothing while blocks are taken.

        Args:
            context: Everything known besides the bytes.
            content: The file.

        Returns:
            The document that `extract` returns, with its blocks as an iterator.

        Raises:
            UnsupportedMediaError: The bytes are not of this medium.
            DocumentEncryptedError: A password is needed.
        """
        ...


class Chunker(Protocol):
    """Cuts documents into chunks."""

    @property
    def crosses_pages(self) -> bool:
        """True if one chunk may hold text of two pages; it is cited by the first of them."""
        ...

    def chunker_version(self) -> ChunkerVersion:
        """Return the version label of this chunker; part of every chunk id it makes."""
        ...

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex digits that differ whenever the output could."""
        ...

    def chunk(self, document: LongDocument, policy: ChunkPolicy) -> Iterable[Chunk]:
        """Cut a document, of which only the blocks around the chunk in hand need be held.

        Pure but for the blocks that it takes. Ordinals count from 0 without gaps; starts of spans never decrease; the union of all spans covers
        every block; ids are unique; no chunk's estimate passes `policy.max_tokens`; the spans of a chunk are on one
        page unless the chunker `crosses_pages`.
        """
        ...


class Analyzer(Protocol):
    """Turns text into terms of the lexical index. Index and query must use the same one.

    Pure and thread-safe. Text is brought to NFC by the caller or by the analyser without moving code points
    that are already NFC; offsets refer to the text as given.
    """

    @property
    def version(self) -> AnalyzerVersion:
        """Identity; changes whenever the same text would give other terms."""
        ...

    def reads(self, indexed: AnalyzerVersion) -> bool:
        """Return True if queries of this analyser find what is in an index of the other version: all of its terms are terms of this one."""
        ...

    def analyze(self, text: str) -> list[Term]:
        """Return the terms of a document's text, by start, then longest first.

        A compound is followed by its parts at their own places. Empty text gives no terms.
        """
        ...

    def find_terms(self, text: str, wanted: Set[str], *, beginnings: tuple[str, ...] = ()) -> FoundTerms:
        """Return the terms of `analyze` that are wanted or have one of the beginnings, and how many there are of any kind."""
        ...

    def analyze_query(self, text: str) -> list[Term]:
        """Return the terms of a query: those of `analyze` without question words and other function words.

        The last word may also be analysed as unfinished; that reading gives parts. Never empty where `analyze` is not: a
        query of function words alone keeps them.
        """
        ...

    def surface(self, text: str) -> list[Term]:
        """Return the words as written, folded; exact phrases are compared with these.

        A word gives the same term in a phrase and in the text. Blank lines between two words give a separator term
        that is no word.
        """
        ...

    def log_likelihood(self, word: str) -> float:
        """Return the natural logarithm of the probability of a word in its language, whatever an index holds.

        0 for one that a dictionary has, `-inf` for one that it lacks where nothing else tells.
        """
        ...

    def analyze_chunk(self, *, title: str, heading_path: Sequence[str], text: str) -> ChunkTerms:
        """Return one chunk's columns: each is the terms above, joined by single spaces.

        In the surface a separator that is no word stands between headings and between blocks of text.
        """
        ...
