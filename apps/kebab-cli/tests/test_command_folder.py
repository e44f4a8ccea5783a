"""The folder of commands: everything in it is a command that explains itself."""

from __future__ import annotations

import click
from kebab_cli.main import cli
from kebab_cli.options import read_global_options
from kebab_testing.tables import walk

CONTEXT = click.Context(cli, **cli.context_settings)


def commands() -> dict[str, click.Command]:
    found = {name: cli.get_command(CONTEXT, name) for name in cli.list_commands(CONTEXT)}
    return {name: command for name, command in found.items() if command is not None}


def leaves() -> dict[str, click.Command]:
    found: dict[str, click.Command] = {}
    for name, command in commands().items():
        if isinstance(command, click.Group):
            found |= {f"{name} {child}": leaf for child, leaf in command.commands.items()}
        else:
            found[name] = command
    return found


def test_every_module_of_the_folder_is_a_command() -> None:
    assert set(commands()) == set(cli.list_commands(CONTEXT))


def test_a_name_that_is_no_module_is_no_command() -> None:
    assert cli.get_command(CONTEXT, "frobnicate") is None


@walk("name", sorted(commands()))
def test_help_shows_examples_line_by_line(name: str) -> None:
    text = commands()[name].get_help(click.Context(commands()[name], info_name=name, parent=CONTEXT))
    assert f"\n    kebab {name}" in text, text


@walk("name", sorted(commands()))
def test_the_first_sentence_fits_the_list_of_commands(name: str) -> None:
    assert not commands()[name].get_short_help_str(limit=60).endswith("...")


@walk("name", sorted(leaves()))
def test_every_command_takes_the_global_flags(name: str) -> None:
    flags = {option for parameter in leaves()[name].params for option in parameter.opts}
    assert {"--config", "--json", "--readonly", "--quiet", "--verbose", "--debug"} <= flags


def test_flags_before_and_after_the_name_add_up() -> None:
    seen = {}

    @click.pass_context
    def record(context: click.Context) -> None:
        seen["options"] = read_global_options(context)

    group = type(cli)(name="kebab")
    command = group.command_class("probe", callback=record)  # type: ignore[misc]
    group.get_command = lambda _context, _name: command  # type: ignore[method-assign]
    group.main(["--json", "probe", "--quiet"], standalone_mode=False)
    assert (seen["options"].json, seen["options"].quiet, seen["options"].readonly) == (True, True, False)
