"""Finding, reading, parsing and cutting files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kebab_core.asset import SourceEntry, SourceFile
    from kebab_core.chunk import Chunk, ChunkPolicy
    from kebab_core.document import CanonicalDocument, ExtractContext
    from kebab_core.long_document import LongDocument
    from kebab_core.media import MediaType
    from kebab_core.source import IgnoreEdit, PathVerdict, ScanItem, SourceScope
    from kebab_core.versions import ChunkerVersion, ParserVersion


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Return the present in UTC, timezone-aware."""
        ...

    def monotonic_ms(self) -> int:
        """Return milliseconds from an arbitrary start; never decreases."""
        ...


class SourceConnector(Protocol):
    """A place that documents come from."""

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


class SourceExplainer(Protocol):
    """Tells why a source's scan takes a path or leaves it out."""

    def explain(self, scope: SourceScope, *, edits: Mapping[str, IgnoreEdit] | None = None) -> PathVerdict:
        """Return what a scan makes of `scope.under`, and by which rule.

        Args:
            scope: As for `SourceConnector.scan`, with `under`.
            edits: As if these changes were made to ignore files that are there, by their paths inside the source.

        Returns:
            The first item of that scan: the file itself, or the folder above it that is left out as a whole.

        Raises:
            InvalidInputError: The scope has no `under`, or it is a folder with nothing in it.
            StorageError: The root is missing or not readable, or there is no `under` in it.
        """
        ...


class TokenCounter(Protocol):
    """A fixed estimate of length in tokens that knows no model."""

    @property
    def label(self) -> str:
        """Name and version; takes part in `ChunkPolicy.token_counter`."""
        ...

    def count(self, text: str) -> int:
        """Return the estimate, at least 0, 0 only for text without visible characters.

        Never decreases when text is appended, and `count(a + b) <= count(a) + count(b) + 1`.
        """
        ...


class LanguageDetector(Protocol):
    """Tells the language of a text."""

    def detect(self, text: str) -> str:
        """Return a BCP 47 primary tag such as `ko` or `en`, `und` where there is too little to tell."""
        ...


class Extractor(Protocol):
    """Reads one family of media into documents."""

    def supports(self, media_type: MediaType) -> bool:
        """Return whether this extractor reads the medium."""
        ...

    def parser_version(self) -> ParserVersion:
        """Return the label of its reading; part of every document id it makes."""
        ...

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file.

        Pure: equal arguments give equal documents. Block spans lie inside the file and are ordered by start.

        Args:
            context: What is known besides the bytes.
            content: The file.

        Returns:
            The document; problems that leave it usable are provenance warnings.

        Raises:
            UnsupportedMediaError: The bytes are not of this medium (binary content under a text name).
            DocumentEncryptedError: A password is needed.
        """
        ...


@runtime_checkable
class LongExtractor(Extractor, Protocol):
    """An extractor that can read a text without holding all of what it makes of it."""

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Parse one file as `extract` does, handing its blocks out one by one.

        Everything that `extract` raises is raised here, nothing while blocks are taken.

        Args:
            context: What is known besides the bytes.
            content: The file.

        Returns:
            What `extract` returns, in another shape.

        Raises:
            UnsupportedMediaError: The bytes are not of this medium.
            DocumentEncryptedError: A password is needed.
        """
        ...


class Chunker(Protocol):
    """Cuts documents into chunks."""

    def chunker_version(self) -> ChunkerVersion:
        """Return the label of its cutting; part of every chunk id it makes."""
        ...

    def policy_hash(self, policy: ChunkPolicy) -> str:
        """Return 16 hex digits that differ whenever the output could."""
        ...

    def chunk(self, document: CanonicalDocument, policy: ChunkPolicy) -> list[Chunk]:
        """Cut a document.

        Pure. Ordinals count from 0 without gaps; starts of spans never decrease; the union of all spans covers
        every block; ids are unique; no chunk's estimate passes `policy.max_tokens`.
        """
        ...


@runtime_checkable
class LongChunker(Chunker, Protocol):
    """A chunker that needs only the blocks around the chunk in hand."""

    def chunk_long(self, document: LongDocument, policy: ChunkPolicy) -> Iterator[Chunk]:
        """Cut a document as `chunk` does, taking its blocks as they are needed.

        Yields:
            The chunks that `chunk` returns.
        """
        ...
