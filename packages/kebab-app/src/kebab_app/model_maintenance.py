"""`App.models`: switch, verification and clean-up of the embedding models of a knowledge base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import StoredModel
    from kebab_diagnose import HealthReport
    from kebab_ingest import CancelToken, EventSink

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.model_switch import Load, ModelComparison, ModelSwitch, SwitchOptions


@dataclass(frozen=True)
class ModelMaintenance:
    """Use cases of embedding models."""

    base: KnowledgeBase

    def switch(
        self,
        options: SwitchOptions,
        *,
        load: Load,
        agree: Callable[[ModelComparison], bool] = lambda _: True,
        sink: EventSink = lambda _: None,
        cancel: CancelToken | None = None,
    ) -> ModelSwitch:
        """Make another embedding model the one of searches. See `kebab_app.model_switch.switch_model`."""
        from kebab_ingest import CancelToken

        from kebab_app.model_switch import switch_model

        return switch_model(
            self.base, options, load=load, agree=agree, sink=sink, cancel=cancel or CancelToken()
        )

    def list_former(self) -> tuple[StoredModel, ...]:
        """List the models whose vectors searches do not need. See `kebab_app.model_cleanup.list_former_models`."""
        from kebab_app.model_cleanup import list_former_models

        return list_former_models(self.base)

    def delete_former(self) -> tuple[StoredModel, ...]:
        """Delete their vectors. See `kebab_app.model_cleanup.delete_former_models`."""
        from kebab_app.model_cleanup import delete_former_models

        return delete_former_models(self.base)

    def verify(self) -> HealthReport:
        """Verify the files of the embedding model and its vectors. See `kebab_diagnose.verify_model`."""
        from kebab_app.doctor import verify_model

        return verify_model(self.base)
