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
    Message,
    ModelNotPulledError,
    ModelUnreachableError,
    OperationTimeoutError,
    Remedy,
    StorageError,
    join_messages,
)

from kebab_diagnose.access import HealthAccess, VectorAccess
from kebab_diagnose.storage_checks import (
    NO_DATABASE,
    NOT_CONFIGURED,
    NOTHING_INGESTED,
    Check,
    Problem,
)

if TYPE_CHECKING:
    from kebab_core import EmbeddingIdentity, EmbeddingRepo

    from kebab_diagnose.access import VectorFiles

_MB = 1_000_000
_BYTES_PER_MB = 1024 * 1024
_REMAKE = Remedy(kind="remake_vectors")
_USE_EXTRACTIVE = Remedy(kind="set", setting="models.llm.provider", value="extractive")
_SERVED = frozenset({"ollama", "openai"})
"""Providers of answers that are servers."""
_MIN_WINDOW = 2_048
"""Tokens for instructions, question, answer and a few passages."""
_SENTENCE, _OTHER_SENTENCE = "The cat sleeps at noon.", "The tax return is due in May."
_LEAST_ENTAILMENT = 0.5


def check_vector_tables(access: HealthAccess) -> Message | Problem:
    """Check that the vectors can be read; the detail is a line for each model that has any."""
    vectors = access.vectors
    if vectors is None:
        return NOT_CONFIGURED
    if vectors.folder.exists() and not vectors.folder.is_dir():
        return Problem(
            Message("{folder} is no folder", folder=str(vectors.folder)),
            remedy=Remedy(kind="move_away", path=str(vectors.folder), then=Remedy(kind="embed")),
        )
    try:
        if access.database is None:
            return Message("no vectors yet")
        model, embeddings, store = access.find_model(), access.database.embeddings(), vectors.store()
        lines = []
        for identity in store.embedded_models():
            if damaged := store.find_damaged(identity):
                return Problem(
                    Message(
                        "{count} vector is damaged", plural="{count} vectors are damaged", count=len(damaged)
                    ),
                    remedy=Remedy(kind="embed"),
                )
            lines.append(_describe_vectors(vectors.read_files(identity), identity, embeddings, model))
    except StorageError as error:
        return Problem(error.message, remedy=error.remedy or _REMAKE)
    return join_messages("\n", lines) if lines else Message("no vectors yet")


def _describe_vectors(
    files: VectorFiles,
    identity: EmbeddingIdentity,
    embeddings: EmbeddingRepo,
    model: EmbeddingIdentity | EmbeddingFailure | None,
) -> Message:
    parts = [
        Message(
            "{model} {version}: {count} vector",
            plural="{model} {version}: {count} vectors",
            model=identity.model_id,
            version=identity.model_version,
            count=embeddings.counts(identity).committed,
        )
    ]
    if isinstance(model, EmbeddingFailure) or model == identity:
        pass
    elif (active := embeddings.active_model()) is not None and active.identity == identity:
        parts[0] = Message(
            "{vectors} of the model before, which searches use until every passage has one of the model in force",
            vectors=parts[0],
        )
    elif (previous := embeddings.previous_model()) is not None and previous.identity == identity:
        parts[0] = Message(
            "{vectors} of the model before, kept for a switch back until vectors of former models are deleted",
            vectors=parts[0],
        )
    else:
        parts[0] = Message(
            "{vectors} of a model that is not in force (they go when vectors of former models are deleted)",
            vectors=parts[0],
        )
    if files.recall is None and files.is_index_due:
        parts.append(Message("without the approximate index that is due: slower, and exact"))
    elif files.recall is None:
        parts.append(Message("exact"))
    else:
        parts.append(Message("approximate, recall {recall:.3f}", recall=files.recall))
        if not files.is_index_used:
            parts.append(Message("too low to be used: exact"))
    parts.append(Message("{size:.1f} MB", size=files.size_bytes / _MB))
    if not files.is_matrix_current:
        parts.append(Message("read slowly until the next run (repair makes it current)"))
    return join_messages(", ", parts)


def check_vectors_complete(access: HealthAccess) -> Message | Problem:
    """Check that every passage has a vector of the model in force."""
    model = access.find_model()
    if model is None or access.vectors is None:
        return NOT_CONFIGURED
    if access.database is None:
        return NOTHING_INGESTED
    if isinstance(model, EmbeddingFailure):
        return Message("not known: the model cannot be used (see embedding_model)")
    return _compare(model, access.database.embeddings(), writer=access.find_embedding_process())


def _compare(model: EmbeddingIdentity, embeddings: EmbeddingRepo, *, writer: int | None) -> Message | Problem:
    counts = embeddings.counts(model)
    have = Message(
        "{count} passage has a vector", plural="{count} passages have vectors", count=counts.committed
    )
    if writer is not None:
        return Message("{have}; a writer is at work (pid {writer})", have=have, writer=writer)
    if documents := embeddings.pending_documents(model):
        without = Message(
            "{count} document has passages without a vector; {have}",
            plural="{count} documents have passages without a vector; {have}",
            count=documents,
            have=have,
        )
        if (active := embeddings.active_model()) is not None and active.identity != model:
            without = Message(
                "{without}; until then searches use {model} {version}",
                without=without,
                model=active.identity.model_id,
                version=active.identity.model_version,
            )
        return Problem(without, remedy=Remedy(kind="embed"))
    if counts.pending:
        lost = Message(
            "{count} passage has lost its vector; {have}",
            plural="{count} passages have lost their vectors; {have}",
            count=counts.pending,
            have=have,
        )
        return Problem(lost, remedy=Remedy(kind="embed"))
    if counts.committed and embeddings.query_centroids(model) is None:
        return Problem(
            Message("what was measured of the model over the index is lost; {have}", have=have),
            remedy=Remedy(kind="embed"),
        )
    return have


def repair_vectors(vectors: VectorAccess, embeddings: Callable[[], EmbeddingRepo]) -> Message | None:
    """Make again what searches read of vectors that are whole; the checks advise on others.

    Args:
        vectors: The vectors.
        embeddings: Opens what counts them.

    Returns:
        What was repaired; None for nothing.
    """
    rows = 0
    try:
        for identity in vectors.store().embedded_models():
            if not vectors.read_files(identity).is_matrix_current:
                vectors.store().update(identity)
                rows += embeddings().counts(identity).committed
    except StorageError:
        return None
    if not rows:
        return None
    return Message(
        "what searches read of {count} vector was made anew",
        plural="what searches read of {count} vectors was made anew",
        count=rows,
    )


def check_cache(access: HealthAccess) -> Message:
    """Compare the size of the derivation cache with its limit, which it keeps by itself."""
    if access.database is None:
        return NO_DATABASE
    size = access.database.cache_bytes() / _BYTES_PER_MB
    return Message("{size:.1f} MB of at most {limit} MB (storage.cache_mb)", size=size, limit=access.cache_mb)


def check_embedding_model(access: HealthAccess) -> Message | Problem:
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
        return Problem(Message("{reason}; search uses words only", reason=error.message), remedy=remedy)
    threads = Message("{threads} threads", threads=settings.threads or 0)
    model = Message(
        "{provider} {model} {version}, {dimensions} dimensions, {threads}",
        provider=settings.provider,
        model=identity.model_id,
        version=identity.model_version,
        dimensions=identity.dimensions,
        threads=threads if settings.threads else Message("threads: one per core"),
    )
    precision = getattr(embedder, "precision", None)
    return (
        Message("{model}, computed in {precision}", model=model, precision=precision) if precision else model
    )


def check_nli_model(access: HealthAccess) -> Message | Problem:
    """Check that the model that checks answers finds a sentence entailed by itself, and not by another."""
    verifier = access.nli()
    if verifier is None:
        return NOT_CONFIGURED
    itself, other = verifier.verify([(_SENTENCE, _SENTENCE), (_OTHER_SENTENCE, _SENTENCE)])
    name = verifier.model_ref().id
    if not itself.entailment > max(_LEAST_ENTAILMENT, other.entailment):
        return Problem(
            Message(
                "{model} finds a sentence entailed by itself with {itself:.2f}, by another with {other:.2f}",
                model=name,
                itself=itself.entailment,
                other=other.entailment,
            ),
            remedy=Remedy(
                kind="add_model_files", otherwise=Remedy(kind="unset", setting="rag.nli_threshold")
            ),
        )
    return Message(
        "{model}: a sentence is entailed by itself with {itself:.2f}, by another with {other:.2f}",
        model=name,
        itself=itself.entailment,
        other=other.entailment,
    )


def check_language_model(access: HealthAccess) -> Message | Problem:
    """Check that the model that writes answers is there, and that passages fit into its window."""
    settings = access.models.llm
    if any((p.group, p.name) == (LANGUAGE_MODELS_GROUP, settings.provider) for p in access.inspect_plugins()):
        return Message("provider {provider!r} is a plugin", provider=settings.provider)
    if settings.provider == "extractive":
        return NOT_CONFIGURED
    try:
        window = _measure_window(access)
    except (ExternalError, InputError) as error:
        return Problem(error.message, remedy=error.remedy or _USE_EXTRACTIVE)
    if window is None:
        return _check_provider(settings.provider, only="extractive", section="models.llm")
    if window < _MIN_WINDOW:
        small = Message(
            "{model} reads {window} tokens at once: hardly a passage fits",
            model=settings.model,
            window=window,
        )
        remedy = Remedy(
            kind="raise_context",
            name=settings.provider,
            otherwise=Remedy(kind="raise_setting", setting="models.llm.context_tokens"),
        )
        return Problem(small, remedy=remedy)
    return Message(
        "{provider} {model}, {window} tokens", provider=settings.provider, model=settings.model, window=window
    )


def _measure_window(access: HealthAccess) -> int | None:
    """Return the window of the chat model; None without one. A server is asked whether it has the model."""
    model = access.chat_model()
    if model is None:
        return None
    if (verify := getattr(model, "verify", None)) is not None:
        verify()
    return model.context_tokens()


def check_server_reachable(access: HealthAccess) -> Message | Problem:
    """Check that the configured servers of models answer."""
    return _check_servers(access, failures=(ModelUnreachableError, OperationTimeoutError))


def check_server_model(access: HealthAccess) -> Message | Problem:
    """Check that the configured servers of models have the models."""
    return _check_servers(access, failures=(ModelNotPulledError,))


def _check_servers(access: HealthAccess, *, failures: tuple[type[ExternalError], ...]) -> Message | Problem:
    embedding, llm = access.models.embedding, access.models.llm
    found: list[Message] = []
    if embedding.provider == "ollama":
        try:
            embedder = access.embedder()
            if embedder is not None:
                embedder.embed(["kebab"], EmbeddingKind.QUERY)
        except failures as error:
            remedy = error.remedy or Remedy(kind="set", setting="models.embedding.provider", value="none")
            return Problem(error.message, remedy=remedy)
        except (ExternalError, InputError) as error:
            found.append(Message("not known: {reason} (see embedding_model)", reason=error.message))
        else:
            found.append(
                Message(
                    "{model} for vectors, at {endpoint}",
                    model=embedding.model,
                    endpoint=embedding.endpoint or "",
                )
            )
    if llm.provider in _SERVED:
        try:
            _measure_window(access)
        except failures as error:
            return Problem(error.message, remedy=error.remedy or _USE_EXTRACTIVE)
        except (ExternalError, InputError) as error:
            found.append(Message("not known: {reason} (see language_model)", reason=error.message))
        else:
            found.append(
                Message(
                    "{model} for answers, at {endpoint}",
                    model=llm.model,
                    endpoint=llm.endpoint or "127.0.0.1:11434",
                )
            )
    return join_messages("\n", found) if found else NOT_CONFIGURED


def _check_provider(provider: str, *, only: str, section: str) -> Message | Problem:
    if provider == only:
        return NOT_CONFIGURED
    remedy = Remedy(kind="set", setting=f"{section}.provider", value=only)
    return Problem(
        Message("provider {provider!r} is not part of this version", provider=provider), remedy=remedy
    )


def check_plugins(access: HealthAccess) -> Message | Problem:
    """Check that every part that another distribution offers can be used, and that there is each that settings name."""
    plugins = access.inspect_plugins()
    if problems := {each.problem.message: each.problem.remedy for each in plugins if each.problem}:
        remedy = next(filter(None, problems.values()), Remedy(kind="update_distribution"))
        return Problem(join_messages("\n", list(problems)), remedy=remedy)
    if not plugins:
        return Message("none installed")
    return Message(
        "{plugins}", plugins="\n".join(f"{each.group} {each.name} ({each.distribution})" for each in plugins)
    )


MODEL_CHECKS: dict[str, Check] = {
    "lancedb_open": check_vector_tables,
    "vectors_complete": check_vectors_complete,
    "derivation_cache": check_cache,
    "embedding_model": check_embedding_model,
    "nli_model": check_nli_model,
    "language_model": check_language_model,
    "ollama_reachable": check_server_reachable,
    "ollama_model_pulled": check_server_model,
    "plugins": check_plugins,
}
"""By wire name, in the order of the report."""
