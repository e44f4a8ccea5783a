"""No setting without effect: something reads every key."""

from __future__ import annotations

from functools import cache

from kebab_config import config_keys
from kebab_testing.tables import walk

from tests.architecture.members import ROOT, read_source

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
    return frozenset[tuple[str, str]]().union(*(read_source(path).attributes for path in files))


@walk("key", [k.key for k in config_keys() if k.key not in READ_BY_SHAPE | NAMED_ALIKE])
def test_every_key_has_a_reader(key: str) -> None:
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
    assert read, "give it a reader, or take it away"


def test_keys_that_are_read_by_shape_exist() -> None:
    assert {k.key for k in config_keys()} >= READ_BY_SHAPE
