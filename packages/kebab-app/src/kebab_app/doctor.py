"""The use case `doctor`, with repair: the checks of `kebab_diagnose` and the parts of a knowledge base that each looks at."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING

from kebab_core import (
    CopyLook,
    DatabaseCorruptError,
    ExternalError,
    InputError,
    KebabError,
    Message,
    Remedy,
    StorageError,
    join_messages,
)
from kebab_diagnose import (
    NO_DATABASE,
    NOT_CONFIGURED,
    NOT_PULLED,
    NOTHING_INGESTED,
    START_OVER,
    UNREACHABLE,
    CheckResult,
    HealthReport,
    PluginState,
    Problem,
    VectorFiles,
    advise_on_damage,
    check_assets,
    check_damaged_vectors,
    check_data_dir_private,
    check_data_dir_writable,
    check_disk_space,
    check_embedding_model,
    check_files_readable,
    check_identity,
    check_ingest_finished,
    check_known_vectors,
    check_korean_analysis,
    check_language_model,
    check_lexical_index,
    check_nli_model,
    check_pictures,
    check_plugins,
    check_recordings,
    check_removals_settled,
    check_reranker,
    check_scratch,
    check_servers,
    check_sources,
    check_unindexed_copies,
    check_vector_folder,
    check_vectors_complete,
    describe_cache,
    describe_database,
    describe_vectors,
    iter_checks,
)

from kebab_app.asr import find_transcriber
from kebab_app.ingest_wiring import build_connector
from kebab_app.knowledge_base import DATABASE_NAME
from kebab_app.ocr import find_ocr_engine
from kebab_app.picture_readings import count_pictures, count_recordings
from kebab_app.store import (
    find_embedding_process,
    find_writer,
    hold_writer_lock,
    list_scratch,
    repair_lexical_index,
    set_base_aside,
    sweep_scratch,
)
from kebab_app.wiring import VECTORS_FOLDER, build_chat_model, build_extractor_services, max_exact_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kebab_core import Embedder, EmbeddingIdentity, IngestRun, LanguageModel, StoreStats
    from kebab_diagnose import Check

    from kebab_app.knowledge_base import KnowledgeBase

_NOT_KNOWN = Message("not known: the model cannot be used (see embedding_model)")
READ_FROM_A_LAKE = Message("the documents are those of a lake")
_REMAKE_VECTORS = Remedy(kind="remake_vectors")
_WITHOUT_DATABASE: dict[str, Message] = {
    "sqlite_open": Message("no database yet (the first ingest creates it)"),
    "sqlite_integrity": NO_DATABASE,
    "lexical_index": NO_DATABASE,
    "ingest_finished": NOTHING_INGESTED,
    "files_readable": NOTHING_INGESTED,
    "removals_settled": NOTHING_INGESTED,
    "derivation_cache": NO_DATABASE,
    "pictures_read": NO_DATABASE,
    "recordings_heard": NO_DATABASE,
}


def check_health(base: KnowledgeBase) -> Iterator[CheckResult]:
    """Run every check, each when its result is asked for; nothing is changed and nothing is made."""
    health = _Health(base)
    checks: dict[str, Check | Message] = {
        "config_loaded": _describe_config(base),
        "workspace_readable": lambda: (
            READ_FROM_A_LAKE
            if base.reads_lake
            else check_sources([s.root for s in base.sources if s.settings.is_folder])
        ),
        "data_dir_writable": health.check_writable,
        "data_dir_private": lambda: check_data_dir_private(base.data_dir),
        "disk_space": lambda: check_disk_space(base.data_dir),
        "sqlite_open": health.describe_database,
        "sqlite_integrity": health.check_integrity,
        "lexical_index": lambda: check_lexical_index(base.index.terms, base.analyzer),
        "korean_analysis": lambda: check_korean_analysis(base.analyzer),
        "ingest_finished": lambda: check_ingest_finished(health.unfinished_runs(), health.find_writer()),
        "files_readable": lambda: check_files_readable(base.index.source_files.list_failures()),
        "removals_settled": lambda: check_removals_settled(health.stats),
        "assets_kept": health.check_assets,
        "scratch_swept": lambda: check_scratch(list_scratch(base.data_dir)),
        "lancedb_open": health.check_vectors,
        "vectors_complete": health.check_vectors_complete,
        "derivation_cache": lambda: describe_cache(
            base.index.pictures.results_bytes(), limit_mb=base.loaded.settings.storage.cache_mb
        ),
        "pictures_read": lambda: check_pictures(count_pictures(base), find_ocr_engine()),
        "recordings_heard": lambda: check_recordings(
            count_recordings(base), find_transcriber(base.loaded.settings.ingest.asr)
        ),
        "embedding_model": health.check_embedding_model,
        "nli_model": lambda: check_nli_model(base.nli_verifier),
        "reranker": lambda: check_reranker(
            base.require_reranker() if base.loaded.settings.search.rerank else base.reranker
        ),
        "language_model": lambda: check_language_model(
            health.chat_model, base.loaded.settings.models.llm, health.plugins
        ),
        "ollama_reachable": lambda: health.check_servers(UNREACHABLE),
        "ollama_model_pulled": lambda: health.check_servers(NOT_PULLED),
        "plugins": lambda: check_plugins(health.plugins),
    }
    if base.loaded.paths.lake:
        from kebab_app.lake_maintenance import lake_checks

        checks |= lake_checks(base)
    if not base.has_database:
        checks |= _WITHOUT_DATABASE
    return iter_checks(checks, advise_on_damage=health.advise_on_damage)


def verify_model(base: KnowledgeBase) -> HealthReport:
    """Verify the files of the embedding model, and vectors that it makes now against those that searches compare."""
    health = _Health(base)
    checks: dict[str, Check | Message] = {
        "embedding_model": health.verify_files,
        "model_identity": health.check_identity,
        "known_vectors": health.check_known_vectors,
        "lancedb_open": health.check_vectors,
        "vectors_complete": health.check_vectors_complete,
    }
    return HealthReport(checks=tuple(iter_checks(checks, advise_on_damage=health.advise_on_damage)))


def _describe_config(base: KnowledgeBase) -> Message:
    """Return the file of the settings, or that the defaults apply, and the warnings of both."""
    path = base.loaded.config_path
    where = Message("{path}", path=str(path))
    if not path:
        where = Message("defaults ({path} does not exist)", path=str(base.loaded.paths.config_file))
    return join_messages("; ", [where, *base.loaded.warnings])


def count_copies(base: KnowledgeBase) -> int:
    """Count the copies of files beside a database without documents, which a lost database leaves behind.

    Returns:
        The number; 0 while an ingest is at work.
    """
    from kebab_app.store import AssetFiles

    if find_writer(base.data_dir) is not None:
        return 0
    if not base.has_database:
        return AssetFiles(base.data_dir, copy_threshold_bytes=0).compare(frozenset())[1]
    if base.index.documents.stats().doc_count:
        return 0
    return base.index.documents.audit_assets(CopyLook.NAMES).strays


class _Health:
    """Checks over an open knowledge base. Each opens what it needs, so that a damaged part fails no other."""

    def __init__(self, base: KnowledgeBase) -> None:
        self._base = base

    @cached_property
    def plugins(self) -> Sequence[PluginState]:
        """The parts of other distributions; every plugin is imported."""
        return _inspect_plugins(self._base)

    @cached_property
    def stats(self) -> StoreStats:
        """Sizes and breakdowns of the documents, which several checks tell of."""
        return self._base.index.documents.stats()

    @cached_property
    def embedder(self) -> Embedder | KebabError | None:
        """The embedding model, the error that keeps it from being used, or None where none is configured."""
        try:
            return self._base.embedder
        except (ExternalError, InputError) as error:
            return error

    @cached_property
    def chat_model(self) -> LanguageModel | KebabError | None:
        """The chat model, the error that keeps it from being used, or None where there is none."""
        try:
            return build_chat_model(self._base.loaded)
        except (ExternalError, InputError) as error:
            return error

    @property
    def model(self) -> EmbeddingIdentity | KebabError | None:
        """The embedding model in force, or why there is none. See `embedder`."""
        if self.embedder is None or isinstance(self.embedder, KebabError):
            return self.embedder
        try:
            return self.embedder.identity
        except (ExternalError, InputError) as error:
            return error

    def unfinished_runs(self) -> Sequence[IngestRun]:
        return self._base.history.jobs.unfinished_runs()

    def find_writer(self) -> int | None:
        return find_writer(self._base.data_dir)

    def check_writable(self) -> Message | Problem:
        from kebab_app.store import require_unprotected

        base = self._base
        if base.readonly:
            return Message("{folder} (not needed: writing is switched off)", folder=str(base.data_dir))
        found = check_data_dir_writable(base.data_dir)
        if base.has_database and not isinstance(found, Problem):
            require_unprotected(base.data_dir / DATABASE_NAME)
        return found

    def describe_database(self) -> Message:
        from kebab_app.store import table_sizes

        database = self._base.open_for_reading()
        return describe_database(
            self._base.data_dir / DATABASE_NAME,
            self.stats,
            schema_version=database.schema_version,
            sizes=table_sizes(database),
        )

    def check_integrity(self) -> Message | Problem:
        from kebab_app.store import check_integrity

        if damage := check_integrity(self._base.open_for_reading()):
            return Problem(Message("{damage}", damage=damage[0]), remedy=self.advise_on_damage())
        return Message("no damage found")

    def advise_on_damage(self) -> Remedy:
        """Name what helps a damaged database. See `kebab_diagnose.advise_on_damage`."""
        from kebab_app.store import check_tables

        if not self._base.has_database:
            return START_OVER
        try:
            return advise_on_damage(check_tables(self._base.open_for_reading()))
        except KebabError:
            return START_OVER

    def check_assets(self) -> Message | Problem:
        if found := check_unindexed_copies(count_copies(self._base)):
            return found
        if not self._base.has_database:
            return NOTHING_INGESTED
        audit = self._base.index.documents.audit_assets(CopyLook.SIZES)
        is_settled = not audit.strays or (self.find_writer() is None and not self.unfinished_runs())
        return check_assets(audit, are_strays_settled=is_settled)

    def check_vectors(self) -> Message | Problem:
        """Check that the vectors can be read; the detail is a line for each model that has any."""
        base, folder = self._base, self._base.data_dir / VECTORS_FOLDER
        if not base.wants_vectors and not folder.exists():
            return NOT_CONFIGURED
        if (found := check_vector_folder(folder)) is not None:
            return found
        lines = []
        try:
            for identity in base.vectors.embedded_models() if base.has_database else ():
                if found := check_damaged_vectors(len(base.vectors.find_damaged(identity))):
                    return found
                files = _describe_files(base, identity)
                lines.append(describe_vectors(files, identity, base.index.embeddings, self.model))
        except StorageError as error:
            return Problem(error.message, remedy=error.remedy or _REMAKE_VECTORS)
        return join_messages("\n", lines) if lines else Message("no vectors yet")

    def check_vectors_complete(self) -> Message | Problem:
        model = self.model
        if model is None:
            return NOT_CONFIGURED
        if not self._base.has_database:
            return NOTHING_INGESTED
        if isinstance(model, KebabError):
            return _NOT_KNOWN
        writer = find_embedding_process(self._base.data_dir)
        return check_vectors_complete(model, self._base.index.embeddings, writer=writer)

    def check_embedding_model(self) -> Message | Problem:
        return check_embedding_model(self.embedder, self._base.loaded.settings.models.embedding)

    def verify_files(self) -> Message | Problem:
        """Compare the files of a pulled model with the hashes that its hub listed, and have it make a vector."""
        from kebab_embed_local import verify_pulled

        settings = self._base.loaded.settings.models.embedding
        if settings.provider == "fastembed":
            verify_pulled(self._base.loaded.paths.models_dir / settings.model.rpartition("/")[2])
        return self.check_embedding_model()

    def check_identity(self) -> Message | Problem:
        model = self.model
        if model is None:
            return NOT_CONFIGURED
        if isinstance(model, KebabError):
            return _NOT_KNOWN
        return (
            check_identity(model, self._base.index.embeddings)
            if self._base.has_database
            else NOTHING_INGESTED
        )

    def check_known_vectors(self) -> Message | Problem:
        if self.embedder is None:
            return NOT_CONFIGURED
        if isinstance(self.embedder, KebabError) or isinstance(self.model, KebabError):
            return _NOT_KNOWN
        if not self._base.has_database:
            return NOTHING_INGESTED
        return check_known_vectors(self.embedder, self._base.index.embeddings)

    def check_servers(self, failures: tuple[type[KebabError], ...]) -> Message | Problem:
        models = self._base.loaded.settings.models
        return check_servers(self.embedder, self.chat_model, models, failures=failures)


def _describe_files(base: KnowledgeBase, identity: EmbeddingIdentity) -> VectorFiles:
    store = base.vectors
    index = store.find_index(identity)
    exact_rows = max_exact_rows(base.loaded.settings.storage.vector_index)
    return VectorFiles(
        recall=None if index is None else index.recall,
        is_index_used=index is not None and index.is_used,
        is_index_due=base.index.embeddings.counts(identity).committed > exact_rows,
        size_bytes=store.size_bytes(identity),
        is_matrix_current=store.is_current(identity),
    )


def repair(base: KnowledgeBase) -> tuple[Message, ...]:
    """Make damaged indexes again from what is whole beside them, and delete what killed exports and imports left.

    The indexes are the full-text indexes, of a database that is whole but for them, and what searches read of vectors. A
    database of a schema that this kebab cannot read is set aside, so that the next ingest makes a new one.

    Args:
        base: The knowledge base.

    Returns:
        What was repaired, one sentence each; nothing where all is well or where only starting over helps, which the
        checks then say.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing, or has the database that is set aside open.
        StorageError: The disk is full.
    """
    base.require_writable()
    swept = _sweep_scratch(base)
    if not base.has_database:
        return swept
    with hold_writer_lock(base.data_dir):
        if replaced := _replace_database(base):
            return (*swept, replaced)
        return swept + tuple(done for mend in (_repair_full_text, _repair_vectors) if (done := mend(base)))


def _sweep_scratch(base: KnowledgeBase) -> tuple[Message, ...]:
    swept = Message("files left by a killed export or import were deleted")
    return (swept,) if sweep_scratch(base.data_dir) else ()


def _replace_database(base: KnowledgeBase) -> Message | None:
    try:
        folder = set_base_aside(base.data_dir)
    except DatabaseCorruptError:
        return None
    if folder is None:
        return None
    return Message(
        "the old database was moved to {folder}, with its copies of files and eval runs: it is kept until you delete it, and "
        "the next ingest makes a new one",
        folder=str(folder),
    )


def _repair_full_text(base: KnowledgeBase) -> Message | None:
    try:
        if not repair_lexical_index(base.open_for_writing()):
            return None
    except DatabaseCorruptError:
        return None
    chunks = base.index.terms.corpus_size()
    return Message("the full-text indexes were rebuilt from {passages} passages", passages=chunks)


def _repair_vectors(base: KnowledgeBase) -> Message | None:
    """Make again what searches read of vectors that are whole; the checks advise on others."""
    rows = 0
    try:
        for identity in base.vectors.embedded_models():
            if not base.vectors.is_current(identity):
                base.vectors.update(identity)
                rows += base.index.embeddings.counts(identity).committed
    except StorageError:
        return None
    if not rows:
        return None
    return Message(
        "the search file of {count} vector was rebuilt",
        plural="the search file of {count} vectors was rebuilt",
        count=rows,
    )


def _inspect_plugins(base: KnowledgeBase) -> Sequence[PluginState]:
    """Import every plugin, and build the extractors, chunkers and connectors, which are cheap.

    A section of an extractor or a kind of source that no plugin has is a problem, too.
    """
    from kebab_config import Plugin, find_plugin, list_plugins
    from kebab_core import CHUNKERS_GROUP, EXTRACTORS_GROUP, SOURCES_GROUP, Chunker, ConfigInvalidError

    from kebab_app.recipes import build_extractor

    settings, services = base.loaded.settings.ingest, build_extractor_services()
    plugins = list_plugins()

    def check(plugin: Plugin) -> None:
        find_plugin([each for each in plugins if each.group == plugin.group], plugin.name)
        if plugin.group == EXTRACTORS_GROUP:
            build_extractor(plugin, settings, services)
        elif plugin.group == CHUNKERS_GROUP:
            plugin.build(services.counter, protocol=Chunker)
        else:
            plugin.load()

    states = [
        PluginState(
            group=each.group,
            name=each.name,
            distribution=each.distribution,
            problem=_find_error(partial(check, each)),
        )
        for each in plugins
    ]
    extractors = {each.name for each in plugins if each.group == EXTRACTORS_GROUP}
    for name in settings.extractors.keys() - extractors:
        section = f"ingest.extractors.{name}"
        unused = ConfigInvalidError(
            "{key} has no effect: there is no extractor plugin {name!r}",
            remedy=Remedy(
                kind="unset", setting=section, otherwise=Remedy(advice=Message("install the plugin"))
            ),
            key=section,
            _name=name,
        )
        states.append(PluginState(group=EXTRACTORS_GROUP, name=name, distribution="", problem=unused))
    if (error := _find_error(lambda: build_connector(base))) is not None:
        states.append(PluginState(group=SOURCES_GROUP, name="", distribution="", problem=error))
    return states


def _find_error(act: Callable[[], object]) -> KebabError | None:
    try:
        act()
    except KebabError as error:
        return error
    return None
