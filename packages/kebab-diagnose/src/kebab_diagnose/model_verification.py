"""Verification of the embedding model: its files, and vectors that it makes now against those that searches compare.

These checks read all files of the model, and ask it for vectors.
"""

from __future__ import annotations

import math
import struct

from kebab_core import Embedder, EmbeddingIdentity, EmbeddingKind, EmbeddingRepo, Message, Remedy

from kebab_diagnose.storage_checks import Problem

_SAMPLE = 8
"""Passages whose vectors are made again."""
_MIN_COSINE = 0.99
"""Half precision costs less than .0005, and the precisions of the bundled model differ by .0013; other weights by far more."""


def check_identity(model: EmbeddingIdentity, embeddings: EmbeddingRepo) -> Message | Problem:
    """Compare the configured model with the one that searches use."""
    active = embeddings.active_model()
    if active is None or active.identity == model:
        return Message("searches use {model}, the configured model", model=_name(model))
    pending = embeddings.counts(model).pending
    if active.identity.model_id == model.model_id and not embeddings.counts(model).committed:
        return Problem(
            Message(
                "the configured model is {model}, and the vectors are of {active}: its files, or the way that it is "
                "computed, have changed, so that all vectors have to be made again",
                model=_name(model),
                active=_name(active.identity),
            ),
            remedy=Remedy(kind="embed", otherwise=Remedy(kind="change_setting", setting="models.embedding")),
        )
    return Message(
        "searches use {active} until every passage has a vector of {model}: {count} to go",
        active=_name(active.identity),
        model=_name(model),
        count=pending,
    )


def check_known_vectors(embedder: Embedder, embeddings: EmbeddingRepo) -> Message | Problem:
    """Make vectors of some passages again, and compare them with those that are stored."""
    model = embedder.identity
    passages = embeddings.sample(model, limit=_SAMPLE)
    if not passages:
        return Message("no vectors of the configured model yet")
    stored = embeddings.find_vectors(model, [passage.text_hash for passage in passages])
    made = embedder.embed([passage.text for passage in passages], EmbeddingKind.DOCUMENT)
    size = model.dimensions
    flat = made.cast("B").cast("f")
    rows = [flat[start : start + size] for start in range(0, len(flat), size)]
    least = min(_cosine(row, stored[passage.text_hash]) for row, passage in zip(rows, passages, strict=True))
    if not least >= _MIN_COSINE:
        return Problem(
            Message(
                "the model gives other vectors than those that are stored (cosine {least:.3f})", least=least
            ),
            remedy=Remedy(kind="reset_vectors", then=Remedy(kind="embed")),
        )
    return Message(
        "{count} passage has the vector that the model gives it now (cosine {least:.4f} or more)",
        plural="{count} passages have the vectors that the model gives them now (cosine {least:.4f} or more)",
        count=len(passages),
        least=least,
    )


def _cosine(row: memoryview[float], stored: bytes) -> float:
    """Cosine of a unit vector with one in half precision, little-endian; NaN for one of another length."""
    if len(stored) != 2 * len(row):
        return math.nan
    halves = struct.unpack(f"<{len(row)}e", stored)
    return math.fsum(one * other for one, other in zip(row, halves, strict=True))


def _name(identity: EmbeddingIdentity) -> str:
    return f"{identity.model_id} {identity.model_version}"
