"""Extract, chunk and analyse one file: from its bytes to the record that the store takes. Does no I/O of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from kebab_core import (
    AnalyzedChunk,
    Analyzer,
    AttachedFile,
    AttachmentExtractor,
    Block,
    CanonicalDocument,
    Chunk,
    Chunker,
    ChunkPolicy,
    DocumentRecord,
    EmbeddingIdentity,
    ExternalUri,
    ExtractContext,
    Extractor,
    KebabError,
    LongDocument,
    LongExtractor,
    LongRecord,
    MediaType,
    Message,
    Model,
    ModelCaption,
    OcrReading,
    ProvenanceEvent,
    ProvenanceKind,
    SourceFile,
    SourceSettings,
    Surroundings,
    UnsupportedMediaError,
    hash_canonical,
    media_type_of,
)

from kebab_ingest.document_terms import DocumentTerms
from kebab_ingest.names import NameFiles, add_names

_FOLDER_CONNECTOR = "kebab-source-fs"
"""What finds the files of folders; those of another kind of source are found by the plugin that has its name."""
_METADATA_VERSION = 4
"""Of the metadata and links that parsers read; raised where they read them otherwise, which leaves ids as they are."""
_SKIPPED_UNREAD = {"max_file_bytes", "extra_skip_globs"}
"""Settings of source code by which files are left out before they are read, in every run anew."""
_ATTACHED_VERSION = 1
"""Of what becomes of files that other files hold."""
_SHOWN_IN_MAILS = frozenset({"text", "markdown", "html"})
"""Kinds of attached files that are sections of a mail where they are no documents."""
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""The years 1 to 9999; some archives unpack files of a later date."""

OnStep = Callable[[str], None]
"""Gets the name of each step when it has ended."""


def ignore_step(_name: str) -> None:
    """Do nothing; the steps are not measured."""


OnAttached = Callable[[Sequence[AttachedFile]], None]
"""Gets the files that a file holds, each of which becomes a document."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFacts:
    """Facts about a file that its bytes do not have."""

    readings: Mapping[int, OcrReading] = field(default_factory=dict)
    """By 1-based page."""
    surroundings: Surroundings = field(default_factory=Surroundings)
    """Texts around a file that is a picture, in the documents that show it."""
    captions: Mapping[int, ModelCaption] = field(default_factory=dict)
    """By 1-based page; of no text where the model wrote none."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names for ids in the file, of another file."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Extractor, chunker and chunk sizes of one medium."""

    extractor: Extractor
    chunker: Chunker
    policy: ChunkPolicy
    settings: Model | None = None
    """Settings of the extractor; None for one without settings."""
    isolated: bool = False
    """Whether the extractor is risky to parse with, so that runs use it in worker processes with limits only."""
    fallback: Recipe | None = None
    """Recipe that a file is read by where this one fails, or makes no chunk of its text; None for none."""


def _list_none(_media: MediaType) -> Sequence[str]:
    return ()


def _as_named(named: MediaType, _content: bytes) -> MediaType:
    return named


@dataclass(frozen=True, kw_only=True)
class DocumentProcessor:
    """Extracts, chunks and analyses files."""

    find_recipe: Callable[[MediaType], Recipe | None]
    """Finds the recipe of a medium; called for each file, so that it keeps what it built."""
    find_media: Callable[[MediaType, bytes], MediaType] = _as_named
    """The medium of a file by its content, given the one that its name stands for."""
    list_other_parsers: Callable[[MediaType], Sequence[str]] = _list_none
    """Labels of parsers that may read files of a medium, by their content, although they are of another."""
    name_files: NameFiles | None = None
    """None where no file needs another one."""
    analyzer: Analyzer
    embedding: EmbeddingIdentity | None = None
    """Model whose vectors chunks are to get; None for no vectors."""

    def supports(self, media_type: MediaType) -> bool:
        """Whether any recipe takes the medium."""
        return self.find_recipe(media_type) is not None

    def reads_name(self, name: str) -> bool:
        """Whether a file of this name that another file holds becomes a document."""
        return self.supports(media_type_of(name))

    def is_isolated(self, media_type: MediaType) -> bool:
        """Whether files of the medium are risky to parse."""
        recipe = self.find_recipe(media_type)
        return recipe is not None and recipe.isolated

    def has_fallback(self, media_type: MediaType) -> bool:
        """Whether files of the medium that their recipe cannot read are read by another."""
        recipe = self.find_recipe(media_type)
        return recipe is not None and recipe.fallback is not None

    def fingerprint(self, media_type: MediaType, source: SourceSettings) -> str:
        """Hash everything that a document of this medium and source depends on besides its bytes.

        A document is processed again when its bytes or this fingerprint change, where that is forced, and if its kept
        copy is lost. Of the settings of the extractor those take part that are not the default ones. Search, answer,
        model and logging settings take none.

        Returns:
            32 hex digits.

        Raises:
            UnsupportedMediaError: No recipe takes the medium.
        """
        recipe = self._recipe(media_type)
        others = self.list_other_parsers(media_type)
        unread = _SKIPPED_UNREAD - {"max_file_bytes"} if others else _SKIPPED_UNREAD  # read to see what it is
        changed = recipe.settings and recipe.settings.model_dump(
            mode="json", exclude_defaults=True, exclude=unread
        )
        return hash_canonical({
            "parser": recipe.extractor.parser_version(),
            "chunker": recipe.chunker.chunker_version(),
            "policy": recipe.policy.model_dump(mode="json"),
            "analyzer": self.analyzer.version,
            "metadata": _METADATA_VERSION,
            "trust_level": source.trust_level,
            "source_type": source.source_type,
            **({"settings": changed} if changed else {}),
            **({"others": list(others)} if others else {}),
            **({"attached": _ATTACHED_VERSION} if isinstance(recipe.extractor, AttachmentExtractor) else {}),
        })[:32]

    def process(
        self,
        file: SourceFile,
        *,
        source: SourceSettings,
        disk_path: str,
        now: datetime,
        on_step: OnStep = ignore_step,
        on_attached: OnAttached | None = None,
        failure: Message | None = None,
        facts: FileFacts | None = None,
    ) -> DocumentRecord:
        """Turn a file into a record for the store.

        Args:
            file: The file as read.
            source: The source it belongs to.
            disk_path: Its path, as spelled on disk.
            now: Stamp of the processing.
            on_step: Gets `extract`, `chunk` and `analyse`.
            on_attached: Gets the files that the file holds; None leaves them out, with a warning where it is inside of another one.
            failure: Why the recipe failed before, if it has a fallback that is to read the file.
            facts: Facts about it that its bytes do not have; None for none.

        Returns:
            The record; its asset refers to the file itself.

        Raises:
            UnsupportedMediaError: The bytes are not what the name says, or no recipe takes the medium.
            DocumentError: The document cannot be read.
        """
        facts = facts or FileFacts()
        is_inside = isinstance(file.asset.source_uri, ExternalUri)
        fingerprint = self.fingerprint(file.asset.media_type, source)
        if facts.names and not is_inside:
            fingerprint = add_names(fingerprint, facts.names)
        file = self._by_content(file)
        recipe = self._recipe(file.asset.media_type)
        context = _context(file, source, now, facts)
        if failure is not None and recipe.fallback is not None:
            recipe, document, chunks = _read_plainly(recipe.fallback, context, file.content, failure)
        else:
            inner = self._extract_inner if is_inside else _extract
            read = self._extract_attached(on_attached) if on_attached else inner
            recipe, document, chunks = _read(recipe, context, file.content, on_step, extract=read)
        terms = tuple(map(self._terms_of(document).analyze, chunks))
        on_step("analyse")
        head = self._head(recipe, document, file, fingerprint=fingerprint, disk_path=disk_path, now=now)
        described = _describe(head, len(chunks))
        return described.model_copy(
            update={
                "chunks": chunks,
                "terms": terms,
                "readings": dict(facts.readings),
                "surroundings": facts.surroundings,
                "captions": dict(facts.captions),
            }
        )

    def process_long(
        self,
        file: SourceFile,
        *,
        source: SourceSettings,
        disk_path: str,
        now: datetime,
        names: Mapping[str, str],
    ) -> LongRecord | None:
        """Turn a file into the record that `process` makes, without holding all of it at once.

        Everything that `process` raises is raised here, nothing while parts are taken.

        Args:
            file: The file as read.
            source: The source it belongs to.
            disk_path: Its path, as spelled on disk.
            now: Stamp of the processing.
            names: Names for ids in it.

        Returns:
            The record; None if the extractor of the medium makes whole documents.

        Raises:
            UnsupportedMediaError: The bytes are not what the name says, or no recipe takes the medium.
            DocumentError: The document cannot be read.
        """
        fingerprint = self.fingerprint(file.asset.media_type, source)
        if names:
            fingerprint = add_names(fingerprint, names)
        file = self._by_content(file)
        recipe = self._recipe(file.asset.media_type)
        if not isinstance(recipe.extractor, LongExtractor):
            return None
        document = recipe.extractor.extract_long(
            _context(file, source, now, FileFacts(names=names)), file.content
        )
        head = self._head(recipe, document.head, file, fingerprint=fingerprint, disk_path=disk_path, now=now)
        return LongRecord(partial(_describe, head), self._parts(document, recipe.chunker, recipe.policy))

    def _extract_attached(self, on_attached: OnAttached) -> Extract:
        def read(extractor: Extractor, context: ExtractContext, content: bytes) -> CanonicalDocument:
            if not isinstance(extractor, AttachmentExtractor):
                return extractor.extract(context, content)
            document, files = extractor.extract_attached(context, content, reads=self.reads_name)
            on_attached(files)
            return document

        return read

    def _extract_inner(
        self, extractor: Extractor, context: ExtractContext, content: bytes
    ) -> CanonicalDocument:
        """Read a file inside of another one; what it holds itself is no document, but texts in a mail are part of the mail."""
        document, count = extractor.extract(context, content), 0
        if isinstance(extractor, AttachmentExtractor):
            shown = _SHOWN_IN_MAILS if context.asset.media_type.kind == "email" else frozenset[str]()
            _, files = extractor.extract_attached(context, content, reads=self.reads_name)
            count = sum(media_type_of(each.name).kind not in shown for each in files)
        if not count:
            return document
        note = Message(
            "{count} file in it was not read, since it is inside of another file itself",
            plural="{count} files in it were not read, since it is inside of another file itself",
            count=count,
        )
        return _with_note(document, context, note, ProvenanceKind.WARNING)

    def _parts(
        self, document: LongDocument, chunker: Chunker, policy: ChunkPolicy
    ) -> Iterator[Block | AnalyzedChunk]:
        taken: deque[Block] = deque()

        def take() -> Iterator[Block]:
            for block in document.blocks:
                taken.append(block)
                yield block

        terms = self._terms_of(document.head)
        for chunk in chunker.chunk(LongDocument(document.head, take()), policy):
            yield from _drain(taken)
            yield AnalyzedChunk(chunk, terms.analyze(chunk))
        yield from _drain(taken)

    def _terms_of(self, document: CanonicalDocument) -> DocumentTerms:
        return DocumentTerms(
            self.analyzer,
            title=document.title,
            path=document.workspace_path,
            aliases=document.metadata.aliases,
        )

    def _head(
        self,
        recipe: Recipe,
        document: CanonicalDocument,
        file: SourceFile,
        *,
        fingerprint: str,
        disk_path: str,
        now: datetime,
    ) -> DocumentRecord:
        """Build the record of a document as it was extracted, without chunks."""
        return DocumentRecord(
            asset=file.asset,
            document=document,
            chunks=(),
            terms=(),
            stamp=file.stamp,
            disk_path=disk_path,
            fingerprint=fingerprint,
            chunker_version=recipe.chunker.chunker_version(),
            analyzer_version=self.analyzer.version,
            indexed_at=now,
        )

    def _by_content(self, file: SourceFile) -> SourceFile:
        """Return a file with the medium of its content. Its fingerprint stays that of its name, all that a scan knows."""
        media = self.find_media(file.asset.media_type, file.content)
        if media == file.asset.media_type:
            return file
        asset = file.asset.model_copy(update={"media_type": media})
        return file.model_copy(update={"asset": asset})

    def _recipe(self, media_type: MediaType) -> Recipe:
        recipe = self.find_recipe(media_type)
        if recipe is None:
            raise UnsupportedMediaError("no parser takes {media} files", media=media_type.kind)
        return recipe


Extract = Callable[[Extractor, ExtractContext, bytes], CanonicalDocument]
"""Has an extractor read a file."""


def _extract(extractor: Extractor, context: ExtractContext, content: bytes) -> CanonicalDocument:
    return extractor.extract(context, content)


def _read(
    recipe: Recipe, context: ExtractContext, content: bytes, on_step: OnStep, *, extract: Extract = _extract
) -> tuple[Recipe, CanonicalDocument, tuple[Chunk, ...]]:
    """Extract and chunk a file, by the fallback of the recipe where it fails or finds nothing to make a chunk of.

    Returns:
        The recipe that read it, the document and its chunks.

    Raises:
        UnsupportedMediaError: The file is not what its name says, which no recipe changes.
        KebabError: It cannot be read, and there is no fallback.
    """
    try:
        document = extract(recipe.extractor, context, content)
        on_step("extract")
        chunks = tuple(recipe.chunker.chunk(LongDocument.of(document), recipe.policy))
        on_step("chunk")
    except UnsupportedMediaError:
        raise
    except KebabError as error:
        if recipe.fallback is None:
            raise
        return _read_plainly(recipe.fallback, context, content, error.message)
    else:
        if chunks or recipe.fallback is None or not document.blocks:
            return recipe, document, chunks
        reason = Message("{chunker} finds nothing in it", chunker=recipe.chunker.chunker_version())
        return _read_plainly(recipe.fallback, context, content, reason, kind=ProvenanceKind.CHUNKED)


def _read_plainly(
    fallback: Recipe,
    context: ExtractContext,
    content: bytes,
    reason: Message | str,
    *,
    kind: ProvenanceKind = ProvenanceKind.WARNING,
) -> tuple[Recipe, CanonicalDocument, tuple[Chunk, ...]]:
    """Read a file by a fallback, and tell why in the provenance of the document."""
    used, document, chunks = _read(fallback, context, content, ignore_step)
    note = Message("read as plain text: {reason}", reason=reason)
    return used, _with_note(document, context, note, kind), chunks


def _with_note(
    document: CanonicalDocument, context: ExtractContext, note: Message, kind: ProvenanceKind
) -> CanonicalDocument:
    event = ProvenanceEvent(at=context.extracted_at, agent="kebab-ingest", kind=kind, note=note)
    provenance = document.provenance.model_copy(update={"events": (*document.provenance.events, event)})
    return document.model_copy(update={"provenance": provenance})


def _context(file: SourceFile, source: SourceSettings, now: datetime, facts: FileFacts) -> ExtractContext:
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
        discovered_by=_FOLDER_CONNECTOR if source.is_folder else source.kind,
        ocr={page: reading.text for page, reading in facts.readings.items() if reading.text is not None},
        speech={
            part: reading.speech for part, reading in facts.readings.items() if reading.speech is not None
        },
        surroundings=facts.surroundings,
        captions={page: caption for page, caption in facts.captions.items() if caption.text},
        names=dict(facts.names),
    )


def _describe(head: DocumentRecord, chunk_count: int) -> DocumentRecord:
    """Add to the provenance of a record how it was chunked and indexed."""
    chunked = ProvenanceEvent(
        at=head.indexed_at,
        agent="kebab-chunk",
        kind=ProvenanceKind.CHUNKED,
        note=f"{head.chunker_version}: {chunk_count} chunks",
    )
    indexed = ProvenanceEvent(
        at=head.indexed_at, agent="kebab-analysis", kind=ProvenanceKind.INDEXED, note=head.analyzer_version
    )
    document = head.document
    events = (*document.provenance.events, chunked, indexed)
    provenance = document.provenance.model_copy(update={"events": events})
    return head.model_copy(update={"document": document.model_copy(update={"provenance": provenance})})


def _drain(blocks: deque[Block]) -> Iterator[Block]:
    while blocks:
        yield blocks.popleft()
