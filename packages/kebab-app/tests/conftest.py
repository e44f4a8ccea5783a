from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest
from kebab_app import App, IngestOptions
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.recipe_rows import RECIPES
from kebab_app.wiring import build_extractor_services, build_recipe
from kebab_config import LoadedSettings, load_settings
from kebab_core import (
    Analyzer,
    CancelToken,
    DocFilter,
    DocSummary,
    DocumentStore,
    Embedder,
    EmbeddingCounts,
    EmbeddingKind,
    IngestEvent,
    IngestItem,
    IngestReport,
    IngestResult,
    SourceConnector,
    VectorHit,
)
from kebab_ingest import DocumentProcessor, IngestRequest, IngestRun, Recipe
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.recipes import recipe_finder
from kebab_testing.vectors import unpack_rows

from tests.command_server import forked_workers


@dataclass
class Outcome:
    """What a run reported and told."""

    report: IngestReport
    events: list[IngestEvent]

    @property
    def counts(self) -> dict[str, int]:
        """Counters of files that are not zero."""
        counts = self.report.counts.model_dump(exclude={"chunks_indexed", "embeddings_indexed"})
        return {name: count for name, count in counts.items() if count}

    @property
    def kinds(self) -> list[str]:
        return [event.kind for event in self.events]

    def item(self, path: str) -> IngestItem:
        (item,) = [item for item in self.report.items or () if item.doc_path == path]
        return item

    def paths(self, kind: IngestResult) -> list[str]:
        return sorted(str(item.doc_path) for item in self.report.items or () if item.kind is kind)


@dataclass
class Base:
    """A knowledge base in a folder of its own: its files, its configuration, runs over it."""

    home: Path
    clock: FixedClock = field(default_factory=FixedClock)
    config: dict[str, Mapping[str, object]] = field(
        default_factory=lambda: {"models.embedding": {"provider": "none"}}
    )
    sources: list[Mapping[str, object]] = field(default_factory=list)
    readonly: bool = False
    embedder: Embedder | None = None
    data_dir: Path = field(init=False)
    hour: timedelta = timedelta(hours=1)
    _app: App | None = None
    _writes: int = 0

    def __post_init__(self) -> None:
        self.data_dir = self.home / "data"
        self.root.mkdir()

    @property
    def root(self) -> Path:
        return self.home / "notes"

    @property
    def config_path(self) -> Path:
        return self.home / "kebab.toml"

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.home / "home")}

    @property
    def app(self) -> App:
        """The open knowledge base; `close` forgets it."""
        if self._app is None:
            self._app = App(self.load(), readonly=self.readonly, clock=self.clock, embedder=self.embedder)
        return self._app

    def close(self) -> None:
        if self._app is not None:
            self._app.close()
        self._app = None

    def load(self) -> LoadedSettings:
        workspace = {} if self.sources else {"root": str(self.root)}
        tables = {"workspace": workspace, "storage": {"data_dir": str(self.data_dir)}}
        for section, values in self.config.items():
            tables[section] = {**tables.get(section, {}), **values}
        lines = ["schema_version = 1"]
        for section, values in tables.items():
            lines += [f"[{section}]", *_keys(values)]
        for source in self.sources:
            lines += ["[[workspace.sources]]", *_keys(source)]
        self.config_path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return load_settings(config_path=self.config_path, environ=self.environ)

    def configure(self, section: str, **values: object) -> None:
        """Set keys; the next use of `app` opens with them."""
        self.close()
        self.config[section] = {**self.config.get(section, {}), **values}

    def set_sources(self, *sources: Mapping[str, object]) -> None:
        self.close()
        self.sources = list(sources)

    def write(self, path: str, content: str | bytes = "text", *, root: Path | None = None) -> Path:
        """Write a file; each write has a later modification time than the one before."""
        target = (root or self.root) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return self.touch(target)

    def touch(self, target: Path) -> Path:
        self._writes += 1
        stamp = 1_700_000_000_000_000_000 + self._writes * 1_000_000_000
        os.utime(target, ns=(stamp, stamp))
        return target

    def ingest(
        self, path: Path | None = None, *, cancel: CancelToken | None = None, **options: bool
    ) -> Outcome:
        events: list[IngestEvent] = []
        report = self.app.ingest(path, sink=events.append, cancel=cancel, options=IngestOptions(**options))
        return Outcome(report, events)

    def run_with(
        self,
        *,
        recipes: Sequence[Recipe] | None = None,
        analyzer: Analyzer | None = None,
        connector: SourceConnector | None = None,
        documents: DocumentStore | None = None,
        sink: list[IngestEvent] | None = None,
        cancel: CancelToken | None = None,
        **asked: bool,
    ) -> Outcome:
        """Run with some parts replaced, as a version of kebab with other parts would."""
        resources = build_ingest_resources(self.app.base)
        processor = DocumentProcessor(
            list_other_parsers=resources.processor.list_other_parsers,
            find_recipe=resources.processor.find_recipe if recipes is None else recipe_finder(recipes),
            analyzer=analyzer or resources.processor.analyzer,
        )
        resources = replace(
            resources,
            processor=processor,
            connector=connector or resources.connector,
            documents=documents or resources.documents,
            worker_factory=None,
        )
        events = [] if sink is None else sink
        request = IngestRequest(targets=self.app.base.targets, is_everything=True, **asked)
        run = IngestRun(resources, request, sink=events.append, cancel=cancel or CancelToken())
        return Outcome(run.run(), events)

    def recipes(self) -> list[Recipe]:
        """Every built-in recipe."""
        settings, services = self.app.loaded.settings.ingest, build_extractor_services()
        return [build_recipe(row, settings, services) for row in RECIPES]

    def documents(self) -> dict[str, DocSummary]:
        """Documents by path, with the source in front where it is not the default one."""
        return {
            str(d.doc_path) if d.source_id == "default" else f"{d.source_id}:{d.doc_path}": d
            for d in self.app.list_documents(DocFilter())
        }

    def paths(self) -> list[str]:
        return sorted(self.documents())

    def chunk_ids(self) -> set[str]:
        with self.app.base.open_for_reading().reading() as connection:
            return {row[0] for row in connection.execute("SELECT chunk_id FROM chunks")}

    def install(
        self,
        name: str,
        groups: Mapping[str, Mapping[str, str]],
        patch: pytest.MonkeyPatch,
        version: str = "1.0",
    ) -> Path:
        """Install a distribution with entry points as an installer leaves it; return the folder for its modules."""
        site = self.home / "site" / name
        info = site / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir(parents=True)
        lines: list[str] = []
        for group, entries in groups.items():
            lines += [f"[{group}]", *(f"{entry} = {value}" for entry, value in entries.items())]
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        patch.syspath_prepend(str(site))
        patch.setenv("PYTHONPATH", str(site), prepend=os.pathsep)  # worker processes look there
        return site

    def install_project(self, project: Path, patch: pytest.MonkeyPatch) -> None:
        """Install a project of single modules as its `pyproject.toml` describes it."""
        said = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        site = self.install(said["name"], said["entry-points"], patch, said["version"])
        for module in project.glob("*.py"):
            shutil.copy(module, site)
            patch.delitem(sys.modules, module.stem, raising=False)

    def asset_files(self) -> set[str]:
        return {path.name for path in (self.data_dir / "assets").glob("*/*")}


@dataclass
class Embedding:
    """A knowledge base with vectors, whose model counts what it is asked."""

    base: Base
    embedder: BagOfWordsEmbedder

    @property
    def stored(self) -> set[str]:
        """The chunks with a vector of the model."""
        packed = self.base.app.base.index.embeddings.rows(self.embedder.identity)
        return {row.chunk_id for row in unpack_rows(packed)}

    @property
    def texts(self) -> list[str]:
        """The passages that the model was asked about, in order."""
        return [
            text for texts, kind in self.embedder.asked if kind is EmbeddingKind.DOCUMENT for text in texts
        ]

    def switch(self, embedder: BagOfWordsEmbedder) -> Embedding:
        """Give the knowledge base another model."""
        self.base.close()
        self.base.embedder = embedder
        return Embedding(self.base, embedder)

    def counts(self) -> EmbeddingCounts:
        return self.base.app.base.index.embeddings.counts(self.embedder.identity)

    def nearest(self, text: str = "apple") -> list[VectorHit]:
        """Every passage with its similarity to a query, best first."""
        query = self.embedder.embed([text], EmbeddingKind.QUERY)
        return self.base.app.base.vectors.search(self.embedder.identity, query, limit=10_000)

    def assert_complete(self) -> None:
        """Every chunk has its vector, and a search by vectors sees exactly the chunks."""
        assert self.stored == self.base.chunk_ids()
        assert self.counts()[:2] == (0, len(self.stored))
        assert {hit.chunk_id for hit in self.nearest()} == self.stored
        if self.stored:
            assert self.base.app.base.vectors.is_current(self.embedder.identity)


def _keys(values: Mapping[str, object]) -> list[str]:
    return [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[None]:
    """Worker processes are forked."""
    with forked_workers():
        yield


@pytest.fixture(scope="session")
def make_base() -> Callable[[Path], Base]:
    """Makes a knowledge base in an empty folder; for fixtures of a module, which close it."""
    return Base


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Base]:
    made = Base(tmp_path)
    yield made
    made.close()


@pytest.fixture
def embedding(base: Base) -> Embedding:
    """The knowledge base `base` with vectors."""
    made = Embedding(base, BagOfWordsEmbedder())
    base.embedder = made.embedder
    return made


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Risky files are read in this process: a worker process takes most of a second of processor time to start."""
    monkeypatch.setattr(
        "kebab_ingest.run.IsolatedWorker.prepare_all", lambda worker, tasks: map(worker._prepare, tasks)
    )


@pytest.fixture
def make_unreadable() -> object:
    """Make a folder one whose rules, and so whose content, cannot be read, for root too."""

    def make(folder: Path) -> Path:
        rules = folder / ".gitignore"
        rules.symlink_to("x" * 300)
        return rules

    return make
