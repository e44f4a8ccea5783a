"""Families of cases that are too expensive for every run: a tenth of each by default, all of it with `pytest -m thorough`.

A test that is marked `thorough` is a family. The root `conftest.py` leaves out nine in ten of its parametrised cases;
what a test draws or walks itself, it takes from `sample` and `examples`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import TypeVar

import pytest
from hypothesis import settings

MARK = "thorough"
WHOLE_PROFILE = "kebab-thorough"
"""The Hypothesis profile that is loaded where families run whole."""
_SEED = b"kebab"
_FEW_EXAMPLES = 5
T = TypeVar("T")


def is_thorough() -> bool:
    """Tell whether families run whole in this process."""
    return settings.get_current_profile_name() == WHOLE_PROFILE


def sample(cases: Iterable[T], *, key: Callable[[T], str] = str) -> list[T]:
    """A tenth of the cases, rounded up, in their order; all of them in a thorough run.

    Args:
        cases: All cases of a family.
        key: What names a case. The same names give the same choice in every run, and one more case changes at most one.
    """
    found = list(cases)
    return found if is_thorough() else _tenth(found, list(map(key, found)))


def examples(count: int) -> int:
    """Return the number of examples that Hypothesis tries of a family of `count`: a tenth, at least 5, since it begins with small ones."""
    return count if is_thorough() else min(count, max(_FEW_EXAMPLES, -(-count // 10)))


def keep_sampled(items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests to run and those to leave out: of each marked function a tenth of its cases, all of every other."""
    found = list(items)
    families: dict[str, list[pytest.Item]] = {}
    for item in found:
        if item.get_closest_marker(MARK):
            families.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for family in families.values() for item in _tenth(family, [item.nodeid for item in family])}
    left_out = {item for family in families.values() for item in family} - kept
    return [item for item in found if item not in left_out], [item for item in found if item in left_out]


def _tenth(cases: Sequence[T], names: Sequence[str]) -> list[T]:
    ranked = sorted(
        range(len(cases)),
        key=lambda at: blake2b(names[at].encode("utf-8", "surrogatepass"), key=_SEED).digest(),
    )
    return [cases[at] for at in sorted(ranked[: -(-len(cases) // 10)])]
