"""Phrases of the pages: messages, localized when a page is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message
from kebab_words import Phrases

if TYPE_CHECKING:
    from kebab_app import CurrentWork

LIBRARY = Message("Library")
ANSWERS = Message("Answers")
HEALTH = Message("Health")
REPAIR = Message("Repair")
THEMES = {"": Message("As the system"), "dark": Message("Dark"), "light": Message("Light")}
QUOTED = Message("quoted word for word")
FAILED = Message("The answer failed")
DEMO_QUESTIONS = (
    Message("Where is my data stored?"),
    Message("How do I find out why a file is not found?"),
    Message("How much did we spend on travel in March?"),
)
"""The last one has no answer there."""
VERDICTS = {
    "grounded": Phrases.GROUNDED,
    "unsure": Message("Not sure"),
    "refused": Phrases.REFUSED,
    "stopped": Message("Stopped"),
}
"""Short words for what came of a question."""
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
RUN_AGAIN = Message("Run `kebab web` again in a terminal")
RUN_AGAIN_WHY = Message("The address that let you in is used up, or the server was started anew.")
NOT_FOUND = Message("There is no such page")
PROBLEM = Message("That did not work")
UNEXPECTED = Message("Something unexpected went wrong; the log names it")
TOO_MANY = Message("Four answers are being written already; wait for one of them")

WHY_TITLE = Message("Why is it not found?")

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
ORIGINS = {
    "default": Message("default"),
    "file": Message("from the file"),
    "env": Message("from the environment"),
    "flag": Message("from a flag"),
}


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
