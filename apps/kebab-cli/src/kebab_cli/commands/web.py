"""`kebab web`: the page on this machine; `kebab web install` puts it among the applications of the desktop.

The desktop entry is a file of freedesktop.org in the folder of the user's applications. It starts the page and opens links of the
scheme `kebab:`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabGroup, WholeNumber
from kebab_cli.render import Console, safe_name, show_hint
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import DesktopEntryV1

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


@click.group(cls=KebabGroup, invoke_without_command=True)
@click.option(
    "--port",
    type=WholeNumber(0, 65_535),
    metavar="PORT",
    help="Port of this machine; 0 picks a free one.  [default: 8420, or the next free one]",
)
@click.option("--watch", is_flag=True, help="Index files as they are saved, as `kebab watch` does.")
@click.option("--no-open", is_flag=True, help="Open no browser; print the address alone.")
@click.option(
    "--open",
    "link",
    is_flag=False,
    flag_value="",
    metavar="[LINK]",
    help="Show this link first: kebab://open?a=ADDRESS or kebab://search?q=WORDS.",
)
@pass_session
def command(session: Session, *, port: int | None, watch: bool, no_open: bool, link: str | None) -> None:
    """Open the knowledge base as a page in the browser.

    Search while typing, ask with Ctrl+Enter, and read beside it the place that an answer cites. The page is served to
    this machine alone and loads nothing from the network. The address that is printed lets one browser in, once and
    within a minute. Where the page is being served already, a new address to it is printed. Ctrl-C ends it.

    Examples:
      kebab web
      kebab web --watch
      kebab web --port 9000 --no-open
      kebab web --open 'kebab://search?q=backup'
      kebab web install
    """
    from kebab_cli.faces import require_config

    if session.context.invoked_subcommand is not None:
        return
    if session.console.json:
        raise click.UsageError(tr("`kebab web` has no JSON output; leave out --json"))
    require_config(session)
    run_server(
        session,
        *([] if port is None else ["--port", str(port)]),
        *(["--watch"] if watch else []),
        *(["--no-open"] if no_open else []),
        *([f"--open={link}"] if link else []),
    )


def run_server(session: Session, *flags: str) -> None:
    """Let the server of the page take the place of this process, with further flags."""
    from kebab_cli.faces import run_face

    run_face(session, "kebab_web", *flags)


@command.command("install")
@pass_session
def install(session: Session) -> None:
    """Add the page to the applications of the desktop, and open kebab: links with it.

    Writes a desktop entry and its icon into the user's data folder, and prints the command that makes kebab the
    program for links such as kebab://open?a=notes/plan.md#L10. A link starts the page or goes to the one that is open;
    it runs nothing else. For a window of its own, install the page in the browser (Chrome and Edge offer it in
    the address bar).

    Example:
      kebab web install
    """
    from kebab_cli.faces import require_config

    require_config(session)
    _change_entry(session, installs=True)


@command.command("uninstall")
@pass_session
def uninstall(session: Session) -> None:
    """Remove the page from the applications of the desktop.

    Example:
      kebab web uninstall
    """
    _change_entry(session, installs=False)


def _change_entry(session: Session, *, installs: bool) -> None:
    """Write or delete the desktop entry.

    Raises:
        InvalidInputError: The system has no desktop entries.
        StorageError: A file cannot be written or deleted.
    """
    from kebab_core import InvalidInputError, Message, StorageError
    from kebab_wire import DesktopEntryV1

    if sys.platform in {"darwin", "win32"}:
        raise InvalidInputError(
            "this system has no desktop entries",
            hint=Message(
                "run `kebab web` and install the page in the browser, which makes an application of it"
            ),
        )
    session.require_writable()
    config = session.options.config
    entry = DesktopEntry.of(
        config.absolute() if config else None,
        home=Path.home(),
        environ=session.environ,
        python=sys.executable,
    )
    status: Literal["written", "removed", "missing"] = "written"
    try:
        if installs:
            entry.install()
        elif not entry.uninstall():
            status = "missing"
        else:
            status = "removed"
    except OSError as error:
        raise StorageError(
            "cannot write {path!r}: {reason}",
            hint=Message("check the folder and its permissions"),
            path=str(entry.path),
            _reason=error.strerror,
        ) from error
    report = DesktopEntryV1(path=str(entry.path), status=status, command=entry.refresh)
    session.console.show_change(report, _render_entry)


def _render_entry(console: Console, report: DesktopEntryV1) -> None:
    status = {"written": tr("written"), "removed": tr("removed"), "missing": tr("missing")}[report.status]
    console.line(f"{status}  {safe_name(report.path)}")
    if report.status == "written":
        show_hint(console, report.command)


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
    from importlib.resources import files

    return files("kebab_web").joinpath("static", "icon.svg").read_text("utf-8")


def _quote(argument: str) -> str:
    """Quote an argument of `Exec`; a backslash of a quoted one is doubled once more, as in every string of the file."""
    inner = "".join(_ESCAPED.get(sign, sign) for sign in argument)
    return '"' + inner.replace("\\", "\\\\") + '"'
