"""Running an evaluation under the user's eyes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kebab_cli.progress import make_sink
from kebab_cli.render import Console
from kebab_cli.session import Session

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import Clock, IngestEvent
    from kebab_wire import EvalRunV1

_PART = re.compile(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})")
_LINE_EVERY_MS = 2000


def watch_evaluation(session: Session, app: App, folder: Path, flags: Mapping[str, Any]) -> EvalRunV1:
    """Run an evaluation; with `--json`, nothing but the run itself is printed.

    Args:
        session: The command.
        app: The knowledge base.
        folder: The set.
        flags: Those of `kebab eval beir`.

    Returns:
        The run.

    Raises:
        InvalidInputError: A flag makes no sense, or the set cannot be used.
    """
    from kebab_app import EvaluateOptions, choose_mode

    part, parts = _read_part(flags["part"])
    options = EvaluateOptions(
        corpus=flags["corpus"],
        include=flags["include"],
        mode=choose_mode(flags["mode"], app.loaded.settings),
        depth=flags["depth"],
        part=part,
        parts=parts,
        limit=flags["limit"],
        baselines=tuple(dict.fromkeys(name for name in flags["baselines"] if name != "none")),
        compare=flags["compare"],
        answers=flags["answers"],
        left_out=flags["left_out"],
    )
    return _watch(session, app, partial(app.evaluate, folder, options))


def watch_suite(session: Session, app: App, suite: Path, flags: Mapping[str, Any]) -> EvalRunV1:
    """Run a golden suite; with `--json`, nothing but the run itself is printed.

    Args:
        session: The command.
        app: The knowledge base.
        suite: The file.
        flags: Those of `kebab eval run`.

    Returns:
        The run.
    """
    from kebab_app import EvaluateOptions, choose_mode

    options = EvaluateOptions(
        corpus=flags["corpus"],
        include=flags["include"],
        mode=choose_mode(flags["mode"], app.loaded.settings),
        baselines=(),
        compare=flags["compare"],
        answers=flags["answers"],
        k=flags["k"],
    )
    return _watch(session, app, partial(app.evaluate_suite, suite, options))


def _watch(session: Session, app: App, work: Callable[..., EvalRunV1]) -> EvalRunV1:
    progress = QueryProgress(session.console, app.clock)
    if session.console.json:
        return work(sink=_ignore, progress=progress.show)
    with make_sink(session) as sink:
        return work(sink=sink, progress=progress.show)


def _ignore(_event: IngestEvent) -> None:
    pass


class QueryProgress:
    """A line every two seconds."""

    def __init__(self, console: Console, clock: Clock) -> None:
        self._console = console
        self._clock = clock
        self._said_ms = clock.monotonic_ms()

    def show(self, done: int, total: int) -> None:
        """Print a line if it is time for one."""
        now_ms = self._clock.monotonic_ms()
        if now_ms - self._said_ms >= _LINE_EVERY_MS:
            self._said_ms = now_ms
            self._console.remark(f"{done}/{total} queries")


def _read_part(text: str) -> tuple[int, int]:
    from kebab_core import InvalidInputError

    match = _PART.fullmatch(text)
    if match is None or int(match[1]) > int(match[2]):
        raise InvalidInputError(
            f"{text!r} is no part of a whole", hint="--part 1/2 is the first of two halves"
        )
    return int(match[1]), int(match[2])
