"""Which rule leaves a file out, with what lets it in."""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_core import RuleOrigin, SkipReason

from tests.remedies import say

if TYPE_CHECKING:
    from kebab_diagnose import Explanation, ExplanationStep

    from conftest import Base

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
NOTE = "# 색인\n\n색인은 다시 만들어진다.\n\n## 규칙\n\n청크는 제목에서 나눈다.\n"


def step(report: Explanation, name: str) -> ExplanationStep:
    (found,) = [step for step in report.steps if step.name == name]
    return found


def test_ignored_file_is_told_with_the_line_and_both_ways_of_the_fix_work(base: Base) -> None:
    path = base.write("초안/a.md", NOTE)
    base.write(".gitignore", "# 초안은 빼기\n초안/\n")
    report = base.app.why(path)
    assert report.verdict == "left_out"
    assert report.rule is not None
    assert (report.rule.reason, report.rule.path, report.rule.is_folder) == (
        SkipReason.GITIGNORE,
        "초안",
        True,
    )
    assert (report.rule.origin, report.rule.name) == (RuleOrigin.IGNORE_FILE, ".gitignore")
    assert (report.rule.pattern, report.rule.line) == ("초안/", 2)
    assert say(report) == (
        "delete line 2 of .gitignore, or add the line !/초안/ at the end of .gitignore; then kebab ingest"
    )
    for mended in ("# 초안은 빼기\n", "# 초안은 빼기\n초안/\n!/초안/\n"):
        base.write(".gitignore", mended)
        assert base.app.why(path).verdict == "not_ingested"
    base.ingest()
    assert base.app.why(path).verdict == "indexed"


def test_fix_for_a_nested_ignore_file_is_relative_to_it(base: Base) -> None:
    path = base.write("a/b/c.md", NOTE)
    base.write("a/.kebabignore", "*.md\n")
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.rule.name, report.rule.line) == ("a/.kebabignore", 1)
    assert "add the line !/b/c.md at the end of a/.kebabignore" in str(say(report))
    base.write("a/.kebabignore", "*.md\n!/b/c.md\n")
    assert base.app.why(path).verdict == "not_ingested"


@pytest.mark.parametrize(
    ("lines", "fix"),
    [
        (["*"], "delete line 1 of p/.gitignore, or add the lines !/q/ and !/q/** at the end of p/.gitignore"),
        (
            ["*.md", "", "q/d.*"],
            "delete lines 1 and 3 of p/.gitignore, or add the line !/q/d.md at the end of p/.gitignore",
        ),
        (
            ["q/", "*.md"],
            "delete lines 1 and 2 of p/.gitignore, or add the lines !/q/ and !/q/** at the end of p/.gitignore",
        ),
    ],
)
def test_each_way_of_the_fix_for_an_ignore_file_suffices(base: Base, lines: list[str], fix: str) -> None:
    path = base.write("p/q/d.md", NOTE)
    base.write("p/.gitignore", "\n".join([*lines, ""]))
    assert say(base.app.why(path)) == f"{fix}; then kebab ingest"
    added = (
        fix
        .partition(" or add the line")[2]
        .removeprefix("s")
        .removesuffix(" at the end of p/.gitignore")
        .strip()
    )
    for mended in ([], [*lines, *added.split(" and ")]):
        base.write("p/.gitignore", "\n".join([*mended, ""]))
        assert base.app.why(path).verdict == "not_ingested"


def test_every_rule_in_the_way_is_told_at_once(base: Base) -> None:
    base.configure("workspace", exclude=["d.*"])
    path = base.write("p/d.md", NOTE)
    base.write(".gitignore", "p/\n")
    base.write("p/.kebabignore", "# all\n*.md\n")
    assert say(base.app.why(path)) == (
        "delete line 1 of .gitignore; then delete line 2 of p/.kebabignore; then remove 'd.*' from workspace.exclude; "
        "then kebab ingest"
    )
    nested = base.write("n/a.md", NOTE)
    base.write("n/.gitignore", "a.*\n")
    base.write(".gitignore", "*.md\n")
    assert say(base.app.why(nested)) == (
        "delete line 1 of n/.gitignore; then delete line 1 of .gitignore, "
        "or add the line !/a.md at the end of n/.gitignore; then kebab ingest"
    )
    base.write("n/.gitignore", "a.*\n!/a.md\n")
    assert base.app.why(nested).verdict == "not_ingested"
    base.write(".gitignore", "*.xyz\n")
    odd = base.write("a.xyz", "\0")
    assert say(base.app.why(odd)) == (
        "delete line 1 of .gitignore; then "
        "save it as Markdown or plain text (kebab list formats has all that is read); then kebab ingest"
    )
    odd.write_text("글")
    assert (
        say(base.app.why(odd))
        == f"delete line 1 of .gitignore; then kebab ingest-file {odd}; then kebab ingest"
    )


def test_link_that_would_not_be_read_if_it_were_followed_is_told_so(base: Base) -> None:
    base.configure("workspace", follow_symlinks=False)
    far = base.write("far.md", root=base.home / "elsewhere")
    near = base.write("near.md")
    kept = base.write("node_modules/kept.md")
    for name, target in {"to-far.md": far, "to-near.md": near, "to-kept.md": kept}.items():
        (base.root / name).symlink_to(target)
    fixes = {name: say(base.app.why(base.root / f"to-{name}.md")) for name in ("far", "near", "kept")}
    assert str(fixes["far"]).startswith(f"kebab ingest-file {far}, or kebab config add-source")
    assert fixes["near"] == f"kebab why {near}"
    assert fixes["kept"] == "set workspace.follow_symlinks = true; then kebab ingest"


def test_file_that_is_ignored_only_now_is_still_found_until_the_next_run(base: Base) -> None:
    path = base.write("a.md", NOTE)
    base.ingest()
    base.write(".kebabignore", "a.md\n")
    report = base.app.why(path)
    assert (report.verdict, step(report, "rules").state) == ("indexed", "note")
    assert "the next run removes" in step(report, "rules").detail
    base.ingest()
    assert base.app.why(path).verdict == "left_out"


def test_settings_that_leave_a_file_out_are_named_by_their_keys(base: Base) -> None:
    base.configure("workspace", exclude=["out.md"], include=["*.md", "*.py"])
    base.configure("ingest", max_file_mb=1)
    base.configure("ingest.code", max_file_bytes=100, extra_skip_globs=["gen*"])
    expected = {
        base.write("out.md"): ("workspace.exclude", SkipReason.CONFIG_EXCLUDE),
        base.write("a.txt"): ("workspace.include", SkipReason.NOT_INCLUDED),
        base.write("large.md", "x" * 1_100_000): ("ingest.max_file_mb", SkipReason.SIZE_EXCEEDED),
        base.write("large.py", "x" * 101): ("ingest.code.max_file_bytes", SkipReason.SIZE_EXCEEDED),
        base.write("gen.py"): ("ingest.code.extra_skip_globs", SkipReason.CONFIG_EXCLUDE),
    }
    for path, (key, reason) in expected.items():
        report = base.app.why(path)
        assert report.verdict == "left_out"
        assert report.rule is not None
        assert (report.rule.origin, report.rule.name) == (RuleOrigin.SETTING, key)
        assert report.rule.reason is reason
        assert key in str(say(report))


def test_exclude_of_one_of_several_sources_is_named_as_its_own(base: Base) -> None:
    more = base.home / "more"
    path = base.write("a.md", NOTE, root=more)
    base.set_sources(
        {"id": "notes", "root": str(base.root)}, {"id": "more", "root": str(more), "exclude": ["a.*"]}
    )
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.rule.name, report.rule.pattern) == ("workspace.sources.exclude of more", "a.*")
    assert base.app.why("more:a.md").rule == report.rule


def test_one_of_several_files_of_a_path_is_told_with_the_others(base: Base) -> None:
    more = base.home / "more"
    base.write("a.md", NOTE)
    base.write("a.md", "other", root=more)
    base.set_sources({"id": "notes", "root": str(base.root)}, {"id": "more", "root": str(more)})
    base.ingest()
    first, second = base.app.why("a.md"), base.app.why("more:a.md")
    assert (first.source_id, second.source_id) == ("notes", "more")
    assert "not to be confused with more:a.md" in step(first, "source").detail
    assert "not to be taken for" not in step(second, "source").detail
    assert second.summary == "more:a.md is indexed"


def test_kebabs_own_folder_is_told_as_such(base: Base) -> None:
    base.close()
    base.data_dir = base.root / "data"
    path = base.write("data/a.md")
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.verdict, report.rule.name) == ("left_out", "storage.data_dir")


def test_what_is_never_content_is_told_without_a_setting_to_change(base: Base) -> None:
    report = base.app.why(base.write("node_modules/a.md"))
    assert report.rule is not None
    assert (report.rule.reason, report.rule.pattern) == (SkipReason.BUILTIN_BLACKLIST, "node_modules")
    assert "move the document" in str(say(report))


def test_medium_that_nothing_reads_is_told(base: Base) -> None:
    report = base.app.why(base.write("photo.xyz", "\0"))
    assert report.rule is not None
    assert (report.verdict, report.rule.reason) == ("left_out", SkipReason.UNSUPPORTED_MEDIA)
    assert "kebab list formats" in str(say(report))


@pytest.mark.parametrize("is_ingested", [True, False])
def test_binary_content_under_a_text_name_is_told_before_and_after_a_run(
    base: Base, is_ingested: bool
) -> None:
    path = base.write("a.md", PNG)
    if is_ingested:
        base.ingest()
    report = base.app.why(path)
    assert report.rule is not None
    assert (report.verdict, report.rule.reason) == ("left_out", SkipReason.BINARY_CONTENT)
    assert "as UTF-8" in str(say(report))
    assert "an encoding that it does not show" in report.summary
    base.write("a.md", NOTE)
    assert base.app.why(path).verdict == "not_ingested"


def test_links_are_told_with_where_they_lead(base: Base) -> None:
    outside = base.write("far.md", root=base.home / "elsewhere")
    inside = base.write("near.md")
    (base.root / "to-far.md").symlink_to(outside)
    (base.root / "to-near.md").symlink_to(inside)
    (base.root / "to-nothing.md").symlink_to(base.root / "absent.md")
    (base.root / "to-itself.md").symlink_to(base.root / "to-itself.md")
    reports = {
        name: base.app.why(base.root / f"to-{name}.md") for name in ("far", "near", "nothing", "itself")
    }
    reasons = {name: report.rule.reason.value if report.rule else None for name, report in reports.items()}
    assert reasons == {
        "far": "symlink_outside",
        "near": "linked_twice",
        "nothing": "broken_link",
        "itself": "symlink_loop",
    }
    assert f"kebab ingest-file {outside}" in str(say(reports["far"]))
    assert say(reports["near"]) == f"kebab why {inside}"
    base.configure("workspace", follow_symlinks=False)
    unfollowed = base.app.why(base.root / "to-near.md")
    assert unfollowed.rule is not None
    assert unfollowed.rule.name == "workspace.follow_symlinks"


def test_file_behind_a_linked_folder_is_told_with_its_own_place(base: Base) -> None:
    base.write("real/a.md", NOTE)
    far = base.write("b.md", root=base.home / "elsewhere")
    (base.root / "again").symlink_to(base.root / "real")
    (base.root / "out").symlink_to(base.home / "elsewhere")
    told = {name: step(base.app.why(base.root / name), "rules").detail for name in ("again/a.md", "out/b.md")}
    assert told == {
        "again/a.md": f"the folder again is a link to {base.root / 'real'}, which is indexed under its own name",
        "out/b.md": f"the folder out is a link to {far.parent}, outside of its source",
    }
    assert say(base.app.why(base.root / "again" / "a.md")) == f"kebab why {base.root / 'real' / 'a.md'}"
    assert f"kebab ingest-file {far}" in str(say(base.app.why(base.root / "out" / "b.md")))


def test_name_that_is_not_utf8_is_told_escaped(base: Base) -> None:
    folder = os.fsdecode(os.fsencode(base.root) + b"/caf\xe9")
    try:
        os.mkdir(folder)  # noqa: PTH102 - a Path of such a name is not shown readably
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    base.write("a.md", root=Path(folder))
    for name in (f"{folder}/a.md", "caf\\xe9/a.md", "default:caf\\xe9/a.md"):
        report = base.app.why(name)
        assert (report.verdict, report.doc_path) == ("left_out", "caf\\xe9/a.md")
        assert report.rule is not None
        assert (report.rule.path, report.rule.is_folder) == ("caf\\xe9", True)
        json.dumps(asdict(report), default=str, ensure_ascii=False).encode()


def test_second_of_two_names_that_are_one_in_nfc_is_told(base: Base) -> None:
    composed, decomposed = (base.write(unicodedata.normalize(form, "글.md"), form) for form in ("NFC", "NFD"))
    base.ingest()
    verdicts = {path: base.app.why(path) for path in (composed, decomposed)}
    left_out = [path for path, report in verdicts.items() if report.verdict == "left_out"]
    assert len(left_out) == 1
    rule = verdicts[left_out[0]].rule
    assert rule is not None
    assert rule.reason is SkipReason.SPELLED_TWICE


def test_file_in_the_second_of_two_folders_that_are_one_in_nfc_is_told(base: Base) -> None:
    decomposed, composed = (unicodedata.normalize(form, "노트") for form in ("NFD", "NFC"))
    taken, missed = base.write(f"{decomposed}/a.md", NOTE), base.write(f"{composed}/sub/b.md", NOTE)
    if len(list(base.root.iterdir())) < 2:
        pytest.skip("this file system takes both spellings for one name")
    base.ingest()
    assert base.app.why(taken).verdict == "indexed"
    report = base.app.why(missed)
    assert (report.verdict, report.rule and (report.rule.path, report.rule.is_folder)) == (
        "left_out",
        (composed, True),
    )


def test_pipe_is_told_to_be_no_file(base: Base) -> None:
    os.mkfifo(base.root / "pipe.md")
    report = base.app.why(base.root / "pipe.md")
    assert report.rule is not None
    assert report.rule.reason is SkipReason.NOT_REGULAR


def test_folder_above_that_cannot_be_looked_into_is_told(
    base: Base, make_unreadable: Callable[[Path], Path]
) -> None:
    path = base.write("sub/a.md", NOTE)
    base.write("b.md", NOTE)
    make_unreadable(base.root / "sub")
    report = base.app.why(path)
    assert report.verdict == "unreadable_folder"
    assert "check the permissions of 'sub'" in str(say(report))
