"""Keys that are checked and kept although nothing acts on them yet."""

from __future__ import annotations

from collections.abc import Mapping

KEYS_WITHOUT_EFFECT: Mapping[str, tuple[str, ...]] = {
    "chat_models": (
        "models.llm.model",
        "models.llm.context_tokens",
        "models.llm.endpoint",
        "models.llm.temperature",
        "models.llm.seed",
        "models.llm.connect_timeout_s",
        "models.llm.read_timeout_s",
    ),
    "answer_verification": (
        "models.nli.model",
        "rag.nli_threshold",
    ),
    "multi_hop": (
        "rag.multi_hop_max_depth",
        "rag.multi_hop_max_sub_queries",
    ),
}
"""The capability that brings the effect, as `kebab schema` names it, to its keys."""

_CAPABILITY_OF = {key: capability for capability, keys in KEYS_WITHOUT_EFFECT.items() for key in keys}


def missing_capability(key: str) -> str | None:
    """Return the capability without which a key has no effect, None for a key that has one.

    Args:
        key: Dotted.
    """
    return _CAPABILITY_OF.get(key)
