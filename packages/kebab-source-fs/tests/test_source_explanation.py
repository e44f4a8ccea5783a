from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import (
    CodeIngestSettings,
    IgnoreEdit,
    InvalidInputError,
    PathVerdict,
    RuleOrigin,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceScope,
    StorageError,
    WorkspacePath,
)
from kebab_source_fs import FilesystemConnector
from kebab_source_fs.folder import CACHE_SIGNATURE

if TYPE_CHECKING:
    from conftest import Source


def explain(
    source: Source, under: str, code: CodeIngestSettings | None = None, **scope: object
) -> PathVerdict:
    asked = SourceScope.model_validate({"root": str(source.root), "under": under, **scope})
    return FilesystemConnector(code or CodeIngestSettings()).explain(asked)


def test_file_that_is_taken_has_no_rule(source: Source) -> None:
    source.write_all({".gitignore": "*.tmp\n", "a/b.md": "b"})
    verdict = explain(source, "a/b.md")
    assert isinstance(verdict.item, SourceEntry)
    assert verdict.rule is None


@pytest.mark.parametrize(
    ("files", "path", "rule"),
    [
        ({".gitignore": "# drafts\n\n초안/\n", "초안/a.md": ""}, "초안/a.md", (".gitignore", "초안/", 3)),
        ({".gitignore": "*.md\r\n!a.md\r\nb/*.md\n", "b/a.md": ""}, "b/a.md", (".gitignore", "b/*.md", 3)),
        ({"x/.gitignore": "*\n!y/\n*.md\n", "x/y/z.md": ""}, "x/y/z.md", ("x/.gitignore", "*.md", 3)),
        ({".kebabignore": "a?.md\na[0-9].md\n", "a1.md": ""}, "a1.md", (".kebabignore", "a[0-9].md", 2)),
        ({"x/.kebabignore": "\n\nz.md", "x/z.md": ""}, "x/z.md", ("x/.kebabignore", "z.md", 3)),
    ],
)
def test_ignored_path_is_explained_by_the_line_that_decides(
    source: Source, files: dict[str, str], path: str, rule: tuple[str, str, int]
) -> None:
    source.write_all(files)
    name, pattern, line = rule
    assert explain(source, path).rule == SkipRule(RuleOrigin.IGNORE_FILE, name, pattern, line)


def test_changes_of_ignore_files_that_are_only_thought_of_count_as_made(source: Source) -> None:
    source.write_all({"x/.gitignore": "*.md\na.*\n", "x/a.md": ""})
    scope = SourceScope(root=str(source.root), under=WorkspacePath("x/a.md"))
    files = FilesystemConnector(CodeIngestSettings())

    def rule_with(**edit: IgnoreEdit) -> SkipRule | None:
        return files.explain(scope, edits={f"x/.{name}": one for name, one in edit.items()}).rule

    assert rule_with() == SkipRule(RuleOrigin.IGNORE_FILE, "x/.gitignore", "a.*", 2)
    assert rule_with(gitignore=IgnoreEdit(dropped=frozenset({2}))) == SkipRule(
        RuleOrigin.IGNORE_FILE, "x/.gitignore", "*.md", 1
    )
    assert rule_with(gitignore=IgnoreEdit(dropped=frozenset({1, 2}))) is None
    assert rule_with(gitignore=IgnoreEdit(added=("!/a.md",))) is None
    assert rule_with(kebabignore=IgnoreEdit(added=("!/a.md",))) == rule_with()
    assert (source.root / "x" / ".gitignore").read_text("utf-8") == "*.md\na.*\n"


def test_folder_above_that_is_left_out_stands_for_the_file(source: Source) -> None:
    source.write_all({".gitignore": "out/\n", "out/deep/a.md": ""})
    verdict = explain(source, "out/deep/a.md")
    assert verdict.item == SkippedPath("out", SkipReason.GITIGNORE, is_folder=True)


def test_settings_that_leave_a_path_out_are_named(source: Source) -> None:
    source.write_all({"a.md": "", "b.md": "", "c.py": "x" * 100, "d.py": "", "e.md": "x" * 100, "f.txt": ""})
    pathlib.Path(source.root / "g.md").symlink_to("a.md")
    code = CodeIngestSettings(max_file_bytes=50, extra_skip_globs=("d*",))
    scope = {"exclude": ("x", "b.*"), "include": ("*.md", "*.py"), "max_file_bytes": 80}
    setting = RuleOrigin.SETTING
    assert explain(source, "b.md", code, **scope).rule == SkipRule(setting, "exclude", "b.*")
    assert explain(source, "c.py", code, **scope).rule == SkipRule(setting, "code.max_file_bytes", limit=50)
    assert explain(source, "d.py", code, **scope).rule == SkipRule(setting, "code.extra_skip_globs", "d*")
    assert explain(source, "e.md", code, **scope).rule == SkipRule(setting, "max_file_bytes", limit=80)
    assert explain(source, "f.txt", code, **scope).rule == SkipRule(setting, "include")
    unfollowed = explain(source, "g.md", follow_symlinks=False)
    assert unfollowed.rule == SkipRule(setting, "follow_symlinks")


def test_what_is_never_content_is_explained_by_its_name_or_by_what_marks_it(source: Source) -> None:
    source.write_all({"node_modules/a.md": "", "notes.md~": "", "env/pyvenv.cfg": "", "env/a.md": ""})
    source.write_all({
        "target/a.md": "",
        "pom.xml": "",
        "c/a.md": "",
        "c/CACHEDIR.TAG": CACHE_SIGNATURE.decode(),
    })
    built_in = RuleOrigin.BUILT_IN
    assert explain(source, "node_modules/a.md").rule == SkipRule(built_in, "name", "node_modules")
    assert explain(source, "notes.md~").rule == SkipRule(built_in, "name", "notes.md~")
    assert explain(source, "env/a.md").rule == SkipRule(built_in, "mark", "pyvenv.cfg")
    assert explain(source, "target/a.md").rule == SkipRule(built_in, "mark", "pom.xml")
    assert explain(source, "c/a.md").rule == SkipRule(built_in, "mark", "CACHEDIR.TAG")


def test_what_is_not_there_and_what_is_no_single_path_are_errors(source: Source) -> None:
    source.write_all({"a.md": ""})
    with pytest.raises(StorageError):
        explain(source, "b.md")
    with pytest.raises(InvalidInputError):
        FilesystemConnector(CodeIngestSettings()).explain(SourceScope(root=str(source.root)))


_PATTERNS = st.sampled_from([
    "*",
    "*.md",
    "!*.md",
    "a/",
    "!a/",
    "a/*",
    "!a/b.md",
    "/b.md",
    "**/b.md",
    "b*",
    "!b?.md",
    "# no",
    "",
    "a/**",
])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(outer=st.lists(_PATTERNS, max_size=6), inner=st.lists(_PATTERNS, max_size=4))
def test_line_that_is_named_decides_without_any_line_below_it(
    source: Source, outer: list[str], inner: list[str]
) -> None:
    """It stands there word for word, and the lines below it change nothing."""
    files = {".gitignore": "\n".join(outer), "a/.gitignore": "\n".join(inner), "a/b.md": "", "b.md": ""}
    source.write_all(files)
    for path in ("a/b.md", "b.md"):
        verdict = explain(source, path)
        whole = source.scan()
        assert verdict.item in whole
        if isinstance(verdict.item, SourceEntry):
            assert verdict.rule is None
            continue
        assert verdict.rule is not None
        assert verdict.rule.line is not None
        lines = files[verdict.rule.name].split("\n")
        assert lines[verdict.rule.line - 1] == verdict.rule.pattern
        assert not lines[verdict.rule.line - 1].startswith("!")
        kept = "\n".join(lines[: verdict.rule.line])
        source.write_all({verdict.rule.name: kept})
        assert explain(source, path).rule == verdict.rule
        source.write_all(files)
