"""Checks of the models that the settings name, and of the vectors that the embedding model made; repair of vectors.

A new check is a function and a line of the table at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from kebab_core import (
    LANGUAGE_MODELS_GROUP,
    EmbeddingFailure,
    EmbeddingKind,
    ExternalError,
    InputError,
    Remedy,
    StorageError,
)

from kebab_diagnose.access import HealthAccess, VectorAccess
from kebab_diagnose.storage_checks import (
    NO_DATABASE,
    NOT_CONFIGURED,
    NOTHING_INGESTED,
    Check,
    Problem,
    count_of,
)

if TYPE_CHECKING:
    from kebab_core import EmbeddingIdentity, EmbeddingRepo, VectorTable

_MB = 1_000_000
_BYTES_PER_MB = 1024 * 1024
_REMAKE = Remedy(kind="remake_vectors")


def check_vector_tables(access: HealthAccess) -> str | Problem:
    """Check that the vectors can be read; the detail is a line for each model that has any."""
    vectors = access.vectors
    if vectors is None:
        return NOT_CONFIGURED
    if vectors.folder.exists() and not vectors.folder.is_dir():
        return Problem(
            f"{vectors.folder} is no folder",
            remedy=Remedy(kind="move_away", path=str(vectors.folder), then=Remedy(kind="embed")),
        )
    try:
        model = access.find_model()
        lines = [_describe_table(vectors, table, model) for table in vectors.store.tables() if table.rows]
    except StorageError as error:
        return Problem(error.message, remedy=error.remedy or _REMAKE)
    return "\n".join(lines) or "no vectors yet"


def _describe_table(
    vectors: VectorAccess, table: VectorTable, model: EmbeddingIdentity | EmbeddingFailure | None
) -> str:
    identity = table.identity
    named = f"{identity.model_id} {identity.model_version}: {count_of(table.rows, 'vector')}"
    may_be_in_force = isinstance(model, EmbeddingFailure) or (
        model is not None and table.index_id == vectors.index_of(model)
    )
    if not may_be_in_force:
        named = f"{named} of a model that is not in force (a reset of the vectors lets them go)"
    files = vectors.read_files(table.index_id)
    if files is None:
        return named
    how = "exact"
    if files.index_kind is not None:
        unused = "" if files.is_index_used else ", too low to be used: exact"
        how = f"{files.index_kind}, recall {files.recall:.3f}{unused}"
    current = "" if files.is_matrix_current else ", read slowly until the next run (repair makes it current)"
    size = files.size_bytes / _MB
    return f"{named}, {how}, {count_of(files.fragments, 'piece')}, {size:.1f} MB{current}"


def check_vectors_complete(access: HealthAccess) -> str | Problem:
    """Check that every passage has a vector of the model in force."""
    model = access.find_model()
    if model is None or access.vectors is None:
        return NOT_CONFIGURED
    if access.database is None:
        return NOTHING_INGESTED
    if isinstance(model, EmbeddingFailure):
        return "not known: the model cannot be used (see embedding_model)"
    return _compare(model, access.database.embeddings(), access.vectors, writer=access.find_writer())


def _compare(
    model: EmbeddingIdentity, embeddings: EmbeddingRepo, vectors: VectorAccess, *, writer: int | None
) -> str | Problem:
    counts = embeddings.counts(model)
    passages = count_of(counts.committed, "passage")
    have = f"{passages} {'has a vector' if counts.committed == 1 else 'have vectors'}"
    if writer is not None:
        return f"{have}; a writer is at work (pid {writer})"
    try:
        lost = vectors.find_lost(model)
    except StorageError as error:
        return Problem("the vectors cannot be read (see lancedb_open)", remedy=error.remedy or _REMAKE)
    if lost:
        return Problem(f"the vectors of {len(lost)} of {passages} are lost", remedy=_REMAKE)
    if documents := embeddings.pending_documents(model):
        without = "document has" if documents == 1 else "documents have"
        return Problem(
            f"{documents} {without} passages without a vector; {have}", remedy=Remedy(kind="embed")
        )
    if counts.committed and embeddings.query_centroids(model) is None:
        return Problem(
            f"what was measured of the model over the index is lost; {have}", remedy=Remedy(kind="embed")
        )
    waiting = f", {counts.deleted} to be removed by the next ingest" if counts.deleted else ""
    return f"{have}{waiting}"


def repair_vectors(vectors: VectorAccess, reopen_lost: Callable[[EmbeddingIdentity], object]) -> str | None:
    """Make again what searches read of vectors that are whole; the checks advise on others.

    Args:
        vectors: The vectors.
        reopen_lost: Makes records pending again whose vectors are not there.

    Returns:
        What was repaired; None for nothing.
    """
    rows = 0
    try:
        for table in vectors.store.tables():
            files = vectors.read_files(table.index_id)
            if files is not None and not files.is_matrix_current:
                vectors.store.maintain(table.index_id)
                reopen_lost(table.identity)
                rows += table.rows
    except StorageError:
        return None
    return f"what searches read of {count_of(rows, 'vector')} was made anew" if rows else None


def check_cache(access: HealthAccess) -> str:
    """Compare the size of the derivation cache with its limit, which it keeps by itself."""
    if access.database is None:
        return NO_DATABASE
    size = access.database.cache_bytes() / _BYTES_PER_MB
    return f"{size:.1f} MB of at most {access.cache_mb} MB (storage.cache_mb)"


def check_embedding_model(access: HealthAccess) -> str | Problem:
    """Check that the embedding model makes a vector, after a look at its files."""
    settings = access.models.embedding
    try:
        embedder = access.embedder()
        if embedder is None:
            return NOT_CONFIGURED
        if (verify := getattr(embedder, "verify", None)) is not None:
            verify()
        embedder.embed(["kebab"], EmbeddingKind.QUERY)
        identity = embedder.identity
    except (ExternalError, InputError) as error:
        remedy = error.remedy or Remedy(kind="set", setting="models.embedding.provider", value="none")
        return Problem(f"{error.message}; search uses words only", remedy=remedy)
    threads = f"{settings.threads} threads" if settings.threads else "threads: one per core"
    return f"{settings.provider} {identity.model_id} {identity.model_version}, {identity.dimensions} dimensions, {threads}"


def check_nli_model(access: HealthAccess) -> str | Problem:
    """Check that no model is configured for the verification of answers: there is none yet."""
    return _check_provider(access.models.nli.provider, only="none", section="models.nli")


def check_model_server(access: HealthAccess) -> str | Problem:
    """Check that no model server is configured for answers: the extractive model or a plugin writes them."""
    provider = access.models.llm.provider
    if any((p.group, p.name) == (LANGUAGE_MODELS_GROUP, provider) for p in access.inspect_plugins()):
        return f"provider {provider!r} is a plugin"
    return _check_provider(access.models.llm.provider, only="extractive", section="models.llm")


def _check_provider(provider: str, *, only: str, section: str) -> str | Problem:
    if provider == only:
        return NOT_CONFIGURED
    remedy = Remedy(kind="set", setting=f"{section}.provider", value=only)
    return Problem(f"provider {provider!r} is not part of this version", remedy=remedy)


def check_plugins(access: HealthAccess) -> str | Problem:
    """Check that every part that another distribution offers can be used, and that there is each that settings name."""
    plugins = access.inspect_plugins()
    if problems := {each.problem.message: each.problem.remedy for each in plugins if each.problem}:
        remedy = next(filter(None, problems.values()), Remedy(kind="update_distribution"))
        return Problem("\n".join(problems), remedy=remedy)
    return (
        "\n".join(f"{each.group} {each.name} ({each.distribution})" for each in plugins) or "none installed"
    )


MODEL_CHECKS: dict[str, Check] = {
    "lancedb_open": check_vector_tables,
    "vectors_complete": check_vectors_complete,
    "derivation_cache": check_cache,
    "embedding_model": check_embedding_model,
    "nli_model": check_nli_model,
    "ollama_reachable": check_model_server,
    "ollama_model_pulled": check_model_server,
    "plugins": check_plugins,
}
"""By wire name, in the order of the report."""
