"""Phrases of the pages: messages, localized when a page is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message
from kebab_words import Phrases

if TYPE_CHECKING:
    from kebab_app import CurrentWork

ASK = Message("Ask")
ASK_HINT = Message("Ctrl+Enter asks")
LIBRARY = Message("Library")
ANSWERS = Message("Answers")
HEALTH = Message("Health")
THEME = Message("Light or dark")
SKIP = Message("Skip to the results")
HITS = Message("Results")
DOCUMENT = Message("Document")
ANSWER = Message("Answer")
BACK = Message("Back")
OUTLINE = Message("Contents")
ALONE = Message("Open alone")
COPY_ADDRESS = Message("Copy address")
COPIED = Message("Copied")
CONVERSATION = Message("Conversation")
NO_CONVERSATIONS = Message("No conversations yet. `Ask on` below an answer begins one")
ASK_ON = Message("Ask on")
GO_ON = Message("Go on")
LOOK_AGAIN = Message("Look again")
DROP_GONE = Message("Drop them from the index")
REPAIR = Message("Repair")
COPY_QUOTE = Message("Copy quote")
OPEN_FILE = Message("Open file")
RELATED = Message("Related")
GO_TO = Message("Go to")
NAME = Message("Name of a document or page")
LETTERS = Message("Single letters are keys")
THEMES = {"": Message("As the system"), "dark": Message("Dark"), "light": Message("Light")}
BY_WORDS = Message("By words only")
BY_BOTH = Message("By words and meaning")
AS_TEXT = Message("As text")
PREVIOUS_PAGE = Message("Previous page")
NEXT_PAGE = Message("Next page")
NOTHING_FOUND = Message("Nothing found")
NO_DOCUMENTS = Message(
    "There are no documents: nothing has been read, or the folders have none that kebab reads"
)
NO_CITATION = Message("Choose a citation to read it here")
QUOTED = Message("quoted word for word")
FAILED = Message("The answer failed")
PICTURE_IN = Message("Picture in")
STOP = Message("Stop")
NO_ANSWERS = Message("No questions yet. Type one and press Ctrl+Enter")
ALL = Message("All")
FILTER = Message("Filter")
MORE = Message("More results")
REMOVE_FILTER = Message("Remove this filter")
START_READING = Message("Start reading")
FOLLOWED = Message("read as they are saved")
DEMO = Message("These are kebab's own guides. Ask them:")
DEMO_QUESTIONS = (
    Message("Where is my data stored?"),
    Message("How do I find out why a file is not found?"),
    Message("How much did we spend on travel in March?"),
)
"""The last one has no answer there."""
SUGGESTED = Message("Try asking")
VERDICTS = {
    "grounded": Phrases.GROUNDED,
    "unsure": Message("Not sure"),
    "refused": Phrases.REFUSED,
    "stopped": Message("Stopped"),
}
"""Short words for what came of a question."""
NOT_SET_UP = Message("Which folder shall I read?")
LOCAL_ONLY = Message("Nothing is uploaded: everything stays on this machine")
ALL_WELL = Message("Everything is in order")
PROBLEMS = Message("Something needs attention")
CHECKS = {
    "config_loaded": Message("Settings"),
    "workspace_readable": Message("Folders of documents"),
    "data_dir_writable": Message("Data folder"),
    "data_dir_private": Message("Access to the data folder"),
    "disk_space": Message("Disk space"),
    "sqlite_open": Message("Database"),
    "sqlite_integrity": Message("Damage in the database"),
    "lexical_index": Message("Search by words"),
    "korean_analysis": Message("Korean words"),
    "ingest_finished": Message("Runs"),
    "files_readable": Message("Files"),
    "removals_settled": Message("Files that are gone"),
    "assets_kept": Message("Copies of files"),
    "scratch_swept": Message("Leftovers"),
    "lancedb_open": Message("Search by meaning"),
    "vectors_complete": Message("Passages by meaning"),
    "derivation_cache": Message("Kept results"),
    "pictures_read": Message("Pictures and scans"),
    "embedding_model": Message("Model of meaning"),
    "nli_model": Message("Model that checks claims"),
    "reranker": Message("Model that sorts hits"),
    "language_model": Message("Model that answers"),
    "ollama_reachable": Message("Model server"),
    "ollama_model_pulled": Message("Models on the server"),
    "plugins": Message("Plugins"),
    "lake_readable": Message("Lake"),
}
"""By the name of a check of the doctor."""
SAME = Message("Also found by")
OK = Message("in order")
NOT_OK = Message("needs attention")
RUN_AGAIN = Message("Run `kebab web` again in a terminal")
RUN_AGAIN_WHY = Message("The address that let you in is used up, or the server was started anew.")
NOT_FOUND = Message("There is no such page")
PROBLEM = Message("That did not work")
UNEXPECTED = Message("Something unexpected went wrong; the log names it")
TOO_MANY = Message("Four answers are being written already; wait for one of them")

WHY = Message("Why?")
WHY_TITLE = Message("Why is it not found?")
WORDS_OF_QUERY = Message("Words of the query")

STEPS = {
    "source": Message("Folder"),
    "rules": Message("Rules that exclude files"),
    "ingest": Message("Reading"),
    "file": Message("File now"),
    "index": Message("Passages"),
    "vectors": Message("Vectors"),
    "filters": Message("Filters"),
    "words": Message("By words"),
    "meaning": Message("By meaning"),
    "order": Message("Place among the results"),
    "answer": Message("Passages of the answer"),
}
"""By the name of a step of an explanation."""
SETTINGS = Message("Settings")
HOW_TO_SET = Message("`kebab config set KEY VALUE` changes a setting; then start `kebab web` again")
ORIGINS = {
    "default": Message("default"),
    "file": Message("from the file"),
    "env": Message("from the environment"),
    "flag": Message("from a flag"),
}

KEY_HELP = (
    ("/", Message("Go to the box")),
    ("↓ ↑", Message("Choose a result")),
    ("Enter", Message("Open it beside")),
    ("Ctrl+Enter", Message("Ask")),
    ("Alt+↓ ↑", Message("Next or previous place in the document")),
    ("Esc", Message("Close, stop or clear, one step each")),
    ("Ctrl+K", Message("Go to a document or page by name")),
    ("o", Message("Open the file in your editor")),
    ("y, Y", Message("Copy the address, copy the quote with its address")),
    ("r", Message("Related documents")),
    ("w", Message("Why it is found or not")),
    ("m", Message("By words only, or by meaning too")),
    ("[ ]", Message("Back, forward")),
    ("g l, g a, g h, g s", Message("Library, answers, health, settings")),
    ("d", Message("Dark, light, as the system")),
    ("?", Message("Show or hide these keys")),
)


def page_of(page: int, pages: int) -> Message:
    """Number a page."""
    return Message("Page {page} of {pages}", page=page, pages=pages)


def written_by(model: str) -> Message:
    """Name the model that wrote an answer."""
    return Message("written by {model}", model=model)


def passages_read(count: int) -> Message:
    """Count the passages that were read for an answer."""
    return Message("{count} passage read", plural="{count} passages read", count=count)


def failed_files(count: int) -> Message:
    """Count files that could not be read."""
    return Message("{count} file could not be read", plural="{count} files could not be read", count=count)


def other_writes(work: CurrentWork) -> Message:
    """Name another process that writes, and how far it is."""
    if not work.total:
        return Message("Another kebab is writing (pid {pid})", pid=work.pid)
    return Message("Another kebab is writing (pid {pid}): {progress}", pid=work.pid, progress=how_far(work))


def without_filter(count: int, name: str) -> Message:
    """Count what a search without a filter finds."""
    return Message("{count} without {filter}", filter=name, count=count)


def what_about(title: str) -> Message:
    """Ask for what a document says."""
    return Message("Tell me about {title}", title=title)


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
