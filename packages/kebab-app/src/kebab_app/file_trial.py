"""The ingest of one file of which nothing is stored: the stage that stops it, and why. Explanations try files with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from kebab_core import (
    DocumentRecord,
    IngestFailure,
    LongRecord,
    PackedDocument,
    SkipReason,
    SourceEntry,
    SourceSettings,
    StorageError,
)
from kebab_diagnose import FileTrial
from kebab_ingest import LONG_FILE_BYTES, DocumentProcessor, FilePreparer, FileTask, Recipe

from kebab_app.ingest_wiring import build_connector
from kebab_app.wiring import build_content_filter, build_processor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_diagnose import IngestStage

    from kebab_app.knowledge_base import KnowledgeBase

_Part = TypeVar("_Part")


def try_file(
    base: KnowledgeBase,
    entry: SourceEntry,
    source: SourceSettings,
    *,
    processor: DocumentProcessor | None = None,
) -> FileTrial | None:
    """Ingest a file without storing anything; None for one that is too long or too risky to parse for that.

    Args:
        base: The knowledge base; nothing in it is changed.
        entry: The file, as a scan finds it.
        source: Its source.
        processor: Parses and cuts files; None is that of every run.
    """
    if entry.stamp.byte_len >= LONG_FILE_BYTES:
        return None
    processor = processor or build_processor(base.loaded.settings.ingest, analyzer=base.analyzer)
    if processor.is_isolated(entry.media_type):
        return None
    recorder = _StageRecorder()
    task = FileTask(entry=entry, source=source, known_checksum=None, at=base.clock.now())
    outcome = _build_preparer(base, processor, recorder).prepare(task).outcome
    match outcome:
        case SkipReason():
            return FileTrial(stage="content", skip=outcome)
        case IngestFailure():
            return FileTrial(stage=recorder.stage, failure=outcome)
        case StorageError():
            failure = IngestFailure(code=outcome.code, message=outcome.message)
            return FileTrial(stage="store", failure=failure)
    return FileTrial(stage="store")


@dataclass
class _StageRecorder:
    """The stage that a file is in."""

    stage: IngestStage = "read"

    def watch(self, part: _Part, stages: Mapping[str, IngestStage]) -> _Part:
        """Wrap a part so that asking for one of these methods sets the stage."""
        return cast("_Part", _WatchedPart(part, stages, self))


class _WatchedPart:
    def __init__(self, part: object, stages: Mapping[str, IngestStage], recorder: _StageRecorder) -> None:
        self._part, self._stages, self._recorder = part, stages, recorder

    def __getattr__(self, name: str) -> object:
        self._recorder.stage = self._stages.get(name, self._recorder.stage)
        return getattr(self._part, name)


def _build_preparer(
    base: KnowledgeBase, processor: DocumentProcessor, recorder: _StageRecorder
) -> FilePreparer:
    from kebab_store_sqlite import pack_document

    def pack(record: DocumentRecord) -> PackedDocument:
        recorder.stage = "store"
        return pack_document(record)

    def pack_long(record: LongRecord) -> PackedDocument:
        return pack(record.describe(0))

    return FilePreparer(
        connector=recorder.watch(build_connector(base), {"read": "read"}),
        processor=DocumentProcessor(
            recipes=[
                Recipe(
                    extractor=recorder.watch(recipe.extractor, {"extract": "parse"}),
                    chunker=recorder.watch(recipe.chunker, {"chunk": "cut"}),
                    policy=recipe.policy,
                )
                for recipe in processor.recipes
            ],
            analyzer=recorder.watch(processor.analyzer, {"analyze_chunk": "analyse"}),
        ),
        keep_asset=lambda asset, _content: asset,
        pack=pack,
        pack_long=pack_long,
        content=build_content_filter(base.loaded.settings.ingest.code),
        clock=base.clock,
    )
