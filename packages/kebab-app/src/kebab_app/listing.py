"""Pages of listings: documents in a stable order, within a budget of tokens, with a cursor to the next page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from kebab_core import DocFilter, Message, Remedy, SearchFilters, SearchMode, SearchQuery, StaleCursorError

if TYPE_CHECKING:
    from kebab_core import DocSummary, DocumentId, ListOrder
    from kebab_documents import FoundName

    from kebab_app.knowledge_base import KnowledgeBase

_REMEDY = Remedy(advice=Message("list again without the cursor"))
_ID_CHARS = 8
"""Digits of the id of the last document of a page in its cursor."""
_READ_AT_ONCE = 32
"""Documents of a page that are read together."""
_MAX_NAMES = 1000
"""Documents that a listing by name finds, at most."""

_T = TypeVar("_T")


@dataclass(frozen=True, kw_only=True)
class PageLimits:
    """Size of a page, and where it begins."""

    limit: int | None = None
    """Documents at most; None is no limit."""
    max_tokens: int | None = None
    """Tokens of all documents of the page together; one is there in any case."""
    cost: Callable[[Any], int] = lambda _one: 0
    """Tokens of a document as it is printed."""
    cursor: str | None = None
    """`next_cursor` of the page before; None is the first page."""


@dataclass(frozen=True, kw_only=True)
class DocumentPage:
    """A page of a listing."""

    documents: tuple[DocSummary, ...]
    total: int
    """Documents of all pages."""
    omitted: int
    """Documents after this page."""
    next_cursor: str | None
    """None on the last page."""


@dataclass(frozen=True, kw_only=True)
class NamePage:
    """A page of documents that were found by name."""

    documents: tuple[FoundName, ...]
    total: int
    """Documents of all pages, 1,000 at most."""
    omitted: int
    next_cursor: str | None


def list_page(
    base: KnowledgeBase, filters: SearchFilters, *, order: ListOrder, limits: PageLimits
) -> DocumentPage:
    """List a page of the documents that pass filters.

    Args:
        base: The knowledge base.
        filters: The filters.
        order: Order of the documents.
        limits: Size of the page and its cursor.

    Raises:
        StaleCursorError: The cursor cannot be read, or belongs to another listing or another state of the index.
    """
    wanted = filters.model_dump(include=set(SearchFilters.model_fields))
    with base.open_for_reading().one_state():
        start = _Start.read(base, limits, text="", filters=filters, order=order)
        criteria = DocFilter(**wanted, order=order, offset=max(0, start.offset - 1))
        found = _read_documents(base, criteria, limits)
        if start.offset:
            known = next(found, None)
            start.require_known(None if known is None else known.doc_id)
        page = fit_budget(islice(found, limits.limit), limits)
        total = base.index.documents.count_passing(filters)
        return DocumentPage(
            documents=tuple(page),
            total=total,
            omitted=total - start.offset - len(page),
            next_cursor=start.next_cursor(len(page), total, page[-1].doc_id if page else None),
        )


def _read_documents(base: KnowledgeBase, criteria: DocFilter, limits: PageLimits) -> Iterator[DocSummary]:
    """Yield documents from an offset on, read as they are taken: a page shows few of them, and each is compared with its file."""
    from kebab_app.documents import list_documents

    if limits.limit is None and limits.max_tokens is None:
        yield from list_documents(base, criteria)
        return
    # one more than the page: the document before it comes first
    limit = _READ_AT_ONCE if limits.limit is None else min(_READ_AT_ONCE, limits.limit + 1)
    while found := list_documents(base, criteria.model_copy(update={"limit": limit})):
        yield from found
        criteria = criteria.model_copy(update={"offset": criteria.offset + len(found)})


def list_names(base: KnowledgeBase, name: str, *, limits: PageLimits) -> NamePage:
    """List a page of the documents that have a name; see `kebab_documents.NameIndex` and `list_page`.

    Raises:
        StaleCursorError: As there.
    """
    from kebab_app.documents import find_names

    with base.open_for_reading().one_state():
        start = _Start.read(base, limits, text=name, filters=SearchFilters(), order="name")
        every = find_names(base, name, limit=_MAX_NAMES)
        if start.offset:
            start.require_known(next((one.entry.doc_id for one in every[start.offset - 1 :]), None))
        page = fit_budget(every[start.offset :][: limits.limit], limits)
        return NamePage(
            documents=tuple(page),
            total=len(every),
            omitted=len(every) - start.offset - len(page),
            next_cursor=start.next_cursor(len(page), len(every), page[-1].entry.doc_id if page else None),
        )


def fit_budget(found: Iterable[_T], limits: PageLimits) -> list[_T]:
    """Return the first of some items that fit a budget of tokens together; one in any case, all without a budget."""
    if limits.max_tokens is None:
        return list(found)
    page: list[_T] = []
    left = limits.max_tokens
    for each in found:
        left -= limits.cost(each)
        if left < 0 and page:
            break
        page.append(each)
    return page


@dataclass(frozen=True, kw_only=True)
class _Start:
    """The start of a page: documents before it, the last of them, and what the cursor must fit."""

    offset: int
    last: str
    revision: int
    digest: str

    @classmethod
    def read(
        cls, base: KnowledgeBase, limits: PageLimits, *, text: str, filters: SearchFilters, order: str
    ) -> _Start:
        """Read it from a cursor.

        Raises:
            StaleCursorError: It cannot be read, or belongs to another listing or another state of the index.
        """
        from kebab_search import digest_query, open_page

        values = filters.model_dump(include=set(SearchFilters.model_fields))
        query = SearchQuery(text=text, mode=SearchMode.LEXICAL, filters=SearchFilters(**values))
        digest = digest_query(query, order=("list", order))
        revision = base.index.documents.corpus_revision()
        found = open_page(limits.cursor, revision=revision, query=digest, remedy=_REMEDY)
        return cls(offset=found.offset, last=found.last, revision=revision, digest=digest)

    def require_known(self, first: DocumentId | None) -> None:
        """Require the last document of the page before, which comes first where a page is not the first.

        Raises:
            StaleCursorError: Another one comes first, as after a file was touched that is listed by the time of files.
        """
        if first is None or not first.startswith(self.last):
            raise StaleCursorError("the index has changed since the cursor was made", remedy=_REMEDY)

    def next_cursor(self, count: int, total: int, last: DocumentId | None) -> str | None:
        """Return the cursor behind a page; None after the last."""
        from kebab_search import Cursor

        end = self.offset + count
        if last is None or end >= total:
            return None
        return Cursor(end, self.revision, self.digest, last[:_ID_CHARS]).encode()
