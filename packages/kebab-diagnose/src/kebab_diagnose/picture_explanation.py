"""Text in pictures: whether that of a document was recognised, and the health check over all documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import IngestFailure, Message, OcrIdentity, Remedy

from kebab_diagnose.storage_checks import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kebab_core import AsrIngestSettings, IndexedDocument, OcrIngestSettings, PicturePage, PictureStore
    from kebab_ingest import FindShown

    from kebab_diagnose.explanation import ExplanationTrace

_SHOWN_PAGES = 10


@dataclass(frozen=True, kw_only=True)
class SpeechAccess:
    """Speech in recordings as explanations see it."""

    settings: AsrIngestSettings
    engine: OcrIdentity | IngestFailure
    """What hears, or why nothing can."""
    find_subtitled: FindShown

    def explain(
        self,
        document: IndexedDocument,
        parts: Sequence[PicturePage],
        store: PictureStore,
        trace: ExplanationTrace,
        *,
        path: Path,
    ) -> None:
        """Add the steps about what was heard in a recording, and what was not and why."""
        again = Remedy(kind="ingest", path=str(path))
        if failed := [part for part in parts if part.failure is not None]:
            reason = failed[0].failure.message if failed[0].failure else ""
            detail = Message(
                "part {parts} could not be heard: {reason}", parts=_show_pages(failed), reason=reason
            )
            trace.note("index", detail, remedy=_advise(path))
        if not any(part.engine_key is None for part in parts):
            trace.ok("index", Message("speech was listened for in it"))
            return
        own = [each for each in store.list_documents(recordings=True) if each.doc_id == document.doc_id]
        if self.find_subtitled(own):
            trace.ok("index", Message("it is not listened to, because subtitles beside it say what is said"))
        elif self.settings.recordings == "off":
            detail = Message("it is not listened to because ingest.asr.recordings = off")
            trace.note(
                "index", detail, remedy=Remedy(kind="set", setting="ingest.asr.recordings", value="all")
            )
        elif isinstance(self.engine, IngestFailure):
            detail = Message("it is not listened to: {reason}", reason=self.engine.message)
            install = self.engine.remedy
            trace.note("index", detail, remedy=install.followed_by(again) if install else again)
        else:
            trace.note("index", Message("it is not listened to yet"), remedy=again)


@dataclass(frozen=True, kw_only=True)
class PictureAccess:
    """Text in pictures as explanations see it."""

    pictures: PictureStore
    settings: OcrIngestSettings
    engine: OcrIdentity | IngestFailure
    """What reads, or why nothing can."""
    find_shown: FindShown
    speech: SpeechAccess

    def explain(
        self, document: IndexedDocument, trace: ExplanationTrace, *, path: Path
    ) -> Sequence[PicturePage]:
        """Add the steps about pages of a document that are pictures.

        Args:
            document: The document.
            trace: Gets the steps.
            path: Where its file lies.

        Returns:
            All of these pages.
        """
        pages = self.pictures.get_pages(document.doc_id)
        if document.media == "audio":
            self.speech.explain(document, pages, self.pictures, trace, path=path)
            return pages
        unread = tuple(page for page in pages if page.engine_key is None)
        if unread:
            detail, remedy = self._find_reason(document, path, len(unread), len(pages))
            trace.note("index", detail, remedy=remedy)
        failed = [page for page in pages if page.failure is not None]
        if failed:
            detail = Message(
                "the text of page {pages} could not be recognised: {reason}",
                plural="the text of pages {pages} could not be recognised: {reason}",
                count=len(failed),
                pages=_show_pages(failed),
                reason=failed[0].failure.message if failed[0].failure else "",
            )
            trace.note("index", detail, remedy=_advise(path))
        if read := len(pages) - len(unread) - len(failed):
            detail = Message(
                "text was looked for in {count} page or picture",
                plural="text was looked for in {count} pages or pictures",
                count=read,
            )
            trace.ok("index", detail)
        return pages

    def _find_reason(
        self, document: IndexedDocument, path: Path, unread: int, total: int
    ) -> tuple[Message, Remedy]:
        """Say why pages are not read, and what reads them."""
        settings, advice = self.settings, _advise(path)
        if document.media == "image" and settings.pictures == "off":
            return Message("its text is not read because ingest.ocr.pictures = off"), advice
        if document.media == "image" and settings.pictures == "linked" and not self._is_shown(document):
            detail = Message(
                "its text is not read because ingest.ocr.pictures = linked, and no note shows it"
            )
            return detail, advice.model_copy(
                update={"otherwise": Remedy(kind="set", setting="ingest.ocr.pictures", value="all")}
            )
        if document.media != "image" and not settings.scans:
            return Message("its scanned pages are not read because ingest.ocr.scans = false"), advice
        if isinstance(self.engine, IngestFailure):
            detail = Message("its text is not read: {reason}", reason=self.engine.message)
            return detail, self.engine.remedy.followed_by(advice) if self.engine.remedy else advice
        return Message(
            "the text of {count} of {total} pages or pictures is not read yet",
            plural="the text of {count} of {total} pages or pictures is not read yet",
            count=unread,
            total=total,
        ), advice

    def _is_shown(self, document: IndexedDocument) -> bool:
        own = [each for each in self.pictures.list_documents() if each.doc_id == document.doc_id]
        return bool(self.find_shown(own))


@dataclass(frozen=True, kw_only=True)
class PictureCounts:
    """Pages, pictures and frames of all documents; each counts as one."""

    read: int
    failed: int
    waiting: int
    """To be read by the next run."""
    left: int
    """Left unread by the settings."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.read + self.failed + self.waiting + self.left


def check_pictures(counts: PictureCounts, engine: OcrIdentity | IngestFailure) -> Message | Problem:
    """Check that the text of pictures can be recognised, where some waits for it."""
    if isinstance(engine, IngestFailure):
        idle = Message("{reason} (no picture waits for it)", reason=engine.message)
        detail = Message(
            "the text of {count} picture or scanned page is not read: {reason}",
            plural="the text of {count} pictures and scanned pages is not read: {reason}",
            count=counts.waiting,
            reason=engine.message,
        )
        return _find_problem(counts, engine, detail, Remedy(kind="read_pictures"), idle=idle)
    return Message(
        "{engine}: {read} pages and pictures read, {failed} failed, {waiting} waiting, {left} left unread by ingest.ocr",
        engine=engine.engine,
        read=counts.read,
        failed=counts.failed,
        waiting=counts.waiting,
        left=counts.left,
    )


def check_recordings(counts: PictureCounts, engine: OcrIdentity | IngestFailure) -> Message | Problem:
    """Check that speech in recordings can be heard, where some wait for it."""
    if isinstance(engine, IngestFailure):
        idle = Message("{reason} (no recording waits for it)", reason=engine.message)
        detail = Message(
            "{count} recording is found by its name only: {reason}",
            plural="{count} recordings are found by their names only: {reason}",
            count=counts.waiting,
            reason=engine.message,
        )
        return _find_problem(counts, engine, detail, Remedy(kind="ingest"), idle=idle)
    return Message(
        "{engine}: {read} recordings heard, {failed} failed, {waiting} waiting, {left} left",
        engine=engine.engine,
        read=counts.read,
        failed=counts.failed,
        waiting=counts.waiting,
        left=counts.left,
    )


def _find_problem(
    counts: PictureCounts, engine: IngestFailure, detail: Message, last: Remedy, *, idle: Message
) -> Message | Problem:
    """Return what is wrong where nothing can read what waits; `idle` where nothing waits."""
    if not counts.waiting:
        return idle
    return Problem(detail, remedy=engine.remedy.followed_by(last) if engine.remedy else last)


def _advise(path: Path) -> Remedy:
    return Remedy(kind="read_pictures", path=str(path))


def _show_pages(pages: list[PicturePage]) -> str:
    shown = ", ".join(str(page.page) for page in pages[:_SHOWN_PAGES])
    return f"{shown}, …" if len(pages) > _SHOWN_PAGES else shown
