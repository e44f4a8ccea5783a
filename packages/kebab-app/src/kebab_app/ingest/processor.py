"""From the bytes of one file to everything the store needs of it. Pure but for the models it is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kebab_core import (
    Analyzer,
    Chunker,
    ChunkPolicy,
    DocumentRecord,
    ExtractContext,
    Extractor,
    MediaType,
    ProvenanceEvent,
    ProvenanceKind,
    SourceFile,
    SourceSettings,
    UnsupportedMediaError,
)

from kebab_app.ingest.fingerprint import fingerprint_document

_FINDER = "kebab-source-fs"
"""Every file of this version comes from a folder."""
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""The years 1 to 9999; some archives unpack files of a later date."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How one medium is processed."""

    extractor: Extractor
    chunker: Chunker
    policy: ChunkPolicy


@dataclass(frozen=True, kw_only=True)
class DocumentProcessor:
    """Extracts, chunks and analyses files."""

    recipes: Sequence[Recipe]
    """Tried in order; the first whose extractor supports the medium is taken."""
    analyzer: Analyzer

    def supports(self, media_type: MediaType) -> bool:
        """Return whether any recipe takes the medium."""
        return self._find(media_type) is not None

    def fingerprint(self, media_type: MediaType, source: SourceSettings) -> str:
        """Return what a document of this medium and source depends on besides its bytes.

        Raises:
            UnsupportedMediaError: No recipe takes the medium.
        """
        recipe = self._recipe(media_type)
        return fingerprint_document(
            parser_version=recipe.extractor.parser_version(),
            chunker_version=recipe.chunker.chunker_version(),
            policy=recipe.policy,
            analyzer_version=self.analyzer.version,
            source=source,
        )

    def process(
        self, file: SourceFile, *, source: SourceSettings, disk_path: str, now: datetime
    ) -> DocumentRecord:
        """Turn a file into a record for the store.

        Args:
            file: The file as read.
            source: The source it belongs to.
            disk_path: Where it lies, as spelled on disk.
            now: Stamp of the processing.

        Returns:
            The record; its asset still refers to the file itself.

        Raises:
            UnsupportedMediaError: The bytes are not what the name says, or no recipe takes the medium.
            DocumentError: The document cannot be read.
        """
        recipe = self._recipe(file.asset.media_type)
        document = recipe.extractor.extract(_context(file, source, now), file.content)
        chunks = recipe.chunker.chunk(document, recipe.policy)
        terms = tuple(
            self.analyzer.analyze_chunk(
                title=document.title, heading_path=chunk.heading_path, text=chunk.text
            )
            for chunk in chunks
        )
        chunked = ProvenanceEvent(
            at=now,
            agent="kebab-chunk",
            kind=ProvenanceKind.CHUNKED,
            note=f"{recipe.chunker.chunker_version()}: {len(chunks)} chunks",
        )
        indexed = ProvenanceEvent(
            at=now, agent="kebab-analysis", kind=ProvenanceKind.INDEXED, note=self.analyzer.version
        )
        events = (*document.provenance.events, chunked, indexed)
        provenance = document.provenance.model_copy(update={"events": events})
        return DocumentRecord(
            asset=file.asset,
            document=document.model_copy(update={"provenance": provenance}),
            chunks=tuple(chunks),
            terms=terms,
            stamp=file.stamp,
            disk_path=disk_path,
            fingerprint=self.fingerprint(file.asset.media_type, source),
            chunker_version=recipe.chunker.chunker_version(),
            analyzer_version=self.analyzer.version,
            indexed_at=now,
        )

    def _find(self, media_type: MediaType) -> Recipe | None:
        return next((r for r in self.recipes if r.extractor.supports(media_type)), None)

    def _recipe(self, media_type: MediaType) -> Recipe:
        recipe = self._find(media_type)
        if recipe is None:
            raise UnsupportedMediaError(f"no parser takes {media_type.kind} files", media=media_type.kind)
        return recipe


def _context(file: SourceFile, source: SourceSettings, now: datetime) -> ExtractContext:
    seconds = min(max(file.stamp.mtime_ns / 1e9, _FIRST_SECOND), _LAST_SECOND)
    modified = datetime.fromtimestamp(seconds, tz=UTC)
    return ExtractContext(
        asset=file.asset,
        source_id=source.id,
        trust_level=source.trust_level,
        source_type=source.source_type,
        file_created_at=modified,
        file_modified_at=modified,
        extracted_at=now,
        discovered_by=_FINDER,
    )
