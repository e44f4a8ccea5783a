"""`App.models`: switch, verification and clean-up of the embedding models of a knowledge base."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import KebabError, Remedy, StorageError

if TYPE_CHECKING:
    from kebab_core import CancelToken, StoredModel
    from kebab_diagnose import HealthReport
    from kebab_ingest import EventSink

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.model_switch import Agree, Load, ModelSwitch, SwitchOptions


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
        """List the models with vectors that are neither in force, nor active, nor configured.

        Raises:
            NotIndexedError: Nothing has been ingested.
        """
        self.base.open_for_reading()
        embeddings = self.base.index.embeddings
        active = embeddings.active_model()
        kept = {embeddings.latest_model(), active and active.identity}
        with suppress(KebabError):  # a model that cannot be used has no identity
            embedder = self.base.embedder
            kept.add(None if embedder is None else embedder.identity)
        return tuple(each for each in embeddings.stored_models() if each.identity not in kept)

    def delete_former(self) -> tuple[StoredModel, ...]:
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

        base, remedy = self.base, Remedy(kind="wait_for_writer")
        base.require_writable()
        base.open_for_reading()
        with (
            hold_embedding_lock(base.data_dir, wait=LockWait(), remedy=remedy),
            hold_writer_lock(base.data_dir, remedy=remedy),
        ):
            database = base.open_for_writing()
            models = self.list_former()
            for each in models:
                base.index.embeddings.delete_model(each.identity)
            if models:
                active = base.index.embeddings.active_model()
                with suppress(StorageError):  # the next run deletes files and gives space back, too
                    if active is not None:
                        base.vectors.update(active.identity)
                    compact(database)
        return models

    def verify(self) -> HealthReport:
        """Verify the files of the embedding model and its vectors. See `kebab_diagnose.verify_model`."""
        from kebab_app.doctor import verify_model

        return verify_model(self.base)
