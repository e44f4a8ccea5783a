"""`tests/ledger.toml` says what test files cost; `python -m tests.ledger` measures them, or those that are named."""

from tests.architecture.members import ROOT
from tests.ledger import NOTABLE_S, read_ledger


def test_a_cost_is_that_of_a_file_that_there_is() -> None:
    seconds, why = read_ledger()
    assert [path for path in (*seconds, *why) if not (ROOT / path).is_file()] == []


def test_a_file_that_takes_long_says_why() -> None:
    seconds, why = read_ledger()
    assert {path for path, cpu_s in seconds.items() if cpu_s > NOTABLE_S} <= set(why) <= set(seconds)
