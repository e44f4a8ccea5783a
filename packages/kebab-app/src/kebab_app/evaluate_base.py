"""A throw-away knowledge base over the documents of a test set; the user's own is neither read nor written."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    DEFAULT_SOURCE_ID,
    DocFilter,
    InvalidInputError,
    SearchHit,
    SearchMode,
    SourceId,
    SourceSettings,
    StorageSettings,
    TraceCandidate,
    WorkspacePath,
    WorkspaceSettings,
)
from kebab_ingest import CancelToken, IngestRequest, IngestRun

from kebab_app.evaluate_cache import EvaluatedBase
from kebab_app.evaluate_home import make_temporary_home
from kebab_app.evaluate_passages import PASSAGE_EXTRACTORS, read_passage_id, write_passages
from kebab_app.ingest_targets import find_targets
from kebab_app.ingest_wiring import build_ingest_resources
from kebab_app.knowledge_base import KnowledgeBase
from kebab_app.vector_leg import build_vector_leg
from kebab_app.wiring import EXTRACTORS

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import Clock
    from kebab_ingest import EventSink


Index = Callable[[KnowledgeBase, Mapping[str, tuple[str, str]]], int]
"""Indexes everything with these extractors and returns how many files could not be."""


@dataclass(frozen=True, kw_only=True)
class Collected:
    """The documents of a set in a knowledge base of their own."""

    base: KnowledgeBase
    document_of: Callable[[SearchHit | TraceCandidate], str]
    """The id of a passage's document, as the set names it."""
    texts: Callable[[], Iterator[tuple[str, str]]]
    """Ids and texts of all documents, read one by one each time it is called."""
    missing: frozenset[str]
    """Ids that were asked for and are not among the documents."""
    failed: int = 0
    """Documents that could not be indexed."""


@contextmanager
def collect_passages(
    folder: Path,
    *,
    loaded: LoadedSettings,
    clock: Clock,
    wanted: Collection[str],
    index: Index,
    left_out: Collection[str] = (),
) -> Iterator[Collected]:
    """Index the `corpus.jsonl` of a set.

    Args:
        folder: The set.
        loaded: Settings that apply, apart from where documents and data are.
        clock: The time.
        wanted: Ids of documents to tell when they are missing.
        index: Indexes the documents, such as `index_documents`.
        left_out: Ids of documents that are not taken.

    Yields:
        The knowledge base; deleted afterwards.

    Raises:
        InvalidInputError: A line of the file is broken, or an id occurs twice.
    """
    from kebab_eval import read_passages

    with make_temporary_home(clock) as home:
        root = home / "documents"
        root.mkdir()
        taken = (passage for passage in read_passages(folder) if passage.doc_id not in left_out)
        missing = frozenset(wanted).difference(write_passages(taken, root))
        with EvaluatedBase(
            _settle(loaded, home=home, root=root), cache_dir=loaded.paths.cache_dir, clock=clock
        ) as base:
            failed = index(base, PASSAGE_EXTRACTORS)
            yield Collected(
                base=base,
                document_of=lambda hit: read_passage_id(root / hit.doc_path),
                texts=lambda: ((p.doc_id, f"{p.title}\n{p.text}") for p in read_passages(folder)),
                missing=missing,
                failed=failed,
            )


@contextmanager
def collect_folder(
    folder: Path,
    include: tuple[str, ...],
    *,
    loaded: LoadedSettings,
    clock: Clock,
    wanted: Collection[str],
    index: Index,
) -> Iterator[Collected]:
    """Index the files of a folder; the id of a document is its path in it. See `collect_passages`.

    Args:
        folder: Holds the documents; nothing in it changes.
        include: Patterns of files to take; none takes all.
        loaded: Settings that apply, apart from where documents and data are.
        clock: The time.
        wanted: Ids of documents to tell when they are missing.
        index: Indexes the documents, such as `index_documents`.

    Yields:
        The knowledge base; deleted afterwards.

    Raises:
        InvalidInputError: The folder does not exist, or is a file.
    """
    from kebab_eval import require_folder

    require_folder(folder, hint="give --corpus the folder of the documents")
    root = folder.absolute()
    with make_temporary_home(clock) as home:
        settled = _settle(loaded, home=home, root=root, include=include)
        with EvaluatedBase(settled, cache_dir=loaded.paths.cache_dir, clock=clock) as base:
            failed = index(base, EXTRACTORS)
            paths = [found.doc_path for found in base.documents.list_documents(DocFilter())]
            yield Collected(
                base=base,
                document_of=lambda hit: str(hit.doc_path),
                texts=lambda: ((str(path), read_document_text(base, path)) for path in paths),
                missing=frozenset(wanted).difference(map(str, paths)),
                failed=failed,
            )


def _settle(
    loaded: LoadedSettings, *, home: Path, root: Path, include: tuple[str, ...] = ()
) -> LoadedSettings:
    """Return settings that differ only in where documents and data are; documents are not copied."""
    from kebab_config import Paths, ResolvedSource

    source = SourceSettings(
        id=SourceId(DEFAULT_SOURCE_ID),
        root=str(root),
        include=include or WorkspaceSettings().include,
        exclude=WorkspaceSettings().exclude,
    )
    data_dir = home / "data"
    settings = loaded.settings.model_copy(
        update={
            "workspace": WorkspaceSettings(sources=(source,)),
            "storage": StorageSettings(data_dir=str(data_dir), copy_threshold_mb=0),
        }
    )
    paths = Paths(
        config_file=loaded.paths.config_file,
        data_dir=data_dir,
        state_dir=data_dir,
        cache_dir=data_dir / "cache",
        log_dir=data_dir / "logs",
        sources=(ResolvedSource(source, root),),
        models_dir=loaded.paths.models_dir,
    )
    return replace(loaded, settings=settings, paths=paths)


def index_documents(
    base: KnowledgeBase, extractors: Mapping[str, tuple[str, str]], *, mode: SearchMode, sink: EventSink
) -> int:
    """Run the ordinary ingest over everything.

    Args:
        base: A knowledge base with nothing in it.
        extractors: What reads which medium.
        mode: How it will be searched.
        sink: Gets the events of the ingest.

    Returns:
        How many files could not be indexed.

    Raises:
        InvalidInputError: There is nothing to index.
        NotIndexedError: It cannot be searched so: no model is configured; that is known before the work.
        ModelMissingError: It cannot be searched so: the model is not on this machine.
    """
    base.open_for_writing()
    if mode is SearchMode.VECTOR:
        build_vector_leg(base.embedder, store=base.vectors, repo=base.embeddings)
    resources = build_ingest_resources(base, extractors=extractors, embed=mode is not SearchMode.LEXICAL)
    request = IngestRequest(targets=find_targets(base, None), is_everything=True, keep_items=False)
    counts = IngestRun(resources, request, sink=sink, cancel=CancelToken()).run().counts
    if not counts.new:
        raise InvalidInputError(
            "there are no documents to search", hint="check corpus.jsonl, or --corpus and --include"
        )
    return counts.errors + (counts.skipped if extractors is PASSAGE_EXTRACTORS else 0)


def read_document_text(base: KnowledgeBase, path: WorkspacePath) -> str:
    """Return what stands in the file of a document of the default source, nothing where there is none."""
    tracked = base.documents.tracked_file(SourceId(DEFAULT_SOURCE_ID), path)
    return Path(tracked.disk_path).read_text("utf-8", "replace") if tracked else ""
