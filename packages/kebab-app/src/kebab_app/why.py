"""Why a file is found or not, as a use case: its way through ingest and, for a query, through search."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import SearchQuery, SourceEntry, UnreadableFolder
from kebab_wire import WhyFailureV1, WhyRuleV1, WhyV1, wire_query

from kebab_app.explanation.admission import find_left_out, tell_left_out, tell_unreadable
from kebab_app.explanation.ingested import IngestLook
from kebab_app.explanation.named_file import NamedFile, find_named_file
from kebab_app.explanation.searched import look_for
from kebab_app.explanation.source_step import tell_source
from kebab_app.explanation.stored import read_stored, tell_stored, wire_document, wire_passage
from kebab_app.explanation.unspellable import show_name
from kebab_app.explanation.way import Way

if TYPE_CHECKING:
    from kebab_app.knowledge_base import KnowledgeBase


def why(base: KnowledgeBase, name: str | Path, *, query: SearchQuery | None) -> WhyV1:
    """Return why a file is found or not.

    Args:
        base: The knowledge base; nothing in it is changed.
        name: A path on disk, a path inside a source as hits show it, or the id of a document.
        query: What should find it; None asks only whether it can be found.

    Returns:
        Its way, step by step, with what to do where it ends.

    Raises:
        InvalidInputError: It is a folder, or there is no such file; or the query is empty or its syntax wrong.
        DocumentNotFoundError: It is the id of no document.
    """
    with base.open_for_reading().one_state() if base.has_database else nullcontext():  # a run may be at work
        return _follow(base, find_named_file(base, str(name)), query, asked=show_name(str(name)))


def _follow(base: KnowledgeBase, named: NamedFile, query: SearchQuery | None, *, asked: str) -> WhyV1:
    way = Way()
    tell_source(base, named, way)
    stored = read_stored(base, named.tracked) if named.tracked else None
    looked = _Looked() if way.verdict else _look_at_ingest(base, named, way, is_stored=stored is not None)
    searched = None
    if stored is not None:
        tell_stored(base, stored, way, place=named.place)
        searched = look_for(base, stored, query, way) if query and way.verdict is None else None
    passages = tuple(wire_passage(stored, chunk) for chunk in stored.chunks) if stored else ()
    verdict = way.verdict or ("found" if searched else "indexed")
    path = named.target.under if named.target else None
    end = way.end
    return WhyV1(
        asked=asked,
        query=wire_query(query) if query else None,
        verdict=verdict,
        summary=_summarise(way, name=named.shown or asked, query=query),
        fix=end.fix if end else None,
        steps=tuple(way.steps),
        source_id=named.target.source.id if named.target else None,
        doc_path=path,
        disk_path=str(named.place),
        rule=looked.rule,
        failure=looked.failure,
        document=wire_document(base, stored) if stored else None,
        passages=searched.passages if searched else passages,
        terms=searched.terms if searched else None,
        legs=searched.legs if searched else None,
    )


class _Looked(NamedTuple):
    rule: WhyRuleV1 | None = None
    failure: WhyFailureV1 | None = None


def _look_at_ingest(base: KnowledgeBase, named: NamedFile, way: Way, *, is_stored: bool) -> _Looked:
    """Note whether the rules let a file in and what ingest did with it.

    Args:
        base: The knowledge base.
        named: The file.
        way: Gets the steps.
        is_stored: Whether the index has it.

    Returns:
        The rule that leaves it out and how ingest failed, where one of these is.
    """
    item = named.verdict.item if named.verdict else None
    left_out = find_left_out(base, named)
    if left_out is not None:
        return _Looked(tell_left_out(way, left_out, is_stored=is_stored))
    if isinstance(item, UnreadableFolder):
        tell_unreadable(way, item, is_stored=is_stored)
    elif isinstance(item, SourceEntry) and named.target is not None:
        way.go_on("rules", "no rule leaves it out")
        look = IngestLook(base, named, way)
        look.look(named.target, item)
        return _Looked(look.rule, look.failure)
    return _Looked()


def _summarise(way: Way, *, name: str, query: SearchQuery | None) -> str:
    end = way.end
    if way.verdict is not None and end is not None:
        return f"{name} is not found: {end.detail}"
    if query is not None:
        place = next(step.detail for step in way.steps if step.name == "order")
        return f"{name} is found: {place}"
    return f"{name} is indexed, but {end.detail}" if end else f"{name} is indexed"
