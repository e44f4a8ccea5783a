from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import CodeIngestSettings, StorageError
from kebab_source_fs.folder import CACHE_SIGNATURE

if TYPE_CHECKING:
    from conftest import Source

CONFIG_DEFAULT = (".git/**", "node_modules/**", ".obsidian/**")


def test_scan_with_nested_kebabignore_leaves_out_what_it_names(source: Source) -> None:
    source.write_all({".kebabignore": "*.tmp.md\n", "a/.kebabignore": "!keep.tmp.md\nb/\n"})
    source.write_all({"x.tmp.md": "", "a/keep.tmp.md": "", "a/y.tmp.md": "", "a/b/c.md": "", "a/c.md": ""})
    assert source.found() == {
        ".kebabignore": "entry",
        "a/.kebabignore": "entry",
        "a/b/": "kebabignore",
        "a/c.md": "entry",
        "a/keep.tmp.md": "entry",
        "a/y.tmp.md": "kebabignore",
        "x.tmp.md": "kebabignore",
    }


def test_negation_in_one_family_takes_nothing_back_from_another(source: Source) -> None:
    source.write_all({".gitignore": "a.md\n", ".kebabignore": "!a.md\n!b.md\n", "a.md": "", "b.md": ""})
    found = source.found(exclude=("b.md",))
    assert (found["a.md"], found["b.md"]) == ("gitignore", "config_exclude")


def test_path_named_by_several_rules_has_the_first_reason_only(source: Source) -> None:
    everything = "x*\nnode_modules\n"
    source.write_all({".gitignore": f"{everything}!x2*\n!x3*\n", ".kebabignore": f"{everything}!x3*\n"})
    source.write_all({"x1.md": "", "x2.md": "", "x3.md": "", "node_modules/a.md": ""})
    found = source.found(exclude=("x*", "node_modules/**"), include=("none",))
    assert found == {
        ".gitignore": "not_included",
        ".kebabignore": "not_included",
        "node_modules/": "builtin_blacklist",
        "x1.md": "gitignore",
        "x2.md": "kebabignore",
        "x3.md": "config_exclude",
    }


def test_excludes_of_the_default_configuration_apply(source: Source) -> None:
    source.write_all({".obsidian/app.json": "{}", ".obsidian/plugins/x.md": "", "a.md": ""})
    assert source.found(exclude=CONFIG_DEFAULT) == {
        ".obsidian/app.json": "config_exclude",
        ".obsidian/plugins/": "config_exclude",
        "a.md": "entry",
    }


@pytest.mark.parametrize(
    ("include", "entries"),
    [
        (("**/*",), {"a.md", "b.txt", "n/c.md", "n/p/d.md"}),
        (("*",), {"a.md", "b.txt", "n/c.md", "n/p/d.md"}),
        (("**/*.md",), {"a.md", "n/c.md", "n/p/d.md"}),
        (("*.txt",), {"b.txt"}),
        (("/*.md",), {"a.md"}),
        (("n/",), {"n/c.md", "n/p/d.md"}),
        (("n/", "!n/p/"), {"n/c.md"}),
        (("n/", "!n/p/", "d.md"), {"n/c.md", "n/p/d.md"}),
        (("n/*",), {"n/c.md", "n/p/d.md"}),
        ((), set()),
    ],
)
def test_scan_with_include_patterns_takes_only_what_they_name(
    source: Source, include: tuple[str, ...], entries: set[str]
) -> None:
    source.write_all({"a.md": "", "b.txt": "", "n/c.md": "", "n/p/d.md": ""})
    found = source.found(include=include)
    assert {path for path, kind in found.items() if kind == "entry"} == entries
    assert set(found) == {"a.md", "b.txt", "n/c.md", "n/p/d.md"}
    assert set(found.values()) <= {"entry", "not_included"}


@pytest.mark.parametrize(
    "name", [".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".trash", ".Trash-1000"]
)
def test_folder_that_only_programs_make_is_skipped_as_one(source: Source, name: str) -> None:
    source.write_all({f"a/{name}/b/c.md": "", f"a/{name}/d.md": ""})
    assert source.found() == {f"a/{name}/": "builtin_blacklist"}


@pytest.mark.parametrize(
    "name", ["build", "dist", "env", "venv", "target", "out", "bin", "CVS", ".github", "cache"]
)
def test_folder_that_people_name_so_is_entered(source: Source, name: str) -> None:
    source.write_all({f"{name}/a.md": ""})
    assert source.found() == {f"{name}/a.md": "entry"}


def test_python_environment_of_any_name_is_skipped(source: Source) -> None:
    source.write_all({"env/pyvenv.cfg": "home = /usr", "env/lib/a.md": ""})
    assert source.found() == {"env/": "builtin_blacklist"}


@pytest.mark.parametrize("build_file", ["Cargo.toml", "pom.xml"])
def test_target_beside_a_build_file_is_skipped(source: Source, build_file: str) -> None:
    source.write_all({f"p/{build_file}": "", "p/target/a.md": "", "p/src/target/b.md": ""})
    assert source.found() == {
        f"p/{build_file}": "entry",
        "p/src/target/b.md": "entry",
        "p/target/": "builtin_blacklist",
    }


def test_folder_with_cache_tag_is_skipped_only_if_signed(source: Source) -> None:
    signed = CACHE_SIGNATURE.decode() + "\n# by a program\n"
    source.write_all({"a/CACHEDIR.TAG": signed, "a/x.md": "", "b/CACHEDIR.TAG": "mine", "b/y.md": ""})
    assert source.found() == {"a/": "builtin_blacklist", "b/CACHEDIR.TAG": "entry", "b/y.md": "entry"}


def test_marks_in_the_root_itself_do_not_count(source: Source) -> None:
    source.write_all({"CACHEDIR.TAG": CACHE_SIGNATURE.decode(), "pyvenv.cfg": "", "a.md": ""})
    assert source.found()["a.md"] == "entry"


@pytest.mark.parametrize(
    "name",
    [
        ".DS_Store",
        "._a.md",
        "Thumbs.db",
        "desktop.ini",
        ".a.md.swp",
        "#a.md#",
        "a.md~",
        "~$a.docx",
        ".~lock.a.odt#",
    ],
)
def test_file_that_only_programs_make_is_skipped(source: Source, name: str) -> None:
    source.write_all({name: "", "a.md": ""})
    assert source.found() == {name: "builtin_blacklist", "a.md": "entry"}


@pytest.mark.parametrize("name", ["#1.md", "C#.md", "_a.md", "~.md", "a~b.md", ".notes.md", "swp.md"])
def test_file_with_an_odd_but_plain_name_is_an_entry(source: Source, name: str) -> None:
    source.write_all({name: ""})
    assert source.found() == {name: "entry"}


def test_limits_of_source_code_spare_other_media(source: Source) -> None:
    source.write_all({
        "a.py": "x = 1\n",
        "a.md": "# long enough\n",
        "g/b.py": "",
        "h_pb2.py": "",
        "g/b.md": "",
    })
    code = CodeIngestSettings(max_file_bytes=5, extra_skip_globs=("g/", "*_pb2.py", "*.md"))
    assert source.found(code) == {
        "a.md": "entry",
        "a.py": "size_exceeded",
        "g/b.md": "entry",
        "g/b.py": "config_exclude",
        "h_pb2.py": "config_exclude",
    }


def test_ignore_file_that_cannot_be_read_closes_its_folder(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.write_all({"a/.gitignore": "secret.md", "a/secret.md": "", "b.md": ""})
    refuse_to_open(monkeypatch, source.root / "a/.gitignore")
    assert source.found() == {"a/": "unreadable-folder", "b.md": "entry"}


def test_ignore_file_of_the_root_that_cannot_be_read_raises(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.write_all({".kebabignore": "secret.md", "secret.md": ""})
    refuse_to_open(monkeypatch, source.root / ".kebabignore")
    with pytest.raises(StorageError):
        source.scan()


def refuse_to_open(monkeypatch: pytest.MonkeyPatch, refused: Path) -> None:
    """Tests may run as root, whom no permission stops: stand in for the operating system."""
    import os

    real_open = os.open

    def refusing_open(path: str, *args: int, **kwargs: int) -> int:
        if Path(path) == refused:
            raise PermissionError(13, "Permission denied", path)
        return real_open(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", refusing_open)


def test_ignore_file_that_is_a_link_is_honoured_and_a_folder_of_that_name_is_not(
    source: Source, tmp_path: Path
) -> None:
    (tmp_path / "shared-rules").write_text("a.md\n", encoding="utf-8")
    (source.root / ".kebabignore").symlink_to(tmp_path / "shared-rules")
    source.write_all({"a.md": "", ".gitignore/b.md": ""})
    assert source.found() == {
        ".gitignore/b.md": "entry",
        ".kebabignore": "symlink_outside",
        "a.md": "kebabignore",
    }


def test_patterns_match_names_in_either_normal_form(source: Source) -> None:
    source.write_all({".gitignore": "각.md\n", "\u1100\u1161\u11a8.md": "", "b.md": ""})
    assert source.found()["각.md"] == "gitignore"


def test_kept_folder_holds_against_every_rule_a_user_can_write(source: Source) -> None:
    source.write_all({".gitignore": "*\n", ".kebabignore": "given/\n", "given/.gitignore": "*\n"})
    source.write_all({
        "given/a.md": "",
        "given/deep/b.py": "",
        "a.md": "",
        "givens/a.md": "",
        "x/given/a.md": "",
    })
    found = source.found(
        CodeIngestSettings(extra_skip_globs=("*.py",)), kept="given", include=("none",), exclude=("given/**",)
    )
    assert found == {
        ".gitignore": "gitignore",
        ".kebabignore": "gitignore",
        "a.md": "gitignore",
        "given/.gitignore": "entry",
        "given/a.md": "entry",
        "given/deep/b.py": "entry",
        "givens/": "gitignore",
        "x/": "gitignore",
    }


def test_kept_folder_still_leaves_out_what_is_never_content_and_what_is_too_large(source: Source) -> None:
    source.write_all({
        "given/.DS_Store": "",
        "given/draft.md~": "",
        "given/large.md": "12345",
        "given/a.md": "1234",
    })
    assert source.found(kept="given", max_file_bytes=4) == {
        "given/.DS_Store": "builtin_blacklist",
        "given/a.md": "entry",
        "given/draft.md~": "builtin_blacklist",
        "given/large.md": "size_exceeded",
    }
