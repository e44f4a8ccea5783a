"""The files of services, as the programs that read them understand them."""

from __future__ import annotations

import plistlib
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from kebab_cli.service import WatchService

HARD_PATHS = [
    "/home/kim/나의 노트/kebab.toml",
    '/srv/a "quoted" b/50% off/$HOME/back\\slash/it\'s.toml',
    "/srv/%h/${X}/%%.toml",
]


@pytest.mark.parametrize("config", HARD_PATHS)
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_reads_the_command_as_it_was_meant(config: str, tmp_path) -> None:
    python = tmp_path / "나의 Python 100%" / "python"
    python.parent.mkdir()
    python.write_text("#!/bin/sh\n", encoding="utf-8")
    python.chmod(0o755)
    service = WatchService.of(
        Path(config), home=tmp_path, environ={"KEBAB_X": config}, platform="linux", python=str(python)
    )
    service.install()
    checked = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(service.path)],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert service.path.name not in checked.stderr, checked.stderr
    text = service.path.read_text(encoding="utf-8")
    line = next(each for each in text.splitlines() if each.startswith("ExecStart="))
    words = shlex.split(line.removeprefix("ExecStart="))
    assert [word.replace("%%", "%").replace("$$", "$") for word in words] == [
        *(str(python), "-P", "-m", "kebab_cli", "watch", "--quiet", "--config", config)
    ]


@pytest.mark.parametrize("config", HARD_PATHS)
def test_launchd_reads_the_command_as_it_was_meant(config: str, tmp_path) -> None:
    service = WatchService.of(Path(config), home=tmp_path, environ={}, platform="darwin", python="/py")
    service.install()
    assert service.path.parent == tmp_path / "Library" / "LaunchAgents"
    content = plistlib.loads(service.path.read_bytes())
    assert content["ProgramArguments"][-2:] == ["--config", config]
    assert shlex.split(service.start)[-1] == str(service.path)


def test_services_of_two_configurations_stand_beside_each_other(tmp_path) -> None:
    names = {
        WatchService.of(config, home=tmp_path, environ={}, platform="linux").path
        for config in (None, Path("/a.toml"), Path("/b.toml"))
    }
    assert len(names) == 3
