"""`kebab init`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from kebab_core import Message

from kebab_cli.exit_codes import INTERRUPTED
from kebab_cli.language import tr
from kebab_cli.options import KebabCommand, OneOf
from kebab_cli.render import Console, pad, safe, safe_name, show_hint, show_note
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_core import ChatServer
    from kebab_wire import InitReport


@click.command(cls=KebabCommand)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    multiple=True,
    help="Folder with your documents; repeatable.  [default: ~/KnowledgeBase]",
)
@click.option(
    "--models",
    type=OneOf(["small", "large"]),
    help="small comes with kebab; large is slower, finds more, and is downloaded with `kebab models pull`.  "
    "[default: small]",
)
@click.option("--force", is_flag=True, help="Rename an existing configuration to .bak and write a new one.")
@click.option("--yes", is_flag=True, help="Create a missing --root folder without asking.")
@pass_session
def command(session: Session, root: tuple[Path, ...], *, models: str | None, force: bool, yes: bool) -> None:
    """Create a knowledge base for a folder.

    Creates the configuration, the data folder and the database; asks before it creates a missing document folder.
    Existing files are never overwritten. If Ollama or LM Studio runs on this machine, kebab asks whether one of its
    models should write the answers.

    Examples:
      kebab init --root ~/Notes
      kebab init --root ~/Notes --root ~/Papers
      kebab init --config ./kebab.toml --root ./docs
      kebab init --root ~/Notes --models large
    """
    from kebab_app import choose_chat_model, initialize
    from kebab_wire import wire_init_report

    from kebab_cli.remedies import render_remedy

    session.require_writable()
    if not yes:
        _settle_missing(session, root)
    result = initialize(
        config_path=session.options.config,
        root=root[0] if root else None,
        more_roots=root[1:],
        environ=session.environ,
        force=force,
        models=models,
    )
    report = wire_init_report(result, render=render_remedy)
    for server in result.chat_servers if session.can_ask else ():
        if server.models and click.confirm(_offer(server.server, server.models), err=True):
            choose_chat_model(result.config_path, server, server.models[0])
            break
    session.console.show_change(report, partial(render_init, asked_roots=root, offers=not session.can_ask))


def _settle_missing(session: Session, roots: Sequence[Path]) -> None:
    """Ask whether folders that are not there are to be created; a mistyped name would make an empty knowledge base.

    Raises:
        InvalidInputError: Nobody is there to answer.
    """
    from shlex import quote

    from kebab_config import absolute_path
    from kebab_core import InvalidInputError

    for folder in dict.fromkeys(map(absolute_path, roots)):
        if folder.exists():
            continue
        if not session.can_ask:
            raise InvalidInputError(
                "there is no folder {folder!r}",
                hint=Message(
                    "check its name; kebab init --root {path} --yes creates it", path=quote(str(folder))
                ),
                folder=str(folder),
            )
        question = tr("There is no folder {folder}. Create it?", folder=safe_name(str(folder)))
        if not session.confirm(question):
            session.console.remark(tr("nothing was created"))
            session.context.exit(INTERRUPTED)


def _offer(server: str, models: Sequence[str]) -> str:
    return tr(
        "{server} runs on this machine: let {model} write the answers?", server=server, model=safe(models[0])
    )


def _describe_choice(server: ChatServer) -> str:
    import shlex

    values = {"provider": server.provider, "endpoint": server.endpoint, "model": server.models[0]}
    commands = [
        f"kebab config set models.llm.{key} {safe(shlex.quote(value))}"
        for key, value in values.items()
        if value is not None
    ]
    return tr(
        "{server} runs on this machine; to have {model} write the answers: {commands}",
        server=server.server,
        model=safe(server.models[0]),
        commands="; ".join(commands),
    )


def render_init(console: Console, report: InitReport, *, asked_roots: Sequence[Path], offers: bool) -> None:
    """Print created and kept files, and the next step."""
    from kebab_config import absolute_path

    for path in report.created:
        console.line(f"{console.style(pad(tr('created'), 7), fg='green')}  {safe(path)}")
    for path in report.kept:
        console.line(f"{pad(tr('kept'), 7)}  {safe(path)}")
    if report.backup_path:
        console.line(f"{pad(tr('backup'), 7)}  {safe(report.backup_path)}")
    wanted = [str(absolute_path(root)) for root in asked_roots]
    missing = [root for root in wanted if root not in report.roots]
    for root in missing:
        text = Message("the configuration existed already and does not name {folder}", folder=safe(root))
        show_note(console, text)
        show_hint(console, f"kebab config add-source {safe(root)}")
    if missing:
        return
    if set(report.roots) & set(report.created):
        show_hint(console, Message("put documents into the folder, then run kebab ingest"))
    else:
        show_hint(console, "kebab ingest")
    for step in report.missing:
        show_hint(console, safe(step or ""))
    for server in report.chat_servers if offers else ():
        if server.models:
            show_hint(console, _describe_choice(server))
