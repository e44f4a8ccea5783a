"""The report of deleted documents and answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kebab_cli.render import Console, count_of, safe_name

if TYPE_CHECKING:
    from kebab_app import ForgetPlan
    from kebab_core import TraceId
    from kebab_wire import ErasureReportV1


def render_answer_plan(console: Console, trace_ids: Sequence[TraceId]) -> None:
    """Print which answers would be deleted."""
    for trace_id in trace_ids:
        console.remark(f"will delete answer {safe_name(trace_id)}")


def render_forget_plan(console: Console, plan: ForgetPlan) -> None:
    """Print what would be deleted."""
    for tracked in plan.documents:
        console.remark(f"will remove from the index {safe_name(tracked.workspace_path)}")
    for path in plan.copies:
        console.remark(f"will delete {safe_name(str(path))}")
    render_answer_plan(console, plan.answers)


def render_erasure(console: Console, report: ErasureReportV1) -> None:
    """Print what was deleted."""
    for path in report.removed_paths:
        console.line(f"deleted  {safe_name(path)}")
    for path in report.documents:
        console.line(f"removed from the index  {safe_name(path)}")
    if report.answers:
        console.line(f"deleted  {count_of(len(report.answers), 'answer')}")
    if not (report.removed_paths or report.documents or report.answers):
        console.line("nothing to delete")
    if not report.erased:
        console.remark("note: another process reads the index, so its log still holds deleted text")
        console.remark("hint: kebab ingest erases the rest, at the latest a day from now")
