"""Facts of repositories, read from real checkouts that git made, and from files as git writes them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from kebab_core import CodeIngestSettings, Repository, SourceScope, WorkspacePath
from kebab_source_fs import FilesystemConnector

COMMIT = "1" * 40
GIT = shutil.which("git")
needs_git = pytest.mark.skipif(GIT is None, reason="git is not installed")


def _read(root: Path, folder: str | None = None) -> Repository | None:
    connector = FilesystemConnector(CodeIngestSettings())
    return connector.read_repository(SourceScope(root=str(root)), WorkspacePath(folder) if folder else None)


def _checkout(folder: Path, *, head: str = "ref: refs/heads/main\n", config: str = "") -> Path:
    git = folder / ".git"
    git.mkdir(parents=True)
    (git / "HEAD").write_text(head)
    (git / "config").write_text(config)
    return git


def _git(folder: Path, *arguments: str) -> str:
    own = {"HOME": str(folder), "PATH": os.defpath, "GIT_CONFIG_NOSYSTEM": "1"}
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]
    done = subprocess.run(
        [str(GIT), "-C", str(folder), *settings, *arguments],
        env=own,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def test_branch_and_commit_are_those_of_head(tmp_path: Path) -> None:
    git = _checkout(tmp_path / "shop", config='[remote "origin"]\n\turl = git@example.org:team/store.git\n')
    (git / "refs/heads/feature").mkdir(parents=True)
    (git / "refs/heads/feature/x").write_text(f"{COMMIT}\n")
    (git / "HEAD").write_text("ref: refs/heads/feature/x\n")
    assert _read(tmp_path, "shop") == Repository(
        folder=WorkspacePath("shop"),
        name="store",
        remote="git@example.org:team/store.git",
        branch="feature/x",
        commit=COMMIT,
    )


def test_a_packed_branch_has_its_commit(tmp_path: Path) -> None:
    git = _checkout(tmp_path)
    (git / "packed-refs").write_text(
        f"# pack-refs with: peeled\n{'2' * 40} refs/heads/not/main\n{COMMIT} refs/heads/main\n"
    )
    found = _read(tmp_path)
    assert found is not None
    assert (found.folder, found.name, found.commit) == (None, tmp_path.name, COMMIT)


@pytest.mark.parametrize(
    ("head", "branch", "commit"),
    [
        (f"{COMMIT}\n", None, COMMIT),
        ("ref: refs/heads/new\n", "new", None),
        ("ref: refs/heads/.invalid\n", None, None),
        ("ref: ../../secret\n", None, None),
        ("nonsense", None, None),
    ],
)
def test_a_head_without_branch_or_commit_has_none(
    tmp_path: Path, head: str, branch: str | None, commit: str | None
) -> None:
    _checkout(tmp_path, head=head)
    found = _read(tmp_path)
    assert found is not None
    assert (found.branch, found.commit) == (branch, commit)


@pytest.mark.parametrize(
    ("address", "shown", "name"),
    [
        (
            "https://user:token@example.org/team/store.git?key=1",
            "https://example.org/team/store.git",
            "store",
        ),
        ("https://token@example.org/team/store/", "https://example.org/team/store/", "store"),
        ("ssh://git:pass@example.org:22/team/store.git", "ssh://git@example.org:22/team/store.git", "store"),
        ("git@example.org:store.git", "git@example.org:store.git", "store"),
        ("../장바구니.git", "../장바구니.git", "장바구니"),
        (r"C:\code\store", r"C:\code\store", "store"),
    ],
)
def test_a_remote_is_shown_without_secrets(tmp_path: Path, address: str, shown: str, name: str) -> None:
    _checkout(
        tmp_path, config=f'[core]\n\tbare = false\n[remote "origin"]\n\tfetch = +refs/*\n\turl = {address}\n'
    )
    found = _read(tmp_path)
    assert found is not None
    assert (found.remote, found.name) == (shown, name)


@pytest.mark.parametrize(
    "config",
    [
        "",
        "not a config",
        "[core\n",
        '[remote "a"]\nurl = x/one\n[remote "b"]\nurl = x/two\n',
        '[remote "origin"]\n\tfetch = x\n',
        '[url "x"]\n\turl = y\n',
    ],
)
def test_without_a_single_remote_the_folder_gives_the_name(tmp_path: Path, config: str) -> None:
    _checkout(tmp_path / "집", config=config)
    found = _read(tmp_path, "집")
    assert found is not None
    assert (found.name, found.remote) == ("집", None)


def test_a_folder_without_a_readable_git_is_no_repository(tmp_path: Path) -> None:
    for name, content in {
        "empty": b"",
        "other": b"hello",
        "lost": b"gitdir: /no/such/folder\n",
        "zero": b"gitdir: \0",
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_bytes(content)
        assert _read(tmp_path, name) is None
    (tmp_path / "bare/.git").mkdir(parents=True)
    assert _read(tmp_path, "bare") is None


def test_a_source_inside_of_a_checkout_belongs_to_it(tmp_path: Path) -> None:
    _checkout(tmp_path / "shop")
    (tmp_path / "shop/docs/guide").mkdir(parents=True)
    found = _read(tmp_path / "shop/docs/guide")
    assert found is not None
    assert (found.folder, found.name) == (None, "shop")


@needs_git
def test_worktrees_and_submodules_are_read_as_git_made_them(tmp_path: Path) -> None:
    library, shop = tmp_path / "library", tmp_path / "shop"
    for folder in (library, shop):
        folder.mkdir()
        _git(folder, "init", "-q", "-b", "trunk")
        (folder / "a.py").write_text("x = 1\n")
        _git(folder, "add", ".")
        _git(folder, "commit", "-q", "-m", "first")
    _git(shop, "submodule", "--quiet", "add", str(library), "vendor/library")
    _git(shop, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "shop-feature"))
    _git(shop, "pack-refs", "--all")
    commit = _git(shop, "rev-parse", "HEAD")
    assert _read(tmp_path, "shop") == Repository(
        folder=WorkspacePath("shop"), name="shop", branch="trunk", commit=commit
    )
    assert _read(tmp_path, "shop-feature") == Repository(
        folder=WorkspacePath("shop-feature"), name="shop", branch="feature", commit=commit
    )
    assert _read(tmp_path, "shop/vendor/library") == Repository(
        folder=WorkspacePath("shop/vendor/library"),
        name="library",
        remote=str(library),
        branch="trunk",
        commit=_git(library, "rev-parse", "HEAD"),
    )
