"""FuzzReport documents are ingested as users ingest theirs, and each must end as a document, a reason or an error with a name."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kebab_app import App
from kebab_config import load_settings
from kebab_core import IngestItem, SearchMode, SearchQuery

from tests.integration.format_mutations import Trial

SECRET = "zyzzyvaquokka"
"""Word of a file that external entities refer to."""


class FuzzReport(NamedTuple):
    """What came of some trials."""

    outcomes: Counter[tuple[str, str]]
    """By extension and outcome."""
    faults: list[str]
    """What must not be, each with its trial."""
    slow: list[str]
    """Documents that took longer than their limit, which ended them."""
    seconds: float


def ingest_trials(
    trials: Sequence[Trial], folder: Path, *, timeout_s: float = 30, memory_mb: int = 1024
) -> FuzzReport:
    """Write the documents of some trials below a new folder, ingest them, and look at what came of each."""
    notes = folder / "notes"
    notes.mkdir(parents=True)
    (folder / "secret.txt").write_text(SECRET)
    for trial in trials:
        (notes / trial.name).write_bytes(trial.content())
    (notes / "last.md").write_text("# 끝까지\n\n마지막 문서도 읽힌다.\n", encoding="utf-8")
    config = folder / "kebab.toml"
    config.write_text(
        f'[workspace]\nroot = "{notes}"\n[storage]\ndata_dir = "{folder / "data"}"\n'
        f'[models.embedding]\nprovider = "none"\n[ingest]\nextract_timeout_s = {timeout_s}\n'
        f"extract_memory_mb = {memory_mb}\n",
        encoding="utf-8",
    )
    started = time.monotonic()
    with App(load_settings(config_path=config, environ={"HOME": str(folder)})) as app:
        report = app.ingest()
        seconds = time.monotonic() - started
        items = {str(item.doc_path): item for item in report.items or ()}
        faults = [fault for trial in trials if (fault := _find_fault(trial, items.get(trial.name)))]
        faults += [
            f"{hit.doc_path}: has the text of another file"
            for hit in app.search(SearchQuery(text=SECRET, mode=SearchMode.LEXICAL)).hits
        ]
        if items.get("last.md") is None:
            faults.append("the file after them was not read")
        missing = sum(trial.name not in items for trial in trials)
        if sum(report.skipped_by_reason.values()) < missing:  # files in archives and mails are skipped too
            faults.append(f"{missing} files are not listed, and the reasons are {report.skipped_by_reason}")
    outcomes = [_outcome(items.get(trial.name)) for trial in trials]
    slow = [trial.name for trial, outcome in zip(trials, outcomes, strict=True) if outcome == "timeout"]
    pairs = zip((trial.extension for trial in trials), outcomes, strict=True)
    return FuzzReport(Counter(pairs), faults, slow, seconds)


def _outcome(item: IngestItem | None) -> str:
    if item is None:
        return "skipped"
    if item.error is not None:
        return item.error.code
    return "document" if item.chunk_count else "told" if item.warnings else "silently empty"


def _find_fault(trial: Trial, item: IngestItem | None) -> str | None:
    if item is None or (item.error is None and (item.chunk_count or item.warnings or item.skip_reason)):
        return None
    if item.error is None:
        return f"{trial.name}: silently empty"
    if item.error.code == "internal":
        return f"{trial.name}: {item.error.code}: {item.error.message}"
    return None
