"""The use cases of models: the list of those on this machine and of chat models, and the pull of one."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import ModelPull, NliModelEntry, RerankerEntry

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import ByteSink, ChatModelEntry, ModelEntry
    from kebab_embed_local import CatalogueEntry
    from kebab_nli import HubModel


def list_models(loaded: LoadedSettings) -> tuple[ModelEntry, ...]:
    """List the models that need no server. See `kebab_embed_local.list_models`."""
    import kebab_embed_local
    from kebab_model_e5_small import files, manifest

    facts = None
    with suppress(OSError, ValueError):
        facts = manifest()
    return kebab_embed_local.list_models(
        loaded.settings.models.embedding,
        models_dir=loaded.paths.models_dir,
        bundled=files(),
        manifest=facts,
    )


def list_chat_models(loaded: LoadedSettings) -> tuple[ChatModelEntry, ...]:
    """List the chat models of the configured provider. See `kebab_llm_local.list_chat_models` for the errors."""
    import kebab_llm_local

    return kebab_llm_local.list_chat_models(
        loaded.settings.models.llm, models_dir=loaded.paths.models_dir, api_key=loaded.llm_api_key
    )


def list_nli_models(loaded: LoadedSettings) -> tuple[NliModelEntry, ...]:
    """List the models that check the entailment of answers: the one that can be pulled, and the configured one; offline."""
    from kebab_nli import DEFAULT_MODEL

    settings = loaded.settings
    configured = settings.models.nli.model if settings.models.nli.provider == "onnx" else ""
    entries = []
    for name in dict.fromkeys(filter(None, (configured, DEFAULT_MODEL.name))):
        folder, is_default = loaded.paths.models_dir / Path(name).expanduser(), name == DEFAULT_MODEL.name
        if is_default or folder.is_dir():
            entries.append(
                NliModelEntry(
                    name=name,
                    state="here" if folder.is_dir() else "pullable",
                    in_use=name == configured and settings.rag.nli_threshold > 0,
                    size_bytes=DEFAULT_MODEL.megabytes * 1_000_000 if is_default else None,
                    licence=DEFAULT_MODEL.licence if is_default else None,
                    folder=str(folder) if folder.is_dir() else None,
                )
            )
    return tuple(entries)


def list_rerankers(loaded: LoadedSettings) -> tuple[RerankerEntry, ...]:
    """List the cross-encoders: the configured one, and those that can be pulled, in the order of preference; offline."""
    from kebab_nli import RERANKERS, find_reranker

    configured = loaded.settings.models.reranker
    known = find_reranker(configured)
    entries = []
    for name in dict.fromkeys(
        filter(None, (known.name if known else configured, *(each.name for each in RERANKERS)))
    ):
        folder, model = loaded.paths.models_dir / Path(name).expanduser(), find_reranker(name)
        if model is not None or folder.is_dir():
            entries.append(
                RerankerEntry(
                    name=name,
                    state="here" if folder.is_dir() else "pullable",
                    in_use=bool(configured) and name == (known.name if known else configured),
                    multilingual=None if model is None else model.multilingual,
                    size_bytes=None if model is None else model.megabytes * 1_000_000,
                    licence=None if model is None else model.licence,
                    folder=str(folder) if folder.is_dir() else None,
                )
            )
    return tuple(entries)


def is_for_ollama(loaded: LoadedSettings, name: str) -> bool:
    """Return True for a name that Ollama is to pull: it writes the answers, and no model of kebab has the name."""
    from kebab_embed_local import CATALOGUE

    is_known = _find_pair_model(name) is not None or name.rpartition("/")[2] in {
        entry.name for entry in CATALOGUE
    }
    return loaded.settings.models.llm.provider == "ollama" and not is_known


def pull_chat_model(loaded: LoadedSettings, name: str, *, progress: ByteSink) -> ChatModelEntry:
    """Have Ollama fetch a chat model. See `kebab_llm_local.pull_chat_model` for the errors."""
    import kebab_llm_local

    return kebab_llm_local.pull_chat_model(
        loaded.settings.models.llm, name, api_key=loaded.llm_api_key, progress=progress
    )


def pull_model(loaded: LoadedSettings, name: str, *, progress: ByteSink) -> ModelPull:
    """Download a model into the models folder, unless it is there.

    Args:
        loaded: Settings with the paths they resolve to.
        name: A name of `list_models`, of fastembed's own list, of a reranker, or of the model that checks answers.
        progress: Called after every piece.

    Raises:
        InvalidInputError: There is no such model.
        DependencyMissingError: Only fastembed may know it, and that is not installed.
        ModelMissingError: The hub does not have it any more.
        ModelCorruptError: What arrived is not what the hub lists.
        ModelUnreachableError: The hub cannot be reached.
        OperationTimeoutError: It falls silent.
        StorageError: There is no room, or the folder cannot be written.
    """
    import kebab_embed_local

    entry = _find_entry(name)
    folder = loaded.paths.models_dir
    was_here = kebab_embed_local.read_pulled(folder / entry.name) is not None
    pulled = kebab_embed_local.pull_model(name, models_dir=folder, entry=entry, progress=progress)
    return ModelPull(
        name=pulled.name,
        was_here=was_here,
        folder=str(pulled.folder),
        repository=pulled.repository,
        revision=pulled.revision,
        size_bytes=pulled.total_bytes,
        licence=entry.licence,
        dimensions=entry.dimensions or None,
    )


def licence_of(name: str) -> str:
    """Return the licence of a model that can be pulled.

    Raises:
        InvalidInputError: There is no such model.
        DependencyMissingError: Only fastembed may know it, and that is not installed.
    """
    return _find_entry(name).licence


def is_nli_model(name: str) -> bool:
    """Tell whether a name is that of the model that checks the entailment of answers."""
    from kebab_nli import DEFAULT_MODEL

    return name.rpartition("/")[2] == DEFAULT_MODEL.name


def is_reranker(name: str) -> bool:
    """Tell whether a name is that of a cross-encoder that can be pulled."""
    from kebab_nli import find_reranker

    return find_reranker(name) is not None


def _find_pair_model(name: str) -> HubModel | None:
    from kebab_nli import DEFAULT_MODEL, find_reranker

    return DEFAULT_MODEL if is_nli_model(name) else find_reranker(name)


def _find_entry(name: str) -> CatalogueEntry:
    from kebab_embed_local import CatalogueEntry, find_entry

    model = _find_pair_model(name)
    if model is None:
        return find_entry(name)
    return CatalogueEntry(
        model.name,
        model.repository,
        graph=model.graph,
        megabytes=model.megabytes,
        licence=model.licence,
    )
