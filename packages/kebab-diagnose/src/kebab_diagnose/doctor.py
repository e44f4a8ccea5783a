"""Health reports: `iter_checks` runs checks, by their wire names. Called by `App.doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from kebab_core import DatabaseCorruptError, KebabError, Message, Remedy

from kebab_diagnose.storage_checks import Check, Problem

_LAST_RESORT = Remedy(advice=Message("look into the log folder"), otherwise=Remedy(kind="reset_data"))


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Result of one check."""

    name: str
    ok: bool
    detail: Message
    remedy: Remedy | None = None
    """Only of a check that failed."""
    same_as: str | None = None
    """Name of an earlier check that found the same."""


@dataclass(frozen=True, kw_only=True)
class HealthReport:
    """Results of all checks, in a fixed order."""

    checks: tuple[CheckResult, ...]
    repaired: tuple[str, ...] | None = None
    """Repairs before the checks, one sentence each; None where no repair was asked for."""

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.ok for check in self.checks)


def iter_checks(
    checks: Mapping[str, Check | Message], *, advise_on_damage: Callable[[], Remedy]
) -> Iterator[CheckResult]:
    """Run checks, in their order, each when its result is asked for; a failing one never keeps the others from running.

    What several checks find is told by the first; the others name it.

    Args:
        checks: The checks by wire name; the detail alone of what there is nothing of to check.
        advise_on_damage: Names what helps; called where a check finds the database damaged.

    Yields:
        The results.
    """

    def run(name: str, check: Check | Message) -> CheckResult:
        if isinstance(check, Message):
            return CheckResult(name=name, ok=True, detail=check)
        try:
            found = check()
        except DatabaseCorruptError as error:
            found = Problem(error.message, advise_on_damage())
        except Exception as error:  # noqa: BLE001 - what one check meets must not keep the others from running
            found = _describe_error(error)
        if isinstance(found, Problem):
            return CheckResult(name=name, ok=False, detail=found.detail, remedy=found.remedy)
        return CheckResult(name=name, ok=True, detail=found)

    failed: list[CheckResult] = []
    for name, check in checks.items():
        result = run(name, check)
        first = next((each.name for each in failed if each.detail == result.detail), None)
        if first is not None:
            result = replace(result, detail=Message("the same as {check}", check=first), same_as=first)
        elif not result.ok:
            failed.append(result)
        yield result


def report_broken_config(error: KebabError) -> HealthReport:
    """Report a knowledge base whose configuration cannot be loaded, so that no other check can run."""
    remedy = error.remedy or Remedy(
        advice=Message("repair the configuration file"), otherwise=Remedy(kind="init_anew")
    )
    check = CheckResult(name="config_loaded", ok=False, detail=error.message, remedy=remedy)
    return HealthReport(checks=(check,))


def _describe_error(error: Exception) -> Problem:
    if isinstance(error, KebabError):
        return Problem(error.message, error.remedy or _LAST_RESORT)
    if isinstance(error, OSError):
        path = error.filename and str(error.filename)
        return Problem(Message("{error}", error=str(error)), Remedy(kind="check_permissions", path=path))
    kind = type(error).__name__
    failed = Message("the check itself failed: {kind}: {error}", kind=kind, error=str(error))
    return Problem(failed, _LAST_RESORT)
