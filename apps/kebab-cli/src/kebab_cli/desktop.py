"""The desktop entry of `kebab web`: a file of freedesktop.org in the folder of the user's applications.

It starts the page and opens links of the scheme `kebab:`. Only files are written here; nothing is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

_ENTRY = """\
[Desktop Entry]
Type=Application
Name=kebab
GenericName=Search of documents
GenericName[ko]=문서 검색
Comment=Search and ask your documents
Comment[ko]=내 문서에서 찾고 묻기
Exec={command} %u
Icon={icon}
Terminal=false
Categories=Office;Utility;
MimeType=x-scheme-handler/kebab;
"""
_ESCAPED = {"\\": "\\\\", '"': '\\"', "`": "\\`", "$": "\\$", "%": "%%"}


@dataclass(frozen=True, kw_only=True)
class DesktopEntry:
    """The files of the entry, and the command that makes the desktop notice them."""

    path: Path
    content: str
    icon: Path
    refresh: str
    """For a shell."""

    @classmethod
    def of(
        cls, config_path: Path | None, *, home: Path, environ: Mapping[str, str], python: str
    ) -> DesktopEntry:
        """Make the entry of a configuration.

        Args:
            config_path: The configuration file; None for the default one.
            home: Home folder of the user.
            environ: The environment; says where data of the user is.
            python: The Python that kebab is installed in.
        """
        folder = Path(environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        icon = folder / "icons" / "hicolor" / "scalable" / "apps" / "kebab.svg"
        command = [python, "-P", "-m", "kebab_cli", "web"]
        if config_path is not None:
            command += ["--config", str(config_path)]
        line = " ".join([*map(_quote, command), "--open"])
        return cls(
            path=folder / "applications" / "kebab.desktop",
            content=_ENTRY.format(command=line, icon=str(icon).replace("\\", "\\\\")),
            icon=icon,
            refresh="xdg-mime default kebab.desktop x-scheme-handler/kebab",
        )

    def install(self) -> None:
        """Write the files.

        Raises:
            OSError: They cannot be written.
        """
        for path, content in ((self.icon, _read_icon()), (self.path, self.content)):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8")

    def uninstall(self) -> bool:
        """Delete the files.

        Returns:
            False where there was no entry.

        Raises:
            OSError: They cannot be deleted.
        """
        was_there = self.path.exists()
        self.path.unlink(missing_ok=True)
        self.icon.unlink(missing_ok=True)
        return was_there


def _read_icon() -> str:
    """Return the icon of the page, by the name of its package: faces do not import each other."""
    return files("kebab_web").joinpath("static", "icon.svg").read_text("utf-8")


def _quote(argument: str) -> str:
    """Quote an argument of `Exec`; a backslash of a quoted one is doubled once more, as in every string of the file."""
    inner = "".join(_ESCAPED.get(sign, sign) for sign in argument)
    return '"' + inner.replace("\\", "\\\\") + '"'
