"""`python -m tools.docs.generate [--check]`: the pages of docs/reference, the table of formats in the guides, their copy for the wheel and the vectors of that.

With `--check` nothing is written and a page that differs is an error.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

from kebab_app import open_demo

from tools.docs import cli, configuration, errors, formats, plugins, wire

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
GUIDE = ROOT / "docs" / "guide"
SHIPPED_GUIDE = ROOT / "packages" / "kebab-app" / "src" / "kebab_app" / "guide"
"""A copy of the guides for the wheel, so that `kebab demo` works wherever kebab is installed."""
SHIPPED_VECTORS = SHIPPED_GUIDE.parent / "guide_vectors.json"
"""Vectors of the passages of the guides, by text, from which `kebab demo` starts."""
_MARK = "<!-- Written by `python -m tools.docs.generate`; a change by hand is lost. -->\n\n"
PAGES: dict[str, Callable[[], str]] = {
    "cli.md": cli.render,
    "config.md": configuration.render,
    "errors.md": errors.render,
    "plugins.md": plugins.render,
    "wire.md": wire.render,
}


def render_pages() -> dict[str, str]:
    """Return file name to text of every generated page."""
    return {name: _MARK + render() for name, render in PAGES.items()}


def find_outdated(pages: dict[str, str]) -> list[str]:
    """Return the names of pages that are missing, differ, or that nothing generates, sorted."""
    found = {path.name: path.read_text("utf-8") for path in REFERENCE.glob("*.md")}
    return sorted(name for name in pages.keys() | found.keys() if pages.get(name) != found.get(name))


def find_unshipped() -> list[str]:
    """Return the paths of guides whose shipped copy is missing, differs, or has no original, sorted."""
    originals, copies = _read_guides(GUIDE), _read_guides(SHIPPED_GUIDE)
    return sorted(
        path for path in originals.keys() | copies.keys() if originals.get(path) != copies.get(path)
    )


def _read_guides(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def find_unfilled() -> list[str]:
    """Return the paths of guides whose generated part differs, sorted."""
    return sorted(
        path.relative_to(GUIDE).as_posix()
        for path in GUIDE.rglob("*.md")
        if formats.fill_guide(path) != path.read_text("utf-8")
    )


def ship_guides() -> None:
    """Write the generated parts of the guides, and copy the guides to where the wheel takes them from."""
    for path in GUIDE.rglob("*.md"):
        path.write_text(formats.fill_guide(path), "utf-8")
    shutil.rmtree(SHIPPED_GUIDE, ignore_errors=True)
    shutil.copytree(GUIDE, SHIPPED_GUIDE)


def write_guide_vectors() -> None:
    """Compute the vectors of passages that are new in the guides, and drop those of passages that are gone.

    Without the weights of the model the file stays.
    """
    with open_demo() as app:
        embedder, index = app.base.embedder, app.base.index
        if embedder is None or app.ingest().embedding is None:
            return
        identity = embedder.identity
        used = index.embeddings.text_hashes([entry.doc_id for entry in index.documents.list_entries()])
        vectors = index.embeddings.find_vectors(identity, sorted(used))
    known = {
        "model": identity.model_dump(),
        "vectors": {each.hex(): b64encode(vector).decode() for each, vector in sorted(vectors.items())},
    }
    SHIPPED_VECTORS.write_text(json.dumps(known, indent=0) + "\n", "utf-8")


def write_pages(pages: dict[str, str]) -> None:
    """Write every page."""
    REFERENCE.mkdir(exist_ok=True)
    for name, text in pages.items():
        (REFERENCE / name).write_text(text, "utf-8")


def main() -> None:
    """Write the pages, or check them and end with exit code 1 where they differ."""
    parser = argparse.ArgumentParser(prog="python -m tools.docs.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing")
    pages = render_pages()
    if not parser.parse_args().check:
        write_pages(pages)
        ship_guides()
        write_guide_vectors()
    elif outdated := [*find_outdated(pages), *find_unfilled(), *find_unshipped()]:
        sys.exit(f"not up to date: {', '.join(outdated)} (run `python -m tools.docs.generate`)")


if __name__ == "__main__":
    main()
