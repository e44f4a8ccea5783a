"""Reports of export and import on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message, Moment

from kebab_cli.byte_progress import megabytes
from kebab_cli.language import tr
from kebab_cli.render import SHOWN_ROWS, Console, count_of, render_rest, safe_name, show_hint, show_warning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_wire import ExportReportV1, ImportReportV1


def render_export(console: Console, report: ExportReportV1) -> None:
    """Print what the archive holds, and what in it needs care."""
    size = megabytes(report.size_bytes)
    console.line(f"{console.style(tr('written'), fg='green')}  {safe_name(report.path)}  ({size})")
    files = _describe_files(report)
    if report.has_configuration:
        console.line(f"  {tr('configuration, database, {files}', files=files)}")
    else:
        console.line(f"  {tr('database, {files}', files=files)}")
    console.line(f"  {tr('it is not encrypted and holds the text of your documents')}")
    for key in report.keys_like_secrets:
        secret = Message("it holds the value of {key}, which looks like a secret", key=safe_name(key))
        show_warning(console, secret)
    if report.missing_copies:
        show_warning(console, Message("the copies of these documents are missing or damaged:"))
        _render_paths(console, report.missing_copies)
        show_hint(console, Message("kebab ingest --verify, then export again"))


def render_import(console: Console, report: ImportReportV1) -> None:
    """Print what was imported, what waits for the user, and the next step."""
    console.line(f"{console.style(tr('imported'), fg='green')}  {safe_name(report.data_dir)}")
    held = tr(
        "{documents}, {files}; written {time} by kebab {version}",
        documents=count_of(report.documents, "document"),
        files=_describe_files(report),
        time=Moment(report.created_at),
        version=safe_name(report.kebab_version),
    )
    console.line(f"  {held}")
    if report.config_path:
        console.line(f"  {tr('configuration')}  {safe_name(report.config_path)}")
    if report.backup_path:
        console.line(f"  {tr('the one before')}  {safe_name(report.backup_path)}")
    if report.endpoints:
        named = Message("the configuration of the backup names servers that can receive your texts:")
        show_warning(console, named)
        for key, address in report.endpoints.items():
            console.line(f"  {safe_name(key)} = {safe_name(address)}")
    if report.kept_apart:
        show_warning(
            console, Message("external documents that have no place below their source are kept here:")
        )
        _render_paths(console, report.kept_apart)
        show_hint(console, Message("move them into the folder _external of their source, then kebab ingest"))
    if report.missing_roots:
        show_warning(
            console,
            Message("source folders that are not on this machine; their documents stay indexed:"),
        )
        _render_paths(console, report.missing_roots)
        back = Message("bring them back, or set workspace.root or workspace.sources; then kebab ingest")
        show_hint(console, back)
    else:
        show_hint(console, "kebab ingest")


def _describe_files(report: ExportReportV1 | ImportReportV1) -> str:
    parts = [
        tr("{count} copy of originals", plural="{count} copies of originals", count=report.copies),
    ]
    if report.external_documents:
        parts.append(count_of(report.external_documents, "external document"))
    if report.evaluation_files:
        parts.append(count_of(report.evaluation_files, "evaluation file"))
    return ", ".join(parts)


def _render_paths(console: Console, paths: Sequence[str]) -> None:
    for path in paths[:SHOWN_ROWS]:
        console.line(f"  {safe_name(path)}")
    render_rest(console, len(paths))
