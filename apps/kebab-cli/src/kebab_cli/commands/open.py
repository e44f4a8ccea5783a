"""`kebab open`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from kebab_cli.language import localize, tr
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session, expand_hit, find_sought, pass_session

if TYPE_CHECKING:
    from kebab_app import App, FoundAddress, SoughtWords

_COLUMNS = 80
"""Most columns that a page takes in the terminal."""


@click.command(cls=KebabCommand)
@click.argument("address")
@click.option("--reveal", is_flag=True, help="Show the file in its folder instead.")
@click.option(
    "--here",
    is_flag=True,
    help="Draw the PDF page or the picture in this terminal, with the cited text marked.",
)
@pass_session
def command(session: Session, /, *, address: str, reveal: bool, here: bool) -> None:
    """Open a file in your editor or viewer, at the cited place.

    The editor is $VISUAL, else $EDITOR; without one, what search.link_template says, else what the desktop opens
    such files with. A PDF is opened by search.viewer; all other files as the desktop does. Of a file attached to a mail
    a copy is opened. ADDRESS is what a hit or a
    citation shows, such as notes/policy.md#L10-L42 or paper.pdf#p=3, or @3 for the third hit of the last search here.
    With --json nothing is opened: it prints the path of the file and the command.

    Examples:
      kebab open notes/policy.md#L10
      kebab open @1
      kebab open @1 --reveal
      kebab open paper.pdf#p=3 --here
      kebab config set search.viewer "okular --page {page} {path}"
    """
    from kebab_app import read_attached, require_file, reveal_command

    if here and (reveal or session.console.json):
        raise click.UsageError(
            tr("--here cannot be used with {flags}", flags="--reveal" if reveal else "--json")
        )
    with session.open_app() as app:
        found = app.find_address(expand_hit(app, address))
        if here:
            _draw_here(session, app, found, find_sought(app, address, None))
            return
        file = require_file(app.base, found)
        if session.console.json:
            from kebab_wire import OpenReportV1

            attached = None if reveal else read_attached(app.base, found.document.doc_id)
            run = reveal_command(file) if reveal else _choose_command(session, app, found, takes_out=False)
            session.console.wire(
                OpenReportV1(
                    address=found.address,
                    file=str(file),
                    line=found.first_line if found.document.has_file_lines else None,
                    page=found.page,
                    attached=None if attached is None else attached.name,
                    command=tuple(run),
                )
            )
            return
        run = reveal_command(file) if reveal else _choose_command(session, app, found)
        _remark_if_changed(session, app, found)
    _run(run, found)


def open_place(session: Session, app: App, address: str) -> None:
    """Open a file at an address, in the user's editor or viewer. See the command for its errors."""
    found = app.find_address(address)
    run = _choose_command(session, app, found)
    _remark_if_changed(session, app, found)
    _run(run, found)


def _remark_if_changed(session: Session, app: App, found: FoundAddress) -> None:
    if app.is_changed(found.document):
        text = tr("the file has changed since it was indexed; lines may have moved (kebab ingest)")
        session.console.remark(f"{tr('note:')} {text}")


def _choose_command(session: Session, app: App, found: FoundAddress, *, takes_out: bool = True) -> list[str]:
    """Return the command line that opens a file at its place, and print what is to be known of it."""
    from kebab_app import find_open_command

    chosen = find_open_command(app.base, found, environ=session.environ, takes_out=takes_out)
    if chosen.remark is not None:
        session.console.remark(f"{tr('note:')} {localize(chosen.remark)}")
    return chosen.words


def _draw_here(session: Session, app: App, found: FoundAddress, sought: SoughtWords) -> None:
    """Draw a page in the terminal.

    Raises:
        InvalidInputError: Output is no terminal, or one that shows no pictures.
    """
    from shlex import quote

    from kebab_app import render_page
    from kebab_core import InvalidInputError, Message

    from kebab_cli.terminal_pictures import draw_picture, find_protocol, measure_terminal

    protocol = find_protocol(session.environ) if session.console.terminal else None
    if protocol is None:
        raise InvalidInputError(
            "this terminal shows no pictures: neither the protocol of kitty, nor that of iTerm2, nor Sixel",
            hint=Message(
                "kebab render {address} -o page.png draws it into a file, kebab open {address} opens your viewer",
                address=quote(found.address),
            ),
        )
    columns, width = measure_terminal(_COLUMNS)
    picture = render_page(app.base, found, max_width=width, sought=sought)
    session.console.part(draw_picture(picture.png, protocol, columns=columns))
    session.console.line()


def _advise(found: FoundAddress) -> str:
    """Say what to set where nothing opens a file."""
    from shlex import quote

    from kebab_core import Message

    if found.document.media == "pdf":
        command = 'kebab config set search.viewer "okular --page {page} {path}"'
        return Message("name your viewer: {command}", command=command)
    if found.document.has_file_lines:
        return Message("set VISUAL or EDITOR to your editor: {command}", command="export EDITOR=nano")
    command = f"kebab fetch {quote(found.address)}"
    return Message(
        "set a program for such files in your desktop, or read the text: {command}", command=command
    )


def _run(command_line: Sequence[str], found: FoundAddress) -> None:
    """Run a program and wait for it.

    Raises:
        StorageError: It is not there, or ends with an error.
    """
    import subprocess

    from kebab_core import StorageError

    try:
        code = subprocess.run(command_line, check=False).returncode  # noqa: S603 - the user's own editor
    except OSError as error:
        raise StorageError(
            "cannot run {program!r}: {reason}",
            hint=_advise(found),
            program=command_line[0],
            _reason=(error.strerror or str(error)).lower(),
        ) from error
    if code:
        raise StorageError(
            "{program!r} ended with code {code}", hint=_advise(found), program=command_line[0], code=code
        )
