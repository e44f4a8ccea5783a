"""Phrases of the pages: messages, localized when a page is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message

if TYPE_CHECKING:
    from kebab_app import CurrentWork

LIBRARY = Message("Library")
ANSWERS = Message("Answers")
HEALTH = Message("Health")
FAILED = Message("The answer failed")
RUN_AGAIN = Message("Run `kebab web` again in a terminal")
RUN_AGAIN_WHY = Message("The address that let you in is used up, or the server was started anew.")
NOT_FOUND = Message("There is no such page")
PROBLEM = Message("That did not work")
UNEXPECTED = Message("Something unexpected went wrong; the log names it")
TOO_MANY = Message("Four answers are being written already; wait for one of them")
WHY_TITLE = Message("Why is it not found?")
SETTINGS = Message("Settings")


def page_of(page: int, pages: int) -> Message:
    """Number a page."""
    return Message("Page {page} of {pages}", page=page, pages=pages)


def failed_files(count: int) -> Message:
    """Count files that could not be read."""
    return Message("{count} file could not be read", plural="{count} files could not be read", count=count)


def other_writes(work: CurrentWork) -> Message:
    """Name another process that writes, and how far it is."""
    if not work.total:
        return Message("Another kebab is writing (pid {pid})", pid=work.pid)
    return Message("Another kebab is writing (pid {pid}): {progress}", pid=work.pid, progress=how_far(work))


def how_far(work: CurrentWork | None) -> Message:
    """Progress of a run, of this process or of another."""
    if work is None or not work.total:
        return Message("Looking for what has changed · you can search meanwhile")
    done, total = work.done, work.total
    match work.phase:
        case "embed":
            return Message(
                "{done} of {total} passages by meaning · you can search meanwhile", done=done, total=total
            )
        case "ocr":
            return Message(
                "{done} of {total} pictures read · you can search meanwhile", done=done, total=total
            )
        case _:
            return Message("{done} of {total} read · you can search meanwhile", done=done, total=total)
