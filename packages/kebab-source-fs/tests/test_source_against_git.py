"""Ignore files mean what git says they mean."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from kebab_core import CodeIngestSettings, SkippedPath, SkipReason, SourceEntry, SourceScope
from kebab_source_fs import FilesystemConnector
from kebab_testing.families import examples

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

NAMES = [
    "a",
    "b",
    "ab",
    "a.md",
    "b.txt",
    "c d",
    " e",
    "f ",
    "[x]",
    "#h",
    "!n",
    "한글.md",
    "x.y.md",
    "A",
    "-",
    "]",
]
SEGMENTS = [
    *NAMES,
    "*", "**", "***", "?", "a*", "*.md", "*b*", "?*", "**b", "[ab]", "[!a]", "[^b]", "[]a]", "[!]a]*",
    "[a-c]", "[c-a]", "[a-]", "[[:alpha:]]", "[[:alpha:][:punct:]]*", "[[:nope:]]", "[a", "[]", r"[\]x]", r"[a\-c]",
    r"\[x\]", r"\#h", r"\!n", r"f\ ", r"\a", "x[!a]y*", "..", ".", "\t", "a\\",
]  # fmt: skip

names = st.sampled_from(NAMES)
files = st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), min_size=1, max_size=8, unique=True)
lines = st.builds(
    lambda mark, anchor, segments, end: f"{mark}{anchor}{'/'.join(segments)}{end}",
    st.sampled_from(["", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=3),
    st.sampled_from(["", "", "/", "/**", "/*", " ", "  ", "\r", "\t", r"\ ", "//"]),
) | st.sampled_from(["# comment", "", "/", "!", "!/", "**/", "*/", "!*/", "//", " "])
ignore_files = st.dictionaries(
    st.lists(names, max_size=2).map("/".join), st.lists(lines, min_size=1, max_size=4), min_size=1, max_size=3
)


@dataclass(frozen=True)
class Repository:
    root: Path

    def fill(self, tree: list[str], ignores: dict[str, list[str]]) -> None:
        for child in self.root.iterdir():
            if child.name != ".git":
                shutil.rmtree(child) if child.is_dir() else child.unlink()
        for path in tree:
            self._write(path, "")
        for folder, patterns in ignores.items():
            self._write(f"{folder}/.gitignore".lstrip("/"), "\n".join(patterns))

    def _write(self, path: str, text: str) -> None:
        target = self.root / path
        if any(parent.is_file() for parent in target.parents) or target.exists():
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="")

    def files(self) -> set[str]:
        found = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return {path.as_posix() for path in found if path.parts[0] != ".git"}

    def ignored(self) -> set[str]:
        result = subprocess.run(
            ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "--stdin", "-z"],
            cwd=self.root, input="\0".join(sorted(self.files())).encode(), capture_output=True, check=False,
        )  # fmt: skip
        assert result.returncode in {0, 1}, result.stderr
        return {path for path in result.stdout.decode().split("\0") if path}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", "--template=", str(root)], check=True, capture_output=True)
    return Repository(root)


def scan_entries(root: Path) -> set[str]:
    connector = FilesystemConnector(CodeIngestSettings())
    items = [item for item in connector.scan(SourceScope(root=str(root))) if item.workspace_path != ".git"]
    reasons = {item.reason for item in items if isinstance(item, SkippedPath)}
    assert reasons <= {SkipReason.GITIGNORE}
    return {str(item.workspace_path) for item in items if isinstance(item, SourceEntry)}


@pytest.mark.thorough
@settings(max_examples=examples(150), deadline=None)
@given(tree=files, ignores=ignore_files)
@example(tree=["a/b/a.md", "a/b.txt"], ignores={"": ["a/**", "!a/b.txt"]})
@example(tree=["a/b/a.md", "a/b.txt"], ignores={"": ["a/*", "!a/b/"], "a/b": ["*.md"]})
@example(tree=["a/b.txt"], ignores={"": ["a", "!a/b.txt"]})
@example(tree=["a/b.txt", "b.txt"], ignores={"": ["/b.txt"], "a": ["!b.txt"]})
@example(tree=["f ", "f", "c d"], ignores={"": ["f\\ ", "c d  "]})
@example(tree=["b/a"], ignores={"": ["[a/]"]})
def test_nested_gitignore_files_leave_out_what_git_ignores(
    repository: Repository, tree: list[str], ignores: dict[str, list[str]]
) -> None:
    repository.fill(tree, ignores)
    assert scan_entries(repository.root) == repository.files() - repository.ignored()


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        (["\ufeffa.md"], {"b.md", "sub/b.md"}),
        (["a.md\r", "\r"], {"b.md", "sub/b.md"}),
        (["sub/"], {"a.md", "b.md"}),
        (["/a.md"], {"b.md", "sub/a.md", "sub/b.md"}),
        (["*.md", "!/b.md"], {"b.md"}),
        (["sub", "!sub/a.md"], {"a.md", "b.md"}),
        (["**/b.md"], {"a.md", "sub/a.md"}),
        (["sub/**", "!sub/b.md"], {"a.md", "b.md", "sub/b.md"}),
        (["[!a].md"], {"a.md", "sub/a.md"}),
    ],
)
def test_one_gitignore_file_gives_the_expected_rest(
    tmp_path: Path, patterns: list[str], left: set[str]
) -> None:
    for name in ("a.md", "b.md", "sub/a.md", "sub/b.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("\n".join(patterns), encoding="utf-8", newline="")
    assert scan_entries(tmp_path) - {".gitignore"} == left
