"""An open knowledge base: settings, clock, database, and the parts built over them."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar, cast

from kebab_core import (
    KebabError,
    NotIndexedError,
    ReadonlyModeError,
    Remedy,
    SourceId,
    StorageError,
)

from kebab_app.store import Store
from kebab_app.wiring import (
    SystemClock,
    build_analyzer,
    build_embedder,
    build_vector_store,
    count_json,
    open_store,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kebab_config import LoadedSettings, ResolvedSource
    from kebab_core import (
        Analyzer,
        ChunkCost,
        Clock,
        DocSummary,
        DocumentId,
        Embedder,
        EmbeddingIdentity,
        IndexedChunk,
        IndexedDocument,
        NliVerifier,
        Reranker,
    )
    from kebab_documents import LinkResolver, Links, NameIndex, Showing
    from kebab_ingest import DiskFiles, SourceTarget
    from kebab_search import SearchRetriever, VectorSearch
    from kebab_store_vector import MatrixVectorStore

    from kebab_app.lake import LakeIndex
    from kebab_app.store import History, Index, SqliteDatabase
    from kebab_app.vector_leg import LastQueryEmbedder


_Kept = TypeVar("_Kept")
DATABASE_NAME = "kebab.sqlite"


class KnowledgeBase:
    """One knowledge base.

    Holds its database open until `close`. Reading methods never create files. Threads may share it.

    Args:
        loaded: Settings with the paths they resolve to.
        readonly: Refuse every write.
        clock: The time; None is that of the machine.
        chunk_cost: Tokens that a neighbour costs of a fetch's `max_tokens`; None counts its JSON.
        embedder: Replaces the one that the settings name.
        files: Whether names of documents may be paths on disk. A face that takes them from requests says no: nothing outside of
            the sources is looked at then, so that no answer tells what else there is on the machine.
    """

    def __init__(
        self,
        loaded: LoadedSettings,
        *,
        readonly: bool = False,
        clock: Clock | None = None,
        chunk_cost: ChunkCost | None = None,
        embedder: Embedder | None = None,
        files: bool = True,
    ) -> None:
        self.loaded = loaded
        self.finish_erasure: Callable[[KnowledgeBase], None] | None = None
        """Finishes an erasure that was killed; called where the database opens with one. None leaves it."""
        self.data_dir = loaded.paths.data_dir
        self.reads_lake = loaded.settings.storage.engine == "lake"
        """The documents are those of a lake."""
        self.files = files
        self.readonly = readonly
        self.clock: Clock = clock or SystemClock()
        self.chunk_cost: ChunkCost = chunk_cost or count_json
        self._embedder = embedder
        self._former_embedders: dict[EmbeddingIdentity, Embedder | None] = {}
        self._question_embedder: LastQueryEmbedder | None = None
        self._kept: dict[str, tuple[int, object]] = {}
        self._opening = RLock()
        self._store: Store | None = None
        self.unwritable: StorageError | None = None
        """The disk error for which the database is open for reading only; None where there is none."""

    def close(self) -> None:
        """Close the database. Closing twice is fine."""
        if self._store is not None:
            self._store.database.close()
            self._drop_store()

    def _drop_store(self) -> None:
        """Drop the closed database and the parts built over it."""
        self._store = None
        self._kept.clear()
        for name in ("vectors", "retriever"):
            self.__dict__.pop(name, None)

    @property
    def sources(self) -> tuple[ResolvedSource, ...]:
        """All sources: those of the settings, then that of the notes which kebab keeps, where there are any."""
        from kebab_ingest import NOTES_FOLDER

        is_there = (self.data_dir / NOTES_FOLDER).is_dir()
        return (*self.loaded.paths.sources, *([self.notes_source] if is_there else []))

    @property
    def notes_source(self) -> ResolvedSource:
        """The source of the notes in the data folder."""
        from kebab_config import ResolvedSource
        from kebab_ingest import NOTES_FOLDER, make_notes_source

        return ResolvedSource(
            settings=make_notes_source(first=self.loaded.paths.sources[0].settings),
            root=self.data_dir / NOTES_FOLDER,
        )

    @property
    def source_roots(self) -> dict[SourceId, Path]:
        """Folder of each source."""
        return {SourceId(source.settings.id): source.root for source in self.sources}

    @property
    def targets(self) -> tuple[SourceTarget, ...]:
        """All sources, each whole."""
        from kebab_ingest import SourceTarget

        return tuple(SourceTarget(source=each.settings, root=each.root) for each in self.sources)

    @property
    def has_database(self) -> bool:
        """There is a database: something has been ingested or initialised here, or published to the lake that is read."""
        if self.reads_lake:
            from kebab_app.lake import has_revision

            return has_revision(self.lake)
        return (self.data_dir / DATABASE_NAME).is_file()

    @property
    def lake(self) -> str:
        """The lake that is read, or its copy: a folder, or the URL of a bucket."""
        return str(self.loaded.paths.mirror or self.loaded.paths.lake)

    @property
    def wants_vectors(self) -> bool:
        """An embedding model is configured, be it there or not."""
        return self._embedder is not None or self.loaded.settings.models.embedding.provider != "none"

    @property
    def has_vectors(self) -> bool:
        """A model has been asked for vectors here."""
        return self.has_database and self.index.embeddings.latest_model() is not None

    @property
    def has_embedder_of_its_own(self) -> bool:
        """The embedder is not that of the settings."""
        return self._embedder is not None

    def open_for_reading(self) -> SqliteDatabase:
        """Return the open database.

        Raises:
            NotIndexedError: There is none yet.
        """
        with self._opening:
            self._drop_replaced()
            if self._store is None:
                if not self.has_database and not self.reads_lake:
                    raise NotIndexedError(
                        "nothing has been indexed yet",
                        remedy=Remedy(kind="ingest" if self.is_set_up else "init"),
                        data_dir=str(self.data_dir),
                    )
                self._store = self._make_store(self._open_readable())
                self._finish_erasure()
            return self._store.database

    def _make_store(self, database: SqliteDatabase) -> Store:
        if self.reads_lake:
            from kebab_app.lake import LakeStore

            return LakeStore(database, self.lake, self.loaded.settings.storage, clock=self.clock)
        return Store(database)

    @property
    def is_set_up(self) -> bool:
        """There is a configuration, or the folder that is read without one."""
        return self.loaded.config_path is not None or self.loaded.paths.sources[0].root.exists()

    def _open_readable(self) -> SqliteDatabase:
        """Open the database, for reading only where its disk is full; `unwritable` is then set. Beside a lake it is made.

        Raises:
            StorageError: It cannot be read, either.
        """
        if self.reads_lake and not (self.data_dir / DATABASE_NAME).is_file():
            open_store(self.loaded, clock=self.clock, readonly=False).close()
        try:
            return open_store(self.loaded, clock=self.clock, readonly=self.readonly)
        except StorageError as error:
            if self.readonly or type(error) is not StorageError:
                raise
            try:
                opened = open_store(self.loaded, clock=self.clock, readonly=True)
            except StorageError:
                raise error from None
            self.unwritable = error
            return opened

    def open_for_writing(self) -> SqliteDatabase:
        """Return the open database, made if there is none.

        Raises:
            ReadonlyModeError: Writing is switched off.
            StorageError: Its disk is full or fails.
        """
        self.require_writable()
        with self._opening:
            self._drop_replaced()
            if self.unwritable is not None:
                raise self.unwritable
            if self._store is None:
                self._store = self._make_store(open_store(self.loaded, clock=self.clock, readonly=False))
                self._finish_erasure()
            return self._store.database

    def _finish_erasure(self) -> None:
        store = cast("Store", self._store)
        if self.finish_erasure is None or self.readonly or self.unwritable or self.reads_lake:
            return
        if store.database.is_erasure_begun:
            self.finish_erasure(self)

    def _drop_replaced(self) -> None:
        """Drop a database whose file a reset has deleted: writes to it would be lost.

        Raises:
            DatabaseCorruptError: The file was emptied.
        """
        if self._store is None:
            return
        if self._store.database.is_current:
            self._store.database.require_current()
            if self.reads_lake and (outdated := self._store).is_outdated():
                self._drop_store()
                self._store = self._make_store(outdated.database)
        else:
            self._store.database.retire()
            self._drop_store()

    def require_writable(self) -> None:
        """Check that writing is allowed.

        Raises:
            ReadonlyModeError: Writing is switched off.
        """
        if self.readonly:
            raise ReadonlyModeError("writing is switched off", remedy=Remedy(kind="allow_writing"))

    @cached_property
    def analyzer(self) -> Analyzer:
        """The analyser that index and query share."""
        return build_analyzer()

    @property
    def index(self) -> Index:
        """Tables that searches read.

        Raises:
            NotIndexedError: There is no database yet.
        """
        if self._store is None:
            self.open_for_reading()
        return cast("Store", self._store).index

    @property
    def history(self) -> History:
        """Records of what was done. Raises like `open_for_reading`."""
        self.open_for_reading()
        return cast("Store", self._store).history

    def open_disk_files(self) -> DiskFiles:
        """Build the comparison of documents with their files; it compares each file once.

        The root of a source that a plugin reads need not be where its files are.
        """
        from kebab_ingest import DiskFiles

        roots = {s.settings.id: s.root for s in self.sources if s.settings.is_folder}
        return DiskFiles(self.index.source_files, roots)

    @cached_property
    def embedder(self) -> Embedder | None:
        """The embedding model, None where none is configured. See `build_embedder` for its errors."""
        if self._embedder is not None or not self.wants_vectors:
            return self._embedder
        stored = None
        with suppress(StorageError):  # whoever needs the database says so
            stored = self._find_stored_model() if self.has_database else None
        return build_embedder(self.loaded, readonly=self.readonly, stored=stored)

    def _find_stored_model(self) -> EmbeddingIdentity | None:
        """Find the model with the configured name that vectors were made by last."""
        complete = (self.index.embeddings.active_model(), self.index.embeddings.previous_model())
        known = (self.index.embeddings.latest_model(), *(each and each.identity for each in complete))
        name = self.loaded.settings.models.embedding.model
        return next((each for each in known if each is not None and each.model_id == name), None)

    @property
    def search_embedder(self) -> Embedder | None:
        """The embedding model of searches: while the one in force is not complete, the one that was complete last."""
        active = (
            self.index.embeddings.active_model() if self.embedder is not None and self.has_database else None
        )
        if active is None or self.embedder is None or active.identity == self.embedder.identity:
            return self.embedder
        if active.identity not in self._former_embedders:
            from kebab_app.wiring import build_former_embedder

            self._former_embedders[active.identity] = build_former_embedder(self.loaded, active)
        return self._former_embedders[active.identity] or self.embedder

    @property
    def question_embedder(self) -> Embedder | None:
        """The model of searches, with the vector of the last query kept: an answer asks for it more than once."""
        from kebab_app.vector_leg import LastQueryEmbedder

        embedder, held = self.search_embedder, self._question_embedder
        if embedder is None or (held is not None and held.embedder is embedder):
            return None if embedder is None else held
        self._question_embedder = LastQueryEmbedder(embedder)
        return self._question_embedder

    @cached_property
    def nli_verifier(self) -> NliVerifier | None:
        """The model that checks the entailment of answers; None where none is configured. See `build_nli` for its errors."""
        from kebab_app.pair_models import build_nli

        return build_nli(self.loaded)

    @cached_property
    def reranker(self) -> Reranker | None:
        """The model that reranks hits; None where none is configured. See `kebab_nli.build_reranker` for its errors."""
        if not self.loaded.settings.models.reranker:
            return None
        from kebab_nli import build_reranker

        return build_reranker(self.loaded.settings.models.reranker, models_dir=self.loaded.paths.models_dir)

    def require_reranker(self) -> Reranker:
        """Return the reranker of a search that asks for one. See `kebab_app.pair_models.require_reranker`."""
        from kebab_app.pair_models import require_reranker

        return require_reranker(self.reranker, self.loaded)

    def prepare_embedder(self) -> None:
        """Start loading the model where it can load in the background, and a passage has a vector; errors are raised by its first use."""
        with suppress(KebabError):
            if not self.index.embeddings.embedded_models():
                return
            prepare = getattr(self.embedder, "prepare", None)
            if prepare is not None:
                prepare()

    @property
    def links(self) -> Links:
        """The links between all documents; kept until the corpus changes."""
        from kebab_documents import Links

        documents = self.index.documents
        return self._keep("links", lambda: Links(documents.list_entries(), documents.list_links()))

    @property
    def names(self) -> NameIndex:
        """The names of all documents; kept until the corpus changes."""
        from kebab_documents import NameIndex

        return self._keep("names", lambda: NameIndex(self.index.documents.list_entries()))

    @property
    def link_resolver(self) -> LinkResolver:
        """Finds the documents that links name; kept until the corpus changes."""
        from kebab_documents import LinkResolver

        return self._keep("link_resolver", lambda: LinkResolver(self.index.documents.list_entries()))

    def _keep(self, name: str, build: Callable[[], _Kept]) -> _Kept:
        """Return what is built of all documents, built anew where the corpus has changed."""
        with self.open_for_reading().one_state():
            revision = self.index.documents.corpus_revision()
            kept = self._kept.get(name)
            if kept is None or kept[0] != revision:
                kept = self._kept[name] = (revision, build())
            return cast("_Kept", kept[1])

    @property
    def showing(self) -> Mapping[DocumentId, Sequence[Showing]]:
        """The documents that show or link to each picture, by source and path; kept until the corpus changes."""
        from kebab_documents import group_by_target

        return self._keep(
            "showing",
            lambda: group_by_target(
                self.index.pictures.list_shown(),
                self.index.documents.list_entries(),
                self.link_resolver,
            ),
        )

    @cached_property
    def vectors(self) -> MatrixVectorStore:
        """Search over the vectors."""
        if self.reads_lake:
            return cast("MatrixVectorStore", cast("LakeIndex", self.index).build_vectors())
        storage = self.loaded.settings.storage
        return build_vector_store(
            self.data_dir, self.index.embeddings, index=storage.vector_index, readonly=self.readonly
        )

    def advise_on_vectors(self) -> Remedy:
        """Advise on passages without vectors. See `kebab_app.vector_leg`."""
        from kebab_app.vector_leg import advise_on_vectors

        return advise_on_vectors(self.data_dir, jobs=self.history.jobs, index=self.index.terms)

    @cached_property
    def retriever(self) -> SearchRetriever:
        """The retriever of every mode."""
        return self.build_retriever_with(lambda: self.question_embedder)

    def build_retriever_with(self, embedder: Callable[[], Embedder | None]) -> SearchRetriever:
        """Build a retriever with another embedder of the same model; `embedder` is called once in each search."""
        from kebab_search import SearchRetriever

        def build_vectors() -> VectorSearch:
            from kebab_app.vector_leg import build_vector_leg

            return build_vector_leg(
                embedder(), store=self.vectors, repo=self.index.embeddings, advice=self.advise_on_vectors
            )

        def read_source(passage: IndexedChunk) -> str | None:
            from kebab_documents import read_passage

            return read_passage(passage, self.index.documents)

        return SearchRetriever(
            vectors=build_vectors,
            index=self.index.terms,
            documents=self.index.documents,
            analyzer=self.analyzer,
            clock=self.clock,
            settings=self.loaded.settings.search,
            reranker=self.require_reranker,
            read_source=read_source,
        )

    def is_stale(self, document: IndexedDocument | DocSummary) -> bool:
        """Return True where the index of a document may be older than its file."""
        threshold = self.loaded.settings.search.stale_threshold_days
        return document.is_stale(now=self.clock.now(), threshold_days=threshold)
