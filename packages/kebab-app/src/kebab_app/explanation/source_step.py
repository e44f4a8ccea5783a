"""Whether a file lies in a folder that kebab reads at all."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_app.explanation.taking_in import advise_taking_in

if TYPE_CHECKING:
    from kebab_app.explanation.named_file import NamedFile
    from kebab_app.explanation.way import Way
    from kebab_app.knowledge_base import KnowledgeBase

_TIME = "%Y-%m-%d %H:%M"


def tell_source(base: KnowledgeBase, named: NamedFile, way: Way) -> None:
    """Note in which source a file lies, or that it lies in none or is there no more."""
    if named.target is None:
        _tell_outside(base, named, way)
        return
    where = f"{named.target.source.id}: {named.target.root}"
    if not os.path.isdir(named.target.root):  # noqa: PTH112 - says no where looking is forbidden
        _tell_missing_root(named, way, where)
    elif named.past is not None:
        _tell_past(named, way)
    else:
        copied = f"; the copy of {named.given_as}" if named.given_as else ""
        others = f"; not to be taken for {', '.join(named.others)}" if named.others else ""
        _tell_place(f"{where}{copied}{others}", named.namesake, way)


def _tell_place(where: str, namesake: Path | None, way: Way) -> None:
    """Note where a file lies, and which other one of the same name was not meant."""
    if namesake is None:
        way.go_on("source", where)
        return
    other = f"./{namesake}"
    way.remark(
        "source",
        f"meant is the file of this path in {where}, and not {other}, which lies in no source",
        fix=f"if the other one is meant: kebab why {shlex.quote(other)}",
    )


def _tell_outside(base: KnowledgeBase, named: NamedFile, way: Way) -> None:
    if named.tracked is not None:
        way.remark(
            "source",
            f"its source {named.tracked.source_id} is configured no more; what was indexed of it is still found",
            fix="configure the source again, or let its documents go with kebab reset --orphans-only",
        )
        return
    roots = ", ".join(str(source.root) for source in base.loaded.paths.sources)
    way.stop(
        "outside_sources",
        "source",
        f"it lies outside every configured source ({roots})",
        fix=advise_taking_in(base, named.place),
    )


def _tell_missing_root(named: NamedFile, way: Way, where: str) -> None:
    fix = "check that its drive is mounted and that the configuration names the right folder"
    if named.tracked is None:
        way.stop("source_missing", "source", f"the folder of its source is missing ({where})", fix=fix)
    else:
        way.remark("source", f"the folder of its source is missing ({where})", fix=fix)


def _tell_past(named: NamedFile, way: Way) -> None:
    past = named.past
    if past is None:
        return
    when = f"by the run that ended at {past.at:{_TIME}} UTC"
    if past.moved_to is None:
        way.stop(
            "removed",
            "source",
            f"it is gone from disk and was removed from the index {when}",
            fix="put the file back; then kebab ingest",
        )
    else:
        way.stop(
            "removed",
            "source",
            f"it was found moved to {past.moved_to} {when}",
            fix=f"kebab why {shlex.quote(past.moved_to)}",
        )
