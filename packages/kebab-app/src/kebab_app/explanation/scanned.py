"""What a scan would make of one file today."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import IgnoreEdit, InvalidInputError, PathVerdict, SourceScope, StorageError, UnreadableFolder

from kebab_app.ingest_targets import build_scope
from kebab_app.ingest_wiring import build_explainer

if TYPE_CHECKING:
    from kebab_ingest import SourceTarget

    from kebab_app.knowledge_base import KnowledgeBase


def scope_for(base: KnowledgeBase, target: SourceTarget) -> SourceScope:
    """Return what a run of ingest would tell the scanner of a part of a source."""
    return build_scope(base, target)


def scan_one(base: KnowledgeBase, target: SourceTarget) -> PathVerdict | None:
    """Return what a scan makes of the file that a target names; None where it is not there.

    A folder above it that is left out or cannot be looked into stands for it.
    """
    return judge(base, target, scope_for(base, target), {})


def judge(
    base: KnowledgeBase, target: SourceTarget, scope: SourceScope, edits: Mapping[str, IgnoreEdit]
) -> PathVerdict | None:
    """Return the same of other patterns and settings, as if changes were made to ignore files."""
    try:
        verdict = build_explainer(base).explain(scope, edits=edits)
    except (StorageError, InvalidInputError):
        return None
    item = verdict.item
    is_told = isinstance(item, UnreadableFolder) or item.workspace_path == target.under
    return verdict if is_told or lies_there(target) else None


def lies_there(target: SourceTarget) -> bool:
    """Return whether there is something at a target's path, as it is spelled."""
    return os.path.lexists(place_of(target))


def place_of(target: SourceTarget) -> Path:
    """Return where a target lies, going by the spelling of its path."""
    return target.root / target.under if target.under else target.root
