"""Remedies: what to do about an error or an empty result, as data that each face turns into words.

Nothing below the faces names a command, a flag or a tool. A remedy says what is to be done and with what; the command
line prints a command, the server for agents a tool call, a page draws a button.
"""

from __future__ import annotations

from typing import Literal

from kebab_core.model import Model

RemedyKind = Literal[
    # what kebab does
    "ingest",
    "verify_files",
    "prune",
    "embed",
    "remake_vectors",
    "doctor",
    "repair",
    "reset_data",
    "reset_orphans",
    "ingest_file",
    "ingest_text",
    "add_source",
    "init",
    "explain_file",
    "fetch_document",
    "fetch_lines",
    "list_documents",
    "list_answers",
    "list_eval_runs",
    "list_models",
    "pull_model",
    "show_config",
    "show_usage",
    "show_media",
    # another call
    "search_again",
    "search_without_cursor",
    "search_lexical",
    "search_without_filters",
    "search_document",
    "give_question",
    "give_query",
    "give_file",
    "shorten_question",
    "split_queries",
    "allow_writing",
    "retry",
    "retry_later",
    "resume",
    "wait_for_writer",
    # settings
    "set",
    "raise_setting",
    "check_setting",
    "unset",
    # files, folders and the machine
    "check_path",
    "check_permissions",
    "make_readable",
    "make_writable",
    "make_private",
    "check_drive",
    "check_network",
    "free_space",
    "create_folder",
    "move_away",
    "rename",
    "restore_file",
    "restore_backup",
    "mend_file",
    "convert_to_utf8",
    "delete_lines",
    "install_packages",
    "reinstall_model",
    "start_server",
    "upgrade",
]
"""The action. Faces have words for every kind; a test compares them with this list."""


class Remedy(Model):
    """One thing to do, with its arguments; what is not needed for its kind is None.

    `Remedy(kind="check_permissions", path=p, then=Remedy(kind="ingest", path=p))` is a sequence,
    `otherwise` an alternative.
    """

    kind: RemedyKind
    path: str | None = None
    """A file or folder, as the user knows it."""
    setting: str | None = None
    """Key of a setting, dotted."""
    value: str | int | float | bool | None = None
    """The value to set."""
    name: str | None = None
    """A model, package, source, run, operation or filter."""
    document: str | None = None
    """A document id."""
    lines: tuple[int, int] | None = None
    """First and last line, 1-based, inclusive."""
    count: int | None = None
    """A number of things, or a process id."""
    then: Remedy | None = None
    """What to do afterwards."""
    otherwise: Remedy | None = None
    """What to do instead."""
