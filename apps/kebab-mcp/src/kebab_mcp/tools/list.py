"""`list`: documents by name, tag, folder or time, page by page; tags, folders and sources with counts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from kebab_mcp.search_arguments import FilterArguments, RareFilters, argument_error
from kebab_mcp.tool import Number, Tool

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from kebab_app import FoundName, PageLimits
    from kebab_core import DocSummary, SearchFilters
    from kebab_wire import ListBriefV1, ListedDocumentV1

    from kebab_mcp.call import Call

DEFAULT_LIMIT = 30
DEFAULT_MAX_TOKENS = 900
"""As of a search: leaves 100 of 1,000 tokens for what surrounds the documents."""
_MAX_LIMIT = 1000
_OVERVIEW_RECENT = 5
_OVERVIEW = ("sources", "folders", "tags")


class HiddenArguments(RareFilters):
    """Arguments that are taken and left out of the definition: those that `search` names."""

    max_tokens: Number = Field(default=DEFAULT_MAX_TOKENS, ge=1, le=10_000_000)


class ListArguments(FilterArguments, HiddenArguments):
    """What to list, and of which documents."""

    by: Literal["recent", "path", "tags", "folders", "sources"] | None = None
    name: str | None = None
    limit: Number = Field(default=DEFAULT_LIMIT, ge=1, le=_MAX_LIMIT)
    cursor: str | None = None
    """`next_cursor` of the page before."""


def _run(call: Call, arguments: ListArguments) -> ListBriefV1:
    from kebab_app import PageLimits, build_filters

    criteria = build_filters(dict(arguments), complain=argument_error)
    limits = PageLimits(
        limit=arguments.limit, max_tokens=arguments.max_tokens, cost=_document_cost, cursor=arguments.cursor
    )
    if arguments.name is not None:
        return _list_names(call, arguments.name, limits)
    if arguments.by in _OVERVIEW:
        return _count(call, criteria, (arguments.by,), limits)
    if arguments.by is None and criteria.is_empty and arguments.cursor is None:
        return _count(call, criteria, _OVERVIEW, limits, recent=_OVERVIEW_RECENT)
    return _list_page(call, criteria, limits, by_path=arguments.by == "path")


def _list_page(call: Call, criteria: SearchFilters, limits: PageLimits, *, by_path: bool) -> ListBriefV1:
    from kebab_wire import ListBriefV1

    page = call.app.list_page(criteria, order="path" if by_path else "recent", limits=limits)
    return ListBriefV1(
        total=page.total,
        documents=tuple(_document(one, one.updated_at) for one in page.documents),
        omitted=page.omitted or None,
        next_cursor=page.next_cursor,
    )


def _list_names(call: Call, name: str, limits: PageLimits) -> ListBriefV1:
    from kebab_wire import ListBriefV1

    page = call.app.list_names(name, limits=replace(limits, cost=_name_cost))
    return ListBriefV1(
        total=page.total,
        documents=tuple(_document(one.entry, None) for one in page.documents),
        omitted=page.omitted or None,
        next_cursor=page.next_cursor,
    )


def _count(
    call: Call, criteria: SearchFilters, groupings: Sequence[Any], limits: PageLimits, *, recent: int = 0
) -> ListBriefV1:
    """Count by each grouping, which share the budget; `recent` documents come with them."""
    from kebab_app import PageLimits, fit_budget
    from kebab_wire import ListBriefV1

    left = limits.max_tokens or 0
    newest = replace(limits, limit=max(1, recent), max_tokens=max(1, left // 2), cursor=None)
    page = _list_page(call, criteria, newest, by_path=False)
    fields: dict[str, object] = {"documents": page.documents} if recent else {}
    left -= sum(map(_cost, page.documents or ())) if recent else 0
    omitted = 0
    for position, grouping in enumerate(groupings):
        counts = call.app.count_documents(grouping, criteria)
        share = max(1, left // (len(groupings) - position))
        share_limits = PageLimits(max_tokens=share, cost=lambda one: _cost({one.name: one.documents}))
        shown = fit_budget(counts[: limits.limit], share_limits)
        left -= sum(_cost({one.name: one.documents}) for one in shown)
        fields[grouping] = {one.name: one.documents for one in shown}
        omitted += len(counts) - len(shown)
    return ListBriefV1.model_validate({"total": page.total, "omitted": omitted or None, **fields})


def _document_cost(one: DocSummary) -> int:
    return _cost(_document(one, one.updated_at))


def _name_cost(one: FoundName) -> int:
    return _cost(_document(one.entry, None))


def _cost(value: Any) -> int:
    import json

    from kebab_core import TokenCounter
    from kebab_wire import wire_json

    return TokenCounter().count(
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else wire_json(value)
    )


def _document(one: Any, changed: datetime | None) -> ListedDocumentV1:
    from kebab_wire import ListedDocumentV1

    return ListedDocumentV1(
        address=one.to_address(),
        title=None if one.title in {one.doc_path.stem, ""} else one.title,
        date=None if changed is None else f"{changed.astimezone():%Y-%m-%d}",
    )


TOOL = Tool(
    name="list",
    description=(
        "List documents, newest first, or tags, folders and sources with counts; without arguments an overview. filters: "
        "others of search; name: part of its name; cursor: next_cursor."
    ),
    arguments=ListArguments,
    hidden_arguments=HiddenArguments,
    returns="list_brief.v1",
    run=_run,
)
