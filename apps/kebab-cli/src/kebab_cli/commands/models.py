"""`kebab models`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kebab_cli.options import KebabGroup
from kebab_cli.render import Console, safe_name
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import ModelEntryV1, ModelListV1, ModelPullV1

_STATES = {
    "here": "here",
    "pullable": "kebab models pull",
    "unavailable": "no weights on this platform",
    "damaged": "damaged (kebab doctor)",
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
    session.console.remark(f"licence of {name}: {licence_of(name)}")
    with show_bytes(session.console) as progress:
        report = wire_model_pull(pull_model(loaded, name, progress=progress))
    session.console.show(report, render_pull)


def render_models(console: Console, report: ModelListV1) -> None:
    """Print one model a line, with a mark on the one in use."""
    for model in report.models:
        mark = "*" if model.in_use else " "
        console.line(f"{mark} {safe_name(model.name)}  {console.style(_facts(model), dim=True)}")
    if not any(model.in_use for model in report.models):
        console.line("none of them is in use")


def render_pull(console: Console, report: ModelPullV1) -> None:
    """Print the model's folder and the lines for the configuration."""
    from kebab_cli.byte_progress import megabytes

    what = "is here already" if report.was_here else f"is here now, {megabytes(report.size_bytes)}"
    console.line(f"{safe_name(report.name)} {what}: {safe_name(report.folder)}")
    console.line("to use it, write into the configuration:")
    console.line("  [models.embedding]")
    console.line('  provider = "fastembed"')
    console.line(f'  model = "{safe_name(report.name)}"')
    if report.dimensions is not None:
        console.line(f"  dimensions = {report.dimensions}")
    console.line("then `kebab embed` gives passages their new vectors")


def _facts(model: ModelEntryV1) -> str:
    from kebab_cli.byte_progress import megabytes

    facts = [_STATES[model.state], f"provider {model.provider}"]
    facts += [f"{model.dimensions} dimensions"] if model.dimensions else []
    facts += [model.precision] if model.precision else []
    facts += [megabytes(model.size_bytes)] if model.size_bytes else []
    return " · ".join([*facts, model.licence])
