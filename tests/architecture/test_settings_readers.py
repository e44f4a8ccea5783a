"""No setting without effect: something reads every key, or it waits for a capability that is named here."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from kebab_app import App
from kebab_config import config_keys, load_settings

ROOT = Path(__file__).parents[2]

WAITING: dict[str, tuple[str, ...]] = {
    "vector_search": (
        "models.embedding.version", "models.embedding.dimensions", "models.embedding.batch_tokens",
        "models.embedding.threads", "models.embedding.endpoint", "search.hybrid_fusion", "search.rrf_k",
    ),
    "ask": (
        "models.llm.model", "models.llm.context_tokens", "models.llm.endpoint", "models.llm.temperature",
        "models.llm.seed", "models.llm.connect_timeout_s", "models.llm.read_timeout_s",
        "models.nli.model", "rag.score_gate", "rag.max_context_tokens", "rag.nli_threshold",
        "rag.multi_hop_max_depth", "rag.multi_hop_max_sub_queries",
    ),
}  # fmt: skip
"""Capability (as `kebab schema` names it) to the keys that get their reader with it."""

READ_BY_SHAPE = {"schema_version", "models.embedding.provider", "models.llm.provider"}
"""Keys that are read through a section held under another name."""
NAMED_ALIKE = {"models.embedding.dimensions"}
"""Keys that share their last two names with something that is no setting."""


@cache
def attributes_read() -> frozenset[tuple[str, str]]:
    """Every `owner.name` that the product's code reads, as the last two names of an attribute chain."""
    members = [*ROOT.glob("packages/*/src"), *ROOT.glob("apps/*/src")]
    files = [path for member in members for path in member.rglob("*.py") if path.name != "settings.py"]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    return frozenset((_last_name(node.value), node.attr) for node in nodes if isinstance(node, ast.Attribute))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


WAITING_KEYS = {key for keys in WAITING.values() for key in keys}


@pytest.mark.parametrize("key", [k.key for k in config_keys() if k.key not in READ_BY_SHAPE | NAMED_ALIKE])
def test_every_key_has_a_reader_or_waits_for_a_capability(key: str) -> None:
    section, _, name = key.rpartition(".")
    owners = {section.rpartition(".")[2]}
    if not section.startswith("models"):
        owners |= {
            "settings",
            "_settings",
            "source",
            "_code",
            "code",
        }  # what parts call the section they are given
    read = any((owner, name) in attributes_read() for owner in owners)
    assert read != (key in WAITING_KEYS), "list it, give it a reader, or take it off the list"


def test_waiting_keys_exist() -> None:
    assert {k.key for k in config_keys()} >= WAITING_KEYS | READ_BY_SHAPE


@pytest.mark.parametrize("capability", sorted(WAITING))
def test_keys_wait_only_for_what_is_not_there_yet(capability: str, tmp_path: Path) -> None:
    loaded = load_settings(config_path=None, environ={"HOME": str(tmp_path)})
    with App(loaded) as app:
        assert not app.schema().capabilities.get(capability, False)
