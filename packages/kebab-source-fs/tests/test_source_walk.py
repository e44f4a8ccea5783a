from __future__ import annotations

import inspect
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import SourceEntry, StorageError, UnreadableFolder

if TYPE_CHECKING:
    from conftest import Source

NFD = "\u1112\u1161\u11ab"
NFC = "한"


def test_names_with_signs_that_mean_something_elsewhere_are_plain_names(source: Source) -> None:
    names = [
        "a#b.md",
        "a?b.md",
        "a b.md",
        "100%.md",
        "회의록.md",
        "a\\b.md",
        "[x].md",
        "*.md",
        "a:b.md",
        "'\".md",
        "a\nb.md",
    ]
    source.write_all(dict.fromkeys(names, ""))
    assert source.found() == dict.fromkeys(names, "entry")
    assert all(Path(item.disk_path).exists() for item in source.scan() if isinstance(item, SourceEntry))


def test_decomposed_name_keeps_its_spelling_for_opening(source: Source) -> None:
    source.write_all({f"{NFD}/{NFD}.md": "text"})
    (entry,) = source.scan()
    assert isinstance(entry, SourceEntry)
    assert entry.workspace_path == f"{NFC}/{NFC}.md"
    assert entry.disk_path == f"{source.root}/{NFD}/{NFD}.md"
    assert source.scan(under=f"{NFC}/{NFC}.md") == [entry]


def test_names_that_collide_after_composition_are_entry_and_skipped(source: Source) -> None:
    source.write_all({
        f"{NFC}.md": "composed",
        f"{NFD}.md": "decomposed",
        f"{NFC}/a.md": "",
        f"{NFD}/b.md": "",
    })
    if len(list(source.root.iterdir())) < 4:
        pytest.skip("this file system takes both spellings for one name")
    assert source.found() == {
        f"{NFC}.md~": "spelled_twice",
        f"{NFC}~/": "spelled_twice",
        f"{NFC}.md": "entry",
        f"{NFC}/b.md": "entry",
    }
    entry = next(item for item in source.scan() if isinstance(item, SourceEntry))
    assert Path(entry.disk_path).name in {f"{NFD}.md", "b.md"}


def test_name_that_is_not_utf8_is_skipped_under_a_printable_path(source: Source) -> None:
    root = os.fsencode(source.root)
    try:
        Path(os.fsdecode(root + b"/caf\xe9.md")).touch()
        Path(os.fsdecode(root + b"/d\xff")).mkdir()
    except OSError:
        pytest.skip("this file system refuses such names")
    Path(os.fsdecode(root + b"/d\xff/a.md")).touch()
    source.write_all({r"caf\xe9.md": "its escape is a name too"})
    assert source.found() == {
        r"caf\xe9.md": "entry",
        r"caf\xe9.md~": "unusable_name",
        "d\\xff/": "unusable_name",
    }


def test_empty_file_and_unknown_medium_are_entries(source: Source) -> None:
    source.write_all({"a.md": "", "b.xyz": "?", "c": ""})
    assert set(source.found().values()) == {"entry"}


def test_socket_and_pipe_are_not_regular(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(source.root / "pipe.md")
    monkeypatch.chdir(source.root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket.md")
    assert source.found() == {"pipe.md": "not_regular", "socket.md": "not_regular"}


def test_pipe_named_as_an_ignore_file_does_not_stop_the_scan(source: Source) -> None:
    os.mkfifo(source.root / ".gitignore")
    os.mkfifo(source.root / "CACHEDIR.TAG")
    source.write_all({"a.md": ""})
    assert source.found()["a.md"] == "entry"


def test_folder_that_cannot_be_listed_is_reported_and_the_scan_goes_on(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.write_all({"a.md": "", "b/c.md": "", "d.md": ""})
    refuse_to_list(monkeypatch, source.root / "b")
    assert source.found() == {"a.md": "entry", "b/": "unreadable-folder", "d.md": "entry"}
    folder = source.scan()[1]
    assert isinstance(folder, UnreadableFolder)
    assert "Permission denied" in folder.message


def test_root_that_cannot_be_listed_raises(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_to_list(monkeypatch, source.root)
    with pytest.raises(StorageError) as caught:
        source.scan()
    assert caught.value.remedy


def refuse_to_list(monkeypatch: pytest.MonkeyPatch, refused: Path) -> None:
    """Tests may run as root, whom no permission stops: stand in for the operating system."""
    real_scandir = os.scandir

    def refusing_scandir(path: str) -> os._ScandirIterator[str]:
        if Path(path) == refused:
            raise PermissionError(13, "Permission denied", path)
        return real_scandir(path)

    monkeypatch.setattr(os, "scandir", refusing_scandir)


@pytest.mark.parametrize("root", ["missing", "file.md"])
def test_root_that_is_no_folder_raises(source: Source, root: str) -> None:
    source.write_all({"file.md": ""})
    with pytest.raises(StorageError) as caught:
        source.scan(root=str(source.root / root))
    assert caught.value.remedy


def test_root_may_end_in_a_slash_or_be_a_link(source: Source, tmp_path: Path) -> None:
    source.write_all({"a/b.md": ""})
    (tmp_path / "link").symlink_to(source.root)
    whole = source.scan()
    assert source.scan(root=f"{source.root}/") == whole
    assert source.found(root=str(tmp_path / "link")) == {"a/b.md": "entry"}


def test_folders_deeper_than_pythons_stack_are_walked(source: Source) -> None:
    depth = 300
    source.write_all({"d/" * depth + "a.md": ""})
    expected = source.found()
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + depth // 2)
    try:
        found = source.found()
    finally:
        sys.setrecursionlimit(limit)
    assert found == expected == {"d/" * depth + "a.md": "entry"}


def test_scan_under_a_folder_obeys_the_rules_above_it(source: Source) -> None:
    source.write_all({".gitignore": "*.tmp.md\n", "a/.kebabignore": "x.md\n"})
    source.write_all({"a/b/x.md": "", "a/b/y.md": "", "a/b/z.tmp.md": "", "c.md": ""})
    expected = {"a/b/x.md": "kebabignore", "a/b/y.md": "entry", "a/b/z.tmp.md": "gitignore"}
    assert source.found(under="a/b") == expected
    assert source.found(under="a/b/x.md") == {"a/b/x.md": "kebabignore"}


def test_scan_under_a_folder_left_out_yields_that_folder_only(source: Source) -> None:
    source.write_all({".gitignore": "a/\n", "a/b/c.md": "", "node_modules/d/e.md": ""})
    assert source.found(under="a/b") == {"a/": "gitignore"}
    assert source.found(under="node_modules/d/e.md") == {"node_modules/": "builtin_blacklist"}


def test_scan_under_an_included_folder_inherits_its_inclusion(source: Source) -> None:
    source.write_all({"a/b/c.md": "", "d/e.md": ""})
    assert source.found(under="a/b", include=("a/",)) == {"a/b/c.md": "entry"}
    assert source.found(under="d", include=("a/",)) == {"d/e.md": "not_included"}
