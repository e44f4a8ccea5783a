"""Printed errors: `error:` and `hint:` lines for people, `error.v1` for programs."""

from __future__ import annotations

import errno
import logging
import traceback
import uuid
from collections.abc import Sequence

import click
from kebab_core import InternalError, InvalidInputError, KebabError, Message, StorageError, shorten_label

from kebab_cli.exit_codes import ERROR, has_flag
from kebab_cli.language import tr
from kebab_cli.render import Console

_LOG = logging.getLogger("kebab.cli")
_MAX_CAUSE_CHARS = 2000
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


def report_failure(error: Exception, arguments: Sequence[str]) -> int:
    """Print an error and return its exit code.

    With `--json` it is one `error.v1` line on stderr; otherwise `error:` and `hint:` lines. Every error has a
    hint. Where stderr cannot be written either, the exit code alone has to tell.

    Args:
        error: What was raised.
        arguments: The command line, to know how to print when parsing it is what failed.

    Returns:
        2.
    """
    try:
        _print_failure(error, arguments)
    except OSError:
        _LOG.warning("could not report to stderr", exc_info=True)
    return ERROR


def to_kebab_error(error: Exception) -> KebabError:
    """Convert any error to one of `kebab_core`.

    Args:
        error: Anything raised below the command line.
    """
    match error:
        case KebabError():
            return error
        case click.ClickException():
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "kebab"
            message = " ".join(map(str.strip, error.format_message().splitlines())).rstrip(".")
            message = message[:1].lower() + message[1:]
            hint: str = f"{command} --help"
            if _has_words_with_dash(error):
                hint = Message("{command}; words that begin with - go after --", command=hint)
            return InvalidInputError("{message}", hint=hint, _message=message)
        case OSError():
            name = f": {error.filename}" if error.filename else ""
            return StorageError(
                "{reason}{name}",
                kind=type(error).__name__,
                _reason=(error.strerror or str(error)).lower(),
                _name=name,
            )
    error_id = uuid.uuid4().hex[:12]
    _LOG.error("internal error %s", error_id, exc_info=error, extra={"error_id": error_id})
    return InternalError(
        "a bug in kebab ({kind}: {error})",
        hint=Message("run it again with `--debug`; the log has it under {error_id}", error_id=error_id),
        error_id=error_id,
        _kind=type(error).__name__,
        _error=str(error),
    )


def _has_words_with_dash(error: click.ClickException) -> bool:
    """Whether an unknown flag, like no known one, may be a word of a query."""
    if not isinstance(error, click.NoSuchOption) or error.possibilities or error.ctx is None:
        return False
    return any(param.nargs == -1 for param in error.ctx.command.params)


def _print_failure(error: Exception, arguments: Sequence[str]) -> None:
    from kebab_config import read_environment

    from kebab_cli.remedies import hint_of, render_remedy

    console = Console.of_arguments(arguments, read_environment())
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and not console.json:
        error.show()
        return
    failure = to_kebab_error(error)
    if failure.remedy is None:
        failure.hint = failure.hint or _next_step(error)
    if console.json:
        from kebab_wire import classify_error

        console.wire_error(classify_error(failure, render=render_remedy))
        return
    console.error(failure.message, hint_of(failure))
    if has_flag(arguments, "--verbose") or has_flag(arguments, "--debug"):
        for name, value in failure.details.items():
            console.error_detail(f"{name}: {value}")
        _print_causes(console, error)
    if has_flag(arguments, "--debug"):
        console.error_detail("".join(traceback.format_exception(error)))


def _next_step(error: BaseException | None) -> str:
    """Hint for an error that has none: at its root is mostly the disk."""
    while error is not None:
        if isinstance(error, OSError):
            if error.errno in _NO_SPACE:
                return Message("free some disk space")
            return Message("check the path and its permissions")
        error = error.__cause__
    return "kebab doctor"


def _print_causes(console: Console, error: BaseException) -> None:
    cause = error.__cause__
    while cause is not None:
        said = shorten_label(str(cause), _MAX_CAUSE_CHARS)
        console.error_detail(tr("caused by {kind}: {reason}", kind=type(cause).__name__, reason=said))
        cause = cause.__cause__
