"""The ingest pipeline over Protocols: scan, compare, prepare, commit, and the embedding pass over what is committed.

Everything concrete (stores, connector, extractors, models, clock) comes in as arguments; `kebab_app` makes it. Programs
use `kebab_app.App.ingest`, which also holds the writer lock and keeps logs.

    from kebab_core import CancelToken
    from kebab_ingest import IngestRequest, IngestResources, IngestRun, SourceTarget

    resources = IngestResources(connector=connector, documents=documents, ...)
    request = IngestRequest(targets=(SourceTarget(source=settings, root=folder),))
    report = IngestRun(resources, request, sink=print, cancel=CancelToken()).run()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_ingest.disk_files import (
        NOTES_FOLDER as NOTES_FOLDER,
        DiskFiles as DiskFiles,
        FileChange as FileChange,
        find_holder as find_holder,
        place_below as place_below,
    )
    from kebab_ingest.document_processor import (
        DocumentProcessor as DocumentProcessor,
        Recipe as Recipe,
    )
    from kebab_ingest.document_terms import DocumentTerms as DocumentTerms
    from kebab_ingest.embedding_cache import CachedEmbedder as CachedEmbedder
    from kebab_ingest.embedding_pass import run_embedding_pass as run_embedding_pass
    from kebab_ingest.embedding_run import EmbeddingRun as EmbeddingRun
    from kebab_ingest.external_documents import (
        EXTERNAL_FOLDER as EXTERNAL_FOLDER,
        NOTES_SOURCE as NOTES_SOURCE,
        limit_trust as limit_trust,
        list_external as list_external,
        restore_external as restore_external,
    )
    from kebab_ingest.file_workers import (
        LARGE_FILE_BYTES as LARGE_FILE_BYTES,
        IsolatedWorker as IsolatedWorker,
        Workers as Workers,
    )
    from kebab_ingest.names import NameFiles as NameFiles
    from kebab_ingest.notes import (
        TRASH_FOLDER as TRASH_FOLDER,
        NoteFolder as NoteFolder,
        TrashFolder as TrashFolder,
        make_notes_source as make_notes_source,
    )
    from kebab_ingest.ocr_pass import OcrPass as OcrPass
    from kebab_ingest.picture_documents import (
        PictureBuilder as PictureBuilder,
        PictureResources as PictureResources,
    )
    from kebab_ingest.picture_selection import (
        FindShown as FindShown,
        PictureSelection as PictureSelection,
        select_pictures as select_pictures,
        select_recordings as select_recordings,
    )
    from kebab_ingest.preparation import (
        LONG_FILE_BYTES as LONG_FILE_BYTES,
        ContentFilter as ContentFilter,
        FilePreparer as FilePreparer,
        FileTask as FileTask,
        Outcome as Outcome,
        Prepare as Prepare,
        Prepared as Prepared,
        SameContent as SameContent,
    )
    from kebab_ingest.progress import (
        TICK_SECONDS as TICK_SECONDS,
        EventSink as EventSink,
        EventStream as EventStream,
    )
    from kebab_ingest.readings import CaptionCache as CaptionCache, ReadingCache as ReadingCache
    from kebab_ingest.request import (
        IngestRequest as IngestRequest,
        SourceTarget as SourceTarget,
    )
    from kebab_ingest.resources import (
        CaptionResources as CaptionResources,
        ClusterResources as ClusterResources,
        EmbeddingResources as EmbeddingResources,
        FoundModel as FoundModel,
        IngestResources as IngestResources,
        OcrResources as OcrResources,
        PictureTask as PictureTask,
        PictureText as PictureText,
        ReadyModel as ReadyModel,
        describe_failure as describe_failure,
    )
    from kebab_ingest.run import (
        MIN_FILES_FOR_WORKERS as MIN_FILES_FOR_WORKERS,
        SWEEP_SHARE as SWEEP_SHARE,
        IngestRun as IngestRun,
    )
    from kebab_ingest.run_log import open_run_log as open_run_log
    from kebab_ingest.scan import find_orphans as find_orphans, is_beneath as is_beneath
    from kebab_ingest.single_files import (
        FileCopies as FileCopies,
        SingleFiles as SingleFiles,
        add_unchanged as add_unchanged,
        is_file_copy as is_file_copy,
        require_line as require_line,
        require_size as require_size,
        warn_of_older_copies as warn_of_older_copies,
    )
    from kebab_ingest.targets import (
        build_scope as build_scope,
        find_parts as find_parts,
        find_targets as find_targets,
    )

__getattr__, __dir__ = lazy_exports(__name__)
