"""`model_list.v1` and `model_pull.v1`."""

from __future__ import annotations

from typing import Literal

from kebab_wire.base import Count, Position, WireObject, WirePart


class ModelEntryV1(WirePart):
    """One model that gives passages their vectors."""

    name: str
    provider: Literal["bundled", "fastembed"]
    """What `models.embedding.provider` is set to for it."""
    state: Literal["here", "pullable", "unavailable", "damaged"]
    """On this machine; to be had by `kebab models pull`; installed without weights, as on some platforms; or installed
    with a file of it gone or cut."""
    in_use: bool
    """Whether the configuration names it."""
    dimensions: Position | None = None
    size_bytes: Count | None = None
    """On disk, or about how much a download is."""
    licence: str
    repository: str | None = None
    """Where it comes from, of models that are pulled."""
    folder: str | None = None
    """Where it is, of models that are here."""


class ModelListV1(WireObject):
    """Models that kebab can use without a model server: what is here first, then what can be pulled."""

    schema_version: Literal["model_list.v1"] = "model_list.v1"
    models: tuple[ModelEntryV1, ...]


class ModelPullV1(WireObject):
    """A model that was asked for and is here now."""

    schema_version: Literal["model_pull.v1"] = "model_pull.v1"
    name: str
    was_here: bool
    """True if nothing had to be downloaded."""
    folder: str
    repository: str
    revision: str
    """Which version of the repository it is."""
    size_bytes: Count
    licence: str
    dimensions: Position | None = None
    """What `models.embedding.dimensions` has to be for it."""
