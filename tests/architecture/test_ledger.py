"""`tests/ledger.toml` says what test files cost; `python -m tests.ledger` measures them, or those that are named."""

from tests.architecture.members import ROOT
from tests.ledger import NOTABLE_S, read_ledger

FOLDERS = ("packages/*/tests", "apps/*/tests", "tests")


def test_each_test_file_is_listed_and_no_other_is() -> None:
    there = {
        path.relative_to(ROOT).as_posix()
        for folder in FOLDERS
        for found in ROOT.glob(folder)
        for path in found.rglob("test_*.py")
    }
    seconds, _, unmeasured = read_ledger()
    listed = seconds.keys() | unmeasured
    assert there - listed == set(), "not measured: `python -m tests.ledger` with these files"
    assert listed - there == set(), "no longer there: delete their lines"


def test_a_file_that_takes_long_says_why() -> None:
    seconds, why, _ = read_ledger()
    assert {path for path, cpu_s in seconds.items() if cpu_s > NOTABLE_S} <= set(why) <= set(seconds)
