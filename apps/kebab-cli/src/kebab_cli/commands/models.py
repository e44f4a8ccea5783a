"""`kebab models`."""

from __future__ import annotations

import click

from kebab_cli.options import KebabGroup
from kebab_cli.session import Session


@click.group(cls=KebabGroup)
def command() -> None:
    """See and fetch the models that give passages their vectors.

    The model that comes with kebab needs none of this.

    Examples:
      kebab models list
      kebab models pull multilingual-e5-large
    """


@command.command("list")
@click.pass_context
def list_(context: click.Context, /) -> None:
    """List models that need no model server: what is here, and what can be pulled.

    Examples:
      kebab models list
      kebab models list --json
    """
    from kebab_app import list_models

    from kebab_cli.views.models import render_models

    session = Session(context)
    report = list_models(session.load())
    if session.console.json:
        session.console.wire(report)
    else:
        render_models(session.console, report)


@command.command("pull")
@click.argument("name")
@click.pass_context
def pull(context: click.Context, /, *, name: str) -> None:
    """Download a model, checked against the hashes that its hub lists.

    Goes on where an interrupted download stopped. Nothing is sent but the request for the files. The configuration is
    not changed: what has to be written there is printed.

    Examples:
      kebab models pull multilingual-e5-large
    """
    from kebab_app import licence_of, pull_model

    from kebab_cli.views.models import render_pull, show_download

    session = Session(context)
    session.require_writable()
    loaded = session.load()
    session.console.remark(f"licence of {name}: {licence_of(name)}")
    with show_download(session.console) as progress:
        report = pull_model(loaded, name, progress=progress)
    if session.console.json:
        session.console.wire(report)
    else:
        render_pull(session.console, report)
