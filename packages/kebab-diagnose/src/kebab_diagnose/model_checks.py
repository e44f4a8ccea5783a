"""Checks of the models that the settings name, and of the vectors that the embedding model made.

Each takes what it looks at. A new one is a function here and a row of `kebab_app.doctor`, which opens that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    CHAT_SERVERS,
    LANGUAGE_MODELS_GROUP,
    EmbeddingKind,
    ExternalError,
    InputError,
    KebabError,
    Message,
    ModelNotPulledError,
    ModelUnreachableError,
    OperationTimeoutError,
    Remedy,
    join_messages,
)

from kebab_diagnose.storage_checks import NOT_CONFIGURED, Problem

if TYPE_CHECKING:
    from kebab_core import (
        Embedder,
        EmbeddingIdentity,
        EmbeddingRepo,
        EmbeddingSettings,
        LanguageModel,
        LlmSettings,
        ModelsSettings,
        NliVerifier,
        Reranker,
    )

_MB = 1_000_000
_BYTES_PER_MB = 1024 * 1024
_USE_EXTRACTIVE = Remedy(kind="set", setting="models.llm.provider", value="extractive")
_MIN_WINDOW = 2_048
"""Tokens for instructions, question, answer and a few passages."""
_SENTENCE, _OTHER_SENTENCE = "The cat sleeps at noon.", "The tax return is due in May."
_QUESTION = "When does the cat sleep?"
_LEAST_ENTAILMENT = 0.5


@dataclass(frozen=True, kw_only=True)
class VectorFiles:
    """The vectors of one model on disk."""

    recall: float | None
    """Of the approximate index, 0 to 1, as measured; None where every search is exact."""
    is_index_used: bool
    """True if the recall reaches the minimum."""
    is_index_due: bool
    """True if the settings or the number of vectors ask for an approximate index."""
    size_bytes: int
    is_matrix_current: bool
    """True if the matrix that searches read has every vector of the database."""


@dataclass(frozen=True, kw_only=True)
class PluginState:
    """A part that another distribution offers."""

    group: str
    """Its entry-point group."""
    name: str
    distribution: str
    problem: KebabError | None
    """Reason why it cannot be used."""


def check_vector_folder(folder: Path) -> Problem | None:
    """Check that nothing else lies in the place of the folder of vectors."""
    if not folder.exists() or folder.is_dir():
        return None
    return Problem(
        Message("{folder} is no folder", folder=str(folder)),
        remedy=Remedy(advice=Message("move {path!r} away", path=str(folder)), then=Remedy(kind="embed")),
    )


def check_damaged_vectors(damaged: int) -> Problem | None:
    """Check that no vector of a model is damaged."""
    if not damaged:
        return None
    return Problem(
        Message("{count} vector is damaged", plural="{count} vectors are damaged", count=damaged),
        remedy=Remedy(kind="embed"),
    )


def describe_vectors(
    files: VectorFiles,
    identity: EmbeddingIdentity,
    embeddings: EmbeddingRepo,
    model: EmbeddingIdentity | KebabError | None,
) -> Message:
    """Describe the vectors of a model: their number, the use of the model, and their files.

    Args:
        files: Its files.
        identity: The model.
        embeddings: Counts its vectors.
        model: The model in force, the error that keeps it from being used, or None where none is configured.
    """
    parts = [
        Message(
            "{model} {version}: {count} vector",
            plural="{model} {version}: {count} vectors",
            model=identity.model_id,
            version=identity.model_version,
            count=embeddings.counts(identity).committed,
        )
    ]
    if isinstance(model, KebabError) or model == identity:
        pass
    elif (active := embeddings.active_model()) is not None and active.identity == identity:
        parts[0] = Message(
            "{vectors} of the previous model, which searches use until every passage has one of the model in force",
            vectors=parts[0],
        )
    elif (previous := embeddings.previous_model()) is not None and previous.identity == identity:
        parts[0] = Message(
            "{vectors} of the previous model, kept for switching back until vectors of former models are deleted",
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
        parts.append(Message("slow until the next run (repair updates it)"))
    return join_messages(", ", parts)


def check_vectors_complete(
    model: EmbeddingIdentity, embeddings: EmbeddingRepo, *, writer: int | None
) -> Message | Problem:
    """Check that every passage has a vector of the model in force.

    Args:
        model: The model.
        embeddings: The vectors.
        writer: Process id of a process that makes vectors, or else of the holder of the writer lock.
    """
    counts = embeddings.counts(model)
    have = Message(
        "{count} passage has a vector", plural="{count} passages have vectors", count=counts.committed
    )
    if writer is not None:
        return Message("{have}; another process is writing (pid {writer})", have=have, writer=writer)
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
            Message("the calibration of the model over the index is lost; {have}", have=have),
            remedy=Remedy(kind="embed"),
        )
    return have


def describe_cache(size_bytes: int, *, limit_mb: int) -> Message:
    """Compare the size of the derivation cache with its limit, which it keeps by itself."""
    size = size_bytes / _BYTES_PER_MB
    return Message("{size:.1f} MB of at most {limit} MB (storage.cache_mb)", size=size, limit=limit_mb)


def check_embedding_model(
    embedder: Embedder | KebabError | None, settings: EmbeddingSettings
) -> Message | Problem:
    """Check that the embedding model makes a vector, after a look at its files.

    Args:
        embedder: The model, the error that keeps it from being used, or None where none is configured.
        settings: Its settings.
    """
    if embedder is None:
        return NOT_CONFIGURED
    if isinstance(embedder, KebabError):
        return _words_only(embedder)
    try:
        if (verify := getattr(embedder, "verify", None)) is not None:
            verify()
        embedder.embed(["kebab"], EmbeddingKind.QUERY)
        identity = embedder.identity
    except (ExternalError, InputError) as error:
        return _words_only(error)
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


def _words_only(error: KebabError) -> Problem:
    remedy = error.remedy or Remedy(kind="set", setting="models.embedding.provider", value="none")
    return Problem(Message("{reason}; search uses full text only", reason=error.message), remedy=remedy)


def check_nli_model(verifier: NliVerifier | None) -> Message | Problem:
    """Check that the model that checks answers finds a sentence entailed by itself, and not by another."""
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
                advice=Message("put the files of the model there again"),
                otherwise=Remedy(kind="unset", setting="rag.nli_threshold"),
            ),
        )
    return Message(
        "{model}: a sentence is entailed by itself with {itself:.2f}, by another with {other:.2f}",
        model=name,
        itself=itself.entailment,
        other=other.entailment,
    )


def check_reranker(reranker: Reranker | None) -> Message | Problem:
    """Check that the reranker scores a passage that answers a question above one that does not."""
    if reranker is None:
        return NOT_CONFIGURED
    answer, other = reranker.score(_QUESTION, [_SENTENCE, _OTHER_SENTENCE])
    name = reranker.model_ref().id
    if not answer > other:
        return Problem(
            Message(
                "{model} scores a passage that answers a question {answer:.2f}, another {other:.2f}",
                model=name,
                answer=answer,
                other=other,
            ),
            remedy=Remedy(
                advice=Message("put the files of the model there again"),
                otherwise=Remedy(kind="unset", setting="models.reranker"),
            ),
        )
    return Message(
        "{model}: a passage that answers a question scores {answer:.2f}, another {other:.2f}",
        model=name,
        answer=answer,
        other=other,
    )


def check_language_model(
    model: LanguageModel | KebabError | None, settings: LlmSettings, plugins: Sequence[PluginState]
) -> Message | Problem:
    """Check that the model that writes answers is there, and that passages fit into its window.

    Args:
        model: The model, the error that keeps it from being used, or None where a plugin writes answers or the extractive
            reader quotes them.
        settings: Its settings.
        plugins: The parts that other distributions offer.
    """
    if any((p.group, p.name) == (LANGUAGE_MODELS_GROUP, settings.provider) for p in plugins):
        return Message("provider {provider!r} is a plugin", provider=settings.provider)
    if settings.provider == "extractive":
        return NOT_CONFIGURED
    window = _measure_window(model)
    if isinstance(window, KebabError):
        return Problem(window.message, remedy=window.remedy or _USE_EXTRACTIVE)
    if window is None:
        return _check_provider(settings.provider, only="extractive", section="models.llm")
    if window < _MIN_WINDOW:
        small = Message(
            "{model} reads {window} tokens at once: hardly a passage fits",
            model=settings.model,
            window=window,
        )
        remedy = Remedy(
            advice=Message("increase the context window of {name}", name=settings.provider),
            otherwise=Remedy(kind="raise_setting", setting="models.llm.context_tokens"),
        )
        return Problem(small, remedy=remedy)
    return Message(
        "{provider} {model}, {window} tokens", provider=settings.provider, model=settings.model, window=window
    )


def _measure_window(model: LanguageModel | KebabError | None) -> int | KebabError | None:
    """Return the window of the chat model, or the error that keeps it from being used; a server is asked whether it has it."""
    if model is None or isinstance(model, KebabError):
        return model
    try:
        if (verify := getattr(model, "verify", None)) is not None:
            verify()
        return model.context_tokens()
    except (ExternalError, InputError) as error:
        return error


UNREACHABLE = (ModelUnreachableError, OperationTimeoutError)
"""Errors of a server of models that does not answer."""
NOT_PULLED = (ModelNotPulledError,)
"""Errors of a server that does not have the model."""


def check_servers(
    embedder: Embedder | KebabError | None,
    model: LanguageModel | KebabError | None,
    settings: ModelsSettings,
    *,
    failures: tuple[type[KebabError], ...],
) -> Message | Problem:
    """Check that the configured servers of models answer, or that they have the models.

    Args:
        embedder: The embedding model. See `check_embedding_model`.
        model: The chat model. See `check_language_model`.
        settings: Their settings.
        failures: `UNREACHABLE` or `NOT_PULLED`; other errors are those of other checks.
    """
    embedding, llm = settings.embedding, settings.llm
    found: list[Message] = []
    if embedding.provider == "ollama":
        error = _try_embedder(embedder)
        if isinstance(error, failures):
            remedy = error.remedy or Remedy(kind="set", setting="models.embedding.provider", value="none")
            return Problem(error.message, remedy=remedy)
        found.append(
            Message(
                "{model} for vectors, at {endpoint}",
                model=embedding.model,
                endpoint=embedding.endpoint or "",
            )
            if error is None
            else Message("not known: {reason} (see embedding_model)", reason=error.message)
        )
    if llm.provider in CHAT_SERVERS:
        window = _measure_window(model)
        if isinstance(window, failures):
            return Problem(window.message, remedy=window.remedy or _USE_EXTRACTIVE)
        found.append(
            Message("not known: {reason} (see language_model)", reason=window.message)
            if isinstance(window, KebabError)
            else Message(
                "{model} for answers, at {endpoint}",
                model=llm.model,
                endpoint=llm.endpoint or "127.0.0.1:11434",
            )
        )
    return join_messages("\n", found) if found else NOT_CONFIGURED


def _try_embedder(embedder: Embedder | KebabError | None) -> KebabError | None:
    if embedder is None or isinstance(embedder, KebabError):
        return embedder
    try:
        embedder.embed(["kebab"], EmbeddingKind.QUERY)
    except (ExternalError, InputError) as error:
        return error
    return None


def _check_provider(provider: str, *, only: str, section: str) -> Message | Problem:
    if provider == only:
        return NOT_CONFIGURED
    remedy = Remedy(kind="set", setting=f"{section}.provider", value=only)
    return Problem(
        Message("provider {provider!r} is not part of this version", provider=provider), remedy=remedy
    )


def check_plugins(plugins: Sequence[PluginState]) -> Message | Problem:
    """Check that every part that another distribution offers can be used, and that there is each that settings name."""
    if problems := {each.problem.message: each.problem.remedy for each in plugins if each.problem}:
        remedy = next(
            filter(None, problems.values()), Remedy(advice=Message("update or uninstall the distribution"))
        )
        return Problem(join_messages("\n", list(problems)), remedy=remedy)
    if not plugins:
        return Message("none installed")
    return Message(
        "{plugins}", plugins="\n".join(f"{each.group} {each.name} ({each.distribution})" for each in plugins)
    )
