"""Filter flags and `--mode`, the same on every command that takes them, and the wording of errors about their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, get_args

import click
from kebab_core import MediaKind, Message, SourceType

from kebab_cli.language import localize, tr
from kebab_cli.options import Commas, Decorator, OneOf, option_group

if TYPE_CHECKING:
    from kebab_app import App, ArgumentProblem
    from kebab_core import InvalidInputError, SearchFilters

    from kebab_cli.render import Console


ID_HINTS = {
    "document_id": (Message("a document"), Message("kebab list docs --json has the ids of documents")),
    "chunk_id": (Message("a chunk"), Message("kebab search --json has the ids of chunks")),
}
"""Kinds of ids: the noun, and where ids are shown."""


class Instant(click.ParamType[datetime]):
    """A point in time as `kebab_app.parse_time` reads it.

    Args:
        to_end: Take the end of a day, month or year that is named.
    """

    name = "time"

    def __init__(self, *, to_end: bool = False) -> None:
        self._to_end = to_end

    def convert(
        self,
        value: Any,
        parameter: click.Parameter | None,
        context: click.Context | None,
    ) -> datetime:
        """Parse the time."""
        from kebab_app import parse_time

        if isinstance(value, datetime):
            return value
        try:
            return parse_time(value, to_end=self._to_end)
        except ValueError:
            self.fail(localize(describe_wrong_time(value)), parameter, context)


def describe_wrong_time(value: object) -> Message:
    """Word that a value is not a time."""
    from kebab_app import find_time_word

    message = Message(
        "{value} is not a time like 2026-11-21, 2026-10, yesterday, 7d or 2026-11-21T09:30:00+09:00",
        value=repr(value),
    )
    if near := find_time_word(str(value)):
        return Message("{problem}; did you mean {near!r}?", problem=message, near=near)
    return message


def _list_option(name: str, *, metavar: str, help: str, choices: Sequence[str] = ()) -> Decorator:  # noqa: A002 - as click calls it
    """Make a flag whose values are separated by commas, repeated, or both; of a fixed set where there are choices."""
    return click.option(
        name,
        type=Commas(choices),
        multiple=True,
        metavar=metavar,
        callback=_joined,
        help=f"{help}  [a,b or repeated]",
    )


def mode_option(purpose: str = "Full text (lexical), embeddings (vector), or both (hybrid).") -> Decorator:
    """Make the flag `--mode`."""
    return click.option(
        "--mode",
        type=OneOf(["lexical", "vector", "hybrid"]),
        help=f"{purpose}  [default: hybrid if a model is configured, else lexical]",
    )


def _joined(_context: click.Context, _parameter: click.Parameter, value: Any) -> tuple[str, ...]:
    return tuple(chain.from_iterable(value))


_MEDIA = get_args(MediaKind)
_MOST_VALUES = 8
"""Of those that a hint lists."""
_TYPES = tuple(each.value for each in SourceType)
filter_options = option_group(
    _list_option("--tag", metavar="TAG", help="With any of these tags, or one nested in it."),
    _list_option("--lang", metavar="LANGUAGE", help="In any of these languages, such as ko, korean or 영어."),
    click.option(
        "--path-glob",
        multiple=True,
        metavar="GLOB",
        help='Whose path matches, such as "notes/**/*.md" or "wiki:**".  [repeated, 32 at most]',
    ),
    _list_option("--media", metavar="KIND", choices=_MEDIA, help=f"Of these kinds: {', '.join(_MEDIA)}."),
    _list_option("--source", metavar="NAME", help="In these configured sources."),
    click.option(
        "--trust-min", type=OneOf(["primary", "secondary", "generated"]), help="At least this trusted."
    ),
    click.option(
        "--since",
        type=Instant(),
        metavar="TIME",
        help="Of this date or later: a date, 2026-10, yesterday, 7d, 지난주. Compares the document's own date "
        "(front matter, name of a daily note, mail, metadata), else its file's.",
    ),
    click.option(
        "--until",
        type=Instant(to_end=True),
        metavar="TIME",
        help="Of this date or earlier, to the end of the day, month or year named. Compares the same date as "
        "--since.",
    ),
    click.option(
        "--modified-since",
        type=Instant(),
        metavar="TIME",
        help="Whose file was modified at this time or later, whatever date the document has.",
    ),
    click.option(
        "--ingested-after",
        type=Instant(),
        metavar="TIME",
        help="Indexed by kebab after this time, new or again.",
    ),
    _list_option("--doc-id", metavar="ADDRESS", help="In these documents."),
    _list_option("--repo", metavar="NAME", help="In these repositories."),
    _list_option("--code-lang", metavar="NAME", help="In these programming languages."),
    _list_option(
        "--symbol", metavar="NAME", help="In source files that define this function, class or the like."
    ),
    _list_option(
        "--source-type", metavar="TYPE", choices=_TYPES, help=f"Of these types: {', '.join(_TYPES)}."
    ),
)
"""All filter flags, to be added to a command."""


def suggest_values(console: Console, app: App, criteria: SearchFilters) -> None:
    """Print what was probably meant by values of filters that no document has."""
    from kebab_app import find_near_filters

    from kebab_cli.render import one_line

    near = find_near_filters(app.base, criteria)
    if near:
        names = ", ".join(repr(one_line(value)) for value in near.values())
        console.remark(f"{tr('hint:')} {tr('did you mean {names}?', names=names)}")
    for text in describe_values(app, criteria):
        console.remark(f"{tr('hint:')} {text}")


def describe_values(app: App, criteria: SearchFilters) -> list[str]:
    """Describe what documents have, for each filter with a value that none has and that is near to nothing."""
    from kebab_app import filter_argument, list_filter_values

    from kebab_cli.render import one_line

    def name(values: Sequence[str]) -> str:
        return ", ".join([*map(one_line, values[:_MOST_VALUES]), *(["…"] if values[_MOST_VALUES:] else [])])

    return [
        tr(
            "{flag}: existing values: {values}",
            flag="--source" if field == "path_glob" else f"--{filter_argument(field).replace('_', '-')}",
            values=name(values),
        )
        for field, values in list_filter_values(app.base, criteria).items()
    ]


def flag_error(problem: ArgumentProblem) -> InvalidInputError:
    """Word what is wrong with a flag of the command that runs."""
    if problem.kind in ID_HINTS:
        return id_error(problem)
    from kebab_core import InvalidInputError

    flag = f"--{problem.argument.replace('_', '-')}"
    return InvalidInputError(
        "{flag}: {detail}",
        hint=f"{click.get_current_context().command_path} --help",
        _flag=flag,
        _detail=problem.detail,
    )


def id_error(problem: ArgumentProblem) -> InvalidInputError:
    """Word what is wrong with an id of a document or of a passage."""
    from kebab_core import InvalidInputError

    noun, hint = ID_HINTS[problem.kind]
    return InvalidInputError(
        "{value} is not the id of {noun}: those have 32 hexadecimal digits",
        hint=hint,
        _value=repr(problem.value),
        _noun=noun,
    )


def resolve_ids(app: App, flags: Mapping[str, Any]) -> dict[str, Any]:
    """Replace the addresses among the values of `--doc-id` by ids."""
    given = flags.get("doc_id") or ()
    if given:
        from kebab_cli.addresses import find_document_id

        given = tuple(find_document_id(app, text) for text in given)
    return {**flags, "doc_id": given}
