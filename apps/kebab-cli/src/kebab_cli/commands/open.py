"""`kebab open`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import click

from kebab_cli.language import tr
from kebab_cli.options import KebabCommand
from kebab_cli.session import Session, expand_hit, pass_session

if TYPE_CHECKING:
    from kebab_app import App, FoundAddress

_DEFAULT_TEMPLATE = "file://"
"""Links of this kind open the file as the desktop does, at no line."""


@click.command(cls=KebabCommand)
@click.argument("address")
@click.option("--reveal", is_flag=True, help="Show the file in its folder instead.")
@pass_session
def command(session: Session, /, *, address: str, reveal: bool) -> None:
    """Open the file of an address in your editor, at the line.

    The editor is $VISUAL, else $EDITOR; without one, what search.link_template says, else what the desktop opens
    such files with. ADDRESS is what a hit or a citation shows, such as notes/policy.md#L10-L42, or @3 for the third
    hit of the last search here. With --json nothing is opened: it prints the path of the file and the command.

    Examples:
      kebab open notes/policy.md#L10
      kebab open @1
      kebab open @1 --reveal
    """
    from kebab_cli.editors import reveal_command

    with session.open_app() as app:
        found = app.find_address(expand_hit(app, address))
        file = _require_file(app, found)
        line = found.first_line
        run = reveal_command(file) if reveal else _choose_command(session, app, file, line)
        if session.console.json:
            from kebab_wire import OpenReportV1

            session.console.wire(
                OpenReportV1(address=found.address, file=str(file), line=line, command=tuple(run))
            )
            return
        if app.is_changed(found.document):
            text = tr("the file has changed since it was indexed; lines may have moved (kebab ingest)")
            session.console.remark(f"{tr('note:')} {text}")
    _run(run)


def _require_file(app: App, found: FoundAddress) -> Path:
    """Return the path of a document's file.

    Raises:
        StorageError: It is not there.
    """
    from kebab_core import Remedy, StorageError

    document = found.document
    file = app.find_existing_file(document.source_id, document.doc_path)
    if file is None:
        raise StorageError(
            "the file of {address!r} is not there any more",
            remedy=Remedy(kind="fetch_address", document=found.address, otherwise=Remedy(kind="ingest")),
            address=found.address,
        )
    return file


def _choose_command(session: Session, app: App, file: Path, line: int | None) -> list[str]:
    from kebab_cli.editors import build_command, desktop_command, find_editor

    editor = find_editor(session.environ)
    if editor:
        return build_command(editor, file, line)
    template = app.loaded.settings.search.link_template
    if template.startswith(_DEFAULT_TEMPLATE):
        return desktop_command(str(file))
    return desktop_command(template.format(path=quote(bytes(file)), line=line or 1))


def _run(command_line: Sequence[str]) -> None:
    """Run a program and wait for it.

    Raises:
        StorageError: It is not there, or ends with an error.
    """
    import subprocess

    from kebab_core import Message, StorageError

    try:
        code = subprocess.run(command_line, check=False).returncode  # noqa: S603 - the user's own editor
    except OSError as error:
        raise StorageError(
            "cannot run {program!r}: {reason}",
            hint=Message("set VISUAL or EDITOR to your editor"),
            program=command_line[0],
            _reason=(error.strerror or str(error)).lower(),
        ) from error
    if code:
        raise StorageError(
            "{program!r} ended with code {code}", hint="kebab open --help", program=command_line[0], code=code
        )
