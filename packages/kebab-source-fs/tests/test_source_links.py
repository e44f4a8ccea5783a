from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Source


def test_link_to_a_place_that_is_walked_anyway_is_skipped_whatever_the_names(source: Source) -> None:
    source.write_all({"m/a.md": "", "n.md": ""})
    for name in ("a", "z"):
        (source.root / f"{name}-folder").symlink_to("m")
        (source.root / f"{name}.md").symlink_to("n.md")
    assert source.found() == {
        "a-folder/": "linked_twice",
        "a.md": "linked_twice",
        "m/a.md": "entry",
        "n.md": "entry",
        "z-folder/": "linked_twice",
        "z.md": "linked_twice",
    }


def test_link_to_a_place_left_out_is_followed_once(source: Source) -> None:
    source.write_all({".gitignore": "/store/\n", "store/1/a.md": "", "store/2": "text"})
    (source.root / "first").symlink_to("store/1")
    (source.root / "second").symlink_to(source.root / "store/1")
    (source.root / "x.md").symlink_to("store/2")
    (source.root / "y.md").symlink_to("store/2")
    assert source.found() == {
        ".gitignore": "entry",
        "first/a.md": "entry",
        "second/": "linked_twice",
        "store/": "gitignore",
        "x.md": "entry",
        "y.md": "entry",
    }


def test_link_that_gives_an_unknown_file_a_known_name_is_followed(source: Source) -> None:
    source.write_all({"blobs/1": "text"})
    (source.root / "a.md").symlink_to("blobs/1")
    assert source.found() == {"a.md": "entry", "blobs/1": "entry"}


@pytest.mark.parametrize("target", [".", "..", "../b", "../../a", "../.."])
def test_link_back_into_its_own_way_is_a_loop(source: Source, target: str) -> None:
    source.write_all({"a/x.md": "", "a/b/y.md": ""})
    (source.root / "a/b/loop").symlink_to(target)
    assert source.found() == {"a/b/loop/": "symlink_loop", "a/b/y.md": "entry", "a/x.md": "entry"}


def test_loops_inside_a_followed_place_end(source: Source) -> None:
    source.write_all({".kebabignore": "/store/\n", "store/a/x.md": "", "store/b/y.md": ""})
    (source.root / "in").symlink_to("store/a")
    (source.root / "store/a/self").symlink_to(".")
    (source.root / "store/a/up").symlink_to("..")
    (source.root / "store/a/over").symlink_to("../b")
    (source.root / "store/b/back").symlink_to("../a")
    assert source.found() == {
        ".kebabignore": "entry",
        "in/over/back/": "linked_twice",
        "in/over/y.md": "entry",
        "in/self/": "symlink_loop",
        "in/up/": "symlink_loop",
        "in/x.md": "entry",
        "store/": "kebabignore",
    }


def test_link_out_of_the_source_is_not_followed(source: Source, tmp_path: Path) -> None:
    (tmp_path / "notes-2").mkdir()
    (tmp_path / "notes-2/a.md").write_text("secret", encoding="utf-8")
    (source.root / "folder").symlink_to(tmp_path / "notes-2")
    (source.root / "file.md").symlink_to("../notes-2/a.md")
    (source.root / "around.md").symlink_to("folder/a.md")
    assert source.found() == {
        "around.md": "symlink_outside",
        "file.md": "symlink_outside",
        "folder/": "symlink_outside",
    }


def test_link_that_leads_nowhere_is_broken_and_circles_are_loops(source: Source) -> None:
    (source.root / "broken.md").symlink_to("missing.md")
    (source.root / "a").symlink_to("b")
    (source.root / "b").symlink_to("a")
    assert source.found() == {"a": "symlink_loop", "b": "symlink_loop", "broken.md": "broken_link"}


def test_links_are_left_out_when_the_configuration_says_so(source: Source) -> None:
    source.write_all({".git/1": "", ".git/2/b.md": ""})
    (source.root / "a.md").symlink_to(".git/1")
    (source.root / "b").symlink_to(".git/2")
    assert source.found(follow_symlinks=False) == {
        ".git/": "builtin_blacklist",
        "a.md": "config_exclude",
        "b/": "config_exclude",
    }


def test_ignore_rules_apply_to_links_before_their_targets(source: Source, tmp_path: Path) -> None:
    source.write_all({".gitignore": "out/\nbroken\n"})
    (source.root / "out").symlink_to(tmp_path)
    (source.root / "broken").symlink_to("missing")
    assert source.found() == {".gitignore": "entry", "broken": "gitignore", "out/": "gitignore"}


def test_rules_inside_a_followed_folder_apply(source: Source) -> None:
    source.write_all({".kebabignore": "/store/\n*.txt\n", "store/.gitignore": "x.md\n"})
    source.write_all({"store/x.md": "", "store/y.md": "", "store/z.txt": ""})
    (source.root / "in").symlink_to("store")
    found = source.found(under="in")
    assert found == {
        "in/.gitignore": "entry",
        "in/x.md": "gitignore",
        "in/y.md": "entry",
        "in/z.txt": "kebabignore",
    }
