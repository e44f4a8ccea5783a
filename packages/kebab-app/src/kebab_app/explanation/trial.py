"""One file taken through ingest without storing anything: how far it gets, and what stops it there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

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
from kebab_ingest import LONG_FILE_BYTES, DocumentProcessor, FilePreparer, FileTask, Recipe

from kebab_app.ingest_wiring import build_connector
from kebab_app.wiring import build_content_filter, build_processor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_wire import WhyStage

    from kebab_app.knowledge_base import KnowledgeBase

_Part = TypeVar("_Part")


class Trial(NamedTuple):
    """How far a file got.

    Attributes:
        stage: The one that stopped it, or the last of all.
        skip: Why its content keeps it out.
        failure: What went wrong.
    """

    stage: WhyStage
    skip: SkipReason | None = None
    failure: IngestFailure | None = None


def try_file(
    base: KnowledgeBase,
    entry: SourceEntry,
    source: SourceSettings,
    *,
    processor: DocumentProcessor | None = None,
) -> Trial | None:
    """Return how far a file gets today; None for one that is too long to try it on the side.

    Args:
        base: The knowledge base; nothing in it is changed.
        entry: The file, as a scan finds it.
        source: Its source.
        processor: What takes files apart; None is that of every run.
    """
    if entry.stamp.byte_len >= LONG_FILE_BYTES:
        return None
    noted = _Noted()
    task = FileTask(entry=entry, source=source, known_checksum=None, at=base.clock.now())
    processor = processor or build_processor(base.loaded.settings.ingest.chunking, analyzer=base.analyzer)
    outcome = _build_preparer(base, processor, noted).prepare(task).outcome
    match outcome:
        case SkipReason():
            return Trial("content", skip=outcome)
        case IngestFailure():
            return Trial(noted.stage, failure=outcome)
        case StorageError():
            return Trial("store", failure=IngestFailure(code=outcome.code, message=outcome.message))
    return Trial("store")


@dataclass
class _Noted:
    """Which stage a file is in."""

    stage: WhyStage = "read"

    def watch(self, part: _Part, stages: Mapping[str, WhyStage]) -> _Part:
        """Return a part that notes a stage whenever one of these methods of it is asked for."""
        return cast("_Part", _Watched(part, stages, self))


class _Watched:
    def __init__(self, part: object, stages: Mapping[str, WhyStage], noted: _Noted) -> None:
        self._part, self._stages, self._noted = part, stages, noted

    def __getattr__(self, name: str) -> object:
        self._noted.stage = self._stages.get(name, self._noted.stage)
        return getattr(self._part, name)


def _build_preparer(base: KnowledgeBase, processor: DocumentProcessor, noted: _Noted) -> FilePreparer:
    from kebab_store_sqlite import pack_document

    def pack(record: DocumentRecord) -> PackedDocument:
        noted.stage = "store"
        return pack_document(record)

    def pack_long(record: LongRecord) -> PackedDocument:
        return pack(record.describe(0))

    return FilePreparer(
        connector=noted.watch(build_connector(base), {"read": "read"}),
        processor=DocumentProcessor(
            recipes=[
                Recipe(
                    extractor=noted.watch(recipe.extractor, {"extract": "parse"}),
                    chunker=noted.watch(recipe.chunker, {"chunk": "cut"}),
                    policy=recipe.policy,
                )
                for recipe in processor.recipes
            ],
            analyzer=noted.watch(processor.analyzer, {"analyze_chunk": "analyse"}),
        ),
        keep_asset=lambda asset, _content: asset,
        pack=pack,
        pack_long=pack_long,
        content=build_content_filter(base.loaded.settings.ingest.code),
        clock=base.clock,
    )
