"""The domain of kebab: models, ids, Protocols, errors, settings sections and events.

Does no I/O and reads neither clock nor environment. Names are loaded when first used, so that light commands stay light.

    >>> from kebab_core import Citation, parse_citation
    >>> parse_citation("notes/a%20b.md#L3-L9").to_uri()
    'notes/a%20b.md#L3-L9'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import InspectLoader

    from kebab_core.address import (
        SHOWN_ID_DIGITS as SHOWN_ID_DIGITS,
        ParsedAddress as ParsedAddress,
        PathReading as PathReading,
        format_address as format_address,
        parse_address as parse_address,
        shown_address as shown_address,
        shown_fragment as shown_fragment,
    )
    from kebab_core.answer import (
        Answer as Answer,
        AnswerCitation as AnswerCitation,
        AnswerEvent as AnswerEvent,
        AnswerFinal as AnswerFinal,
        AnswerMarker as AnswerMarker,
        AnswerReading as AnswerReading,
        AnswerRetrievalSummary as AnswerRetrievalSummary,
        AnswerToken as AnswerToken,
        ChatMessage as ChatMessage,
        ChatSession as ChatSession,
        Claim as Claim,
        ClaimCheck as ClaimCheck,
        ClaimReview as ClaimReview,
        ClaimSource as ClaimSource,
        ClaimVerdict as ClaimVerdict,
        DroppedClaim as DroppedClaim,
        Entailment as Entailment,
        FinishReason as FinishReason,
        GenerateRequest as GenerateRequest,
        GenerationDone as GenerationDone,
        HeaderRange as HeaderRange,
        HopDone as HopDone,
        HopRecord as HopRecord,
        ModelRef as ModelRef,
        Passage as Passage,
        PassageQuote as PassageQuote,
        RefusalReason as RefusalReason,
        RetrievalDone as RetrievalDone,
        SessionId as SessionId,
        TokenChunk as TokenChunk,
        TokenDelta as TokenDelta,
        TokenUsage as TokenUsage,
        TraceId as TraceId,
        Turn as Turn,
        VerificationSummary as VerificationSummary,
    )
    from kebab_core.assets import (
        AssetAudit as AssetAudit,
        AssetStorage as AssetStorage,
        AttachedFile as AttachedFile,
        Checksum as Checksum,
        CopiedStorage as CopiedStorage,
        CopyLook as CopyLook,
        ExternalUri as ExternalUri,
        FileUri as FileUri,
        RawAsset as RawAsset,
        ReferenceStorage as ReferenceStorage,
        SourceFile as SourceFile,
        SourceUri as SourceUri,
        asset_id_for as asset_id_for,
    )
    from kebab_core.chunk import (
        MAX_HEADER_ROW_CHARS as MAX_HEADER_ROW_CHARS,
        Chunk as Chunk,
        ChunkCost as ChunkCost,
        ChunkPolicy as ChunkPolicy,
        ChunkTerms as ChunkTerms,
        FoundTerms as FoundTerms,
        HeaderRow as HeaderRow,
        IndexedChunk as IndexedChunk,
        IndexedDocument as IndexedDocument,
        RepeatedLead as RepeatedLead,
        TableRows as TableRows,
        Term as Term,
        TermKind as TermKind,
        build_citation as build_citation,
        chunk_id_for as chunk_id_for,
        cover_regions as cover_regions,
        distinct_names as distinct_names,
        is_outdated as is_outdated,
    )
    from kebab_core.citation import (
        CaptionCitation as CaptionCitation,
        CellCitation as CellCitation,
        Citation as Citation,
        CodeCitation as CodeCitation,
        LineCitation as LineCitation,
        PageCitation as PageCitation,
        RegionCitation as RegionCitation,
        SlideCitation as SlideCitation,
        TimeCitation as TimeCitation,
        cite_fragment as cite_fragment,
        document_uri as document_uri,
        is_heard as is_heard,
        is_recognised as is_recognised,
        parse_citation as parse_citation,
        say_origin as say_origin,
    )
    from kebab_core.code import (
        MODULE_SYMBOL as MODULE_SYMBOL,
        TOP_LEVEL_SYMBOL as TOP_LEVEL_SYMBOL,
        CodeRole as CodeRole,
        CodeSymbol as CodeSymbol,
        StoredSymbol as StoredSymbol,
        SymbolKind as SymbolKind,
        ends_of_symbol as ends_of_symbol,
        fold_name as fold_name,
        split_name as split_name,
        split_symbol as split_symbol,
    )
    from kebab_core.document import (
        DOCUMENT_SCHEMA_VERSION as DOCUMENT_SCHEMA_VERSION,
        AudioRefBlock as AudioRefBlock,
        Block as Block,
        CanonicalDocument as CanonicalDocument,
        CodeBlock as CodeBlock,
        CodeInline as CodeInline,
        CommonBlock as CommonBlock,
        EmphInline as EmphInline,
        ExtractContext as ExtractContext,
        ExtractedText as ExtractedText,
        HeadingBlock as HeadingBlock,
        ImageRefBlock as ImageRefBlock,
        Inline as Inline,
        LinkInline as LinkInline,
        ListBlock as ListBlock,
        ListItem as ListItem,
        LongDocument as LongDocument,
        Metadata as Metadata,
        ModelCaption as ModelCaption,
        ParagraphBlock as ParagraphBlock,
        PlacedLink as PlacedLink,
        Provenance as Provenance,
        ProvenanceEvent as ProvenanceEvent,
        ProvenanceKind as ProvenanceKind,
        QuoteBlock as QuoteBlock,
        StrongInline as StrongInline,
        TableBlock as TableBlock,
        TextInline as TextInline,
        TextPart as TextPart,
        block_id_for as block_id_for,
        document_id_for as document_id_for,
        embedded_event as embedded_event,
        find_links as find_links,
        list_links as list_links,
    )
    from kebab_core.errors import (
        MODEL_FAILURES as MODEL_FAILURES,
        AmbiguousAddressError as AmbiguousAddressError,
        CancelToken as CancelToken,
        ChunkNotFoundError as ChunkNotFoundError,
        ConfigInvalidError as ConfigInvalidError,
        ConfigNotFoundError as ConfigNotFoundError,
        ContextOverflowError as ContextOverflowError,
        DatabaseCorruptError as DatabaseCorruptError,
        DependencyMissingError as DependencyMissingError,
        DetailValue as DetailValue,
        DocumentDamagedError as DocumentDamagedError,
        DocumentEncryptedError as DocumentEncryptedError,
        DocumentError as DocumentError,
        DocumentNotFoundError as DocumentNotFoundError,
        DocumentTooLargeError as DocumentTooLargeError,
        ExternalError as ExternalError,
        IndexModelMismatchError as IndexModelMismatchError,
        InputError as InputError,
        InternalError as InternalError,
        InvalidInputError as InvalidInputError,
        KebabError as KebabError,
        LockedError as LockedError,
        MissingError as MissingError,
        ModelCorruptError as ModelCorruptError,
        ModelMissingError as ModelMissingError,
        ModelNotPulledError as ModelNotPulledError,
        ModelUnreachableError as ModelUnreachableError,
        NotIndexedError as NotIndexedError,
        OperationTimeoutError as OperationTimeoutError,
        PluginConflictError as PluginConflictError,
        ReadonlyModeError as ReadonlyModeError,
        RetrievalError as RetrievalError,
        SchemaTooNewError as SchemaTooNewError,
        SchemaTooOldError as SchemaTooOldError,
        SpanNotSupportedError as SpanNotSupportedError,
        StaleCursorError as StaleCursorError,
        StaleRevisionError as StaleRevisionError,
        StorageError as StorageError,
        TooManyQueriesError as TooManyQueriesError,
        UnsupportedMediaError as UnsupportedMediaError,
        WorkCancelledError as WorkCancelledError,
    )
    from kebab_core.evaluation import (
        AnswerMetrics as AnswerMetrics,
        AnswerOutcomes as AnswerOutcomes,
        EvalChange as EvalChange,
        EvalComparison as EvalComparison,
        EvalInterval as EvalInterval,
        EvalLatency as EvalLatency,
        EvalMetrics as EvalMetrics,
        EvalQueryResult as EvalQueryResult,
        EvalRun as EvalRun,
        EvalRunId as EvalRunId,
        EvalSlice as EvalSlice,
        EvaluationRun as EvaluationRun,
        GoldenMetrics as GoldenMetrics,
        HitMetrics as HitMetrics,
        ReliabilityPoint as ReliabilityPoint,
        ScoreMetrics as ScoreMetrics,
    )
    from kebab_core.facets import (
        UNDETERMINED_LANG as UNDETERMINED_LANG,
        MediaKind as MediaKind,
        SourceType as SourceType,
        TrustLevel as TrustLevel,
    )
    from kebab_core.files import (
        ByteProgress as ByteProgress,
        ByteSink as ByteSink,
        FileStamp as FileStamp,
        FileState as FileState,
        SourceEntry as SourceEntry,
        SourceId as SourceId,
        SourceName as SourceName,
        TrackedFile as TrackedFile,
        WorkspacePath as WorkspacePath,
        file_state as file_state,
        is_utf8 as is_utf8,
        spelling_of as spelling_of,
        split_extension as split_extension,
        writing_mapped as writing_mapped,
    )
    from kebab_core.filters import SearchFilters as SearchFilters
    from kebab_core.formats import (
        CITED_PLACES as CITED_PLACES,
        FORMATS as FORMATS,
        PICTURE_SUFFIXES as PICTURE_SUFFIXES,
        PIXEL_SUFFIXES as PIXEL_SUFFIXES,
        CitedPlace as CitedPlace,
        FileFormat as FileFormat,
        advise_on_unread as advise_on_unread,
        find_better_format as find_better_format,
        media_type_of as media_type_of,
    )
    from kebab_core.ids import (
        DEFAULT_SOURCE_ID as DEFAULT_SOURCE_ID,
        AnalyzerVersion as AnalyzerVersion,
        AssetId as AssetId,
        BlockId as BlockId,
        ChunkerVersion as ChunkerVersion,
        ChunkId as ChunkId,
        DocumentId as DocumentId,
        EmbeddingModelId as EmbeddingModelId,
        EmbeddingVersion as EmbeddingVersion,
        HexId as HexId,
        IndexVersion as IndexVersion,
        JsonValue as JsonValue,
        ParserVersion as ParserVersion,
        PromptTemplateVersion as PromptTemplateVersion,
        canonical_json as canonical_json,
        hash_bytes as hash_bytes,
        hash_canonical as hash_canonical,
        hash_file as hash_file,
    )
    from kebab_core.ingest import (
        Aborted as Aborted,
        AnalyzedChunk as AnalyzedChunk,
        AssetFinished as AssetFinished,
        AssetPhase as AssetPhase,
        AssetStarted as AssetStarted,
        Completed as Completed,
        DocumentRecord as DocumentRecord,
        EmbedBatchFinished as EmbedBatchFinished,
        EmbedBatchStarted as EmbedBatchStarted,
        EmbeddingFailure as EmbeddingFailure,
        EmbeddingSummary as EmbeddingSummary,
        Heartbeat as Heartbeat,
        IngestCounts as IngestCounts,
        IngestEvent as IngestEvent,
        IngestItem as IngestItem,
        IngestReport as IngestReport,
        IngestResult as IngestResult,
        IngestRun as IngestRun,
        IngestScope as IngestScope,
        LongRecord as LongRecord,
        OcrFailure as OcrFailure,
        OcrPageFinished as OcrPageFinished,
        OcrStarted as OcrStarted,
        OcrSummary as OcrSummary,
        PackedDocument as PackedDocument,
        RunId as RunId,
        ScanCompleted as ScanCompleted,
        ScanStarted as ScanStarted,
        SkipExample as SkipExample,
        WatchNotice as WatchNotice,
        WatchNoticeKind as WatchNoticeKind,
    )
    from kebab_core.jobs import (
        JobFilter as JobFilter,
        JobId as JobId,
        JobKind as JobKind,
        JobRow as JobRow,
        JobStatus as JobStatus,
    )
    from kebab_core.link_targets import (
        show_link as show_link,
        without_addresses as without_addresses,
    )
    from kebab_core.listing import (
        MAX_MS as MAX_MS,
        DocFilter as DocFilter,
        DocSummary as DocSummary,
        DocumentEntry as DocumentEntry,
        FetchAddress as FetchAddress,
        FetchChunk as FetchChunk,
        FetchDocument as FetchDocument,
        FetchQuery as FetchQuery,
        FetchResult as FetchResult,
        FetchSpan as FetchSpan,
        ListOrder as ListOrder,
        NamedCount as NamedCount,
        OutlineHeading as OutlineHeading,
        StoreStats as StoreStats,
    )
    from kebab_core.local_models import (
        ChatModelEntry as ChatModelEntry,
        ChatServer as ChatServer,
        ModelEntry as ModelEntry,
        ModelPull as ModelPull,
        NliModelEntry as NliModelEntry,
        RerankerEntry as RerankerEntry,
    )
    from kebab_core.media import (
        ArchiveMedia as ArchiveMedia,
        AudioFormat as AudioFormat,
        AudioMedia as AudioMedia,
        ChatFormat as ChatFormat,
        ChatMedia as ChatMedia,
        CodeMedia as CodeMedia,
        EmailMedia as EmailMedia,
        EpubMedia as EpubMedia,
        HtmlMedia as HtmlMedia,
        HwpMedia as HwpMedia,
        ImageFormat as ImageFormat,
        ImageMedia as ImageMedia,
        MarkdownMedia as MarkdownMedia,
        MediaType as MediaType,
        OfficeFormat as OfficeFormat,
        OfficeMedia as OfficeMedia,
        OtherMedia as OtherMedia,
        PdfMedia as PdfMedia,
        StructuredFormat as StructuredFormat,
        StructuredMedia as StructuredMedia,
        SubtitlesFormat as SubtitlesFormat,
        SubtitlesMedia as SubtitlesMedia,
        TextFormat as TextFormat,
        TextMedia as TextMedia,
    )
    from kebab_core.messages import (
        Message as Message,
        Moment as Moment,
        join_messages as join_messages,
        shorten_message as shorten_message,
    )
    from kebab_core.model import (
        Count as Count,
        Model as Model,
        Position as Position,
        Share as Share,
        UtcDatetime as UtcDatetime,
        read_field_docs as read_field_docs,
    )
    from kebab_core.ocr import (
        PAGE_DPI as PAGE_DPI,
        OcrIdentity as OcrIdentity,
        OcrReading as OcrReading,
        OcrRegion as OcrRegion,
        OcrText as OcrText,
        OcrWord as OcrWord,
        Picture as Picture,
        PictureDocument as PictureDocument,
        PicturePage as PicturePage,
        PictureReading as PictureReading,
        ShownPicture as ShownPicture,
        SurroundedPicture as SurroundedPicture,
        Surroundings as Surroundings,
    )
    from kebab_core.protocols import (
        CHUNKERS_GROUP as CHUNKERS_GROUP,
        EMBEDDERS_GROUP as EMBEDDERS_GROUP,
        EXTRACTORS_GROUP as EXTRACTORS_GROUP,
        LANGUAGE_MODELS_GROUP as LANGUAGE_MODELS_GROUP,
        PLUGIN_GROUPS as PLUGIN_GROUPS,
        SOURCES_GROUP as SOURCES_GROUP,
    )
    from kebab_core.protocols.factories import (
        ChunkerFactory as ChunkerFactory,
        EmbedderFactory as EmbedderFactory,
        EmbedderServices as EmbedderServices,
        ExtractorFactory as ExtractorFactory,
        ExtractorServices as ExtractorServices,
        LanguageModelFactory as LanguageModelFactory,
        LanguageModelServices as LanguageModelServices,
        SourceConnectorFactory as SourceConnectorFactory,
    )
    from kebab_core.protocols.indexes import LexicalIndex as LexicalIndex
    from kebab_core.protocols.models import (
        AnswerReader as AnswerReader,
        Embedder as Embedder,
        EmbeddingRepo as EmbeddingRepo,
        LanguageModel as LanguageModel,
        NliVerifier as NliVerifier,
        Reranker as Reranker,
        Retriever as Retriever,
        VectorStore as VectorStore,
    )
    from kebab_core.protocols.pictures import PictureStore as PictureStore
    from kebab_core.protocols.source import (
        Analyzer as Analyzer,
        AttachmentExtractor as AttachmentExtractor,
        Chunker as Chunker,
        Clock as Clock,
        Extractor as Extractor,
        FolderConnector as FolderConnector,
        LongExtractor as LongExtractor,
        SourceConnector as SourceConnector,
    )
    from kebab_core.protocols.stores import (
        AnswerRepo as AnswerRepo,
        DocumentStore as DocumentStore,
        JobRepo as JobRepo,
        Locks as Locks,
        PublicationLog as PublicationLog,
        Selection as Selection,
        SourceFileStore as SourceFileStore,
    )
    from kebab_core.remedies import Remedy as Remedy, RemedyKind as RemedyKind
    from kebab_core.search import (
        RERANKED as RERANKED,
        Budget as Budget,
        Coverage as Coverage,
        Evidence as Evidence,
        FurtherPassage as FurtherPassage,
        FusionInput as FusionInput,
        HitCost as HitCost,
        LegFailure as LegFailure,
        LexicalMatch as LexicalMatch,
        LexicalQuery as LexicalQuery,
        MatchedRange as MatchedRange,
        NoHitReason as NoHitReason,
        RetrievalDetail as RetrievalDetail,
        ScoreKind as ScoreKind,
        SearchHit as SearchHit,
        SearchMode as SearchMode,
        SearchQuery as SearchQuery,
        SearchResponse as SearchResponse,
        SearchTrace as SearchTrace,
        SurfaceMatches as SurfaceMatches,
        SyntaxGroup as SyntaxGroup,
        SyntaxWords as SyntaxWords,
        TermOmission as TermOmission,
        TraceCandidate as TraceCandidate,
        TraceTerm as TraceTerm,
        TraceTiming as TraceTiming,
        Translation as Translation,
        UnknownWord as UnknownWord,
    )
    from kebab_core.settings import (
        BUCKET_SOURCE as BUCKET_SOURCE,
        CHAT_PROVIDERS as CHAT_PROVIDERS,
        CHAT_SERVERS as CHAT_SERVERS,
        FOLDER_SOURCE as FOLDER_SOURCE,
        AsrIngestSettings as AsrIngestSettings,
        CaptionSettings as CaptionSettings,
        ChunkingSettings as ChunkingSettings,
        ClusterSettings as ClusterSettings,
        CodeIngestSettings as CodeIngestSettings,
        EmbeddingSettings as EmbeddingSettings,
        ExternalSettings as ExternalSettings,
        ImageIngestSettings as ImageIngestSettings,
        IngestSettings as IngestSettings,
        LlmSettings as LlmSettings,
        LoggingSettings as LoggingSettings,
        McpSettings as McpSettings,
        ModelsSettings as ModelsSettings,
        NliSettings as NliSettings,
        OcrIngestSettings as OcrIngestSettings,
        PdfIngestSettings as PdfIngestSettings,
        RagSettings as RagSettings,
        SearchSettings as SearchSettings,
        SourceSettings as SourceSettings,
        StorageEngine as StorageEngine,
        StorageSettings as StorageSettings,
        VectorIndex as VectorIndex,
        WorkspaceSettings as WorkspaceSettings,
    )
    from kebab_core.source import (
        SKIP_REASONS as SKIP_REASONS,
        CompletedScan as CompletedScan,
        FileFailure as FileFailure,
        IgnoreEdit as IgnoreEdit,
        IngestFailure as IngestFailure,
        PathVerdict as PathVerdict,
        RememberedSkip as RememberedSkip,
        Repository as Repository,
        RuleOrigin as RuleOrigin,
        ScanItem as ScanItem,
        SkippedPath as SkippedPath,
        SkipReason as SkipReason,
        SkipRule as SkipRule,
        SourceScope as SourceScope,
        UnreadableFolder as UnreadableFolder,
    )
    from kebab_core.span import (
        ByteSpan as ByteSpan,
        CaptionSpan as CaptionSpan,
        CellRange as CellRange,
        Cells as Cells,
        CellSpan as CellSpan,
        CodeSpan as CodeSpan,
        LineSpan as LineSpan,
        PageSize as PageSize,
        PageSpan as PageSpan,
        Rectangle as Rectangle,
        RegionSpan as RegionSpan,
        SlideSpan as SlideSpan,
        SourceSpan as SourceSpan,
        TimeSpan as TimeSpan,
        cover_cells as cover_cells,
        parse_cells as parse_cells,
    )
    from kebab_core.speech import (
        CUT_MS as CUT_MS,
        PART_MS as PART_MS,
        Transcript as Transcript,
        TranscriptSegment as TranscriptSegment,
        count_parts as count_parts,
    )
    from kebab_core.step_log import MAX_LOGGED_IDS as MAX_LOGGED_IDS, StepLog as StepLog
    from kebab_core.titles import (
        MAX_LABEL_CHARS as MAX_LABEL_CHARS,
        MAX_NAME_CHARS as MAX_NAME_CHARS,
        MAX_NAMES as MAX_NAMES,
        MAX_USER_METADATA_CHARS as MAX_USER_METADATA_CHARS,
        continues_character as continues_character,
        shorten as shorten,
        shorten_label as shorten_label,
    )
    from kebab_core.token_counter import TokenCounter as TokenCounter
    from kebab_core.vector import (
        ActiveModel as ActiveModel,
        ChunkEmbedding as ChunkEmbedding,
        EmbeddingCounts as EmbeddingCounts,
        EmbeddingId as EmbeddingId,
        EmbeddingIdentity as EmbeddingIdentity,
        EmbeddingKind as EmbeddingKind,
        EmbeddingState as EmbeddingState,
        IndexId as IndexId,
        LanguageDistribution as LanguageDistribution,
        PendingEmbedding as PendingEmbedding,
        SampledVector as SampledVector,
        StoredModel as StoredModel,
        TextHash as TextHash,
        VectorHit as VectorHit,
        VectorMatrix as VectorMatrix,
        VectorRow as VectorRow,
        VectorRows as VectorRows,
        embedding_id_for as embedding_id_for,
        index_id_for as index_id_for,
        passage_text as passage_text,
        text_hash_of as text_hash_of,
        vector_index_of as vector_index_of,
    )

_IMPORT = re.compile(r"^(?:    )?from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_EXPORTED_NAME = re.compile(r"\b(\w+) as \1\b")


def lazy_exports(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Build the `__getattr__` and `__dir__` of a package, which load its public names when they are first used (PEP 562).

    A package lists each public name once, in the imports under `if TYPE_CHECKING:` of its `__init__.py`, in the form
    `from package.module import Name as Name`. Type checkers read these imports; `lazy_exports` reads the same text.

    `__all__` is an attribute like the others, the sorted public names. Nothing is read before the first use.

    Args:
        package: Import name of the package.

    Returns:
        `__getattr__`, which imports the module of a name once and keeps the value in the package (any other name
        is an `AttributeError`), and `__dir__`, which lists the public names.
    """

    @cache
    def modules() -> dict[str, str]:
        loader = cast("InspectLoader", import_module(package).__loader__)
        source = loader.get_source(package) or ""
        return {
            name: module
            for module, wrapped, plain in _IMPORT.findall(source)
            for name in _EXPORTED_NAME.findall(wrapped or plain)
        }

    def load(name: str) -> object:
        if name == "__all__":
            return sorted(modules())
        module = None if name.startswith("__") else modules().get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module), name)
        setattr(import_module(package), name, value)
        return value

    return load, lambda: sorted(modules())


__getattr__, __dir__ = lazy_exports(__name__)
