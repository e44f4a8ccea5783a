"""State of the knowledge base at a glance, and what to do next: `kebab` alone on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_words import Phrases

from kebab_cli.language import localize, tr
from kebab_cli.render import Console, columns_of, count_of, pad, safe_name

if TYPE_CHECKING:
    from kebab_app import App, CurrentWork, Overview, PictureCounts
    from kebab_core import IngestRun


def render_overview(console: Console, overview: Overview, app: App) -> None:
    """Print sources with their documents, what waits or failed, the last run, and the next step."""
    from kebab_app import count_pictures, count_recordings

    sources = [each for each in app.base.sources if overview.is_set_up]
    names = [safe_name(each.settings.id) for each in sources]
    roots = [safe_name(str(each.root)) for each in sources]
    width = max(map(len, names), default=0)
    for name, root, source in zip(names, roots, sources, strict=True):
        count = overview.documents.get(source.settings.id, 0)
        is_gone = source.settings.is_folder and not source.root.is_dir()
        state = console.style(tr("missing"), fg="red") if is_gone else count_of(count, "document")
        console.line(f"{console.style(pad(name, width), bold=True)}  {state}  {root}")
    facts = _facts(overview, count_pictures(app.base) if overview.coverage is not None else None)
    recordings = count_recordings(app.base).waiting if overview.coverage is not None else 0
    if recordings:
        waiting = tr("{recordings} found by their names only", recordings=count_of(recordings, "recording"))
        facts.insert(-1 if overview.last_run is not None else len(facts), (tr("recordings"), waiting))
    labels = max((columns_of(label) for label, _ in facts), default=0)
    for label, value in facts:
        console.line(f"{pad(label, labels)}  {console.hang(value, used=labels + 2)}")
    if sources:
        console.line()
    steps = _next_steps(overview, app)
    column = max(len(command) for command, _ in steps)
    for command, purpose in steps:
        console.line(f"{console.style(pad(command, column), fg='cyan')}  {purpose}")


def _facts(overview: Overview, pictures: PictureCounts | None) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    coverage = overview.coverage
    if coverage is not None and coverage.documents_pending:
        waiting = count_of(coverage.documents_pending, "document")
        found.append((tr("pending"), tr("{documents} without vectors", documents=waiting)))
    if coverage is not None and coverage.documents_failed:
        found.append((tr("failed"), count_of(coverage.documents_failed, "file")))
    if coverage is not None and coverage.documents_stale:
        found.append((tr("stale"), count_of(coverage.documents_stale, "document")))
    if pictures is not None and pictures.waiting:
        found.append((
            tr("pictures"),
            tr("{pages} wait to be read", pages=count_of(pictures.waiting, "page or picture")),
        ))
    if pictures is not None and pictures.left:
        left = tr(
            "{pages} not read by ingest.ocr (kebab ocr PATH reads them)",
            pages=count_of(pictures.left, "page or picture"),
        )
        found.append((tr("pictures"), left))
    if overview.work is not None:
        found.append((tr("running"), _describe_work(overview.work)))
    if overview.last_run is not None:
        found.append((tr("last run"), _describe_run(overview.last_run, is_writing=overview.is_writing)))
    return found


def _describe_work(work: CurrentWork) -> str:
    if not work.total:
        return tr("a process works on the index (pid {pid})", pid=work.pid)
    done, total = work.done, work.total
    match work.phase:
        case "embed":
            return tr("{done} of {total} vectors computed (pid {pid})", done=done, total=total, pid=work.pid)
        case "ocr":
            return tr("{done} of {total} pictures read (pid {pid})", done=done, total=total, pid=work.pid)
        case _:
            return tr("{done} of {total} files read (pid {pid})", done=done, total=total, pid=work.pid)


def _describe_run(run: IngestRun, *, is_writing: bool) -> str:
    day = f"{run.started_at.astimezone():%Y-%m-%d %H:%M}"
    if run.report is None:
        return f"{day}  {tr('running') if is_writing else tr('interrupted')}"
    counts = run.report.counts
    if run.report.aborted:
        return f"{day}  {tr('aborted')}"
    run_text = tr(
        "{day}  {files}, {new} new, {updated} updated, {removed} removed, {errors} failed",
        day=day,
        files=count_of(counts.scanned, "file"),
        new=counts.new,
        updated=counts.updated,
        removed=counts.removed,
        errors=counts.errors,
    )
    folders = len(run.report.unreadable_folders)
    return f"{run_text}, {localize(Phrases.unread_folders(folders))}" if folders else run_text


def _next_steps(overview: Overview, app: App) -> list[tuple[str, str]]:
    """List commands with their purpose, what matters most first."""
    if not overview.is_set_up:
        return [
            ("kebab init --root ~/Notes", tr("create a knowledge base for a folder")),
            ("kebab demo", tr("index and search kebab's own guides")),
            ("kebab --help", tr("all commands")),
        ]
    coverage, run = overview.coverage, overview.last_run
    if coverage is None or not coverage.documents_indexed:
        steps = [("kebab ingest", tr("index the folders"))]
    else:
        steps = [
            ("kebab ask …", tr("get an answer with citations")),
            ("kebab search …", tr("search documents")),
            ("kebab find …", tr("find a document by its name")),
        ]
        is_cut = run is not None and (run.report is None or run.report.aborted)
        if coverage.documents_pending and app.base.wants_vectors and not overview.is_writing:
            steps.insert(0, ("kebab embed", tr("compute missing embeddings")))
        if coverage.documents_stale or (is_cut and not overview.is_writing):
            steps.insert(0, ("kebab ingest", tr("index new and changed files")))
        if coverage.documents_failed or any(
            each.settings.is_folder and not each.root.is_dir() for each in app.base.sources
        ):
            steps.insert(0, ("kebab doctor", tr("see what is wrong, and what to do about it")))
    return [*steps, ("kebab --help", tr("all commands"))]
