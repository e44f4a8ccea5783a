"""The use case `switch_model`: another embedding model, whose vectors grow beside those that searches use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    ConfigInvalidError,
    EmbeddingSettings,
    IngestReport,
    InvalidInputError,
    LockedError,
    Remedy,
    SearchMode,
)

from kebab_app.ingest import embed, pausing, report_waiting
from kebab_app.knowledge_base import KnowledgeBase

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import ActiveModel, CancelToken, Embedder, EmbeddingIdentity, EvaluationRun
    from kebab_ingest import EventSink

Load = Callable[[Mapping[str, str]], "LoadedSettings"]
"""Loads the settings in force with other values for some keys, by dotted name, as text."""
Agree = Callable[["ModelComparison"], bool]
"""Decides after a comparison whether the model is switched."""
_KEYS = ("provider", "model", "version", "dimensions", "precision", "endpoint", "api_key_env")
"""Keys of `models.embedding` that make another model of it."""


class ModelComparison(NamedTuple):
    """Runs of one golden suite with two models."""

    before: EvaluationRun
    """With the model that searches use."""
    after: EvaluationRun
    """With the other one; `comparison` has the difference."""


@dataclass(frozen=True, kw_only=True)
class ModelSwitch:
    """Result of `switch_model`."""

    switched: bool
    """Whether searches use the model now; False where it was interrupted or not agreed to."""
    model: EmbeddingIdentity
    before: EmbeddingIdentity | None
    """The model that searches used; None if no model was complete."""
    aborted: bool = False
    """Whether it was cancelled; what was made is kept."""
    computed: int = 0
    """Vectors that were made."""
    reused: int = 0
    """Passages whose vectors were there."""
    pending: int = 0
    """Passages without a vector of the model."""
    changed: tuple[str, ...] = ()
    """Keys of the configuration that were written, dotted."""
    config_path: Path | None = None
    """The file that they were written into."""
    comparison: ModelComparison | None = None


@dataclass(frozen=True, kw_only=True)
class SwitchOptions:
    """Options of `switch_model`."""

    name: str | None = None
    """A model: a name of `list_models`, a folder, the configured name, or `NAME@VERSION` of a model with vectors; None is the
    model that searches used before."""
    suite: Path | None = None
    """A golden suite that is measured with both models before `agree` is asked."""
    mode: SearchMode = SearchMode.HYBRID
    """Mode of its searches."""
    wait: bool = False
    """Wait for other writers as long as it takes."""


def switch_model(
    base: KnowledgeBase,
    options: SwitchOptions,
    *,
    load: Load,
    agree: Agree,
    sink: EventSink,
    cancel: CancelToken,
) -> ModelSwitch:
    """Give every passage a vector of another model, then make it the one of searches and of the configuration.

    Searches, and runs of other processes, go on with the model that the configuration names, until all is made; an
    interrupted switch leaves what it made, and the next one goes on. The vectors of the model before stay, so that
    switching back makes only those of passages that are new since.

    Args:
        base: The knowledge base; it keeps its settings: open it again afterwards.
        options: The model, and what to measure.
        load: Loads the settings with those of the model.
        agree: Decides after the comparison; called only where there is a suite.
        sink: Gets the events of the embedding pass, and for whom the switch waits.
        cancel: Ends it after the batch in hand.

    Raises:
        ReadonlyModeError: Writing is switched off.
        InvalidInputError: There is no such model, none before, or nothing to compare with.
        ConfigInvalidError: A variable of the environment decides about a setting.
        ExternalError: The model cannot be used.
        LockedError: Another process is switching, writing or making vectors.
        StorageError: Vectors or settings cannot be stored; searches go on as before.
    """
    from kebab_app.store import LockWait, hold_switch_lock

    base.require_writable()
    # what cannot be switched to is refused before anything is written or waited for
    _refuse_variables(base.loaded, _changes(base.loaded, find_settings(base, options.name)))
    lock_wait = LockWait(pause=pausing(cancel))
    if options.wait:
        lock_wait = replace(lock_wait, timeout_s=None, notify=report_waiting(base, sink))
    # the settings are those after a switch that was waited for
    with ExitStack() as held:
        try:
            held.enter_context(hold_switch_lock(base.data_dir, wait=lock_wait))
        except LockedError:
            if not cancel.is_cancelled:
                raise
            return _describe_waiting(base, options, load=load)
        current = held.enter_context(closing(KnowledgeBase(load({}), clock=base.clock)))
        return _switch(current, options, load=load, agree=agree, sink=sink, cancel=cancel)


def _switch(
    base: KnowledgeBase,
    options: SwitchOptions,
    *,
    load: Load,
    agree: Agree,
    sink: EventSink,
    cancel: CancelToken,
) -> ModelSwitch:
    """Switch with the switch lock held. See `switch_model`."""
    active = base.index.embeddings.active_model() if base.has_database else None
    changes = _changes(base.loaded, find_settings(base, options.name))
    _refuse_variables(base.loaded, changes)
    with closing(_ModelBase(load(changes), clock=base.clock)) as target:
        model, before = _require_identity(target), active and active.identity
        report = _embed(target, sink=sink, cancel=cancel, wait=options.wait, activates=False)
        if report is not None and (report.aborted or _pending(report)):
            return _describe(model, before, report, switched=False)
        comparison = None
        if options.suite is not None and model != before:
            comparison = _compare(base, active, target, options, load=load)
            if not agree(comparison):
                _put_in_force(base, active)
                return _describe(model, before, report, switched=False, comparison=comparison)
        path = _write(base.loaded, changes)
        last = _embed(target, sink=lambda _event: None, cancel=cancel, wait=True, activates=True)
        is_complete = last is None or not (last.aborted or _pending(last))
    return _describe(
        model,
        before,
        report,
        switched=is_complete,
        comparison=comparison,
        changed=tuple(changes),
        config_path=path,
    )


class _ModelBase(KnowledgeBase):
    """A knowledge base whose searches use the configured model, complete or not."""

    @property
    def search_embedder(self) -> Embedder | None:
        return self.embedder


def find_settings(base: KnowledgeBase, name: str | None) -> EmbeddingSettings:
    """Find the settings of a model. See `SwitchOptions.name`.

    Raises:
        InvalidInputError: There is no such model, several, or none before.
        ModelCorruptError: What describes the model in a folder cannot be read.
    """
    current = base.loaded.settings.models.embedding
    if name is None:
        previous = base.index.embeddings.previous_model() if base.has_database else None
        if previous is None:
            raise InvalidInputError(
                "searches used no other model before, or its vectors were deleted",
                remedy=Remedy(kind="list_stored", name="models"),
            )
        return _settings_of(previous.identity, previous.settings_json, current)
    if name in {current.model, current.model.rpartition("/")[2]}:
        return current
    stored = [
        each
        for each in (base.index.embeddings.stored_models() if base.has_database else [])
        if each.settings_json != "{}" and name in {each.identity.model_id, _full_name(each.identity)}
    ]
    if len(stored) > 1:
        raise InvalidInputError(
            "{name!r} matches several models",
            remedy=Remedy(kind="choose", name=", ".join(_full_name(each.identity) for each in stored)),
            name=name,
        )
    if stored:
        return _settings_of(stored[0].identity, stored[0].settings_json, current)
    return _find_folder(base, name, current) or _find_listed(base, name, current)


def _find_folder(base: KnowledgeBase, name: str, current: EmbeddingSettings) -> EmbeddingSettings | None:
    from kebab_embed_local import folder_settings

    below = base.loaded.paths.models_dir / name
    if (below / "kebab-model.json").is_file():
        return None
    if (found := folder_settings(current, below)) is not None:
        return found.model_copy(update={"model": name})
    return folder_settings(current, Path(name).expanduser().absolute())


def _find_listed(base: KnowledgeBase, name: str, current: EmbeddingSettings) -> EmbeddingSettings:
    from kebab_app.models import list_models

    entries = [each for each in list_models(base.loaded) if each.name == name]
    entry = next((each for each in entries if each.state != "pullable"), next(iter(entries), None))
    if entry is None:
        raise InvalidInputError(
            "there is no embedding model {name!r}",
            remedy=Remedy(kind="list_stored", name="models"),
            _name=name,
        )
    return _with_keys(
        current,
        EmbeddingSettings(
            provider=entry.provider,
            model=entry.name,
            dimensions=entry.dimensions or current.dimensions,
        ),
    )


def _settings_of(
    identity: EmbeddingIdentity, settings_json: str, current: EmbeddingSettings
) -> EmbeddingSettings:
    """Settings of a model with vectors, such that those are its vectors; threads and batches are those in force."""
    from kebab_embed_local import precision_of

    settings = EmbeddingSettings.model_validate_json(settings_json)
    if settings.provider == "bundled":
        settings = settings.model_copy(update={"precision": precision_of(identity)})
    return _with_keys(current, settings)


def _with_keys(current: EmbeddingSettings, chosen: EmbeddingSettings) -> EmbeddingSettings:
    return current.model_copy(update={key: getattr(chosen, key) for key in _KEYS})


def _full_name(identity: EmbeddingIdentity) -> str:
    return f"{identity.model_id}@{identity.model_version}"


def _changes(loaded: LoadedSettings, settings: EmbeddingSettings) -> dict[str, str]:
    """List the keys, dotted, that have another value in these settings; an empty text unsets one."""
    current = loaded.settings.models.embedding
    return {
        f"models.embedding.{key}": "" if (value := getattr(settings, key)) is None else str(value)
        for key in _KEYS
        if getattr(settings, key) != getattr(current, key)
    }


def _refuse_variables(loaded: LoadedSettings, changes: Mapping[str, str]) -> None:
    for key in changes:
        if (origin := loaded.origins[key]).kind in {"env", "flag"}:
            raise ConfigInvalidError(
                "{key} is set by {variable}, which wins over the configuration file",
                remedy=Remedy(kind="unset", name=origin.name),
                key=key,
                _variable=origin.name or origin.kind,
            )


def _require_identity(target: KnowledgeBase) -> EmbeddingIdentity:
    embedder = target.embedder
    if embedder is None:
        raise InvalidInputError(
            "no embedding model is configured", remedy=Remedy(kind="list_stored", name="models")
        )
    return embedder.identity


def _embed(
    target: KnowledgeBase, *, sink: EventSink, cancel: CancelToken, wait: bool, activates: bool
) -> IngestReport | None:
    """Give every passage its vector; None where nothing has been ingested yet."""
    if not target.has_database:
        return None
    return embed(target, sink=sink, cancel=cancel, wait=wait, embed_for_s=None, activates=activates)


def _pending(report: IngestReport) -> int:
    return 0 if report.embedding is None else report.embedding.pending or 0


def _compare(
    base: KnowledgeBase,
    active: ActiveModel | None,
    target: KnowledgeBase,
    options: SwitchOptions,
    *,
    load: Load,
) -> ModelComparison:
    """Measure a suite with the model that searches use, and with the target.

    Raises:
        InvalidInputError: No model is complete.
    """
    from kebab_eval import EvaluateOptions

    from kebab_app.evaluate import build_evaluator

    if active is None or options.suite is None:
        raise InvalidInputError(
            "no model is complete, so there is nothing to compare with", remedy=Remedy(kind="embed")
        )
    current = base.loaded.settings.models.embedding
    settings = _settings_of(active.identity, active.settings_json, current)
    measure = EvaluateOptions(mode=options.mode, baselines=(), answers=False)
    with closing(_ModelBase(load(_changes(base.loaded, settings)), clock=base.clock)) as former:
        before = build_evaluator(former).evaluate_suite(options.suite, measure)
    measure = EvaluateOptions(mode=options.mode, baselines=(), answers=False, compare=before.run_id)
    return ModelComparison(before, build_evaluator(target).evaluate_suite(options.suite, measure))


def _describe_waiting(base: KnowledgeBase, options: SwitchOptions, *, load: Load) -> ModelSwitch:
    """Describe a switch that was cancelled while it waited for another."""
    with closing(_ModelBase(load(_changes(base.loaded, find_settings(base, options.name))))) as target:
        return ModelSwitch(switched=False, model=_require_identity(target), before=None, aborted=True)


def _put_in_force(base: KnowledgeBase, active: ActiveModel | None) -> None:
    """Make the model that searches use the one in force again."""
    from kebab_app.store import hold_writer_lock

    if active is not None:
        with hold_writer_lock(base.data_dir):
            base.open_for_writing()
            base.index.embeddings.request(active.identity)


def _write(loaded: LoadedSettings, changes: Mapping[str, str]) -> Path | None:
    """Write settings into the configuration file, which is made if there is none."""
    from kebab_config import set_values, write_default_config

    if not changes:
        return None
    if loaded.config_path is None:
        write_default_config(loaded.paths.config_file)
    path = loaded.config_path or loaded.paths.config_file
    set_values(path, changes)
    return path


def _describe(
    model: EmbeddingIdentity,
    before: EmbeddingIdentity | None,
    report: IngestReport | None,
    *,
    switched: bool,
    comparison: ModelComparison | None = None,
    changed: tuple[str, ...] = (),
    config_path: Path | None = None,
) -> ModelSwitch:
    summary = report.embedding if report else None
    return ModelSwitch(
        switched=switched,
        model=model,
        before=before,
        aborted=bool(report and report.aborted),
        computed=summary.computed if summary else 0,
        reused=summary.reused if summary else 0,
        pending=(summary.pending or 0) if summary else 0,
        changed=changed,
        config_path=config_path,
        comparison=comparison,
    )
