"""Health reports: `examine` runs every check, by its wire name. Called by `App.doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kebab_core import DatabaseCorruptError, KebabError, Message, Remedy

from kebab_diagnose.access import HealthAccess
from kebab_diagnose.model_checks import MODEL_CHECKS
from kebab_diagnose.storage_checks import STORAGE_CHECKS, Check, Problem, advise_on_damage

_LAST_RESORT = Remedy(kind="show_log", otherwise=Remedy(kind="reset_data"))


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """Result of one check."""

    name: str
    ok: bool
    detail: Message
    remedy: Remedy | None = None
    """Only of a check that failed."""


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


def examine(access: HealthAccess) -> HealthReport:
    """Run every check; a failing one never keeps the others from running."""
    return run_checks(STORAGE_CHECKS | MODEL_CHECKS, access)


def run_checks(checks: Mapping[str, Check], access: HealthAccess) -> HealthReport:
    """Run some checks, by wire name; a failing one never keeps the others from running."""
    return HealthReport(checks=tuple(_run(name, check, access) for name, check in checks.items()))


def report_broken_config(error: KebabError) -> HealthReport:
    """Report a knowledge base whose configuration cannot be loaded, so that no other check can run."""
    remedy = error.remedy or Remedy(kind="mend_config", otherwise=Remedy(kind="init_anew"))
    check = CheckResult(name="config_loaded", ok=False, detail=error.message, remedy=remedy)
    return HealthReport(checks=(check,))


def _run(name: str, check: Check, access: HealthAccess) -> CheckResult:
    try:
        found = check(access)
        if not isinstance(found, Problem):
            return CheckResult(name=name, ok=True, detail=found)
        detail, remedy = found.detail, found.remedy
    except DatabaseCorruptError as error:
        detail, remedy = error.message, advise_on_damage(access)
    except KebabError as error:
        detail, remedy = error.message, error.remedy or _LAST_RESORT
    except OSError as error:
        detail, remedy = (
            Message("{error}", error=str(error)),
            Remedy(kind="check_permissions", path=error.filename and str(error.filename)),
        )
    except Exception as error:  # noqa: BLE001 - what one check meets must not keep the others from running
        detail, remedy = (
            Message("the check itself failed: {kind}: {error}", kind=type(error).__name__, error=str(error)),
            _LAST_RESORT,
        )
    return CheckResult(name=name, ok=False, detail=detail, remedy=remedy)
