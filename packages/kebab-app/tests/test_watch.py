"""`App.watch`: real files, the events of the real system, and the index that comes of them."""

from __future__ import annotations

import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_app import App, WatchEnd, WatchOptions
from kebab_config import load_settings
from kebab_core import (
    CancelToken,
    DocFilter,
    DocumentNotFoundError,
    EmbeddingKind,
    FetchDocument,
    IngestReport,
    LockedError,
    SearchQuery,
    WatchNotice,
)
from kebab_store_sqlite import hold_writer_lock
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.families import examples
from kebab_testing.full_disks import small_files

PATIENCE_S = 60


@dataclass
class Watch:
    """A watch in a thread, and what it tells."""

    app: App
    told: queue.Queue[WatchNotice | IngestReport] = field(default_factory=queue.Queue)
    all_told: list[WatchNotice | IngestReport] = field(default_factory=list)
    cancel: CancelToken = field(default_factory=CancelToken)
    ended: queue.Queue[WatchEnd | BaseException] = field(default_factory=queue.Queue)
    is_outdated: bool = False

    def run(self) -> None:
        try:
            end = self.app.watch(
                WatchOptions(tell=self._tell, cancel=self.cancel, is_outdated=lambda: self.is_outdated)
            )
        except BaseException as error:  # noqa: BLE001 - for the thread of the test
            self.ended.put(error)
        else:
            self.ended.put(end)

    def _tell(self, told: WatchNotice | IngestReport) -> None:
        self.all_told.append(told)
        self.told.put(told)

    def notice(self, kind: str) -> WatchNotice:
        """Wait for the next notice of a kind."""
        while True:
            told = self.told.get(timeout=PATIENCE_S)
            if isinstance(told, WatchNotice) and told.kind == kind:
                return told

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait for runs until a condition holds."""
        deadline = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < deadline, self.all_told
            try:
                self.told.get(timeout=0.2)
            except queue.Empty:
                continue

    def until_paths(self, *paths: str) -> None:
        self.until(lambda: paths_of(self.app) == sorted(paths))

    @property
    def runs(self) -> list[IngestReport]:
        return [told for told in self.all_told if isinstance(told, IngestReport)]


@contextmanager
def watching(app: App, *, is_there: bool = True) -> Iterator[Watch]:
    """Watch inside the block, from when changes are noticed; there is no such time where the folder is not there."""
    watch = Watch(app)
    thread = threading.Thread(target=watch.run)
    thread.start()
    try:
        if is_there:
            watch.notice("watching")
        yield watch
    finally:
        watch.cancel.cancel()
        thread.join()


def paths_of(app: App) -> list[str]:
    return (
        sorted(str(each.doc_path) for each in app.list_documents(DocFilter()))
        if app.base.has_database
        else []
    )


def contents(app: App) -> dict[str, str]:
    """Text of every document by its path, without documents that a run removes between the list and the text."""
    texts = {}
    for each in app.list_documents(DocFilter()):
        with suppress(DocumentNotFoundError):
            texts[str(each.doc_path)] = app.fetch(FetchDocument(doc_id=each.doc_id)).text or ""
    return texts


@contextmanager
def open_base(home: Path, name: str = "data", embedder: BagOfWordsEmbedder | None = None) -> Iterator[App]:
    (home / "notes").mkdir(exist_ok=True)
    overrides = {
        "workspace.root": str(home / "notes"),
        "storage.data_dir": str(home / name),
        "models.embedding.provider": "none",
    }
    loaded = load_settings(config_path=None, environ={"HOME": str(home)}, overrides=overrides)
    with App(loaded, embedder=embedder) as app:
        yield app


def built_anew(home: Path) -> dict[str, str]:
    with open_base(home, "anew") as app:
        app.ingest()
        found = contents(app)
    shutil.rmtree(home / "anew")
    return found


@pytest.fixture
def app(tmp_path) -> Iterator[App]:
    with open_base(tmp_path) as app:
        yield app


@pytest.fixture
def notes(app) -> Path:
    return app.loaded.paths.sources[0].root


def test_what_is_saved_renamed_and_deleted_is_so_in_the_index(app, notes):
    (notes / "old.md").write_text("# 예전\n", encoding="utf-8")
    with watching(app) as watch:
        watch.until_paths("old.md")
        (notes / "새 노트.md").write_text("# 새 노트\n\n수달은 강에 산다.\n", encoding="utf-8")
        watch.until_paths("old.md", "새 노트.md")
        assert app.search(SearchQuery(text="수달", mode="lexical", k=3)).hits
        (notes / "old.md").write_text("# 이제 족제비\n", encoding="utf-8")
        watch.until(lambda: "족제비" in contents(app).get("old.md", ""))
        (notes / "old.md").rename(notes / "renamed.md")
        watch.until_paths("renamed.md", "새 노트.md")
        (notes / "renamed.md").unlink()
        watch.until_paths("새 노트.md")
    moved = [report for report in watch.runs if report.counts.moved]
    assert [(item.moved_from, item.doc_path) for item in moved[0].items or ()] == [("old.md", "renamed.md")]
    assert watch.ended.get(timeout=PATIENCE_S) is WatchEnd.STOPPED


def test_an_editor_that_saves_by_renaming_a_draft_leaves_one_document(app, notes):
    (notes / "a.md").write_text("one", encoding="utf-8")
    with watching(app) as watch:
        watch.until_paths("a.md")
        for draft in (".a.md.swp", "4913", "a.md~", ".#a.md", "a.md.tmp"):
            (notes / draft).write_text("two", encoding="utf-8")
            (notes / draft).rename(notes / "a.md")
        (notes / "a.md.tmp").write_text("three", encoding="utf-8")
        (notes / "a.md").rename(notes / "a.md~")
        (notes / "a.md.tmp").rename(notes / "a.md")
        watch.until(lambda: contents(app) == {"a.md": "three"})


def test_folders_come_move_and_go_with_all_that_is_in_them(app, notes):
    with watching(app) as watch:
        deep = notes / "가" / "나" / "다"
        deep.mkdir(parents=True)
        for n in range(20):
            (deep / f"{n:02}.md").write_text(f"note {n}", encoding="utf-8")
        watch.until_paths(*(f"가/나/다/{n:02}.md" for n in range(20)))
        (notes / "가").rename(notes / "라")
        watch.until_paths(*(f"라/나/다/{n:02}.md" for n in range(20)))
        (notes / "라" / "나" / "다" / "new.md").write_text("new", encoding="utf-8")
        watch.until_paths(*(f"라/나/다/{n:02}.md" for n in range(20)), "라/나/다/new.md")
        for n in range(5):
            (notes / "라" / "나" / "다" / f"{n:02}.md").unlink()
        (notes / "last.md").write_text("last", encoding="utf-8")
        watch.until_paths(*(f"라/나/다/{n:02}.md" for n in range(5, 20)), "라/나/다/new.md", "last.md")
    assert sum(report.counts.moved for report in watch.runs) == 20


def test_what_goes_at_once_is_held_where_it_is_most_of_a_source(app, notes):
    for n in range(30):
        (notes / "sub").mkdir(exist_ok=True)
        (notes / "sub" / f"{n}.md").write_text(f"note {n}", encoding="utf-8")
    (notes / "a.md").write_text("a", encoding="utf-8")
    with watching(app) as watch:
        watch.until(lambda: len(paths_of(app)) == 31)
        (notes / "sub").rename(notes.parent / "elsewhere")
        watch.until(lambda: watch.runs and watch.runs[-1].counts.removal_held == 30)
        assert len(paths_of(app)) == 31
        (notes.parent / "elsewhere").rename(notes / "sub")
        (notes / "sub" / "30.md").write_text("note 30", encoding="utf-8")
        watch.until(lambda: len(paths_of(app)) == 32)


def test_many_changes_at_once_are_one_look_at_everything(app, notes, monkeypatch):
    monkeypatch.setattr("kebab_app.watch.MAX_PLACES", 0)
    with watching(app) as watch:
        for n in range(30):
            folder = notes / f"{n % 7}"
            folder.mkdir(exist_ok=True)
            (folder / f"{n}.md").write_text(f"note number {n}", encoding="utf-8")
        watch.until(lambda: len(paths_of(app)) == 30)
        with hold_writer_lock(
            app.base.data_dir
        ):  # a look in the middle would take half of a move for a removal
            for n in range(0, 30, 2):
                (notes / f"{n % 7}" / f"{n}.md").rename(notes / f"{n}-renamed.md")
        watch.until_paths(*built_anew(notes.parent))
    assert sum(report.counts.new for report in watch.runs) == 30
    assert sum(report.counts.moved for report in watch.runs) == 15
    assert not sum(report.counts.removed for report in watch.runs)
    assert {scope.under for report in watch.runs for scope in report.scopes} == {None}


NAMES = ["a.md", "b.md", "sub/a.md", "sub/deep/c.md", "other/d.txt", ".kebabignore"]
changes = st.one_of(
    st.tuples(
        st.just("write"), st.sampled_from(NAMES), st.sampled_from(["# one\n", "# two\n", "sub/\n", ""])
    ),
    st.tuples(st.just("move"), st.sampled_from(NAMES), st.sampled_from([*NAMES, "sub", "other"])),
    st.tuples(st.just("remove"), st.sampled_from([*NAMES, "sub", "other"]), st.just("")),
)


def change(root: Path, kind: str, name: str, argument: str) -> None:
    path, target = root / name, root / argument
    if kind == "write":
        if path.parent.exists() and not path.parent.is_dir():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(argument, encoding="utf-8")
    elif kind == "move" and path.exists() and not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    elif kind == "remove" and path.exists():
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.thorough
@settings(
    max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(history=st.lists(changes, min_size=5, max_size=40))
def test_after_any_history_the_index_is_the_one_built_from_nothing(history, tmp_path_factory):
    home = tmp_path_factory.mktemp("watched")
    with open_base(home) as app:
        with watching(app) as watch:
            (home / "notes" / "always.md").write_text("always", encoding="utf-8")
            for kind, name, argument in history:
                change(home / "notes", kind, name, argument)
            expected = built_anew(home)
            watch.until(lambda: contents(app) == expected if app.base.has_database else False)
        app.ingest()
        assert contents(app) == expected


def test_a_folder_that_vanishes_keeps_its_documents_until_it_is_back(app, notes):
    (notes / "a.md").write_text("one", encoding="utf-8")
    (notes / "b.md").write_text("two", encoding="utf-8")
    with watching(app) as watch:
        watch.until_paths("a.md", "b.md")
        away = notes.rename(notes.parent / "away")
        watch.notice("source_missing")
        assert paths_of(app) == ["a.md", "b.md"]
        (away / "a.md").write_text("changed meanwhile", encoding="utf-8")
        (away / "b.md").rename(away / "c.md")
        away.rename(notes)
        watch.notice("source_returned")
        watch.until(lambda: contents(app) == {"a.md": "changed meanwhile", "c.md": "two"})
        (notes / "d.md").write_text("after", encoding="utf-8")
        watch.until_paths("a.md", "c.md", "d.md")


def test_an_empty_folder_in_place_of_a_disk_removes_nothing(app, notes):
    (notes / "a.md").write_text("one", encoding="utf-8")
    app.ingest()
    disk = notes.rename(notes.parent / "disk")
    notes.mkdir()
    with watching(app, is_there=False) as watch:
        watch.notice("source_missing")
        assert paths_of(app) == ["a.md"]
        notes.rmdir()
        disk.rename(notes)
        (notes / "b.md").write_text("two", encoding="utf-8")
        watch.notice("source_returned")
        watch.until_paths("a.md", "b.md")
        notes.rename(disk)
        notes.mkdir()
        watch.notice("source_missing")
    assert paths_of(app) == ["a.md", "b.md"]


def test_what_ignore_rules_leave_out_starts_no_run_and_new_rules_are_heeded(app, notes):
    (notes / ".gitignore").write_text("build/\n", encoding="utf-8")
    (notes / "keep.md").write_text("keep", encoding="utf-8")
    (notes / "drafts").mkdir()
    (notes / "drafts" / "draft.md").write_text("draft", encoding="utf-8")
    with watching(app) as watch:
        watch.until_paths("drafts/draft.md", "keep.md")
        for folder in ("build", ".git", "node_modules"):
            (notes / folder).mkdir()
            (notes / folder / "noise.md").write_text("noise", encoding="utf-8")
        (notes / "picture.xyz").write_bytes(b"\0")
        (notes / ".kebabignore").write_text("drafts/\n", encoding="utf-8")
        watch.until_paths("keep.md")
        (notes / ".kebabignore").unlink()
        watch.until_paths("drafts/draft.md", "keep.md")
    assert all(report.counts.new + report.counts.removed for report in watch.runs)


def test_words_do_not_wait_for_vectors(tmp_path):
    embedder = HeldEmbedder(dimensions=8)
    with open_base(tmp_path, embedder=embedder) as app:
        (tmp_path / "notes" / "first.md").write_text("held passage", encoding="utf-8")
        with watching(app) as watch:
            assert embedder.asked_for.wait(PATIENCE_S)
            (tmp_path / "notes" / "second.md").write_text("otter", encoding="utf-8")
            watch.until_paths("first.md", "second.md")
            assert app.search(SearchQuery(text="otter", mode="lexical", k=3)).hits
            assert app.count_waiting_passages() == 2
            embedder.go.set()
            watch.until(lambda: not app.count_waiting_passages())


class HeldEmbedder(BagOfWordsEmbedder):
    """A model that waits for the test before its first passages."""

    asked_for: threading.Event
    go: threading.Event

    def __init__(self, **values: int) -> None:
        super().__init__(**values)
        self.asked_for, self.go = threading.Event(), threading.Event()

    def embed(self, texts, kind) -> np.ndarray:
        if kind is EmbeddingKind.DOCUMENT:
            self.asked_for.set()
            assert self.go.wait(PATIENCE_S)
        return super().embed(texts, kind)


def test_others_write_beside_a_watch(app, notes, tmp_path):
    with watching(app) as watch, open_base(tmp_path) as other:
        other.ingest_text("Given by another process.", title="Given")
        (notes / "a.md").write_text("saved", encoding="utf-8")
        watch.until(lambda: "a.md" in paths_of(app) and len(paths_of(app)) == 2)
        other.ingest()
        assert len(paths_of(other)) == 2


def test_a_note_that_kebab_keeps_is_followed_too(app, notes, tmp_path):
    with watching(app) as watch, open_base(tmp_path) as other:
        other.ingest_text("수달", title="노트")
        (tmp_path / "data" / "notes" / "노트.md").write_text("족제비", encoding="utf-8")
        watch.until(lambda: any("족제비" in text for text in contents(app).values()))


def test_a_second_watch_is_refused_and_told_of_the_first(app, tmp_path):
    with watching(app), open_base(tmp_path) as other:
        second = Watch(other)
        second.run()
    refusal = second.ended.get(timeout=PATIENCE_S)
    assert isinstance(refusal, LockedError)
    assert "watches these sources already" in refusal.message
    assert refusal.remedy is not None
    assert refusal.remedy.advice is not None


def test_a_run_that_fails_for_a_full_disk_is_repeated(app, notes):
    with watching(app) as watch:
        (notes / "a.md").write_text("a", encoding="utf-8")
        watch.until_paths("a.md")
        with small_files(4096):
            (notes / "b.md").write_text("b", encoding="utf-8")
            assert watch.notice("failed").remedy is not None
        watch.until_paths("a.md", "b.md")


def test_changed_settings_end_a_watch(app):
    with watching(app) as watch:
        watch.is_outdated = True
        assert watch.ended.get(timeout=PATIENCE_S) is WatchEnd.SETTINGS_CHANGED


def test_after_a_pause_everything_is_looked_at(tmp_path):
    clock = FixedClock()
    with open_base(tmp_path) as opened, App(opened.loaded, clock=clock) as app, watching(app) as watch:
        watch.until(lambda: bool(watch.runs))
        before = len(watch.runs)
        clock.advance(timedelta(hours=8))
        watch.until(lambda: len(watch.runs) > before)
    assert {scope.under for scope in watch.runs[-1].scopes} == {None}
