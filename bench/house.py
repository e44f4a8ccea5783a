"""Size and shape of the code, at revisions of the repository and as it is now.

Files and lines are every `*.py` below `packages/*/src` and `apps/*/src`, kebab-testing with them; "product" leaves it out. The
counts of shape:

- small files: at most 60 lines, not an `__init__` or `__main__`, imported by exactly one other product file;
- seams: classes that are Protocols or have abstract methods;
- callables: parameters and fields whose annotation is, or begins with, `Callable`;
- patterns: calls of `re.compile`;
- modules of kebab that a command loads, and functions of kebab that it calls, counted once each: a search by words and an
  answer over one note without vectors, and the ingest of one .docx.

Each command runs in a fresh process, with the code of that revision and the libraries of this environment.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SMALL_FILE_LINES = 60
QUERY = "zebra"
NOTE = "# Zebra\n\nA zebra has stripes.\n"
QUESTION = "What does a zebra have?"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
DOCX = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
    '.wordprocessingml.document.main+xml"/></Types>',
    "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="word/document.xml" Type="http://schemas.openxmlformats.org/officeDocument'
    '/2006/relationships/officeDocument"/></Relationships>',
    "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>A zebra has stripes.</w:t></w:r></w:p>'
    "</w:body></w:document>",
}

CONFIG = '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n'
COUNTED = """
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


def source_files(tree: Path, *, with_testing: bool) -> Iterator[tuple[str, Path]]:
    """Yield the module name and the path of every file."""
    for source in sorted([*tree.glob("packages/*/src"), *tree.glob("apps/*/src")]):
        if source.parent.name == "kebab-testing" and not with_testing:
            continue
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported_modules(tree: ast.AST) -> set[str]:
    """Return the modules that a file imports anywhere in it, with every name that may be a module."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def is_seam(node: ast.AST) -> bool:
    """Return True for a class that is a Protocol or has abstract methods."""
    if not isinstance(node, ast.ClassDef):
        return False
    bases = {ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases}
    abstract = any(
        ast.unparse(decorator).endswith("abstractmethod")
        for member in node.body
        if isinstance(member, ast.FunctionDef)
        for decorator in member.decorator_list
    )
    return bool(bases & {"Protocol", "ABC"}) or abstract


def is_callable(node: ast.AST) -> bool:
    """Return True for a parameter or a field whose annotation is a callable."""
    annotation = node.annotation if isinstance(node, ast.arg | ast.AnnAssign) else None
    return annotation is not None and ast.unparse(annotation).startswith("Callable")


def is_pattern(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"


def count(tree: Path) -> dict[str, int]:
    """Count one tree of the repository."""
    every = dict(source_files(tree, with_testing=True))
    product = dict(source_files(tree, with_testing=False))
    parsed = {name: ast.parse(path.read_text("utf-8")) for name, path in every.items()}
    lines = {name: len(path.read_text("utf-8").splitlines()) for name, path in every.items()}
    importers = Counter(
        module for name in product for module in imported_modules(parsed[name]) if module != name
    )
    small = [
        name
        for name, path in product.items()
        if not path.stem.startswith("__") and lines[name] <= SMALL_FILE_LINES and importers[name] == 1
    ]
    nodes = [node for each in parsed.values() for node in ast.walk(each)]
    return {
        "files": len(every),
        "lines": sum(lines.values()),
        "product lines": sum(lines[name] for name in product),
        "lines of kebab_app": sum(lines[name] for name in product if name.partition(".")[0] == "kebab_app"),
        "small files": len(small),
        "seams": sum(map(is_seam, nodes)),
        "callables": sum(map(is_callable, nodes)),
        "patterns": sum(map(is_pattern, nodes)),
        **count_commands(tree),
    }


def count_commands(tree: Path) -> dict[str, int]:
    """Return the numbers of modules that commands load and of functions that they call, by name."""
    folders = [*tree.glob("packages/*/src"), *tree.glob("apps/*/src")]
    # Files of a model are made when its package is built.
    sources = [str(source) for source in folders if not source.parent.name.startswith("kebab-model-")]
    counts: dict[str, int] = {}

    def run(folder: Path, name: str, *arguments: str) -> None:
        command = [sys.executable, "-c", COUNTED, ":".join(sources), *arguments]
        command += ["--config", str(folder / "kebab.toml")]
        done = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        counts[f"modules, {name}"], counts[f"functions, {name}"] = map(int, done)

    with tempfile.TemporaryDirectory() as scratch:
        office, notes = (make_base(Path(scratch) / name) for name in ("office", "notes"))
        with zipfile.ZipFile(office / "notes" / "zebra.docx", "w") as archive:
            for name, text in DOCX.items():
                archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{text}')
        (notes / "notes" / "zebra.md").write_text(NOTE, "utf-8")
        run(office, "ingest of a .docx", "ingest", "--quiet")
        run(notes, "ingest of a note", "ingest", "--quiet")
        run(notes, "search", "search", QUERY)
        run(notes, "answer", "ask", QUESTION)
    return counts


def make_base(folder: Path) -> Path:
    """Make an empty folder of notes with a configuration beside it."""
    (folder / "notes").mkdir(parents=True)
    (folder / "kebab.toml").write_text(CONFIG, "utf-8")
    return folder


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
    houses: dict[str, dict[str, int]] = {}
    for revision in options.revisions:
        with tempfile.TemporaryDirectory() as scratch:
            houses[revision] = count(export(revision, Path(scratch)))
    houses["now"] = count(ROOT)
    print(f"{'':32}" + "".join(f"{name:>12}" for name in houses))
    for name in houses["now"]:
        print(f"{name:32}" + "".join(f"{house.get(name, 0):12,}" for house in houses.values()))


if __name__ == "__main__":
    main()
