"""A reader that never stops looking for half a document: `python -m tests.integration.whole_documents CONFIG HOME`.

It says `ready` once it has looked, ends when a file `done` is in the home, and fails at a mixture of versions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from kebab_app import App
from kebab_config import LoadedSettings, load_settings
from kebab_core import DocFilter, DocumentId, DocumentNotFoundError, FetchDocument, SearchQuery

FILES, SECTIONS = 12, 12


def make_version(number: int) -> dict[str, bytes]:
    """Return files that say in every section which version they are, so that a mixture shows, and which file, so that none is a copy."""
    return {f"{name:02}.md": _write(name, number).encode() for name in range(FILES)}


def _write(name: int, number: int) -> str:
    sections = (
        f"## Part {part}\n\n색인 version{number} part {part} of file {name}\n\n" for part in range(SECTIONS)
    )
    return f"# File {name}\n\n{''.join(sections)}"


def read_until(loaded: LoadedSettings, is_done: Callable[[], bool]) -> list[str]:
    """Search, list and read over and over; return what was not whole."""
    faults: list[str] = []
    times = 0
    while not faults and (not times or not is_done()):
        with App(loaded, readonly=bool(times % 2)) as app:
            for _ in range(2):
                faults += _look(app)
        times += 1
    return faults


def _look(app: App) -> list[str]:
    faults = []
    hits = app.search(SearchQuery(text="색인", k=FILES)).hits
    if len(hits) != FILES:
        faults.append(f"{len(hits)} hits")
    documents = app.list_documents(DocFilter())
    if len(documents) != FILES or any(document.chunk_count < SECTIONS for document in documents):
        faults.append(f"listed {[document.chunk_count for document in documents]}")
    return faults + [fault for document in documents if (fault := _fault_of(app, document.doc_id))]


def _fault_of(app: App, doc_id: DocumentId) -> str:
    try:
        text = app.fetch(FetchDocument(doc_id=doc_id)).text or ""
    except DocumentNotFoundError:
        return ""  # the next version has another id
    said = [word for word in text.split() if word.startswith("version")]
    return "" if len(said) == SECTIONS and len(set(said)) == 1 else f"{doc_id} says {said}"


def main() -> int:
    """Read until told to end; return 1 if anything was not whole."""
    config, home = map(Path, sys.argv[1:])
    loaded = load_settings(config_path=config, environ={"HOME": str(home)})
    faults = read_until(loaded, lambda: True)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    faults += read_until(loaded, (home / "done").exists)
    sys.stderr.write("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
