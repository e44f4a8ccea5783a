"""The service that runs `kebab watch` for a user: a unit of systemd on Linux, a property list of launchd on macOS.

Only the file is written here; starting the service is left to the user.
"""

from __future__ import annotations

import plistlib
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from shlex import quote

_UNIT = """\
[Unit]
Description=kebab watch

[Service]
ExecStart={command}
{environment}Restart=on-failure
RestartSec=10
Nice=10

[Install]
WantedBy=default.target
"""
_KEPT_VARIABLES = re.compile(r"XDG_(CONFIG|DATA|STATE|CACHE)_HOME|KEBAB_.*")
"""Variables that say where everything is, and settings; others, such as keys of servers, are written nowhere."""
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "%": "%%"}


@dataclass(frozen=True, kw_only=True)
class WatchService:
    """The file of the service for one configuration, and the commands that start and stop it."""

    path: Path
    content: bytes
    start: str
    """Commands for a shell, after the file was written."""
    stop: str
    """The same, after it was deleted."""

    @classmethod
    def of(
        cls,
        config_path: Path | None,
        *,
        home: Path,
        environ: Mapping[str, str],
        platform: str = sys.platform,
        python: str = sys.executable,
    ) -> WatchService:
        """Make the service of a configuration.

        Args:
            config_path: The configuration file; None where there is none.
            home: Home folder of the user.
            environ: The environment; what decides where files are is kept in the service.
            platform: As `sys.platform`.
            python: The Python that kebab is installed in.
        """
        command = [python, "-P", "-m", "kebab_cli", "watch", "--quiet"]
        name = "kebab-watch"
        if config_path is not None:
            command += ["--config", str(config_path)]
            name += f"-{blake2b(str(config_path).encode(), digest_size=4).hexdigest()}"
        kept = {key: value for key, value in sorted(environ.items()) if _KEPT_VARIABLES.fullmatch(key)}
        make = cls._launchd if platform == "darwin" else cls._systemd
        return make(name, command, kept, home=home)

    @classmethod
    def _systemd(
        cls, name: str, command: Sequence[str], environ: Mapping[str, str], *, home: Path
    ) -> WatchService:
        folder = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        # in arguments, but not in the program, a dollar sign would name a variable
        program, *arguments = map(_quote, command)
        line = " ".join([program, *(argument.replace("$", "$$") for argument in arguments)])
        lines = "".join(f"Environment={_quote(f'{key}={value}')}\n" for key, value in environ.items())
        return cls(
            path=folder / "systemd" / "user" / f"{name}.service",
            content=_UNIT.format(command=line, environment=lines).encode(),
            start=f"systemctl --user daemon-reload && systemctl --user enable --now {name}.service",
            stop=f"systemctl --user stop {name}.service; systemctl --user daemon-reload",
        )

    @classmethod
    def _launchd(
        cls, name: str, command: Sequence[str], environ: Mapping[str, str], *, home: Path
    ) -> WatchService:
        path = home / "Library" / "LaunchAgents" / f"{name}.plist"
        content = {
            "Label": name,
            "ProgramArguments": list(command),
            "EnvironmentVariables": dict(environ),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ProcessType": "Background",
        }
        return cls(
            path=path,
            content=plistlib.dumps(content),
            start=f"launchctl bootstrap gui/$(id -u) {quote(str(path))}",
            stop=f"launchctl bootout gui/$(id -u)/{name}",
        )

    def install(self) -> bool:
        """Write the file.

        Returns:
            True.

        Raises:
            OSError: It cannot be written.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(self.content)
        return True

    def uninstall(self) -> bool:
        """Delete the file, and the link by which systemd starts it.

        Returns:
            False where there was none.

        Raises:
            OSError: It cannot be deleted.
        """
        was_there = self.path.exists()
        self.path.unlink(missing_ok=True)
        (self.path.parent / "default.target.wants" / self.path.name).unlink(missing_ok=True)
        return was_there


def _quote(argument: str) -> str:
    return '"' + "".join(_ESCAPED.get(sign, sign) for sign in argument) + '"'
