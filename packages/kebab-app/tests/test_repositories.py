"""Repositories of documents: filters and statistics by their names, and what a commit and another worktree cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import DocFilter, SearchFilters, SearchMode, SearchQuery

if TYPE_CHECKING:
    from conftest import Base, Embedding

pytestmark = pytest.mark.usefixtures("one_process")
FIRST, SECOND = "1" * 40, "2" * 40
CODE = "def total(cart):\n    return sum(cart)\n"


def check_out(folder: Path, *, branch: str = "main", commit: str = FIRST, remote: str = "") -> None:
    git = folder / ".git"
    (git / "refs/heads").mkdir(parents=True, exist_ok=True)
    (git / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (git / "refs/heads" / branch).write_text(f"{commit}\n")
    (git / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n' if remote else "")


def paths(base: Base, repo: str) -> set[str]:
    return {
        str(each.doc_path) for each in base.app.base.index.documents.list_documents(DocFilter(repo=(repo,)))
    }


def test_documents_are_found_by_the_repository_that_they_lie_in(base: Base) -> None:
    base.write("shop/cart.py", CODE)
    base.write("shop/docs/cart.md", "the cart and its total")
    base.write("notes.md", "a total of the month")
    check_out(base.root / "shop", remote="https://me:secret@example.org/team/store.git")
    base.ingest()
    assert paths(base, "store") == {"shop/cart.py", "shop/docs/cart.md"}
    query = SearchQuery(text="total", mode=SearchMode.LEXICAL, filters=SearchFilters(repo=("store",)))
    hits = base.app.search(query).hits
    assert {(str(hit.doc_path), hit.repo) for hit in hits} == {
        ("shop/cart.py", "store"),
        ("shop/docs/cart.md", "store"),
    }
    (repository,) = base.app.base.index.documents.stats().repositories
    assert (repository.folder, repository.remote) == ("shop", "https://example.org/team/store.git")
    assert (repository.branch, repository.commit) == ("main", FIRST)


def test_a_commit_processes_nothing_again(base: Base) -> None:
    base.write("shop/cart.py", CODE)
    check_out(base.root / "shop")
    base.ingest()
    check_out(base.root / "shop", branch="next", commit=SECOND)
    outcome = base.ingest()
    assert outcome.counts == {"scanned": 2, "skipped": 1, "unchanged": 1}
    (repository,) = base.app.base.index.documents.stats().repositories
    assert (repository.name, repository.branch, repository.commit) == ("shop", "next", SECOND)


def test_a_repository_that_is_gone_is_forgotten_with_its_name(base: Base) -> None:
    base.write("shop/cart.py", CODE)
    check_out(base.root / "shop")
    base.ingest()
    (base.root / "shop/.git").rename(base.home / "elsewhere")
    base.ingest()
    assert paths(base, "shop") == set()
    assert base.app.base.index.documents.stats().docs_by_repo == {}


def test_submodules_and_worktrees_below_the_root_are_repositories_of_their_own(base: Base) -> None:
    check_out(base.root / "shop", remote="https://example.org/team/store.git")
    modules = base.root / "shop/.git/modules/prices"
    modules.mkdir(parents=True)
    (modules / "HEAD").write_text(f"{SECOND}\n")
    (modules / "config").write_text('[remote "origin"]\n\turl = https://example.org/team/prices.git\n')
    worktree = base.root / "shop/.git/worktrees/next"
    worktree.mkdir(parents=True)
    (worktree / "HEAD").write_text("ref: refs/heads/next\n")
    (worktree / "commondir").write_text("../..\n")
    for path in ("shop/cart.py", "shop/prices/list.py", "next/cart.py"):
        base.write(path, CODE)
    base.write("shop/prices/.git", "gitdir: ../.git/modules/prices\n")
    base.write("next/.git", f"gitdir: {worktree}\n")
    outcome = base.ingest()
    assert outcome.counts == {"scanned": 6, "skipped": 3, "new": 3}
    assert paths(base, "prices") == {"shop/prices/list.py"}
    assert paths(base, "store") == {"shop/cart.py", "next/cart.py"}


def test_another_worktree_of_a_repository_needs_no_new_vector(base: Base, embedding: Embedding) -> None:
    base.write("shop/src/cart.py", CODE)
    base.ingest()
    before = len(embedding.texts)
    base.write("shop-next/src/cart.py", CODE)
    base.ingest()
    assert len(embedding.texts) == before
    embedding.assert_complete()
