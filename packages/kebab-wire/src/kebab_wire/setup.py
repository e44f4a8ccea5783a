"""Reports of set-up and removal: init, reset, erasure, completion, MCP hosts, and embedding models on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from kebab_core import (
    ChatModelEntry,
    ChatServer,
    Count,
    EmbeddingIdentity,
    Message,
    ModelEntry,
    ModelPull,
    NliModelEntry,
    Position,
    RerankerEntry,
)

from kebab_wire.base import Advice, DiskPath, WireObject, WirePart, mirror
from kebab_wire.evaluation import EvalRunV1, wire_eval_run

if TYPE_CHECKING:
    from kebab_app import Erasure, InitResult, ModelSwitch, ResetResult
    from kebab_core import StoredModel

    from kebab_wire.remedies import RemedyRenderer


class InitReport(WireObject):
    """Report of `kebab init`."""

    schema_version: Literal["init_report.v1"] = "init_report.v1"
    config_path: DiskPath
    data_dir: DiskPath
    database_schema_version: Position
    roots: tuple[DiskPath, ...]
    """Folders of documents."""
    created: tuple[DiskPath, ...]
    """Paths that were created."""
    kept: tuple[DiskPath, ...]
    """Paths that existed before."""
    backup_path: DiskPath | None = None
    """Copy of the old configuration."""
    missing: tuple[Advice, ...] = ()
    """What has to be done before the models of the configuration can be used, in order."""
    chat_servers: tuple[ChatServer, ...] = ()
    """Servers on this machine whose models could write the answers; nothing is sent to them before the settings say so."""


class ResetReport(WireObject):
    """Report of `kebab reset`."""

    schema_version: Literal["reset_report.v1"] = "reset_report.v1"
    scope: Literal["all", "data_only", "vector_only", "config_only", "orphans_only"]
    removed_paths: tuple[DiskPath, ...]
    embedding_rows_truncated: Count = 0
    orphans_purged: Count | None = None
    """Documents that left the index."""
    purged_paths: tuple[str, ...] | None = None
    """Their paths."""


class ErasureReportV1(WireObject):
    """Report of a deletion of documents or answers, with everything made from them."""

    schema_version: Literal["erasure_report.v1"] = "erasure_report.v1"
    documents: tuple[str, ...] = ()
    """Documents that left the index: their paths, after source and colon where the source is not the default one."""
    removed_paths: tuple[DiskPath, ...] = ()
    """Files that were deleted, or moved to `trash_path`, as paths on disk."""
    trash_path: DiskPath | None = None
    """Folder that the files were moved to; absent where there were none, or they are deleted for good."""
    answers: tuple[str, ...] = ()
    """Stored answers that were deleted: their trace ids."""
    sessions: tuple[str, ...] = ()
    """Conversations that were deleted: their names."""
    erased: bool = True
    """Whether nothing of it is left in the files of the database. False where a reader blocked the erasure; then the next
    ingest that removes something, or the first a day later, erases the rest."""


class CompletionV1(WireObject):
    """A completion script."""

    schema_version: Literal["completion.v1"] = "completion.v1"
    shell: Literal["bash", "zsh", "fish"]
    script: str
    """Source code for the shell."""


class WatchServiceV1(WireObject):
    """File of the service that runs `kebab watch` when the user logs in."""

    schema_version: Literal["watch_service.v1"] = "watch_service.v1"
    path: str
    status: Literal["written", "removed", "missing"]
    """`missing`: there was none to remove."""
    command: str
    """What starts the service now and at each login, or stops one that runs; for a shell."""


class DesktopEntryV1(WireObject):
    """Desktop entry of the page in the browser, which also opens links of the scheme `kebab:`."""

    schema_version: Literal["desktop_entry.v1"] = "desktop_entry.v1"
    path: str
    status: Literal["written", "removed", "missing"]
    """`missing`: there was none to remove."""
    command: str
    """What makes the desktop notice the change; for a shell."""


class McpInstallV1(WireObject):
    """Set-up of a host that starts the MCP server."""

    schema_version: Literal["mcp_install.v1"] = "mcp_install.v1"
    host: str
    path: str
    """Its settings file."""
    status: Literal["created", "updated", "unchanged", "removed"]
    """Result for the file; with `dry_run`, the result of a real run."""
    dry_run: bool
    """True: nothing was written."""
    backup_path: str | None = None
    """Copy of the old file."""
    command: str
    """Program that the host starts."""
    arguments: tuple[str, ...]
    """Arguments of the program, the user's own included."""
    kept: tuple[str, ...] = ()
    """Arguments added by the user, which stay."""
    dropped: tuple[str, ...] = ()
    """Parts of the old command line that are no longer in it."""
    switched_off: bool = False
    """Whether the user has switched the server off in the file; it stays off."""
    remarks: tuple[Message | str, ...] = ()
    """Remarks about the entry, for people."""
    diff: str | None = None
    """With `dry_run`: the change, as a unified diff; absent where nothing changes."""


class McpHostV1(WirePart):
    """One program that can start the MCP server."""

    host: str
    """Name of the host for `kebab mcp install`."""
    title: str
    path: str
    """Its settings file."""
    is_project: bool
    """Whether the settings are those of the current folder, not of the user."""
    exists: bool
    """Whether the file is there."""
    installed: bool
    """Whether the file names kebab."""
    switched_off: bool = False
    """Whether kebab is switched off there."""


class McpHostsV1(WireObject):
    """Programs that can be set up to start the MCP server."""

    schema_version: Literal["mcp_hosts.v1"] = "mcp_hosts.v1"
    hosts: tuple[McpHostV1, ...]
    """By name."""


class ChatModelEntryV1(ChatModelEntry, WirePart):
    """One chat model."""

    kind: str = ""
    """Number of parameters and quantization, where they are known."""


class ModelListV1(WireObject):
    """Embedding models that need no model server, those on this machine first, chat models, those that check answers, and rerankers.

    Where Ollama has pulled a chat model, that one alone.
    """

    schema_version: Literal["model_list.v1"] = "model_list.v1"
    models: tuple[ModelEntry, ...]
    chat_models: tuple[ChatModelEntryV1, ...] = ()
    """Chat models of the configured server, or in the models folder; empty where answers are quotes."""
    chat_problem: Message | str | None = None
    """Reason why the chat models are not known; null where they are."""
    nli_models: tuple[NliModelEntry, ...] = ()
    """Models that check the entailment of answers: the one that can be pulled, and the configured one."""
    rerankers: tuple[RerankerEntry, ...] = ()
    """Cross-encoders: those that can be pulled, and the configured one."""


class _ModelPullBase(WireObject):
    schema_version: Literal["model_pull.v1"] = "model_pull.v1"


class ModelPullV1(ModelPull, _ModelPullBase):
    """Result of the download of a model."""


class ModelSwitchV1(WireObject):
    """Result of a switch to another embedding model."""

    schema_version: Literal["model_switch.v1"] = "model_switch.v1"
    switched: bool
    """True if searches use the model now; false if it was interrupted, or only compared."""
    model: EmbeddingIdentity
    before: EmbeddingIdentity | None = None
    """The model that searches used; absent if no model had a vector of every passage."""
    aborted: bool
    """True if it was interrupted; vectors that were made are kept."""
    computed: Count
    """Vectors that were made."""
    reused: Count
    """Passages whose vectors were there."""
    pending: Count
    """Passages without a vector of the model."""
    changed: tuple[str, ...]
    """Keys that were written into the configuration."""
    config_path: DiskPath | None = None
    """File of the configuration, where it was changed."""
    run_before: EvalRunV1 | None = None
    """The suite with the model before, where one was compared."""
    run_after: EvalRunV1 | None = None
    """The suite with the model; `comparison` has the difference."""


class FormerModelV1(WirePart):
    """A model whose vectors searches do not need."""

    model: EmbeddingIdentity
    vectors: Count
    size_bytes: Count


class ModelCleanupV1(WireObject):
    """Models that are neither in force, configured nor used by searches, whose vectors were deleted."""

    schema_version: Literal["model_cleanup.v1"] = "model_cleanup.v1"
    models: tuple[FormerModelV1, ...]
    vectors: Count
    """Vectors of all of them."""
    size_bytes: Count
    """Size of these vectors alone."""


def wire_init_report(result: InitResult, *, render: RemedyRenderer | None = None) -> InitReport:
    """Convert the result of `init` for the wire.

    Args:
        result: The result.
        render: Words of remedies; None: the shared words.
    """
    return mirror(InitReport, result, render)


def wire_reset_report(result: ResetResult) -> ResetReport:
    """Convert the result of `reset` for the wire."""
    return mirror(
        ResetReport,
        result,
        embedding_rows_truncated=result.dropped_vectors,
        orphans_purged=None if result.purged_paths is None else len(result.purged_paths),
    )


def wire_erasure(result: Erasure) -> ErasureReportV1:
    """Convert a deletion on request for the wire."""
    return mirror(ErasureReportV1, result)


def wire_model_list(
    models: Sequence[ModelEntry],
    chat_models: Sequence[ChatModelEntry] = (),
    *,
    chat_problem: str | None = None,
    nli_models: Sequence[NliModelEntry] = (),
    rerankers: Sequence[RerankerEntry] = (),
) -> ModelListV1:
    """Convert models for the wire, in their order.

    Args:
        models: Embedding models.
        chat_models: Chat models.
        chat_problem: Reason why the chat models are not known.
        nli_models: Models that check the entailment of answers.
        rerankers: Cross-encoders.
    """
    return ModelListV1(
        models=tuple(models),
        chat_models=tuple(mirror(ChatModelEntryV1, model) for model in chat_models),
        chat_problem=chat_problem,
        nli_models=tuple(nli_models),
        rerankers=tuple(rerankers),
    )


def wire_model_pull(pulled: ModelPull) -> ModelPullV1:
    """Convert a pulled model for the wire."""
    return mirror(ModelPullV1, pulled)


def wire_model_switch(switch: ModelSwitch) -> ModelSwitchV1:
    """Convert a switch of the embedding model for the wire."""
    runs = switch.comparison
    return mirror(
        ModelSwitchV1,
        switch,
        run_before=None if runs is None else wire_eval_run(runs[0]),
        run_after=None if runs is None else wire_eval_run(runs[1]),
    )


def wire_model_cleanup(models: Sequence[StoredModel]) -> ModelCleanupV1:
    """Convert models whose vectors were deleted for the wire."""
    return ModelCleanupV1(
        models=tuple(
            FormerModelV1(model=each.identity, vectors=each.vectors, size_bytes=each.size_bytes)
            for each in models
        ),
        vectors=sum(each.vectors for each in models),
        size_bytes=sum(each.size_bytes for each in models),
    )
