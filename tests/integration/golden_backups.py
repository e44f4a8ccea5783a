"""Backups that released versions of kebab have written, kept so that every later version can be tried on them.

`python -m tests.integration.golden_backups` adds the backup of the present schema if there is none. It is made once, with a
release, and never again: it stands for what users have on their disks.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from kebab_app import App
from kebab_store_sqlite import SCHEMA_VERSION

BACKUPS = Path(__file__).parent.parent / "goldens" / "backups"
NOTES = Path(__file__).parent.parent / "goldens" / "notes"
FOLDERS = ("kitchen-ko", "howto-en")
LETTER = "# 편지\n\n할머니가 보낸 편지에는 식혜 만드는 법이 적혀 있다.\n"
QUESTION = "배추는 얼마나 절이나요?"
CONFIG = '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n'


def write_notes(root: Path) -> None:
    """Write the notes that every one of these backups was made of."""
    for folder in FOLDERS:
        shutil.copytree(NOTES / folder, root / folder)


def main() -> None:
    """Write the backup that is missing."""
    target = BACKUPS / f"schema-{SCHEMA_VERSION}.zip"
    if target.exists():
        return
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        write_notes(home / "notes")
        (home / "kebab.toml").write_text(CONFIG, "utf-8")
        with App.open(home / "kebab.toml") as app:
            app.ingest()
            app.ingest_text(LETTER, title="편지")
            app.ask(QUESTION)
            BACKUPS.mkdir(exist_ok=True)
            app.export_backup(target, replace=False, progress=lambda _step: None)
    target.chmod(0o644)


if __name__ == "__main__":
    main()
