"""The members of the workspace, read from their folders."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_REQUIREMENT_NAME = re.compile(r"[A-Za-z0-9._-]+")
_NOT_SOURCES = {".git", ".venv", ".uv", ".hypothesis", "__pycache__", "dist", "build"}


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


@cache
def imports_in(path: Path) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    """Return (line, module, names) of every import statement; names are empty for `import module`."""
    return tuple(_read_imports(path))


def _read_imports(path: Path) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or "", tuple(alias.name for alias in node.names)


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
