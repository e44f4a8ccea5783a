"""The members of the workspace, read from their folders."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
_REQUIREMENT_NAME = re.compile(r"[A-Za-z0-9._-]+")
_NOT_SOURCES = {".git", ".venv", ".venv-audio", ".uv", ".hypothesis", "__pycache__", "dist", "build"}


@dataclass(frozen=True)
class Member:
    """One distribution: `packages/kebab-x` holds the module `kebab_x`."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def module(self) -> str:
        return self.name.replace("-", "_")

    @property
    def source(self) -> Path:
        return self.folder / "src" / self.module

    @property
    def readme(self) -> str:
        return (self.folder / "README.md").read_text("utf-8")

    @property
    def project(self) -> dict[str, Any]:
        return read_toml(self.folder / "pyproject.toml")["project"]

    @property
    def dependencies(self) -> set[str]:
        """Normalised names of the declared requirements."""
        return {requirement_name(text) for text in self.project.get("dependencies", [])}

    @property
    def optional_dependencies(self) -> set[str]:
        """Normalised names of what its extras require."""
        extras = self.project.get("optional-dependencies", {})
        return {requirement_name(text) for texts in extras.values() for text in texts}


def read_toml(path: Path) -> dict[str, Any]:
    """Return the tables of a TOML file."""
    return tomllib.loads(path.read_text("utf-8"))


def requirement_name(text: str) -> str:
    """Return the normalised distribution name a requirement starts with."""
    match = _REQUIREMENT_NAME.match(text)
    assert match, text
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def files_below(folder: Path, pattern: str = "*") -> Iterator[Path]:
    """Yield the files of the tree that people write, in order."""
    for path in sorted(folder.rglob(pattern)):
        parts = path.relative_to(ROOT).parts
        cached = any(part in _NOT_SOURCES or part.endswith("_cache") for part in parts)
        if path.is_file() and not cached:
            yield path


class Source(NamedTuple):
    """Imports, texts and attributes of a file of Python, read at once; of files beside the product's only the imports."""

    imports: tuple[tuple[int, str, tuple[str, ...]], ...]
    """(line, module, names) of every import statement; names are empty for `import module`."""
    texts: tuple[tuple[int, str], ...]
    """String constants with their lines, docstrings and other bare strings left out."""
    attributes: frozenset[tuple[str, str]]
    """Every `owner.name`, as the last two names of an attribute chain."""


def imports_in(path: Path) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """Return the import statements of a file; see `Source`."""
    return read_source(path).imports


@cache
def read_source(path: Path) -> Source:
    """Return what is asked of a file."""
    nodes = _nodes_in(
        ast.parse(path.read_text("utf-8"), str(path)), whole="src" in path.relative_to(ROOT).parts
    )
    bare = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    imports: list[tuple[int, str, tuple[str, ...]]] = []
    texts: list[tuple[int, str]] = []
    attributes: set[tuple[str, str]] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            attributes.add((_last_name(node.value), node.attr))
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and id(node) not in bare:
                texts.append((node.lineno, node.value))
        elif isinstance(node, ast.Import):
            imports += [(node.lineno, alias.name, ()) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            imports.append((node.lineno, node.module or "", tuple(alias.name for alias in node.names)))
    return Source(tuple(imports), tuple(texts), frozenset(attributes))


def _nodes_in(tree: ast.AST, *, whole: bool) -> list[ast.AST]:
    """Return the nodes of a tree in the order of `ast.walk`, in less time; statements only, unless the whole is wanted."""
    kinds = (ast.AST,) if whole else (ast.stmt, ast.excepthandler, ast.match_case)
    nodes = [tree]
    for node in nodes:
        for value in map(node.__dict__.get, node._fields):
            if isinstance(value, list):
                nodes += [each for each in value if isinstance(each, kinds)]
            elif whole and isinstance(value, ast.AST):
                nodes.append(value)
    return nodes


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def shown(path: Path) -> str:
    """Return a path as messages name it: from the root of the workspace."""
    return path.relative_to(ROOT).as_posix()


_LEFT_OUT = set(read_toml(ROOT / "pyproject.toml")["tool"]["uv"]["workspace"]["exclude"])
"""Packages that no environment of the workspace has."""
MEMBERS = tuple(
    Member(path.parent)
    for folder in ("packages", "apps")
    for path in sorted((ROOT / folder).glob("*/pyproject.toml"))
    if f"{folder}/{path.parent.name}" not in _LEFT_OUT
)
MODULES = {member.module for member in MEMBERS}
