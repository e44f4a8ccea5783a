"""Findings of the doctor as people read them."""

from __future__ import annotations

import pytest
from kebab_cli.commands.doctor import render_doctor
from kebab_cli.render import Console
from kebab_wire import DoctorCheck, DoctorReport


def test_a_finding_of_several_lines_stays_in_its_column(capsys: pytest.CaptureFixture[str]) -> None:
    checks = (
        DoctorCheck(name="lancedb_open", ok=True, detail="one model\nanother"),
        DoctorCheck(name="short", ok=True, detail="fine"),
    )
    render_doctor(Console(), DoctorReport(ok=True, checks=checks))
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["✓ lancedb_open  one model", " " * 16 + "another", "✓ short         fine"]
