"""Whatever happened to the files in between, an index that was kept up is the index built from nothing."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from kebab_app import App
from kebab_config import load_settings
from kebab_core import CancelToken, DocFilter, FetchDocument, IngestEvent
from kebab_store_sqlite import check_integrity
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import examples

PATHS = ["a.md", "b.md", "B.md", "sub/a.md", "sub/b.txt", "draft/c.md", ".kebabignore"]
CONTENTS = ["# one\n", "# two\n", "draft/\n", "b.*\n", "\0\0\0\0", ""]

paths = st.sampled_from(PATHS)
steps = st.one_of(
    st.tuples(st.just("write"), paths, st.sampled_from(CONTENTS)),
    st.tuples(st.just("move"), paths, paths),
    st.tuples(st.just("remove"), paths, st.just("")),
    st.tuples(st.just("ingest"), st.sampled_from(["", "sub", "a.md"]), st.sampled_from(["", "1", "3"])),
)
"""An ingest may be narrowed, and cancelled by its n-th event."""


class Tree:
    """Files that are changed step by step; no two writes have the same time."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._writes = 0

    def take(self, kind: str, path: str, argument: str) -> None:
        target = self.root / path
        if kind == "write":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(argument, encoding="utf-8")
            self._writes += 1
            os.utime(target, (self._writes, self._writes))
        elif kind == "move" and target.exists():
            (self.root / argument).parent.mkdir(parents=True, exist_ok=True)
            target.replace(self.root / argument)
        elif kind == "remove":
            target.unlink(missing_ok=True)


@contextmanager
def open_base(home: Path, name: str) -> Iterator[App]:
    overrides = {
        "workspace.root": str(home / "notes"),
        "storage.data_dir": str(home / name),
        "models.embedding.provider": "none",
    }
    loaded = load_settings(config_path=None, environ={"HOME": str(home)}, overrides=overrides)
    with App(loaded, clock=FixedClock()) as app:
        yield app


def ingest(app: App, under: str, cancel_after: str) -> None:
    cancel, events = CancelToken(), list[IngestEvent]()

    def sink(event: IngestEvent) -> None:
        events.append(event)
        if cancel_after and len(events) == int(cancel_after):
            cancel.cancel()

    (root,) = (source.root for source in app.loaded.paths.sources)
    if (root / under).exists():
        app.ingest(root / under, sink=sink, cancel=cancel)


def contents(app: App) -> dict[str, tuple[str, str | None]]:
    return {
        str(document.doc_path): (
            str(document.doc_id),
            app.fetch(FetchDocument(doc_id=document.doc_id)).text,
        )
        for document in app.list_documents(DocFilter())
    }


def asset_files(home: Path, name: str) -> set[str]:
    return {path.name for path in (home / name / "assets").glob("*/*")}


@pytest.mark.thorough
@settings(max_examples=examples(40))
@given(history=st.lists(steps, max_size=14))
@example(
    history=[
        ("write", "a.md", "# one\n"),
        ("ingest", "", ""),
        ("move", "a.md", "sub/a.md"),
        ("ingest", "sub", ""),
        ("write", "a.md", "# one\n"),
        ("ingest", "", "3"),
    ]
)
def test_index_kept_up_through_any_history_is_the_index_built_from_nothing(
    history: list[tuple[str, str, str]],
) -> None:
    home = Path(tempfile.mkdtemp())
    try:
        tree = Tree(home / "notes")
        tree.root.mkdir()
        with open_base(home, "kept") as kept, open_base(home, "fresh") as fresh:
            for kind, path, argument in history:
                if kind == "ingest":
                    ingest(kept, path, argument)
                else:
                    tree.take(kind, path, argument)
            kept.ingest()
            fresh.ingest()

            assert contents(kept) == contents(fresh)
            assert asset_files(home, "kept") == asset_files(home, "fresh")
            assert (
                kept.base.index.documents.stats().chunk_count
                == fresh.base.index.documents.stats().chunk_count
            )
            assert check_integrity(kept.base.open_for_reading()) == []
    finally:
        shutil.rmtree(home)
