"""The pass over pictures, or over recordings: a model reads or hears them in worker processes, and their documents are built again.

It runs after the commit of all documents and before the embedding pass. It can be killed anywhere: each reading is kept as
soon as it is there, and what no document was built with is read from there by the next pass.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from kebab_core import (
    CancelToken,
    Clock,
    DocumentId,
    IngestFailure,
    KebabError,
    Message,
    ModelCorruptError,
    ModelMissingError,
    OcrFailure,
    OcrIdentity,
    OcrPageFinished,
    OcrReading,
    OcrStarted,
    OcrSummary,
    OcrText,
    OperationTimeoutError,
    PictureDocument,
    PicturePage,
    RawAsset,
    Remedy,
    StorageError,
    Transcript,
)
from kebab_runtime import TaskLimits

from kebab_ingest.file_workers import make_pool
from kebab_ingest.picture_selection import PICTURE_MEDIA, PictureSelection, covers_document
from kebab_ingest.resources import OcrResources, PictureTask, PictureText

if TYPE_CHECKING:
    from kebab_core import DocumentStore

    from kebab_ingest.picture_documents import PictureBuilder
    from kebab_ingest.progress import EventStream
    from kebab_ingest.request import SourceTarget

_LOG = logging.getLogger("kebab.ocr")
PHASES = {False: "ocr", True: "asr"}
"""Phase of the events of the pass, by whether it is over recordings."""
_GUESSED_MS = {False: 1500, True: 40_000}
"""Milliseconds of a page, or of a part of a recording, before the first was read: three minutes of speech take 36 s (2026-12)."""
_FIRST_BUILD = 8
"""Pages of a long document after which it is built with their text, then after twice as many: building takes all of it."""
_MODEL_FAILURES = 3
"""Pages one after the other over which the models fail, from which on no other is tried."""


@dataclass
class _Job:
    """The documents of one content."""

    checksum: str
    documents: list[PictureDocument]
    missing: set[int] = field(default_factory=set)
    """Pages without a reading."""
    elsewhere: set[int] = field(default_factory=set)
    """Pages that another process reads."""
    unbuilt: int = 0
    """Pages that were read since its documents were built last."""
    next_build: int = _FIRST_BUILD
    """Unbuilt pages at which they are built although others are missing."""

    @property
    def pages(self) -> set[int]:
        """All its pages."""
        return {page.page for document in self.documents for page in document.pages}


@dataclass(kw_only=True)
class OcrPass:
    """One pass. The caller holds the writer lock, which is released while pictures are read."""

    resources: OcrResources
    engine: OcrIdentity | IngestFailure
    """What reads, or why nothing can."""
    targets: Sequence[SourceTarget]
    """Only documents in these are read."""
    documents: DocumentStore
    builder: PictureBuilder
    events: EventStream
    cancel: CancelToken
    clock: Clock
    reads_all: bool = False
    """Read what the settings leave, too."""
    again: bool = False
    """Read again what could not be read."""
    _unlinked: int = 0
    _read: int = 0
    _reused: int = 0
    _elsewhere: int = 0
    _built: set[DocumentId] = field(default_factory=set)
    _failures: list[OcrFailure] = field(default_factory=list)
    _asked: deque[tuple[_Job, int]] = field(default_factory=deque)
    _model_failures: int = 0
    """Pages over which the models failed since the last that they read."""
    _missing: IngestFailure | None = None

    def run(self) -> OcrSummary | None:
        """Read what waits, and build its documents again.

        Returns:
            The summary; None where no document has pictures that are to be read.

        Raises:
            StorageError: Nothing can be stored.
        """
        engine = self.engine
        key = None if isinstance(engine, IngestFailure) else engine.key
        jobs = self._select(key)
        if isinstance(engine, IngestFailure):
            waiting = sum(_count_unread(job.documents) for job in jobs)
            self._missing = engine if jobs else None
            return self._summarize(waiting)
        if not jobs:
            return self._summarize(0)
        self.events.enter(PHASES[self.resources.recordings])
        with self._claim(jobs, engine):
            unread = [job for job in jobs if not self._build_known(job, engine)]
            waiting = self._read_all(unread, engine) if unread and not self.cancel.is_cancelled else 0
            return self._summarize(waiting + self._elsewhere)

    def _summarize(self, waiting: int) -> OcrSummary | None:
        engine = self.engine
        summary = OcrSummary(
            engine=None if isinstance(engine, IngestFailure) else engine.engine,
            read=self._read,
            reused=self._reused,
            documents=len(self._built),
            waiting=waiting,
            elsewhere=self._elsewhere,
            unlinked=self._unlinked,
            failures=tuple(self._failures),
            missing=self._missing,
        )
        is_empty = not (summary.read or summary.reused or summary.documents or waiting or self._unlinked)
        return None if is_empty else summary

    def _select(self, key: str | None) -> list[_Job]:
        """The documents to read, those of one content together."""
        found = self.builder.resources.pictures.list_documents(
            without=None if self.again else key, recordings=self.resources.recordings
        )
        unread = [
            document
            for document in found
            if any(self._is_unread(page, key) for page in document.pages)
            and covers_document(self.targets, document)
        ]
        selection = PictureSelection(unread, [])
        if not self.reads_all:
            selection = self.resources.select(unread)
        self._unlinked = sum(document.media == PICTURE_MEDIA for document in selection.left)
        jobs: dict[str, _Job] = {}
        for document in selection.wanted:
            jobs.setdefault(document.checksum, _Job(document.checksum, [])).documents.append(document)
        return list(jobs.values())

    def _is_unread(self, page: PicturePage, key: str | None) -> bool:
        if key is None:  # without an engine, what another one has read stays
            return page.engine_key is None
        return page.engine_key != key or (self.again and page.failure is not None)

    @contextmanager
    def _claim(self, jobs: Sequence[_Job], engine: OcrIdentity) -> Iterator[None]:
        """Keep other processes from the pages inside the block, and leave those to them that they read already."""
        locks = self.resources.locks
        keys = {
            (job.checksum, page): OcrReading.cache_key(job.checksum, page, engine.key)
            for job in jobs
            for page in job.pages
        }
        with locks.claim(keys.values()) if locks else nullcontext(frozenset(keys.values())) as claimed:
            for job in jobs:
                job.elsewhere = {page for page in job.pages if keys[job.checksum, page] not in claimed}
                self._elsewhere += len(job.elsewhere)
            yield

    def _load(self, job: _Job, engine: OcrIdentity) -> dict[int, OcrReading]:
        """Return the kept readings of a content, by page."""
        return self.builder.resources.readings.load(job.checksum, dict.fromkeys(job.pages, engine.key))

    def _build_known(self, job: _Job, engine: OcrIdentity) -> bool:
        """Build the documents of a content whose every reading is kept; return whether it is done."""
        if self.cancel.is_cancelled:
            return False
        readings = self._load(job, engine)
        failed = {page for page, reading in readings.items() if reading.failure is not None}
        job.missing = job.pages - (readings.keys() - (failed if self.again else set())) - job.elsewhere
        known = readings.keys() - job.missing - job.elsewhere
        self._reused += len(known)
        job.unbuilt = len(known)
        if job.missing:
            return False
        if job.elsewhere:  # whoever reads them builds it
            return True
        for page in sorted(known):
            self._note_failure(job, page, readings[page])
        self._build(job, readings)
        with self._unlocked():
            pass
        return True

    def _read_all(self, jobs: Sequence[_Job], engine: OcrIdentity) -> int:
        """Read pages by worker processes; return the number of those that are left."""
        total = sum(len(job.missing) for job in jobs)
        pictures = sum(len(job.missing) for job in jobs if job.documents[0].media == PICTURE_MEDIA)
        recordings = self.resources.recordings
        mean_ms = self.builder.resources.pictures.mean_ms(recordings=recordings) or _GUESSED_MS[recordings]
        workers = min(self.resources.workers, total)
        self.events.emit(
            OcrStarted(
                ts=self.clock.now(),
                pictures=pictures,
                pages=0 if recordings else total - pictures,
                parts=total if recordings else 0,
                estimated_ms=mean_ms * total // workers,
            )
        )
        settings = self.resources.settings
        limits = TaskLimits(cpu_s=settings.timeout_s, memory_mb=settings.memory_mb)
        pool = make_pool(
            self.resources.reader_factory,
            count=workers,
            cluster=self.resources.cluster,
            cancel=self.cancel,
        )
        with pool:
            answers = pool.run_all((task, limits) for task in self._tasks(jobs))
            while not self.cancel.is_cancelled and self._missing is None:
                with self._unlocked():
                    answer = next(answers, None)
                if answer is None:
                    break
                job, page = self._asked.popleft()
                if self._is_about_page(answer):
                    self._note(job, page, answer, engine, total=total)
        for job in jobs:  # what was read of a long document before a cancel
            if job.unbuilt and job.missing and self._read:
                self._build(job, self._load(job, engine))
        return total - self._read

    def _is_about_page(self, answer: PictureText | KebabError) -> bool:
        """Whether an answer says something about its page; what is due to the models or the file leaves it waiting."""
        if isinstance(answer, ModelMissingError | ModelCorruptError):
            self._model_failures += 1
            if self._model_failures >= _MODEL_FAILURES or not self._read:
                self._missing = self._describe(answer)
            return False
        if isinstance(answer, StorageError) and "memory_mb" not in answer.details:
            _LOG.warning("a picture is not read: %s", answer.message)
            return False
        self._model_failures = 0
        return True

    def _tasks(self, jobs: Sequence[_Job]) -> Iterator[PictureTask]:
        for job in jobs:
            asset = next(
                filter(None, (self.documents.get_asset(each.doc_id) for each in job.documents)), None
            )
            if asset is None:  # removed meanwhile
                continue
            content = self._read_content(asset) if self.resources.cluster else None
            for page in sorted(job.missing):
                self._asked.append((job, page))
                yield PictureTask(asset, page, content)

    def _read_content(self, asset: RawAsset) -> bytes | None:
        """Return the bytes of a file; None where the worker is to find that they are gone."""
        try:
            return self.documents.read_asset(asset.asset_id)
        except StorageError:
            return None

    def _note(
        self, job: _Job, page: int, answer: PictureText | KebabError, engine: OcrIdentity, *, total: int
    ) -> None:
        """Keep a reading, and build the documents of the content after the last."""
        failure = None
        if isinstance(answer, KebabError):
            failure, text, ms = self._describe(answer), None, 0
        else:
            text, ms = answer
        reading = OcrReading(
            engine=engine.engine,
            engine_key=engine.key,
            at=self.clock.now(),
            ms=ms,
            text=text if isinstance(text, OcrText) else None,
            speech=text if isinstance(text, Transcript) else None,
            failure=failure,
        )
        self.builder.resources.readings.keep(job.checksum, page, reading)
        self._note_failure(job, page, reading)
        job.missing.discard(page)
        job.unbuilt += 1
        self._read += 1
        self.events.emit(
            OcrPageFinished(
                ts=self.clock.now(),
                path=job.documents[0].doc_path,
                page=page,
                ms=ms,
                done=self._read,
                total=total,
                failure_code=failure.code if failure else None,
            )
        )
        if not job.missing or job.unbuilt >= job.next_build:
            self._build(job, self._load(job, engine))

    def _note_failure(self, job: _Job, page: int, reading: OcrReading) -> None:
        if reading.failure is not None:
            self._failures += [
                OcrFailure(
                    doc_path=document.doc_path,
                    source_id=document.source_id,
                    page=page,
                    failure=reading.failure,
                )
                for document in job.documents
            ]

    def _build(self, job: _Job, readings: dict[int, OcrReading]) -> None:
        """Build the documents of a content with what was read of it."""
        job.unbuilt, job.next_build = 0, max(_FIRST_BUILD, len(readings))
        for document in job.documents:
            known = self.builder.resources.find_facts(document.doc_id, document.checksum)
            if self.builder.build(document, replace(known, readings=readings)):
                self._built.add(document.doc_id)

    def _describe(self, error: KebabError) -> IngestFailure:
        return _describe_failure(error, recordings=self.resources.recordings)

    def _unlocked(self) -> AbstractContextManager[None]:
        return self.resources.locks.unlocked() if self.resources.locks else nullcontext()


def _count_unread(documents: Iterable[PictureDocument]) -> int:
    return sum(page.engine_key is None for document in documents for page in document.pages)


def _describe_failure(error: KebabError, *, recordings: bool) -> IngestFailure:
    """Build the failure of a page that could not be read, with what to do about it."""
    section = "ingest.asr" if recordings else "ingest.ocr"
    if isinstance(error, OperationTimeoutError) and (seconds := error.details.get("cpu_s")) is not None:
        message = (
            Message("hearing it took more than {seconds:g} s of CPU time", seconds=seconds)
            if recordings
            else Message("reading its text took more than {seconds:g} s of CPU time", seconds=seconds)
        )
        remedy = Remedy(kind="raise_setting", setting=f"{section}.timeout_s")
        return IngestFailure(code=error.code, message=message, remedy=remedy)
    if isinstance(error, StorageError):
        limit_mb = error.details["memory_mb"]
        message = (
            Message("hearing it took more than {limit_mb} MB of memory", limit_mb=limit_mb)
            if recordings
            else Message("reading its text took more than {limit_mb} MB of memory", limit_mb=limit_mb)
        )
        remedy = Remedy(kind="raise_setting", setting=f"{section}.memory_mb")
        return IngestFailure(code=error.code, message=message, remedy=remedy)
    return IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
