"""Explanations over a scan and a trial that are handed in: no database, and no walk over folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
from kebab_core import (
    FileStamp,
    IgnoreEdit,
    IngestFailure,
    IngestSettings,
    InvalidInputError,
    MarkdownMedia,
    PathVerdict,
    RuleOrigin,
    ScanItem,
    SearchFilters,
    SkippedPath,
    SkipReason,
    SkipRule,
    SourceEntry,
    SourceId,
    SourceScope,
    SourceSettings,
    WorkspacePath,
    WorkspaceSettings,
)
from kebab_diagnose import (
    Explanation,
    ExplanationTrace,
    SourceAccess,
    explain_file,
    find_near_values,
)
from kebab_ingest import NOTES_SOURCE, FileCopies, SourceTarget, TrashFolder
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.temporary_stores import TemporaryStores

from tests.remedies import say


class Scan:
    """Explains a path by rules that can be lifted one by one."""

    def __init__(self, *rules: SkipRule, reason: SkipReason = SkipReason.GITIGNORE) -> None:
        self._rules, self._reason = rules, reason

    def explain(self, scope: SourceScope, *, edits: Mapping[str, IgnoreEdit] | None = None) -> PathVerdict:
        assert scope.under is not None
        if not Path(scope.root, scope.under).exists():
            raise InvalidInputError("there is no such file")
        for rule in self._rules:
            dropped = (edits or {}).get(rule.name, IgnoreEdit()).dropped
            if rule.line not in dropped and (rule.pattern in scope.exclude or rule.line):
                return PathVerdict(SkippedPath(scope.under, self._reason), rule)
        return PathVerdict(self._entry(scope, scope.under))

    def _entry(self, scope: SourceScope, under: WorkspacePath) -> ScanItem:
        place, stamp = f"{scope.root}/{under}", FileStamp(1, 1, 1, 1)
        if self._rules or self._reason is SkipReason.GITIGNORE:
            return SourceEntry(scope.source_id, under, place, stamp, MarkdownMedia())
        return SkippedPath(under, self._reason)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("text", encoding="utf-8")
    return folder


class Trial:
    """Prepares every file with the same result."""

    def __init__(self, outcome: object, steps: int) -> None:
        self.processor = SimpleNamespace(
            reads_name=lambda name: name.endswith(".md"), is_isolated=lambda _media: False
        )
        self._outcome, self._steps = outcome, steps

    def prepare(self, _task: object) -> object:
        return SimpleNamespace(outcome=self._outcome, steps=(("step", 0),) * self._steps)


def access(root: Path, scan: Scan | None = None, *, outcome: object = None, steps: int = 4) -> SourceAccess:
    """The one source `notes`, with excludes `*.md`, whose files are prepared with the same result after so many steps."""
    source = SourceSettings(id=SourceId("notes"), root=str(root), exclude=("*.md",))
    own, data_dir = SourceSettings(id=NOTES_SOURCE, root=str(root.parent)), root / "data"
    whole, kept = SourceTarget(source=source, root=root), SourceTarget(source=own, root=data_dir / "notes")
    return SourceAccess(
        targets=(whole,),
        data_dir=data_dir,
        workspace=WorkspaceSettings(sources=(source,)),
        ingest=IngestSettings(),
        has_config=True,
        connector=scan or Scan(),  # type: ignore[arg-type]
        preparer=Trial(outcome, steps),  # type: ignore[arg-type]
        copies=FileCopies(
            source=kept,
            trash=TrashFolder(root=data_dir / "trash"),
            reads_name=lambda name: name.endswith((".md", ".txt")),
        ),
        writer=None,
        files=True,
        now=FixedClock().now(),
    )


def explain(
    root: Path, name: str = "a.md", scan: Scan | None = None, *, outcome: object = None, steps: int = 4
) -> Explanation:
    sources = access(root, scan, outcome=outcome, steps=steps)
    return explain_file(str(root / name), sources=sources, index=None, search=None)


def test_file_that_passes_rules_and_trial_is_not_ingested_yet(root: Path) -> None:
    found = explain(root)
    assert (found.verdict, found.can_be_found) == ("not_ingested", False)
    assert found.summary == "notes:a.md is not found: it is not ingested yet; nothing is"
    assert say(found) == f"kebab ingest {root / 'a.md'}"
    assert [(step.name, step.state) for step in found.steps] == [
        ("source", "ok"),
        ("rules", "ok"),
        ("ingest", "stop"),
    ]
    assert (found.source_id, found.doc_path, found.disk_path) == ("notes", "a.md", str(root / "a.md"))


def test_trial_that_fails_or_skips_is_the_reason(root: Path) -> None:
    failure = IngestFailure(code="document_encrypted", message="a password is needed")
    failed = explain(root, outcome=failure, steps=1)
    assert failed.failure is not None
    assert (failed.verdict, failed.failure.stage, failed.failure.at) == ("failed", "parse", None)
    assert "it cannot be parsed: a password is needed" in failed.summary
    binary = explain(root, outcome=SkipReason.BINARY_CONTENT)
    assert binary.rule is not None
    assert (binary.verdict, binary.rule.reason) == ("left_out", SkipReason.BINARY_CONTENT)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("document_encrypted", "open it in its own program and save it without protection"),
        ("document_damaged", "check what is in the file"),
        ("document_too_large", "split the file"),
    ],
)
def test_document_that_cannot_be_read_has_a_next_step(root: Path, code: str, words: str) -> None:
    failure = IngestFailure(code=code, message="it cannot be read")
    assert say(explain(root, outcome=failure, steps=1)).startswith(words)


def test_file_outside_every_source_is_told_how_to_ingest_it(root: Path) -> None:
    outside = root.parent / "letter.md"
    outside.write_text("text", encoding="utf-8")
    found = explain(root, "../letter.md")
    assert (found.verdict, found.doc_path) == ("outside_sources", None)
    assert say(found) == f"kebab ingest-file {outside}"


def test_unknown_name_is_an_error(root: Path) -> None:
    with pytest.raises(InvalidInputError, match="there is no file"):
        explain(root, "b.md")


def test_every_rule_in_the_way_is_named_with_its_setting(root: Path) -> None:
    ignored = SkipRule(RuleOrigin.IGNORE_FILE, ".gitignore", pattern="a.*", line=3)
    excluded = SkipRule(RuleOrigin.SETTING, "exclude", pattern="*.md")
    own = SkipRule(RuleOrigin.SETTING, "exclude", pattern="/data/")
    found = explain(root, scan=Scan(ignored, excluded, own))
    assert found.rule is not None
    assert (found.rule.name, found.rule.line) == (".gitignore", 3)
    assert say(found) == (
        "delete line 3 of .gitignore; then remove '*.md' from workspace.sources.exclude of notes; "
        "then move the document out of storage.data_dir; then kebab ingest"
    )
    first = explain(root, scan=Scan(excluded))
    assert first.rule is not None
    assert first.rule.name == "workspace.sources.exclude of notes"
    assert say(first) == "remove '*.md' from workspace.sources.exclude of notes; then kebab ingest"


@pytest.mark.parametrize(
    "reason",
    sorted(set(SkipReason) - {SkipReason.GITIGNORE, SkipReason.CONFIG_EXCLUDE, SkipReason.NOT_INCLUDED}),
)
def test_every_reason_to_leave_a_file_out_has_a_sentence_and_a_fix(root: Path, reason: SkipReason) -> None:
    found = explain(root, scan=Scan(reason=reason))
    assert found.rule is not None
    assert (found.verdict, found.rule.reason) == ("left_out", reason)
    assert found.summary.startswith("notes:a.md is not found: the file ")
    assert say(found)


def test_first_stop_decides_and_the_first_note_where_nothing_stops() -> None:
    trace = ExplanationTrace()
    trace.ok("source", "in notes")
    assert (trace.decisive_step, trace.verdict) == (None, None)
    trace.note("file", "has changed")
    trace.note("vectors", "are missing")
    assert trace.decisive_step is trace.steps[1]
    trace.stop("filtered_out", "filters", "by --lang")
    trace.stop("beyond_k", "order", "hit 9")
    assert trace.decisive_step is trace.steps[3]
    assert trace.verdict == "filtered_out"


def test_nearest_source_is_suggested_and_fields_without_names_are_passed_over(tmp_path: Path) -> None:
    filters = SearchFilters.model_validate({"source_id": ["notse"], "media": ["pdf"]})
    near = find_near_values(
        filters,
        ["source_id", "media"],
        documents=TemporaryStores().documents,
        roots={SourceId("notes"): tmp_path, SourceId("work"): tmp_path},
    )
    assert near == {"notse": "notes"}
