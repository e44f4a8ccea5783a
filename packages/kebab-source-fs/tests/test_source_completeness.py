"""No file is lost and none is found twice, whatever the tree and the rules."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from kebab_core import (
    CodeIngestSettings,
    ScanItem,
    SkippedPath,
    SourceEntry,
    SourceScope,
    StorageError,
    UnreadableFolder,
    WorkspacePath,
)
from kebab_source_fs import FilesystemConnector
from kebab_testing.families import examples

CONNECTOR = FilesystemConnector(CodeIngestSettings())
NAMES = ["a", "a.md", "a b", "b.py", "가.md", "node_modules", ".git", "env", "pyvenv.cfg", ".DS_Store", "a-"]
paths = st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map("/".join)
patterns = st.lists(
    st.sampled_from(["a", "*.md", "!a.md", "a/", "/a", "a/**", "!*", "가*", "b.?y"]), max_size=3
)


@dataclass(frozen=True)
class Tree:
    """Names to make below a root; one that runs through a file or a link is left out."""

    files: list[str]
    folders: list[str]
    links: dict[str, str]
    ignore_files: dict[str, list[str]]

    def build(self, root: Path) -> None:
        for folder in self.folders:
            make_folder(root / folder)
        texts = {
            **dict.fromkeys(self.files, "text"),
            **{k: "\n".join(v) for k, v in self.ignore_files.items()},
        }
        for path, text in texts.items():
            if make_folder((root / path).parent) and not (root / path).exists():
                (root / path).write_text(text, encoding="utf-8")
        for path, target in self.links.items():
            if make_folder((root / path).parent) and not os.path.lexists(root / path):
                (root / path).symlink_to(root / target)


def make_folder(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return folder.resolve() == folder


ignore_paths = st.builds(
    lambda folder, name: f"{folder}/{name}".lstrip("/"),
    st.just("") | paths,
    st.sampled_from([".gitignore", ".kebabignore"]),
)
trees = st.builds(
    Tree,
    files=st.lists(paths, max_size=10, unique=True),
    folders=st.lists(paths, max_size=3, unique=True),
    links=st.dictionaries(paths, paths | st.sampled_from(["", "missing"]), max_size=4),
    ignore_files=st.dictionaries(ignore_paths, patterns, max_size=4),
)


def regular_files(root: Path) -> set[str]:
    return {
        (Path(folder) / name).relative_to(root).as_posix()
        for folder, _, names in os.walk(root)
        for name in names
        if not (Path(folder) / name).is_symlink()
    }


def stands_for(item: ScanItem, path: str) -> bool:
    if item.workspace_path == path:
        return True
    is_folder = isinstance(item, UnreadableFolder) or (isinstance(item, SkippedPath) and item.is_folder)
    return is_folder and path.startswith(f"{item.workspace_path}/")


@pytest.mark.thorough
@settings(max_examples=examples(150), deadline=None)
@given(tree=trees, exclude=patterns)
@example(tree=Tree(["a/a.md"], [], {"a/a": "a", "b.py": "a"}, {}), exclude=[])
@example(tree=Tree(["a/a.md"], [], {"a b": "a", "b.py": "a", "a/b": "a"}, {".gitignore": ["/a"]}), exclude=[])
def test_every_regular_file_is_accounted_for_exactly_once(tree: Tree, exclude: list[str]) -> None:
    with source_of(tree) as root:
        scope = SourceScope(root=str(root), exclude=tuple(exclude))
        items = list(CONNECTOR.scan(scope))

        found = {path: [item for item in items if stands_for(item, path)] for path in regular_files(root)}
        assert {path: len(of_path) for path, of_path in found.items()} == dict.fromkeys(found, 1)
        keys = [tuple(str(item.workspace_path).split("/")) for item in items]
        assert keys == sorted(set(keys))
        assert all(Path(item.disk_path).is_file() for item in items if isinstance(item, SourceEntry))
        assert list(CONNECTOR.scan(scope)) == items


@pytest.mark.thorough
@settings(max_examples=examples(100), deadline=None)
@given(tree=trees, under=paths)
def test_scan_under_a_path_is_that_part_of_the_whole_scan(tree: Tree, under: str) -> None:
    with source_of(replace(tree, links={})) as root:
        scope = SourceScope(root=str(root))
        whole = list(CONNECTOR.scan(scope))
        expected = [
            item
            for item in whole
            if stands_for(item, under) or str(item.workspace_path).startswith(f"{under}/")
        ]
        narrowed = scope.model_copy(update={"under": WorkspacePath(under)})
        if expected or (root / under).exists():
            assert list(CONNECTOR.scan(narrowed)) == expected
        else:
            with pytest.raises(StorageError):
                list(CONNECTOR.scan(narrowed))


@contextmanager
def source_of(tree: Tree) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "source"
        root.mkdir()
        tree.build(root)
        yield root
