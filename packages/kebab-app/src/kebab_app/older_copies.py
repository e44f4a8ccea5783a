"""Copies that may be earlier versions of a document that is given again: both can be found until one is deleted."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from kebab_core import DocFilter, IngestItem, IngestReport, IngestResult

from kebab_app.external_folder import EXTERNAL_FOLDER

if TYPE_CHECKING:
    from kebab_core import DocSummary

    from kebab_app.knowledge_base import KnowledgeBase


def warn_of_older_copies(base: KnowledgeBase, report: IngestReport) -> IngestReport:
    """Return the report with a warning at each new copy whose title another copy has, with how to remove that."""
    items = report.items or ()
    if not any(_is_new_copy(item) for item in items):
        return report
    copies = [line for line in base.documents.list_documents(DocFilter()) if _is_copy(line.doc_path)]
    return report.model_copy(update={"items": tuple(_warned(base, item, copies) for item in items)})


def _is_copy(path: str) -> bool:
    return path.startswith(f"{EXTERNAL_FOLDER}/")


def _is_new_copy(item: IngestItem) -> bool:
    return item.kind is IngestResult.NEW and _is_copy(item.doc_path)


def _warned(base: KnowledgeBase, item: IngestItem, copies: list[DocSummary]) -> IngestItem:
    titles = {line.title for line in copies if line.doc_id == item.doc_id}
    older = [line for line in copies if line.title in titles and line.doc_id != item.doc_id]
    if not _is_new_copy(item) or not older:
        return item
    root = base.loaded.paths.sources[0].root
    files = " ".join(shlex.quote(str(root / line.doc_path)) for line in older)
    warning = f"an older copy with this title stays in the index; to remove it: rm {files} && kebab ingest"
    return item.model_copy(update={"warnings": (*item.warnings, warning)})
