"""No setting without effect: something reads every key, or it waits for a capability that is named here."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest
from kebab_app import App
from kebab_config import KEYS_WITHOUT_EFFECT, config_keys, load_settings
from kebab_testing.tables import walk

ROOT = Path(__file__).parents[2]

READ_BY_SHAPE = {
    "schema_version",
    *(key.key for key in config_keys() if key.key.startswith(("models.embedding.", "models.llm."))),
}
"""Keys that are read through a section held under another name, or by plugins."""
NOT_READERS = {"settings.py", "introspection.py"}
"""Where keys are declared, and where values are only shown."""
NAMED_ALIKE = {"models.embedding.dimensions"}
"""Keys that share their last two names with something that is no setting."""


@cache
def attributes_read() -> frozenset[tuple[str, str]]:
    """Every `owner.name` that the product's code reads, as the last two names of an attribute chain."""
    members = [*ROOT.glob("packages/*/src"), *ROOT.glob("apps/*/src")]
    files = [path for member in members for path in member.rglob("*.py") if path.name not in NOT_READERS]
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    return frozenset((_last_name(node.value), node.attr) for node in nodes if isinstance(node, ast.Attribute))


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


WAITING_KEYS = {key for keys in KEYS_WITHOUT_EFFECT.values() for key in keys}


@walk("key", [k.key for k in config_keys() if k.key not in READ_BY_SHAPE | NAMED_ALIKE])
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


@pytest.mark.parametrize("capability", sorted(KEYS_WITHOUT_EFFECT))
def test_keys_wait_only_for_what_is_not_there_yet(capability: str, tmp_path: Path) -> None:
    loaded = load_settings(config_path=None, environ={"HOME": str(tmp_path)})
    with App(loaded) as app:
        capabilities = app.schema().capabilities
    assert capabilities[capability] is False


def test_no_key_waits_for_two_capabilities() -> None:
    assert len(WAITING_KEYS) == sum(map(len, KEYS_WITHOUT_EFFECT.values()))


def test_keys_say_themselves_whether_anything_acts_on_them() -> None:
    assert {key.key for key in config_keys() if key.effect_note == "no effect yet"} == WAITING_KEYS
