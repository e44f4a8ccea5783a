"""`related`: documents that a document links to, that link to it, and that are near in meaning; callers of source code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from kebab_mcp.tool import Arguments, Number, Tool

if TYPE_CHECKING:
    from kebab_wire import RelatedBriefV1

    from kebab_mcp.call import Call

DEFAULT_LIMIT = 5


class RelatedArguments(Arguments):
    """The document or a part of it."""

    address: str
    limit: Number = Field(default=DEFAULT_LIMIT, ge=1, le=1000)


def _run(call: Call, arguments: RelatedArguments) -> RelatedBriefV1:
    from kebab_wire import RelatedBriefDocumentV1, RelatedBriefV1, wire_call_search

    found = call.app.find_related(arguments.address, limit=arguments.limit)
    kinds: dict[str, list[RelatedBriefDocumentV1]] = {}
    for one in found.documents:
        title = one.entry.title or one.entry.doc_path.stem
        text = None if one.text in {title, ""} else one.text
        document = RelatedBriefDocumentV1(address=one.address, title=title, text=text)
        kinds.setdefault(one.relation.value, []).append(document)
    linked = kinds.get("linked_from", [])
    return RelatedBriefV1(
        address=found.address,
        links_to=tuple(kinds.get("links_to", ())) or None,
        linked_from=tuple(linked) or None,
        linked_from_count=found.linked_from_count if found.linked_from_count > len(linked) else None,
        called_by=tuple(kinds.get("called_by", ())) or None,
        calls=tuple(kinds.get("calls", ())) or None,
        same_name=tuple(kinds.get("same_name", ())) or None,
        tested_by=tuple(kinds.get("tested_by", ())) or None,
        similar=tuple(kinds.get("similar", ())) or None,
        call_search=wire_call_search(found.call_search),
        lacks_vectors=None if found.has_vectors else True,
    )


TOOL = Tool(
    name="related",
    description="List linked, linking and similar documents; for code, callers and tests by name.",
    arguments=RelatedArguments,
    returns="related_brief.v1",
    run=_run,
)
