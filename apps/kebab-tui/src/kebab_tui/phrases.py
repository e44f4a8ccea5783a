"""Phrases of the screens in the terminal: messages, localized when a screen is drawn."""

from __future__ import annotations

from kebab_core import Message

OPEN = Message("open")
OPEN_FILE = Message("Open the file in your editor")
PICK = Message("Print the address and leave")
PICK_SHORT = Message("take")
NEXT = Message("Next in the list")
PREVIOUS = Message("Previous in the list")
NEXT_FEW = Message("Five further down")
PREVIOUS_FEW = Message("Five further up")
TEXT_DOWN = Message("Scroll the text down")
TEXT_UP = Message("Scroll the text up")
OTHER_PANE = Message("To the text and back to the list")
OTHER_PANE_SHORT = Message("text")
LIST_SHORT = Message("list")
NEXT_PLACE = Message("Next place in the document")
PREVIOUS_PLACE = Message("Previous place in the document")
COPY_ADDRESS = Message("Copy the address")
COPY = Message("copy")
RELATED = Message("Related documents")
ASK_ABOUT = Message("Ask what stands in the box")
ASK = Message("ask")
LIBRARY = Message("Library: sources, folders, tags, failed files")
WHY_FOUND = Message("Why it is found: steps, scores, passages")
WORK = Message("Work: read changes, compute embeddings")
ONE_STEP_BACK = Message("Close, stop, clear, leave: one step each")
QUIT = Message("Quit")
PALETTE = Message("Everything there is to do, and documents by name")
ALL_ACTIONS = Message("all")
HELP = Message("help")
MODE = Message("By words only, or by meaning too")

SENT = Message("Sent to the terminal, which may put it on the clipboard")
WORK_HELPS = Message("F5 reads the files again")
LIBRARY_SHORT = Message("library")
NEW_CONVERSATION = Message("New conversation")
NEW = Message("new")
ASK_HERE = Message("Ask your documents")
FILTER = Message("Narrow the list")
FAILED_FILES = Message("Could not be read")
LOOKING = Message("Looking…")
NOT_AMONG = Message("not among the hits")
SCORES = Message("Scores and words")
TOKENS = Message("tokens")
FOLLOW = Message("Read files as they are saved")
SCANNING = Message("Looking at all files…")
STOPPING = Message("Stopping after what is in hand…")
STOPPED_WORK = Message("Stopped; what was read stays")
ESC_STOPS = Message("Esc stops")
RECOGNISING = Message("Recognising text in pictures…")
READONLY = Message("writing is switched off")
CHOOSE = Message("Search within it, open it, or explain it")
CHOOSE_SHORT = Message("choose")
EXPLAIN = Message("Explain the file in the box")
EXPLAIN_SHORT = Message("explain")
START = Message("Start it")
START_SHORT = Message("start")


def milliseconds(value: float) -> Message:
    """Time that a search took."""
    return Message("{value:.0f} ms", value=value)


def page(number: int) -> Message:
    """Number a page."""
    return Message("Page {page}", page=number)


def ended(program: str, code: int) -> Message:
    """Say how a program ended."""
    return Message("{program!r} ended with code {code}", program=program, code=code)


def not_run(program: str, reason: str) -> Message:
    """Say why a program did not run."""
    return Message("cannot run {program!r}: {reason}", program=program, reason=reason)


def rank(number: int) -> Message:
    """Say which hit it is."""
    return Message("hit {rank}", rank=number)


def passages(count: int) -> Message:
    """Count passages."""
    return Message("{count} passage", plural="{count} passages", count=count)


def blocks(count: int) -> Message:
    """Count blocks."""
    return Message("{count} block", plural="{count} blocks", count=count)


def other_writes(pid: int) -> Message:
    """Name the process that writes."""
    return Message("Another kebab is writing (pid {pid})", pid=pid)


def read_of(done: int, total: int, path: str) -> Message:
    """Progress of an ingest, with the file that was read last."""
    return Message("{done} of {total} read: {path}", done=done, total=total, path=path)


def embedded_of(done: int, total: int) -> Message:
    """Progress of an embedding pass."""
    return Message("{done} of {total} passages embedded", done=done, total=total)
