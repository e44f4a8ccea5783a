"""One test over a table of cases that cost next to nothing, where a test for each would cost more than what it tests."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest

_FAILURES = (Exception, pytest.fail.Exception)
Test = Callable[..., None]


def walk(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Let one test go through a table, all of it, and report each case that fails.

    It takes the place of `pytest.mark.parametrize` where cases leave nothing behind: all have the same fixtures.

    Args:
        names: The parameters that a case gives, as for `parametrize`.
        cases: A value each, or several where there are several names.

    Returns:
        What turns the function of one case into the test of all.
    """
    given = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    table = [dict(zip(given, case if len(given) > 1 else [case], strict=True)) for case in cases]

    def of_all(test: Test) -> Test:
        @wraps(test)
        def walked(*args: Any, **fixtures: Any) -> None:
            failures = [
                failure for case in table if (failure := _failure(test, case, args, fixtures)) is not None
            ]
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(table)} cases fail", failures)

        signature = inspect.signature(test)
        kept = [parameter for name, parameter in signature.parameters.items() if name not in given]
        walked.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return walked

    return of_all


def _failure(
    test: Test, case: dict[str, Any], args: tuple[Any, ...], fixtures: dict[str, Any]
) -> BaseException | None:
    try:
        test(*args, **fixtures, **case)
    except _FAILURES as failure:
        failure.add_note(f"of the case {case!r}")
        return failure
    return None
