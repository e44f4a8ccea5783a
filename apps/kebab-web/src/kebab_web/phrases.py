"""Phrases of the pages, localized when a page is made: messages, and what to do about a failure."""

from functools import partial

from kebab_core import Message, RemedyKind
from kebab_wire import render_hint

LIBRARY = Message("Library")
ANSWERS = Message("Answers")
HEALTH = Message("Health")
FAILED = Message("The answer failed")
RUN_AGAIN = Message("Run `kebab web` again in a terminal")
NOT_FOUND = Message("There is no such page")
PROBLEM = Message("That did not work")
UNEXPECTED = Message("Something unexpected went wrong; the log names it")
TOO_MANY = Message("Four answers are being written already; wait for one of them")
SETTINGS = Message("Settings")

PAGES: dict[RemedyKind, str] = {
    "ingest": "/library",
    "list_documents": "/library",
    "doctor": "/health",
    "repair": "/health",
}
"""Pages on which a remedy is done."""
render_remedy = partial(render_hint, handled=PAGES)
"""Renders what to do about a failure; empty where a page helps, or only a command of the terminal."""
