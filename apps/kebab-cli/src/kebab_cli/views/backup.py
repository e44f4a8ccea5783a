"""Reports of export and import on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_cli.byte_progress import megabytes
from kebab_cli.render import SHOWN_ROWS, Console, count_of, render_rest, safe_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_wire import ExportReportV1, ImportReportV1


def render_export(console: Console, report: ExportReportV1) -> None:
    """Print what the archive holds, and what in it needs care."""
    size = megabytes(report.size_bytes)
    console.line(f"{console.style('written', fg='green')}  {safe_name(report.path)}  ({size})")
    config = "configuration, " if report.has_configuration else ""
    console.line(f"  {config}database, {_describe_files(report)}")
    console.line("  it is not encrypted and holds the text of your documents")
    for key in report.keys_like_secrets:
        console.line(f"warning: it holds the value of {safe_name(key)}, which looks like a secret")
    if report.missing_copies:
        console.line("warning: the copies of these documents are missing or damaged:")
        _render_paths(console, report.missing_copies)
        console.line("hint: kebab ingest --verify, then export again")


def render_import(console: Console, report: ImportReportV1) -> None:
    """Print what was imported, what waits for the user, and the next step."""
    console.line(f"{console.style('imported', fg='green')}  {safe_name(report.data_dir)}")
    written = f"{report.created_at:%Y-%m-%d %H:%M} UTC by kebab {safe_name(report.kebab_version)}"
    console.line(f"  {count_of(report.documents, 'document')}, {_describe_files(report)}; written {written}")
    if report.config_path:
        console.line(f"  configuration  {safe_name(report.config_path)}")
    if report.backup_path:
        console.line(f"  the one before  {safe_name(report.backup_path)}")
    if report.endpoints:
        console.line(
            "warning: the configuration of the backup names servers, to which texts of yours can go:"
        )
        for key, address in report.endpoints.items():
            console.line(f"  {safe_name(key)} = {safe_name(address)}")
    if report.kept_apart:
        console.line("warning: external documents that have no place below their source are kept here:")
        _render_paths(console, report.kept_apart)
        console.line("hint: move them into the folder _external of their source, then kebab ingest")
    if report.missing_roots:
        console.line(
            "warning: folders of sources that are not on this machine; what is indexed of them stays:"
        )
        _render_paths(console, report.missing_roots)
        console.line("hint: bring them back, or set workspace.root or workspace.sources; then kebab ingest")
    else:
        console.line("hint: kebab ingest")


def _describe_files(report: ExportReportV1 | ImportReportV1) -> str:
    copies = "1 copy" if report.copies == 1 else f"{report.copies} copies"
    parts = [f"{copies} of originals"]
    if report.external_documents:
        parts.append(count_of(report.external_documents, "external document"))
    if report.evaluation_files:
        parts.append(count_of(report.evaluation_files, "evaluation file"))
    return ", ".join(parts)


def _render_paths(console: Console, paths: Sequence[str]) -> None:
    for path in paths[:SHOWN_ROWS]:
        console.line(f"  {safe_name(path)}")
    render_rest(console, len(paths))
