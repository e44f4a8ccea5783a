"""`App.models`: switch, verification and clean-up of the embedding models of a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kebab_core import CancelToken, StoredModel
    from kebab_diagnose import HealthReport
    from kebab_ingest import EventSink

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.model_switch import Agree, Load, ModelSwitch, SwitchOptions

from contextlib import suppress
from typing import TYPE_CHECKING

from kebab_core import KebabError, Remedy, StorageError

if TYPE_CHECKING:
    from kebab_core import StoredModel

    from kebab_app.knowledge_base import KnowledgeBase


def list_former_models(base: KnowledgeBase) -> tuple[StoredModel, ...]:
    """List the models with vectors that are neither in force, nor active, nor configured.

    Raises:
        NotIndexedError: Nothing has been ingested.
    """
    base.open_for_reading()
    active = base.index.embeddings.active_model()
    kept = {base.index.embeddings.latest_model(), active and active.identity}
    with suppress(KebabError):  # a model that cannot be used has no identity
        embedder = base.embedder
        kept.add(None if embedder is None else embedder.identity)
    return tuple(each for each in base.index.embeddings.stored_models() if each.identity not in kept)


def delete_former_models(base: KnowledgeBase) -> tuple[StoredModel, ...]:
    """Delete the vectors of these models, and the files that searches read of them.

    Returns:
        The models whose vectors were deleted.

    Raises:
        ReadonlyModeError: Writing is switched off.
        NotIndexedError: Nothing has been ingested.
        LockedError: Another process is writing or making vectors.
        StorageError: The database cannot be written.
    """
    from kebab_app.store import LockWait, compact, hold_embedding_lock, hold_writer_lock

    base.require_writable()
    base.open_for_reading()
    remedy = Remedy(kind="wait_for_writer")
    with (
        hold_embedding_lock(base.data_dir, wait=LockWait(), remedy=remedy),
        hold_writer_lock(base.data_dir, remedy=remedy),
    ):
        database = base.open_for_writing()
        models = list_former_models(base)
        for each in models:
            base.index.embeddings.delete_model(each.identity)
        if models:
            active = base.index.embeddings.active_model()
            with suppress(StorageError):  # the next run deletes files and gives space back, too
                if active is not None:
                    base.vectors.update(active.identity)
                compact(database)
    return models


@dataclass(frozen=True)
class ModelMaintenance:
    """Use cases of embedding models."""

    base: KnowledgeBase

    def switch(
        self,
        options: SwitchOptions,
        *,
        load: Load,
        agree: Agree = lambda _: True,
        sink: EventSink = lambda _: None,
        cancel: CancelToken | None = None,
    ) -> ModelSwitch:
        """Make another embedding model the one of searches. See `kebab_app.model_switch.switch_model`."""
        from kebab_core import CancelToken

        from kebab_app.model_switch import switch_model

        return switch_model(
            self.base, options, load=load, agree=agree, sink=sink, cancel=cancel or CancelToken()
        )

    def list_former(self) -> tuple[StoredModel, ...]:
        """List the models whose vectors searches do not need. See `list_former_models`."""
        return list_former_models(self.base)

    def delete_former(self) -> tuple[StoredModel, ...]:
        """Delete their vectors. See `delete_former_models`."""
        return delete_former_models(self.base)

    def verify(self) -> HealthReport:
        """Verify the files of the embedding model and its vectors. See `kebab_diagnose.verify_model`."""
        from kebab_app.doctor import verify_model

        return verify_model(self.base)
