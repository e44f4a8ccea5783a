"""What the screens say: each a message, put into the language of the reader when it is drawn."""

from __future__ import annotations

from kebab_core import Message

SEARCH = Message("Search your documents")
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
KEYS = Message("Keys")
HELP = Message("help")
MODE = Message("By words only, or by meaning too")

RECENT = Message("Recently changed")
LESS_LIKELY = Message("Less likely")
NEAREST = Message("Nearest")
NOTHING_FOUND = Message("Nothing found")
INDEX_EMPTY = Message("Nothing has been read yet")
FILTERED_OUT = Message("The filters leave nothing")
STILL_READING = Message("Still being read: more may be found later")
INTERRUPTED = Message("Reading was interrupted")
WORDS_ONLY = Message("by words")
WORDS_AND_MEANING = Message("by words and meaning")
MEANING_MISSING = Message("by words only")
STALE = Message("changed since it was read")
GONE = Message("gone since it was read")
READ_FROM_PICTURE = Message("read from a picture")
OPENING = Message("Opening kebab…")
SENT = Message("Sent to the terminal, which may put it on the clipboard")
NO_DOCUMENT = Message("Choose a result to read it here")
LONG_DOCUMENT = Message("Only the part around the place is shown: the document is long")
NOTHING_RELATED = Message("Nothing is related to it")
RELATIONS = {
    "links_to": Message("linked from here"),
    "linked_from": Message("links here"),
    "called_by": Message("calls this"),
    "calls": Message("called here"),
    "same_name": Message("same name"),
    "tested_by": Message("tests this"),
    "similar": Message("similar"),
}


def documents(count: int) -> Message:
    """Count documents."""
    return Message("{count} document", plural="{count} documents", count=count)


def of_searched(count: int) -> Message:
    """Count the documents that were searched."""
    return Message("of {count} searched", count=count)


def more_places(count: int) -> Message:
    """Count the further passages of a hit."""
    return Message("+{count} place", plural="+{count} places", count=count)


def milliseconds(value: float) -> Message:
    """Time that a search took."""
    return Message("{value:.0f} ms", value=value)


def waiting_passages(count: int) -> Message:
    """Count documents that are searched by words alone so far."""
    return Message(
        "{count} document by words only so far", plural="{count} documents by words only so far", count=count
    )


def failed_files(count: int) -> Message:
    """Count files that could not be read."""
    return Message("{count} file could not be read", plural="{count} files could not be read", count=count)


def near_words(text: str, words: str) -> Message:
    """Say what was searched in place of an unknown word."""
    return Message("{text} is in no document; searched for {words}", text=text, words=words)


def page(number: int) -> Message:
    """Number a page."""
    return Message("Page {page}", page=number)


def sheet(name: str) -> Message:
    """Name a sheet."""
    return Message("Sheet {name}", name=name)


def slide(number: int) -> Message:
    """Number a slide."""
    return Message("Slide {number}", number=number)


def ended(program: str, code: int) -> Message:
    """Say how a program ended."""
    return Message("{program!r} ended with code {code}", program=program, code=code)


def not_run(program: str, reason: str) -> Message:
    """Say why a program did not run."""
    return Message("cannot run {program!r}: {reason}", program=program, reason=reason)


WORK_HELPS = Message("F5 reads the files again")
