"""The whole configuration, composed of the sections that `kebab_core` defines."""

from __future__ import annotations

from typing import Literal

from kebab_core import (
    IngestSettings,
    LoggingSettings,
    McpSettings,
    Model,
    ModelsSettings,
    RagSettings,
    SearchSettings,
    StorageSettings,
    WorkspaceSettings,
)
from pydantic import Field

SCHEMA_VERSION: Literal[1] = 1
"""Shape of the configuration file that this version of kebab reads and writes."""


class Settings(Model):
    """Everything that can be configured; each part of kebab is handed its own section only."""

    schema_version: Literal[1] = SCHEMA_VERSION
    """Shape of this file; `kebab config migrate` raises it."""
    workspace: WorkspaceSettings = Field(default_factory=WorkspaceSettings)
    storage: StorageSettings = Field(default_factory=StorageSettings)
    ingest: IngestSettings = Field(default_factory=IngestSettings)
    models: ModelsSettings = Field(default_factory=ModelsSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
    logging: LoggingSettings = Field(default_factory=LoggingSettings)
