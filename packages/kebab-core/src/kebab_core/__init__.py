"""The domain of kebab: models, ids, Protocols, errors, settings sections and events.

Does no I/O and reads neither clock nor environment. Names are loaded when first used, so that a command that
needs only an error class does not pay for the models.

    >>> from kebab_core import Citation, parse_citation
    >>> parse_citation("notes/a%20b.md#L3-L9").to_uri()
    'notes/a%20b.md#L3-L9'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core.lazy import lazy_exports as lazy_exports

if TYPE_CHECKING:
    from kebab_core.answer import (
        Answer as Answer,
        AnswerCitation as AnswerCitation,
        AnswerEvent as AnswerEvent,
        AnswerFinal as AnswerFinal,
        AnswerMarker as AnswerMarker,
        AnswerRetrievalSummary as AnswerRetrievalSummary,
        AnswerToken as AnswerToken,
        ChatSession as ChatSession,
        HopRecord as HopRecord,
        ModelRef as ModelRef,
        RefusalReason as RefusalReason,
        RetrievalDone as RetrievalDone,
        SessionId as SessionId,
        TokenUsage as TokenUsage,
        TraceId as TraceId,
        Turn as Turn,
        VerificationSummary as VerificationSummary,
    )
    from kebab_core.asset import (
        AssetStorage as AssetStorage,
        Checksum as Checksum,
        CopiedStorage as CopiedStorage,
        ExternalUri as ExternalUri,
        FileStamp as FileStamp,
        FileState as FileState,
        FileUri as FileUri,
        RawAsset as RawAsset,
        ReferenceStorage as ReferenceStorage,
        SourceEntry as SourceEntry,
        SourceFile as SourceFile,
        SourceId as SourceId,
        SourceUri as SourceUri,
        WorkspacePath as WorkspacePath,
        file_state as file_state,
        spelling_of as spelling_of,
    )
    from kebab_core.block import (
        AudioRefBlock as AudioRefBlock,
        Block as Block,
        CodeBlock as CodeBlock,
        CodeInline as CodeInline,
        CommonBlock as CommonBlock,
        EmphInline as EmphInline,
        HeadingBlock as HeadingBlock,
        ImageRefBlock as ImageRefBlock,
        Inline as Inline,
        LinkInline as LinkInline,
        ListBlock as ListBlock,
        ListItem as ListItem,
        ParagraphBlock as ParagraphBlock,
        QuoteBlock as QuoteBlock,
        StrongInline as StrongInline,
        TableBlock as TableBlock,
        TextInline as TextInline,
    )
    from kebab_core.canonical import JsonValue as JsonValue, canonical_json as canonical_json
    from kebab_core.chunk import Chunk as Chunk, ChunkPolicy as ChunkPolicy, RepeatedLead as RepeatedLead
    from kebab_core.citation import (
        CaptionCitation as CaptionCitation,
        Citation as Citation,
        CodeCitation as CodeCitation,
        LineCitation as LineCitation,
        PageCitation as PageCitation,
        RegionCitation as RegionCitation,
        TimeCitation as TimeCitation,
    )
    from kebab_core.citation_uri import parse_citation as parse_citation
    from kebab_core.copy_look import CopyLook as CopyLook
    from kebab_core.document import (
        DOCUMENT_SCHEMA_VERSION as DOCUMENT_SCHEMA_VERSION,
        CanonicalDocument as CanonicalDocument,
        ExtractContext as ExtractContext,
        Metadata as Metadata,
        Provenance as Provenance,
        ProvenanceEvent as ProvenanceEvent,
        ProvenanceKind as ProvenanceKind,
    )
    from kebab_core.document_kinds import (
        UNDETERMINED_LANG as UNDETERMINED_LANG,
        SourceType as SourceType,
        TrustLevel as TrustLevel,
    )
    from kebab_core.errors import (
        MODEL_FAILURES as MODEL_FAILURES,
        ChunkNotFoundError as ChunkNotFoundError,
        ConfigInvalidError as ConfigInvalidError,
        ConfigNotFoundError as ConfigNotFoundError,
        ContextOverflowError as ContextOverflowError,
        DatabaseCorruptError as DatabaseCorruptError,
        DependencyMissingError as DependencyMissingError,
        DetailValue as DetailValue,
        DocumentEncryptedError as DocumentEncryptedError,
        DocumentError as DocumentError,
        DocumentNotFoundError as DocumentNotFoundError,
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
        SpanNotSupportedError as SpanNotSupportedError,
        StaleCursorError as StaleCursorError,
        StorageError as StorageError,
        TooManyQueriesError as TooManyQueriesError,
        UnsupportedMediaError as UnsupportedMediaError,
    )
    from kebab_core.evaluation import (
        EvalQueryResult as EvalQueryResult,
        EvalRun as EvalRun,
        EvalRunId as EvalRunId,
    )
    from kebab_core.fetch import (
        FetchChunk as FetchChunk,
        FetchDocument as FetchDocument,
        FetchQuery as FetchQuery,
        FetchResult as FetchResult,
        FetchSpan as FetchSpan,
    )
    from kebab_core.field_docs import read_field_docs as read_field_docs
    from kebab_core.generation import (
        NOT_IN_EVIDENCE as NOT_IN_EVIDENCE,
        Entailment as Entailment,
        FinishReason as FinishReason,
        GenerateRequest as GenerateRequest,
        GenerationDone as GenerationDone,
        Passage as Passage,
        TokenChunk as TokenChunk,
        TokenDelta as TokenDelta,
    )
    from kebab_core.id_recipes import (
        asset_id_for as asset_id_for,
        block_id_for as block_id_for,
        chunk_id_for as chunk_id_for,
        document_id_for as document_id_for,
        embedding_id_for as embedding_id_for,
        index_id_for as index_id_for,
    )
    from kebab_core.ids import (
        DEFAULT_SOURCE_ID as DEFAULT_SOURCE_ID,
        AssetId as AssetId,
        BlockId as BlockId,
        ChunkId as ChunkId,
        DocumentId as DocumentId,
        EmbeddingId as EmbeddingId,
        HexId as HexId,
        IndexId as IndexId,
        hash_bytes as hash_bytes,
        hash_canonical as hash_canonical,
    )
    from kebab_core.ingest import (
        Aborted as Aborted,
        AssetFinished as AssetFinished,
        AssetPhase as AssetPhase,
        AssetStarted as AssetStarted,
        Completed as Completed,
        EmbedBatchFinished as EmbedBatchFinished,
        EmbedBatchStarted as EmbedBatchStarted,
        EmbeddingFailure as EmbeddingFailure,
        EmbeddingSummary as EmbeddingSummary,
        Heartbeat as Heartbeat,
        IngestCounts as IngestCounts,
        IngestEvent as IngestEvent,
        IngestFailure as IngestFailure,
        IngestItem as IngestItem,
        IngestReport as IngestReport,
        IngestResult as IngestResult,
        IngestRun as IngestRun,
        IngestScope as IngestScope,
        RunId as RunId,
        ScanCompleted as ScanCompleted,
        ScanStarted as ScanStarted,
        SkipExample as SkipExample,
    )
    from kebab_core.job import (
        JobFilter as JobFilter,
        JobId as JobId,
        JobKind as JobKind,
        JobRow as JobRow,
        JobStatus as JobStatus,
    )
    from kebab_core.labels import (
        MAX_LABEL_CHARS as MAX_LABEL_CHARS,
        MAX_NAME_CHARS as MAX_NAME_CHARS,
        MAX_NAMES as MAX_NAMES,
        MAX_USER_METADATA_CHARS as MAX_USER_METADATA_CHARS,
        shorten as shorten,
        shorten_label as shorten_label,
    )
    from kebab_core.lexical import (
        ChunkTerms as ChunkTerms,
        LexicalMatch as LexicalMatch,
        LexicalQuery as LexicalQuery,
        LexicalWeights as LexicalWeights,
        Term as Term,
        TermKind as TermKind,
        WrittenMatches as WrittenMatches,
    )
    from kebab_core.long_document import (
        AnalyzedChunk as AnalyzedChunk,
        LongDocument as LongDocument,
        LongRecord as LongRecord,
    )
    from kebab_core.media import (
        MEDIA_KINDS as MEDIA_KINDS,
        AudioFormat as AudioFormat,
        AudioMedia as AudioMedia,
        CodeMedia as CodeMedia,
        ImageFormat as ImageFormat,
        ImageMedia as ImageMedia,
        MarkdownMedia as MarkdownMedia,
        MediaKind as MediaKind,
        MediaType as MediaType,
        OtherMedia as OtherMedia,
        PdfMedia as PdfMedia,
        TextMedia as TextMedia,
    )
    from kebab_core.media_text import (
        ModelCaption as ModelCaption,
        OcrRegion as OcrRegion,
        OcrText as OcrText,
        Transcript as Transcript,
        TranscriptSegment as TranscriptSegment,
    )
    from kebab_core.model import Model as Model, UtcDatetime as UtcDatetime
    from kebab_core.packed import PackedDocument as PackedDocument
    from kebab_core.plugins import (
        CHUNKERS_GROUP as CHUNKERS_GROUP,
        EMBEDDERS_GROUP as EMBEDDERS_GROUP,
        EXTRACTORS_GROUP as EXTRACTORS_GROUP,
        LANGUAGE_MODELS_GROUP as LANGUAGE_MODELS_GROUP,
        PLUGIN_GROUPS as PLUGIN_GROUPS,
    )
    from kebab_core.protocols.analysis import Analyzer as Analyzer
    from kebab_core.protocols.embeddings import EmbeddingRepo as EmbeddingRepo
    from kebab_core.protocols.models import (
        Captioner as Captioner,
        Embedder as Embedder,
        LanguageModel as LanguageModel,
        NliVerifier as NliVerifier,
        OcrEngine as OcrEngine,
        Retriever as Retriever,
        VectorStore as VectorStore,
    )
    from kebab_core.protocols.source import (
        Chunker as Chunker,
        Clock as Clock,
        Extractor as Extractor,
        LanguageDetector as LanguageDetector,
        LongChunker as LongChunker,
        LongExtractor as LongExtractor,
        SourceConnector as SourceConnector,
        SourceExplainer as SourceExplainer,
        TokenCounter as TokenCounter,
    )
    from kebab_core.protocols.stores import (
        AnswerRepo as AnswerRepo,
        ChatSessionRepo as ChatSessionRepo,
        DerivationCache as DerivationCache,
        DocumentSet as DocumentSet,
        DocumentStore as DocumentStore,
        EvalRunRepo as EvalRunRepo,
        IngestRunRepo as IngestRunRepo,
        JobRepo as JobRepo,
        LexicalIndex as LexicalIndex,
    )
    from kebab_core.search import (
        Coverage as Coverage,
        Evidence as Evidence,
        FusionInput as FusionInput,
        IndexedChunk as IndexedChunk,
        IndexedDocument as IndexedDocument,
        LegFailure as LegFailure,
        MatchedRange as MatchedRange,
        NoHitReason as NoHitReason,
        RetrievalDetail as RetrievalDetail,
        ScoreKind as ScoreKind,
        SearchFilters as SearchFilters,
        SearchHit as SearchHit,
        SearchMode as SearchMode,
        SearchQuery as SearchQuery,
        SearchResponse as SearchResponse,
        SearchTrace as SearchTrace,
        TermOmission as TermOmission,
        TraceCandidate as TraceCandidate,
        TraceTerm as TraceTerm,
        TraceTiming as TraceTiming,
    )
    from kebab_core.settings import (
        ChunkingSettings as ChunkingSettings,
        CodeIngestSettings as CodeIngestSettings,
        EmbeddingSettings as EmbeddingSettings,
        ExternalSettings as ExternalSettings,
        IngestSettings as IngestSettings,
        LlmSettings as LlmSettings,
        LoggingSettings as LoggingSettings,
        McpSettings as McpSettings,
        ModelsSettings as ModelsSettings,
        NliSettings as NliSettings,
        RagSettings as RagSettings,
        SearchSettings as SearchSettings,
        SourceName as SourceName,
        SourceSettings as SourceSettings,
        StorageSettings as StorageSettings,
        WorkspaceSettings as WorkspaceSettings,
    )
    from kebab_core.source import (
        IgnoreEdit as IgnoreEdit,
        PathVerdict as PathVerdict,
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
        CodeSpan as CodeSpan,
        LineSpan as LineSpan,
        PageSpan as PageSpan,
        RegionSpan as RegionSpan,
        SourceSpan as SourceSpan,
        TimeSpan as TimeSpan,
    )
    from kebab_core.staleness import is_stale as is_stale
    from kebab_core.storage import (
        AssetAudit as AssetAudit,
        CompletedScan as CompletedScan,
        DocFilter as DocFilter,
        DocSummary as DocSummary,
        DocumentRecord as DocumentRecord,
        FileFailure as FileFailure,
        RememberedSkip as RememberedSkip,
        StoreStats as StoreStats,
    )
    from kebab_core.tracked_file import TrackedFile as TrackedFile
    from kebab_core.vector import (
        EmbeddingCounts as EmbeddingCounts,
        EmbeddingIdentity as EmbeddingIdentity,
        EmbeddingKind as EmbeddingKind,
        LanguageSpread as LanguageSpread,
        PendingEmbedding as PendingEmbedding,
        Tombstone as Tombstone,
        VectorHit as VectorHit,
        VectorKey as VectorKey,
        VectorMatrix as VectorMatrix,
        VectorTable as VectorTable,
    )
    from kebab_core.versions import (
        AnalyzerVersion as AnalyzerVersion,
        ChunkerVersion as ChunkerVersion,
        EmbeddingModelId as EmbeddingModelId,
        EmbeddingVersion as EmbeddingVersion,
        IndexVersion as IndexVersion,
        ParserVersion as ParserVersion,
        PromptTemplateVersion as PromptTemplateVersion,
    )

__getattr__, __dir__ = lazy_exports(__name__)
