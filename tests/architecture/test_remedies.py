"""Nothing below the faces has words of a face. Words of remedies are tested in `kebab-wire` and in each face."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
NAMES = "|".join(
    sorted(
        path.stem.replace("_", "-")
        for path in (ROOT / "apps/kebab-cli/src/kebab_cli/commands").glob("[a-z]*.py")
    )
)
COMMAND = re.compile(rf"\bkebab (?:{NAMES})\b|(?<![\w-])--[a-z]|\bchmod\b|\bpip install\b|\bollama pull\b")
WORDS_OF_FACES = {
    "kebab_wire/remedies.py",
    "kebab_config/face_flags.py",
    "kebab_config/default_file.py",
    "kebab_runtime/editors.py",
}
"""Words and flags that faces share, comments of the configuration file for its reader, and flags of other programs."""


def test_no_text_below_the_faces_names_a_command_or_a_flag() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / "packages").glob("*/src/**/*.py"))
        if f"{path.parts[-2]}/{path.name}" not in WORDS_OF_FACES
        for line, text in _texts(path)
        if COMMAND.search(text)
    ]
    assert found == []


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    """String constants with their lines, docstrings and other bare strings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value
