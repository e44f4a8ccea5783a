"""Readings of text in pictures: the list of them, and counts for the state of a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kebab_diagnose import PictureAccess, PictureCounts, SpeechAccess
from kebab_ingest import select_pictures, select_recordings

from kebab_app.asr import find_subtitled, find_transcriber
from kebab_app.documents import find_address
from kebab_app.ingest_wiring import find_shown
from kebab_app.ocr import find_ocr_engine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kebab_core import PictureReading

    from kebab_app.knowledge_base import KnowledgeBase

_PERCENTILES = (50, 90, 99)


@dataclass(frozen=True, kw_only=True)
class ReadingStats:
    """The last readings of all pages, pictures and frames, in CPU milliseconds."""

    pages: int
    failed: int
    lines: int
    percentiles_ms: Mapping[int, int]
    """Of the 50th, 90th and 99th, and of the slowest as 100; empty without readings."""
    by_engine: Mapping[str, int]
    """Pages by engine."""
    documents: Sequence[DocumentReadings]
    """Slowest first."""


@dataclass(frozen=True, kw_only=True)
class DocumentReadings:
    """The readings of one document."""

    address: str
    pages: int
    failed: int
    ms: int


def build_picture_access(base: KnowledgeBase) -> PictureAccess:
    """Build text in pictures as explanations see it."""
    return PictureAccess(
        pictures=base.index.pictures,
        settings=base.loaded.settings.ingest.ocr,
        engine=find_ocr_engine(),
        find_shown=partial(find_shown, base),
        speech=SpeechAccess(
            settings=base.loaded.settings.ingest.asr,
            engine=find_transcriber(base.loaded.settings.ingest.asr),
            find_subtitled=partial(find_subtitled, base),
        ),
    )


def count_recordings(base: KnowledgeBase) -> PictureCounts:
    """Count the recordings, each as one."""
    documents = base.index.pictures.list_documents(recordings=True)
    unread = [document for document in documents if any(page.engine_key is None for page in document.pages)]
    failed = sum(any(page.failure is not None for page in document.pages) for document in documents)
    settings = base.loaded.settings.ingest.asr
    selection = select_recordings(unread, settings, partial(find_subtitled, base))
    waiting, left = map(len, selection)
    return PictureCounts(
        read=max(len(documents) - failed - waiting - left, 0), failed=failed, waiting=waiting, left=left
    )


def count_pictures(base: KnowledgeBase) -> PictureCounts:
    """Count the pages, pictures and frames of all documents."""
    documents = base.index.pictures.list_documents()
    pages = [page for document in documents for page in document.pages]
    failed = sum(page.failure is not None for page in pages)
    unread = [document for document in documents if any(page.engine_key is None for page in document.pages)]
    selection = select_pictures(unread, base.loaded.settings.ingest.ocr, partial(find_shown, base))
    waiting, left = (
        sum(page.engine_key is None for document in part for page in document.pages) for part in selection
    )
    return PictureCounts(read=len(pages) - failed - waiting - left, failed=failed, waiting=waiting, left=left)


def list_readings(
    base: KnowledgeBase, *, address: str | None = None, failed: bool = False
) -> list[PictureReading]:
    """Return the last reading of each page, newest first.

    Args:
        base: The knowledge base.
        address: Only those of this document.
        failed: Only those that failed.

    Raises:
        InvalidInputError: It is no address.
        DocumentNotFoundError: It names no document.
    """
    doc_id = None if address is None else find_address(base, address).document.doc_id
    base.open_for_reading()
    readings = base.index.pictures.list_readings(doc_id)
    return [each for each in readings if each.failure is not None or not failed]


def sum_up_readings(base: KnowledgeBase, *, address: str | None = None) -> ReadingStats:
    """Sum up the last readings of all documents, or of one. Raises like `list_readings`."""
    from kebab_core import format_address

    readings = list_readings(base, address=address)
    times = sorted(each.ms for each in readings if each.failure is None)
    by_engine: dict[str, int] = {}
    by_document: dict[str, list[PictureReading]] = {}
    for each in readings:
        by_engine[each.engine] = by_engine.get(each.engine, 0) + 1
        by_document.setdefault(format_address(each.source_id, each.doc_path), []).append(each)
    documents = [
        DocumentReadings(
            address=name,
            pages=len(own),
            failed=sum(each.failure is not None for each in own),
            ms=sum(each.ms for each in own),
        )
        for name, own in by_document.items()
    ]
    ranks = {each: times[min(len(times) * each // 100, len(times) - 1)] for each in _PERCENTILES if times}
    return ReadingStats(
        pages=len(readings),
        failed=sum(each.failure is not None for each in readings),
        lines=sum(each.line_count for each in readings),
        percentiles_ms=ranks | ({100: times[-1]} if times else {}),
        by_engine=by_engine,
        documents=sorted(documents, key=lambda each: (-each.ms, each.address)),
    )
