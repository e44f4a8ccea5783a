"""Files attached to mails, taken out of the mail to be opened or drawn at the place that an address names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import EmailMedia, HeadingBlock, KebabError, LineSpan

from kebab_app.documents import inspect_document
from kebab_app.embedded_files import EMBEDDED_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kebab_core import Block
    from kebab_documents import FoundAddress

    from kebab_app.knowledge_base import KnowledgeBase

_PAGE = re.compile(r"#(?:p|slide)=(\d{1,9})$")


class AttachedFile(NamedTuple):
    """A file attached to a mail, and the place in it."""

    name: str
    """Without folders."""
    content: bytes
    page: int | None
    """Page or slide; None where it has none."""


class _Search(NamedTuple):
    content: bytes
    is_mailbox: bool
    headings: tuple[str, ...]


class _Found(NamedTuple):
    depth: int
    """Headings down to the file."""
    files: tuple[bytes, ...]


def find_attached(base: KnowledgeBase, found: FoundAddress) -> AttachedFile | None:
    """Return the attached file whose text an address names lines of.

    Returns:
        The file; None where the lines belong to the mail itself or to an attached text, where mails of the same subject have
        different files of this name, and where the name is not that of a document.

    Raises:
        StorageError: The content of the mail is gone, or memory is short.
        OperationTimeoutError: Reading it takes longer than extraction may take.
        DocumentNotFoundError: The mail was removed meanwhile.
    """
    from kebab_runtime import TaskLimits, WorkerPool
    from kebab_source_fs import media_type_of

    document, line = found.document, found.first_line
    asset = base.documents.get_asset(document.doc_id) if document.media == "email" and line else None
    if asset is None:
        return None
    headings = _find_headings(inspect_document(base, document.doc_id).blocks, line or 1)
    settings = base.loaded.settings.ingest
    limits = TaskLimits(timeout_s=settings.extract_timeout_s, memory_mb=settings.extract_memory_mb)
    search = _Search(
        content=base.assets.read_asset(asset.asset_id),
        is_mailbox=isinstance(asset.media_type, EmailMedia) and asset.media_type.format == "mbox",
        headings=headings,
    )
    with WorkerPool(_build_worker, count=1, limits_of=lambda _: limits) as pool:
        taken = next(pool.run_all([search]))
    if isinstance(taken, KebabError):
        raise taken
    if (
        len(set(taken.files)) != 1
        or media_type_of(name := headings[taken.depth - 1]).kind not in EMBEDDED_KINDS
    ):
        return None
    place = _PAGE.search(headings[taken.depth]) if taken.depth < len(headings) else None
    return AttachedFile(name, taken.files[0], int(place[1]) if place else None)


def _find_headings(blocks: Sequence[Block], line: int) -> tuple[str, ...]:
    """Return the headings of the sections that the first words from a line on are in, outermost first.

    A passage may begin with the headings of several sections.
    """
    above: list[HeadingBlock] = []
    for block in blocks:
        if isinstance(block, HeadingBlock):
            above = [each for each in above if each.level < block.level]
            above.append(block)
        elif isinstance(block.source_span, LineSpan) and block.source_span.end >= line:
            break
    return tuple(each.text for each in above)


def _build_worker() -> Callable[[_Search], _Found]:
    """Build the function that takes mails apart in a worker process."""
    return _find


def _find(search: _Search) -> _Found:
    """Return the files that the longest part of the headings names."""
    from kebab_parse_html import find_attached_files

    for depth in range(len(search.headings), 1, -1):
        files = find_attached_files(search.content, search.headings[:depth], is_mailbox=search.is_mailbox)
        if files:
            return _Found(depth, tuple(files))
    return _Found(0, ())
