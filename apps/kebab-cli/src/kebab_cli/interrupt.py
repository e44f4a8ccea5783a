"""Ctrl-C during long work: the first asks to stop, the second stops; and before work that has to be stored."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from kebab_cli.exit_codes import INTERRUPTED

if TYPE_CHECKING:
    from kebab_app import CancelToken

    from kebab_cli.render import Console


@contextmanager
def hold_interrupts() -> Iterator[Callable[[], None]]:
    """Inside the block a Ctrl-C waits until what is yielded is called, or the block ends.

    For what must be built before it can be stopped in an orderly way. Interrupts that the process ignores stay so.

    Yields:
        What lets go: raises `KeyboardInterrupt` if one waits.
    """
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))

    def let_go() -> None:
        signal.signal(signal.SIGINT, before)
        if came:
            came.clear()
            raise KeyboardInterrupt

    try:
        yield let_go
    finally:
        let_go()


@contextmanager
def cancel_on_interrupt(
    cancel: CancelToken, console: Console, *, piece_in_hand: Callable[[], str]
) -> Iterator[None]:
    """Inside the block, turn the first SIGINT into a cancel; a second one ends the process at once.

    Work whose watcher goes away (`kebab ingest --json | head`) stops too, and counts as interrupted.

    Args:
        cancel: What the work looks at.
        console: Where it is told.
        piece_in_hand: Names what is finished before the work stops.

    Yields:
        Nothing.

    Raises:
        click.exceptions.Exit: The watcher is gone; nobody is left to tell more.
    """

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        if cancel.is_cancelled:
            os._exit(INTERRUPTED)
        cancel.cancel()
        console.alert(f"stopping after the {piece_in_hand()} in hand; Ctrl-C again stops at once")

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGINT, before)
