"""Size and shape of the product code, at revisions of the repository and as it is now.

Product code is every `*.py` below `packages/*/src` and `apps/*/src`, without kebab-testing. The counts:

- files, and lines of them;
- small files: at most 60 lines, not an `__init__` or `__main__`, imported by exactly one other product file;
- lines of kebab_app;
- modules of kebab that `kebab search --mode lexical` loads;
- functions of kebab that are called by it, counted once each.

The last two are counted in a fresh process over a knowledge base of two notes, with the code of that revision and
the libraries of this environment.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
SMALL_FILE_LINES = 60
QUERY = "색인은 언제 만들어지나요?"
NOTES = {"색인": "색인은 파일이 바뀌면 다시 만들어진다.", "backups": "The database is copied every night."}

COUNTED_SEARCH = """
import contextlib, io, sys
sys.path[:0] = sys.argv[1].split(":")
functions = set()
def note(frame, event, argument):
    code = frame.f_code
    if event == "call" and "/kebab_" in code.co_filename and code.co_name[0] != "<":
        functions.add((code.co_filename, code.co_firstlineno))
sys.argv = ["kebab", *sys.argv[2:]]
from kebab_cli.start import start
sys.setprofile(note)
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    start()
sys.setprofile(None)
modules = [name for name in sys.modules if name.partition(".")[0].startswith("kebab_")]
print(len(modules), len(functions))
"""


class House(NamedTuple):
    """The counts of one state of the code."""

    files: int
    small_files: int
    lines: int
    app_lines: int
    search_modules: int
    search_functions: int


def product_files(tree: Path) -> Iterator[tuple[str, Path]]:
    """Yield the module name and the path of every product file."""
    for source in sorted([*tree.glob("packages/*/src"), *tree.glob("apps/*/src")]):
        if source.parent.name == "kebab-testing":
            continue
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported_modules(path: Path) -> set[str]:
    """Return the modules that a file imports anywhere in it, with every name that may be a module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def count(tree: Path) -> House:
    """Count one tree of the repository."""
    files = dict(product_files(tree))
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in files.items()}
    importers = Counter(
        module for name, path in files.items() for module in imported_modules(path) if module != name
    )
    small = [
        name
        for name, path in files.items()
        if not path.stem.startswith("__") and lines[name] <= SMALL_FILE_LINES and importers[name] == 1
    ]
    modules, functions = count_search(tree)
    return House(
        files=len(files),
        small_files=len(small),
        lines=sum(lines.values()),
        app_lines=sum(size for name, size in lines.items() if name.partition(".")[0] == "kebab_app"),
        search_modules=modules,
        search_functions=functions,
    )


def count_search(tree: Path) -> tuple[int, int]:
    """Return how many modules a lexical search loads, and how many functions it calls."""
    sources = [str(source) for source in [*tree.glob("packages/*/src"), *tree.glob("apps/*/src")]]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "notes").mkdir()
        for title, text in NOTES.items():
            (folder / "notes" / f"{title}.md").write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        config = folder / "kebab.toml"
        config.write_text(
            '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n',
            encoding="utf-8",
        )

        def run(*arguments: str) -> str:
            command = [sys.executable, "-c", COUNTED_SEARCH, ":".join(sources), *arguments]
            return subprocess.run(
                [*command, "--config", str(config)], check=True, capture_output=True, text=True
            ).stdout

        run("ingest", "--quiet")
        modules, functions = run("search", QUERY, "--mode", "lexical").split()
    return int(modules), int(functions)


def export(revision: str, folder: Path) -> Path:
    """Write the files of a revision below a folder and return it."""
    archive = subprocess.run(
        ["git", "archive", "--format=tar", revision], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as tar:
        tar.extractall(folder, filter="data")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("revisions", nargs="*", help="revisions of git to count before the tree as it is")
    options = parser.parse_args()
    houses = {}
    for revision in options.revisions:
        with tempfile.TemporaryDirectory() as scratch:
            houses[revision] = count(export(revision, Path(scratch)))
    houses["now"] = count(ROOT)
    print(f"{'':28}" + "".join(f"{name:>12}" for name in houses))
    for field in House._fields:
        print(
            f"{field.replace('_', ' '):28}"
            + "".join(f"{getattr(house, field):12,}" for house in houses.values())
        )


if __name__ == "__main__":
    main()
