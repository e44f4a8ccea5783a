import re
from typing import Any

from importlinter.api import read_configuration
from kebab_testing.tables import walk

from tests.architecture.members import MODULES, ROOT

CONFIGURATION = read_configuration(str(ROOT / "importlinter.ini"))
CONTRACTS: list[dict[str, Any]] = CONFIGURATION["contracts_options"]


def _contract(identifier: str) -> dict[str, Any]:
    (found,) = (contract for contract in CONTRACTS if contract["id"] == identifier)
    return found


def _layers() -> list[set[str]]:
    return [set(re.split(r"\s*\|\s*", layer)) for layer in _contract("imports-point-down")["layers"]]


def test_the_roots_are_the_members_of_the_workspace() -> None:
    assert set(CONFIGURATION["session_options"]["root_packages"]) == MODULES


def test_every_member_stands_in_exactly_one_layer() -> None:
    names = [name for layer in _layers() for name in layer]
    assert sorted(names) == sorted(MODULES)


def test_core_is_at_the_bottom_and_testing_on_top() -> None:
    layers = _layers()
    assert layers[-1] == {"kebab_core"}
    assert layers[0] == {"kebab_testing"}


def test_the_protected_adapters_are_the_adapter_layer() -> None:
    assert set(_contract("only-app-wires-adapters")["protected_modules"]) in _layers()


@walk(("contract", "field"), [("no-cycles", "ancestors"), ("nothing-calls-out", "source_modules")])
def test_a_contract_about_every_member_names_every_member(contract: str, field: str) -> None:
    assert set(_contract(contract)[field]) == MODULES


@walk("contract", CONTRACTS)
def test_no_contract_has_exceptions(contract: dict[str, Any]) -> None:
    assert not {"ignore_imports", "skip_descendants", "unmatched_ignore_imports_alerting"} & contract.keys()
    assert contract.get("depth") is None


def test_imports_for_type_checkers_count_too() -> None:
    assert "exclude_type_checking_imports" not in CONFIGURATION["session_options"]
