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


def test_a_long_finding_is_wrapped_in_its_column_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    check = DoctorCheck(name="short", ok=True, detail="문서 1개, 청크 1836개, 색인 ko-en@2, 벡터 없음")
    report = DoctorReport(ok=True, checks=(check,))
    render_doctor(Console(terminal=True), report)
    assert capsys.readouterr().out == "✓ short  문서 1개, 청크 1836개, 색인\n         ko-en@2, 벡터 없음\n"
    render_doctor(Console(), report)
    assert capsys.readouterr().out == f"✓ short  {check.detail}\n"


def test_a_hint_of_several_checks_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    checks = tuple(DoctorCheck(name=name, ok=False, detail="bad", hint="kebab ingest") for name in ("a", "b"))
    render_doctor(Console(), DoctorReport(ok=False, checks=checks))
    assert capsys.readouterr().out == "✗ a  bad\n  hint: kebab ingest\n✗ b  bad\n\n2 checks failed.\n"
