"""The models of text pairs, made from the settings: for the entailment of answers and for reranking; the remedy where there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import ConfigInvalidError, Remedy

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import NliVerifier, Reranker


def build_nli(loaded: LoadedSettings) -> NliVerifier | None:
    """Build the model that checks the entailment of answers; None where none is configured and none is needed.

    Raises:
        ConfigInvalidError: `rag.nli_threshold` asks for the check, and no model is configured, or a provider without a model.
        DependencyMissingError: A library that the model needs is not installed.
        ModelMissingError: Its files are not on this machine.
        ModelCorruptError: They are damaged.
    """
    nli = loaded.settings.models.nli
    if nli.provider == "onnx":
        if not nli.model:
            raise ConfigInvalidError(
                "models.nli.model names no model",
                remedy=_choose_nli(loaded),
                key="models.nli.model",
            )
        from kebab_nli import build_nli_verifier

        return build_nli_verifier(nli, models_dir=loaded.paths.models_dir)
    if loaded.settings.rag.nli_threshold > 0:
        raise ConfigInvalidError(
            "rag.nli_threshold is {threshold}, but no model for the check is configured",
            remedy=_choose_nli(loaded),
            key="rag.nli_threshold",
            _threshold=loaded.settings.rag.nli_threshold,
        )
    return None


def _choose_nli(loaded: LoadedSettings) -> Remedy:
    """Remedy where no model for the check of answers is configured."""
    from kebab_nli import DEFAULT_MODEL

    steps = [
        Remedy(kind="set", setting="models.nli.provider", value="onnx"),
        Remedy(kind="set", setting="models.nli.model", value=DEFAULT_MODEL.name),
    ]
    if not (loaded.paths.models_dir / DEFAULT_MODEL.name).is_dir():
        steps.insert(0, Remedy(kind="pull_model", name=DEFAULT_MODEL.name))
    remedy = steps.pop()
    for step in reversed(steps):
        remedy = step.model_copy(update={"then": remedy})
    return remedy.model_copy(update={"otherwise": Remedy(kind="set", setting="rag.nli_threshold", value=0)})


def require_reranker(reranker: Reranker | None, loaded: LoadedSettings) -> Reranker:
    """Return the reranker of a search that asks for one.

    Raises:
        ConfigInvalidError: None is configured.
    """
    if reranker is not None:
        return reranker
    from kebab_nli import RERANKERS

    name = RERANKERS[0].name
    remedy = Remedy(kind="set", setting="models.reranker", value=name)
    if not (loaded.paths.models_dir / name).is_dir():
        remedy = Remedy(kind="pull_model", name=name, then=remedy)
    raise ConfigInvalidError("models.reranker names no model", remedy=remedy, key="models.reranker")
