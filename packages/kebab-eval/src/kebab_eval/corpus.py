"""Corpora that are indexed for one run of an evaluation.

A throw-away base and its documents lie in a temporary folder; the user's own base is neither read nor written.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kebab_core import (
    DEFAULT_SOURCE_ID,
    Clock,
    IngestEvent,
    Remedy,
    SearchHit,
    SearchMode,
    Translation,
)

from kebab_eval.evaluation_base import EvaluationBase
from kebab_eval.passages import read_passage_id, read_passages, write_passages
from kebab_eval.queries import require_folder

EventSink = Callable[[IngestEvent], None]

_PREFIX = "kebab-eval-"
_OWNER = "owner.lock"
_DAY_S = 24 * 60 * 60
_START_S = 60
"""A younger folder may not have its lock yet."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Documents for a throw-away base."""

    roots: Mapping[str, Path]
    """Folders by the ids of their sources."""
    data_dir: Path
    """Data folder of the base."""
    include: tuple[str, ...] = ()
    """Patterns of files to take; none takes all."""
    is_passages: bool = False
    """The files are those of `kebab_eval.write_passages`."""


OpenBase = Callable[[Corpus, SearchMode, EventSink], AbstractContextManager[EvaluationBase]]
"""Indexes a corpus by the ordinary ingest, in a throw-away base that is open inside the block. The mode is that of the searches to
come, and decides whether vectors are made; the sink gets the events of the ingest. Raises `InvalidInputError` where there is nothing to
index, `NotIndexedError` where no model is configured for the mode, and `ModelMissingError` where it is not on this machine."""


@dataclass(frozen=True, kw_only=True)
class IndexedCorpus:
    """The documents of a set in a knowledge base."""

    base: EvaluationBase
    missing: frozenset[str]
    """Wanted ids that are not among the documents."""

    named: Mapping[str, Sequence[str]]
    """Ids of the documents, as the set names them, by each of their names: id in the index, path, `SOURCE:PATH`."""
    names: Mapping[str, str]
    """Ids of the documents, as the set names them, by their ids in the index; none for passages of a set."""
    passages: tuple[Path, Path] | None = None
    """The set and the folder that its passages were written into; None for a folder of documents."""

    def document_of(self, found: SearchHit | Translation) -> str:
        """Return the id of a document of a result, as the set names it."""
        if self.passages is not None:
            return read_passage_id(self.passages[1] / found.doc_path)
        return self.names.get(found.doc_id, str(found.doc_path))

    def texts(self) -> Iterator[tuple[str, str]]:
        """Yield ids and texts of all documents, read one by one."""
        if self.passages is not None:
            for passage in read_passages(self.passages[0]):
                yield passage.doc_id, f"{passage.title}\n{passage.text}"
            return
        for document in self.base.list_documents():
            yield self.names[document.doc_id], self.base.read_text(document)


@dataclass(frozen=True, kw_only=True)
class CorpusIndexer:
    """Indexes corpora in temporary folders."""

    open_base: OpenBase
    clock: Clock

    @contextmanager
    def index_passages(
        self,
        folder: Path,
        *,
        wanted: Collection[str],
        mode: SearchMode,
        sink: EventSink,
        left_out: Collection[str] = (),
    ) -> Iterator[IndexedCorpus]:
        """Index the `corpus.jsonl` of a set.

        Args:
            folder: The set.
            wanted: Ids of documents that should be in the corpus.
            mode: Mode of the searches to come.
            sink: Receives the events of the ingest.
            left_out: Ids of documents that are not indexed.

        Yields:
            The documents; deleted afterwards.

        Raises:
            InvalidInputError: A line of the file is broken, an id occurs twice, or there are no documents.
        """
        with make_temporary_home(self.clock) as home:
            root = home / "documents"
            root.mkdir()
            taken = (passage for passage in read_passages(folder) if passage.doc_id not in left_out)
            missing = frozenset(wanted).difference(write_passages(taken, root))
            corpus = Corpus(roots={DEFAULT_SOURCE_ID: root}, data_dir=home / "data", is_passages=True)
            with self.open_base(corpus, mode, sink) as base:
                yield IndexedCorpus(
                    base=base,
                    missing=missing,
                    named={},
                    names={},
                    passages=(folder, root),
                )

    @contextmanager
    def index_folder(
        self,
        folder: Path,
        include: tuple[str, ...],
        *,
        wanted: Collection[str],
        mode: SearchMode,
        sink: EventSink,
    ) -> Iterator[IndexedCorpus]:
        """Index the files of a folder; the id of a document is its path in it.

        Args:
            folder: Holds the documents; nothing in it changes.
            include: Patterns of files to take; none takes all.
            wanted: Names of documents that should be in the folder: paths, or ids.
            mode: Mode of the searches to come.
            sink: Receives the events of the ingest.

        Yields:
            The documents; their index is deleted afterwards.

        Raises:
            InvalidInputError: The folder does not exist, is a file, or has no documents.
        """
        require_folder(folder, remedy=Remedy(kind="name_corpus"))
        with make_temporary_home(self.clock) as home:
            roots = {DEFAULT_SOURCE_ID: folder.absolute()}
            corpus = Corpus(roots=roots, data_dir=home / "data", include=include)
            with self.open_base(corpus, mode, sink) as base:
                yield take_indexed(base, wanted)


def take_indexed(base: EvaluationBase, wanted: Collection[str]) -> IndexedCorpus:
    """Take the documents that a base has in its index.

    The id of a document is its path; where the base has several sources, it is `SOURCE:PATH`.

    Args:
        base: The base.
        wanted: Names of documents that should be there: ids in the index, paths, or `SOURCE:PATH`.
    """
    documents = base.list_documents()
    is_mixed = len({document.source_id for document in documents}) > 1
    names: dict[str, str] = {}
    named: dict[str, list[str]] = {}
    for document in documents:
        path, full = str(document.doc_path), f"{document.source_id}:{document.doc_path}"
        names[document.doc_id] = full if is_mixed else path
        for name in (str(document.doc_id), path, full):
            named.setdefault(name, []).append(names[document.doc_id])
    return IndexedCorpus(
        base=base,
        missing=frozenset(wanted).difference(named),
        named=named,
        names=names,
    )


@contextmanager
def make_temporary_home(clock: Clock) -> Iterator[Path]:
    """Make a temporary folder for one evaluation, and delete the folders of evaluations that died.

    Dead are those whose lock nobody holds, and where there is no lock, those that have not changed for a day.

    Args:
        clock: The time.

    Yields:
        The folder; deleted afterwards.
    """
    _sweep(clock.now().timestamp())
    with (
        tempfile.TemporaryDirectory(prefix=_PREFIX) as home,
        Path(home, _OWNER).open("w", encoding="utf-8") as owner,
    ):
        with suppress(OSError):  # without locks, the age of the folder has to do
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield Path(home)


def _sweep(now_s: float) -> None:
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if _is_left_behind(folder, now_s):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue  # deleted meanwhile, or of another user


def _is_left_behind(folder: Path, now_s: float) -> bool:
    """Tell the folder of a dead evaluation by its lock or its age.

    Raises:
        OSError: The folder cannot be read.
    """
    status = folder.lstat()
    age_s = now_s - status.st_mtime
    if folder.is_symlink() or not folder.is_dir() or status.st_uid != os.getuid() or age_s < _START_S:
        return False
    try:
        with (folder / _OWNER).open("r", encoding="utf-8") as owner:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # there is no lock, or the file system has none
        return age_s >= _DAY_S
    return True
