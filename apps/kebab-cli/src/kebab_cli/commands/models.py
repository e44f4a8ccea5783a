"""`kebab models`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from kebab_core import Message

from kebab_cli.language import localize, tr
from kebab_cli.options import KebabGroup
from kebab_cli.render import Console, safe_name
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import ModelEntryV1, ModelListV1, ModelPullV1

_STATES = {
    "here": Message("here"),
    "pullable": "kebab models pull",
    "unavailable": Message("no weights on this platform"),
    "damaged": Message("damaged (kebab doctor)"),
}


@click.group(cls=KebabGroup)
def command() -> None:
    """See and fetch the models that give passages their vectors.

    The model that comes with kebab needs none of this.

    Examples:
      kebab models list
      kebab models pull multilingual-e5-large
    """


@command.command("list")
@pass_session
def list_(session: Session, /) -> None:
    """List models that need no model server: what is here, and what can be pulled.

    Examples:
      kebab models list
      kebab models list --json
    """
    from kebab_app import list_models
    from kebab_wire import wire_model_list

    report = wire_model_list(list_models(session.load()))
    session.console.show(report, render_models)


@command.command("pull")
@click.argument("name")
@pass_session
def pull(session: Session, /, *, name: str) -> None:
    """Download a model, checked against the hashes that its hub lists.

    Goes on where an interrupted download stopped. Nothing is sent but the request for the files. The configuration is
    not changed: what has to be written there is printed.

    Examples:
      kebab models pull multilingual-e5-large
    """
    from kebab_app import licence_of, pull_model
    from kebab_wire import wire_model_pull

    from kebab_cli.byte_progress import show_bytes

    session.require_writable()
    loaded = session.load()
    session.console.remark(tr("licence of {name}: {licence}", name=name, licence=licence_of(name)))
    with show_bytes(session.console) as progress:
        report = wire_model_pull(pull_model(loaded, name, progress=progress))
    session.console.show_change(report, render_pull)


def render_models(console: Console, report: ModelListV1) -> None:
    """Print one model a line, with a mark on the one in use."""
    for model in report.models:
        mark = "*" if model.in_use else " "
        console.line(f"{mark} {safe_name(model.name)}  {console.style(_facts(model), dim=True)}")
    if not any(model.in_use for model in report.models):
        console.line(tr("none of them is in use"))


def render_pull(console: Console, report: ModelPullV1) -> None:
    """Print the model's folder and the lines for the configuration."""
    from kebab_cli.byte_progress import megabytes

    name, folder = safe_name(report.name), safe_name(report.folder)
    if report.was_here:
        console.line(tr("{name} is here already: {folder}", name=name, folder=folder))
    else:
        size = megabytes(report.size_bytes)
        console.line(tr("{name} is here now, {size}: {folder}", name=name, size=size, folder=folder))
    console.line(tr("to use it, write into the configuration:"))
    console.line("  [models.embedding]")
    console.line('  provider = "fastembed"')
    console.line(f'  model = "{safe_name(report.name)}"')
    if report.dimensions is not None:
        console.line(f"  dimensions = {report.dimensions}")
    console.line(tr("then `kebab embed` gives passages their new vectors"))


def _facts(model: ModelEntryV1) -> str:
    from kebab_cli.byte_progress import megabytes

    facts = [localize(_STATES[model.state]), tr("provider {provider}", provider=model.provider)]
    facts += [tr("{number} dimensions", number=model.dimensions)] if model.dimensions else []
    facts += [model.precision] if model.precision else []
    facts += [megabytes(model.size_bytes)] if model.size_bytes else []
    return " · ".join([*facts, model.licence])
