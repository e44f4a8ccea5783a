"""`doctor`: whether everything is in order, also where the configuration itself is not; or what kebab can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel

from kebab_mcp.tool import Arguments, Tool, load_tool

if TYPE_CHECKING:
    from kebab_wire import DoctorReport

    from kebab_mcp.call import Call


class DoctorArguments(Arguments):
    """What to report."""

    capabilities: bool = False


def _run(call: Call, arguments: DoctorArguments) -> BaseModel:
    if arguments.capabilities:
        return load_tool("schema").run(call, None)
    from kebab_app import report_broken_config
    from kebab_core import ConfigInvalidError, ConfigNotFoundError
    from kebab_wire import wire_doctor

    from kebab_mcp.remedies import render_remedy

    try:
        return _name_problems(wire_doctor(call.app.doctor(), render=render_remedy))
    except (ConfigInvalidError, ConfigNotFoundError) as error:
        return wire_doctor(report_broken_config(error), render=render_remedy)


def _name_problems(report: DoctorReport) -> DoctorReport:
    """Leave the checks that failed, and one line for all others."""
    from kebab_wire import DoctorCheck

    failed = [check for check in report.checks if not check.ok or check.hint]
    fine = len(report.checks) - len(failed)
    rest = DoctorCheck(name="others", ok=True, detail=f"{fine} {'check' if fine == 1 else 'checks'} passed")
    return report.model_copy(update={"checks": (*failed, *([rest] if fine else []))})


TOOL = Tool(
    name="doctor",
    description="Check the knowledge base when a tool fails or results seem incomplete. capabilities: its features instead.",
    arguments=DoctorArguments,
    returns="doctor.v1",
    run=_run,
)
