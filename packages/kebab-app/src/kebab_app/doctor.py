"""The use case `doctor`, with repair: the parts of a knowledge base that health checks of `kebab_diagnose` look at."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from kebab_core import (
    DatabaseCorruptError,
    EmbeddingFailure,
    KebabError,
    Message,
    Remedy,
    join_messages,
)
from kebab_diagnose import (
    DatabaseAccess,
    HealthAccess,
    HealthReport,
    PluginState,
    VectorAccess,
    VectorFiles,
    count_unindexed_copies,
    examine,
    repair_vectors,
    verify_model as verify_embedding_model,
)
from kebab_ingest import find_model
from kebab_store_sqlite import (
    find_embedding_process,
    find_writer,
    hold_writer_lock,
    list_scratch,
    sweep_scratch,
)

from kebab_app.ingest_wiring import build_connector
from kebab_app.knowledge_base import DATABASE_NAME
from kebab_app.wiring import VECTORS_FOLDER, build_chat_model, build_extractor_services, max_exact_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kebab_core import EmbeddingIdentity

    from kebab_app.knowledge_base import KnowledgeBase


def doctor(base: KnowledgeBase) -> HealthReport:
    """Run every check of `kebab_diagnose.examine`; nothing is changed and nothing is made."""
    return examine(_build_health_access(base))


def verify_model(base: KnowledgeBase) -> HealthReport:
    """Verify the embedding model and its vectors. See `kebab_diagnose.verify_model`."""
    from kebab_embed_local import verify_pulled

    settings = base.loaded.settings.models.embedding
    folder = base.loaded.paths.models_dir / settings.model.rpartition("/")[2]
    is_pulled = settings.provider == "fastembed"
    return verify_embedding_model(
        _build_health_access(base), lambda: verify_pulled(folder) if is_pulled else None
    )


def count_copies(base: KnowledgeBase) -> int:
    """Count copies of files that no document has. See `kebab_diagnose.count_unindexed_copies`."""
    return count_unindexed_copies(_build_health_access(base))


def repair(base: KnowledgeBase) -> tuple[Message, ...]:
    """Make damaged indexes again from what is whole beside them, and delete what killed exports and imports left.

    The indexes are the full-text indexes, of a database that is whole but for them, and what searches read of vectors.

    Args:
        base: The knowledge base.

    Returns:
        What was repaired, one sentence each; nothing where all is well or where only starting over helps, which the
        checks then say.

    Raises:
        ReadonlyModeError: Writing is switched off or impossible.
        LockedError: Another process is writing.
        StorageError: The disk is full.
    """
    base.require_writable()
    swept = _sweep_scratch(base)
    if not base.has_database:
        return swept
    with hold_writer_lock(base.data_dir):
        return swept + tuple(done for mend in (_repair_full_text, _repair_vectors) if (done := mend(base)))


def _sweep_scratch(base: KnowledgeBase) -> tuple[Message, ...]:
    if not sweep_scratch(base.data_dir):
        return ()
    return (Message("what a killed export or import left was deleted"),)


def _repair_full_text(base: KnowledgeBase) -> Message | None:
    from kebab_store_sqlite import repair_lexical_index

    try:
        if not repair_lexical_index(base.open_for_writing()):
            return None
    except DatabaseCorruptError:
        return None
    chunks = base.lexical_index.corpus_size()
    return Message("the full-text indexes were made anew from {chunks} chunks", chunks=chunks)


def _repair_vectors(base: KnowledgeBase) -> Message | None:
    return repair_vectors(_build_vector_access(base), lambda: base.embeddings)


def _build_health_access(base: KnowledgeBase) -> HealthAccess:
    from kebab_store_sqlite import AssetFiles

    path, settings = base.loaded.config_path, base.loaded.settings
    where = Message("{path}", path=str(path))
    if not path:
        where = Message("defaults ({path} does not exist)", path=str(base.loaded.paths.config_file))
    copies = AssetFiles(base.data_dir, copy_threshold_bytes=0)

    def find_identity() -> EmbeddingIdentity | EmbeddingFailure | None:
        model = find_model(lambda: base.embedder)
        return model if model is None or isinstance(model, EmbeddingFailure) else model.identity

    return HealthAccess(
        config=join_messages("; ", [where, *base.loaded.warnings]),
        roots=[s.root for s in base.sources if s.settings.is_folder],
        data_dir=base.data_dir,
        readonly=base.readonly,
        models=settings.models,
        cache_mb=settings.storage.cache_mb,
        database=_build_database_access(base) if base.has_database else None,
        vectors=_build_vector_access(base)
        if base.wants_vectors or (base.data_dir / VECTORS_FOLDER).exists()
        else None,
        analyzer=lambda: base.analyzer,
        embedder=lambda: base.embedder,
        chat_model=lambda: build_chat_model(base.loaded),
        nli=lambda: base.nli_verifier,
        find_model=find_identity,
        find_writer=lambda: find_writer(base.data_dir),
        find_embedding_process=lambda: find_embedding_process(base.data_dir),
        inspect_plugins=cache(lambda: _inspect_plugins(base)),
        count_asset_files=lambda: copies.compare(frozenset())[1],
        scratch=list_scratch(base.data_dir),
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
            remedy=Remedy(kind="unset", setting=section, otherwise=Remedy(kind="install_plugin")),
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


def _build_database_access(base: KnowledgeBase) -> DatabaseAccess:
    from kebab_store_sqlite import (
        SqliteIngestRunRepo,
        check_integrity,
        check_tables,
        require_unprotected,
        table_sizes,
    )

    path = base.data_dir / DATABASE_NAME
    return DatabaseAccess(
        path=path,
        documents=lambda: base.documents,
        source_files=lambda: base.source_files,
        assets=lambda: base.assets,
        lexical_index=lambda: base.lexical_index,
        embeddings=lambda: base.embeddings,
        schema_version=lambda: base.open_for_reading().schema_version,
        cache_bytes=lambda: base.derivation_cache.size_bytes(),
        unfinished_runs=lambda: SqliteIngestRunRepo(base.open_for_reading()).unfinished_runs(),
        find_damage=lambda: check_integrity(base.open_for_reading()),
        find_table_damage=lambda: check_tables(base.open_for_reading()),
        table_sizes=lambda: table_sizes(base.open_for_reading()),
        require_unprotected=lambda: require_unprotected(path),
    )


def _build_vector_access(base: KnowledgeBase) -> VectorAccess:
    def read_files(identity: EmbeddingIdentity) -> VectorFiles:
        store = base.vectors
        index = store.find_index(identity)
        exact_rows = max_exact_rows(base.loaded.settings.storage.vector_index)
        return VectorFiles(
            recall=None if index is None else index.recall,
            is_index_used=index is not None and index.is_used,
            is_index_due=base.embeddings.counts(identity).committed > exact_rows,
            size_bytes=store.size_bytes(identity),
            is_matrix_current=store.is_current(identity),
        )

    return VectorAccess(
        folder=base.data_dir / VECTORS_FOLDER, store=lambda: base.vectors, read_files=read_files
    )
