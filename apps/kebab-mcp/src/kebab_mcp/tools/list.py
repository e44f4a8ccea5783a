"""`list`: documents by name, tag, folder or time; tags, folders and sources with counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from kebab_mcp.search_arguments import FilterArguments, RareFilters, argument_error
from kebab_mcp.tool import Number, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from kebab_core import SearchFilters
    from kebab_wire import ListBriefV1

    from kebab_mcp.call import Call

DEFAULT_LIMIT = 30
_MAX_LIMIT = 1000
_OVERVIEW_RECENT = 5


class ListArguments(FilterArguments):
    """What to list, and of which documents."""

    by: Literal["recent", "path", "tags", "folders", "sources"] | None = None
    name: str | None = None
    limit: Number = Field(default=DEFAULT_LIMIT, ge=1, le=_MAX_LIMIT)


def _run(call: Call, arguments: ListArguments) -> ListBriefV1:
    from kebab_app import build_filters
    from kebab_wire import ListBriefV1

    criteria = build_filters(dict(arguments), complain=argument_error)
    if arguments.name is not None:
        found = call.app.find_names(arguments.name, limit=_MAX_LIMIT)
        names = [_document(one.entry, one.entry.doc_path.stem, None) for one in found[: arguments.limit]]
        return ListBriefV1(total=len(found), documents=tuple(names))
    if arguments.by is None and criteria.is_empty:
        return _count(
            call, criteria, ("sources", "folders", "tags"), arguments.limit, recent=_OVERVIEW_RECENT
        )
    if arguments.by in {"tags", "folders", "sources"}:
        return _count(call, criteria, (arguments.by,), arguments.limit)
    return _count(call, criteria, (), arguments.limit, recent=arguments.limit, by_path=arguments.by == "path")


def _count(
    call: Call,
    criteria: SearchFilters,
    groupings: Iterable[Any],
    limit: int,
    *,
    recent: int = 0,
    by_path: bool = False,
) -> ListBriefV1:
    from kebab_app import build_doc_filter
    from kebab_wire import ListBriefV1

    app, omitted = call.app, 0
    total = sum(one.documents for one in app.count_documents("sources", criteria))
    fields: dict[str, object] = {}
    for grouping in groupings:
        counts: Sequence[Any] = app.count_documents(grouping, criteria)
        fields[grouping] = {one.name: one.documents for one in counts[:limit]}
        omitted += max(0, len(counts) - limit)
    if recent:
        listed = (
            app.list_documents(build_doc_filter(criteria.model_dump(), limit=recent, complain=argument_error))
            if by_path
            else app.list_recent(criteria, limit=recent)
        )
        fields["documents"] = tuple(_document(one, one.doc_path.stem, one.updated_at) for one in listed)
    return ListBriefV1.model_validate({"total": total, "omitted": omitted or None, **fields})


def _document(one: Any, stem: str, changed: datetime | None) -> Any:
    from kebab_wire import ListedDocumentV1

    return ListedDocumentV1(
        address=one.to_address(),
        title=None if one.title in {stem, ""} else one.title,
        date=None if changed is None else f"{changed.astimezone():%Y-%m-%d}",
    )


TOOL = Tool(
    name="list",
    description=(
        "What is there, with counts; without arguments an overview. filters: others of search; name: a part of a document's "
        "name. Documents come newest first."
    ),
    arguments=ListArguments,
    hidden_arguments=RareFilters,
    returns="list_brief.v1",
    run=_run,
)
