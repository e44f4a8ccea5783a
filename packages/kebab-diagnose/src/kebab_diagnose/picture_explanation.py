"""Text in pictures: whether that of a document was recognised, and the health check over all documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import IngestFailure, Message, OcrIdentity, Remedy

from kebab_diagnose.storage_checks import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kebab_core import IndexedDocument, OcrIngestSettings, PicturePage, PictureStore
    from kebab_ingest import FindShown

    from kebab_diagnose.explanation import ExplanationTrace

_SHOWN_PAGES = 10


@dataclass(frozen=True, kw_only=True)
class PictureAccess:
    """Text in pictures as explanations see it."""

    pictures: PictureStore
    settings: OcrIngestSettings
    engine: OcrIdentity | IngestFailure
    """What reads, or why nothing can."""
    find_shown: FindShown

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
        if not counts.waiting:
            return Message("{reason} (no picture waits for it)", reason=engine.message)
        detail = Message(
            "the text of {count} picture or scanned page is not read: {reason}",
            plural="the text of {count} pictures and scanned pages is not read: {reason}",
            count=counts.waiting,
            reason=engine.message,
        )
        last = Remedy(kind="read_pictures")
        return Problem(detail, remedy=engine.remedy.followed_by(last) if engine.remedy else last)
    return Message(
        "{engine}: {read} pages and pictures read, {failed} failed, {waiting} waiting, {left} left unread by ingest.ocr",
        engine=engine.engine,
        read=counts.read,
        failed=counts.failed,
        waiting=counts.waiting,
        left=counts.left,
    )


def _advise(path: Path) -> Remedy:
    return Remedy(kind="read_pictures", path=str(path))


def _show_pages(pages: list[PicturePage]) -> str:
    shown = ", ".join(str(page.page) for page in pages[:_SHOWN_PAGES])
    return f"{shown}, …" if len(pages) > _SHOWN_PAGES else shown
