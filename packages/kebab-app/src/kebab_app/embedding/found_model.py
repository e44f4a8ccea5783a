"""The embedding model that the settings name, or why there is none on this machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kebab_core import (
    Embedder,
    EmbeddingFailure,
    EmbeddingIdentity,
    ExternalError,
    InputError,
    KebabError,
)


class ReadyModel(NamedTuple):
    """A model that can be used, and who it says it is."""

    embedder: Embedder
    identity: EmbeddingIdentity


FoundModel = ReadyModel | EmbeddingFailure
"""A model, or why the one that is configured cannot be used."""


def find_model(build: Callable[[], Embedder | None]) -> FoundModel | None:
    """Return the model that `build` gives; None where none is configured.

    A model that is missing, damaged or out of reach is no error here: the index is searched by words without it.
    """
    try:
        embedder = build()
        return None if embedder is None else ReadyModel(embedder, embedder.identity)
    except (ExternalError, InputError) as error:
        return describe_failure(error)


def describe_failure(error: KebabError) -> EmbeddingFailure:
    """Return an error as reports carry it."""
    return EmbeddingFailure(code=error.code, message=error.message, hint=error.hint)
