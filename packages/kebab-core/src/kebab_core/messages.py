"""Messages: sentences for users, each an English template with its arguments.

The template is the message id of translation catalogues, as in gettext. `python -m tools.messages` lists all templates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema

MessageArgument = str | int | float | None | list[str]
"""Value of one argument of a message; it may be a message itself."""
_MAX_CHARS = 2000
"""Most characters of a message, hint or detail; they quote input of any length."""
_HEAD_CHARS, _TAIL_CHARS = 1400, 500


class Message(str):
    """A sentence for users, or a part of one: the text in English, and what it is made of.

    `Message("cannot read {path!r}: {reason}", path=path, reason=reason)` is the text wherever a `str` is expected. With
    `plural`, the argument `count` decides: `Message("{count} file", plural="{count} files", count=count)`.

    The template is a literal, so that the listing finds it; fields are those of `str.format`, and braces of an
    argument have no meaning. Errors make a `Message` of their template and arguments by themselves.

    Pickled, and in a field of type `Message` of a model, a message keeps template and arguments. What is written as JSON
    or stored in the database is the text alone: errors of files, warnings of documents, answers with their refusals, and
    the errors of runs. Read again, a text is a message without a translation.

    Attributes:
        template: The sentence in English with a field for each argument; the singular where there are two.
        plural: The template for another `count` than 1; None for a sentence that has no plural.
        arguments: By field name, in full.

    Of a text of more than 2,000 characters the middle is left out.
    """

    __slots__ = ("arguments", "plural", "template")

    template: str
    plural: str | None
    arguments: Mapping[str, MessageArgument]

    def __new__(cls, template: str, /, *, plural: str | None = None, **arguments: MessageArgument) -> Message:
        """Make the text; a template that does not fit its arguments, which a test finds in this tree, is the text."""
        chosen = template if plural is None or arguments.get("count") == 1 else plural
        try:
            text = chosen.format_map(arguments)
        except (LookupError, ValueError, TypeError, AttributeError):
            text = chosen
        message = super().__new__(cls, shorten_message(text))
        message.template, message.plural, message.arguments = template, plural, arguments
        return message

    def __reduce__(self) -> tuple[object, ...]:
        """Return the arguments for pickle: workers report errors across processes."""
        return (_rebuild, (self.template, self.plural, self.arguments))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return a schema that keeps messages as they are, and makes one of another text; in JSON they are strings."""
        from pydantic_core import core_schema

        text = core_schema.no_info_after_validator_function(_quote, core_schema.str_schema())
        return core_schema.json_or_python_schema(
            json_schema=text,
            python_schema=core_schema.union_schema([core_schema.is_instance_schema(cls), text]),
            serialization=core_schema.to_string_ser_schema(),
        )


class Moment(str):
    """A time in a message: as text in UTC with its zone, which programs read; a screen shows it in local time.

    Attributes:
        at: The time.
        pattern: Format of the text, without zone.
    """

    __slots__ = ("at", "pattern")

    at: datetime
    pattern: str

    def __new__(cls, at: datetime, *, seconds: bool = False) -> Moment:
        """Make the text, in minutes or in seconds."""
        from datetime import UTC

        pattern = f"%Y-%m-%d %H:%M{':%S' if seconds else ''}"
        moment = super().__new__(cls, f"{at.astimezone(UTC):{pattern}} UTC")
        moment.at, moment.pattern = at, pattern
        return moment

    def __reduce__(self) -> tuple[object, ...]:
        """Return the time for pickle."""
        return (_rebuild_moment, (self.at, "%S" in self.pattern))

    def to_local(self) -> str:
        """Return the time of this machine, without its zone."""
        return f"{self.at.astimezone():{self.pattern}}"


def join_messages(separator: str, parts: Sequence[str]) -> Message:
    """Join sentences to one message; those that are messages keep template and arguments."""
    arguments = {f"part_{number}": part for number, part in enumerate(parts, start=1)}
    return Message(separator.join(f"{{{name}}}" for name in arguments), **arguments)


def shorten_message(text: str) -> str:
    """Return the text, without its middle if too long: quoted input is there, and the reason comes at the end."""
    return text if len(text) <= _MAX_CHARS else f"{text[:_HEAD_CHARS]} … {text[-_TAIL_CHARS:]}"


def _quote(text: str) -> Message:
    return Message("{text}", text=text)


def _rebuild_moment(at: datetime, seconds: bool) -> Moment:  # noqa: FBT001 - pickle passes positions
    return Moment(at, seconds=seconds)


def _rebuild(template: str, plural: str | None, arguments: Mapping[str, MessageArgument]) -> Message:
    return Message(template, plural=plural, **arguments)
