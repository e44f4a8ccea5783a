"""Phrases of the screens in the terminal: messages, localized when a screen is drawn."""

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
INDEX_EMPTY = Message("Nothing has been read yet")
INTERRUPTED = Message("Reading was interrupted")
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
WORK_HELPS = Message("F5 reads the files again")
LIBRARY_SHORT = Message("library")
NEW_CONVERSATION = Message("New conversation")
NEW = Message("new")
ASK_HERE = Message("Ask your documents")
CONVERSATIONS = Message("Conversations")
LAST_QUESTIONS = Message("Last questions")
GROUNDED = Message("From your documents")
NOT_SURE = Message("Not sure – this comes nearest")
REFUSED = Message("Nothing in your documents")
NOT_PROVEN_ANSWER = Message("Not all of this is proven")
NOT_PROVEN = Message("Not proven: read the quote")
STOPPED = Message("Stopped; kept so far")
READING = Message("Reading the passages…")
ASKED_AS = Message("asked as")
SOURCES = Message("Sources")
TAGS = Message("Tags")
FOLDERS = Message("Folders")
FILTER = Message("Narrow the list")
FAILED_FILES = Message("Could not be read")
NOT_STORED = Message("Answer of this conversation: whether your documents support it is no longer stored")
WHICH_FILE = Message("File that should have been found")
LOOKING = Message("Looking…")
IN_FILE = Message("in the file")
NOT_IN_FILE = Message("not in the file")
NOT_AMONG = Message("not among the hits")
SCORES = Message("Scores and words")
TOKENS = Message("tokens")
UPDATE = Message("Read changes now")
FOLLOW = Message("Read files as they are saved")
EMBED = Message("Compute missing embeddings")
VERIFY = Message("Compare all files")
READ_AGAIN = Message("Read all files again")
DROP_GONE = Message("Drop what is gone")
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


def documents(count: int) -> Message:
    """Count documents."""
    return Message("{count} document", plural="{count} documents", count=count)


def first_documents(count: int) -> Message:
    """Count the documents of a result that has more."""
    return Message("first {count} document", plural="first {count} documents", count=count)


def of_searched(count: int) -> Message:
    """Count the documents that were searched."""
    return Message("of {count} searched", count=count)


def more_places(count: int) -> Message:
    """Count the further passages of a hit."""
    return Message("+{count} place", plural="+{count} places", count=count)


def milliseconds(value: float) -> Message:
    """Time that a search took."""
    return Message("{value:.0f} ms", value=value)


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


def passages_used(used: int, found: int) -> Message:
    """Count the passages of an answer."""
    return Message("{used} of {found} passages", used=used, found=found)


def seconds(value: float) -> Message:
    """Time that an answer took."""
    return Message("{value:.1f} s", value=value)


def left_out(count: int) -> Message:
    """Count claims that their sources contradict."""
    return Message(
        "{count} claim was left out: its sources contradict it",
        plural="{count} claims were left out: their sources contradict them",
        count=count,
    )


def by_query(query: str) -> Message:
    """Name the query of an explanation."""
    return Message("by the query {query!r}", query=query)


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


def held(count: int) -> Message:
    """Count documents whose files are gone all at once."""
    return Message(
        "{count} file is gone. Is a drive unplugged?",
        plural="{count} files are gone. Is a drive unplugged?",
        count=count,
    )


def read_of(done: int, total: int) -> Message:
    """Progress of an ingest."""
    return Message("{done} of {total} read · you can search meanwhile", done=done, total=total)


def embedded_of(done: int, total: int) -> Message:
    """Progress of an embedding pass."""
    return Message("{done} of {total} passages embedded", done=done, total=total)


def embedded(count: int) -> Message:
    """Count passages that got a vector."""
    return Message("{count} passage embedded", plural="{count} passages embedded", count=count)


def read_files(new: int, updated: int, failed: int) -> Message:
    """Result of an ingest."""
    return Message(
        "Read: {new} new, {updated} changed, {failed} failed", new=new, updated=updated, failed=failed
    )
