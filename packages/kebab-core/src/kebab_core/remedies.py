"""Remedies: what to do about an error or an empty result, as data that each face turns into words.

Nothing below the faces names a command, a flag or a tool. A remedy says what is to be done and with what; the command
line prints a command, the server for agents a tool call, a page draws a button. What the user does by hand is the same on
every face and is a message, `Remedy(advice=Message("split the file"))`.
"""

from __future__ import annotations

from typing import Literal

from kebab_core.messages import Message
from kebab_core.model import Model

RemedyKind = Literal[
    "advice",
    # what kebab does
    "ingest",
    "verify_files",
    "prune",
    "embed",
    "remake_vectors",
    "read_pictures",
    "compact_lake",
    "mirror_lake",
    "start_worker",
    "doctor",
    "debug",
    "repair",
    "reset_data",
    "reset_orphans",
    "reset_vectors",
    "ingest_file",
    "list_stored",
    "ingest_text",
    "undo_removal",
    "add_source",
    "init",
    "explain_file",
    "fetch_document",
    "fetch_address",
    "fetch_lines",
    "list_documents",
    "pull_model",
    "pull_served_model",
    "show_config",
    "show_usage",
    "show_media",
    "explain_other_file",
    "init_anew",
    "read_files_again",
    # another call
    "search_without_filters",
    "search_document",
    "give_question",
    "give_query",
    "give_backup",
    "replace_file",
    "replace_base",
    "choose",
    "allow_writing",
    "retry",
    "wait_for_writer",
    "next_page",
    "use_argument",
    "did_you_mean",
    "name_corpus",
    # settings
    "set",
    "raise_setting",
    "check_setting",
    "change_setting",
    "unset",
    "add_to_setting",
    "add_password",
    # files, folders and the machine
    "check_permissions",
    "make_accessible",
    "make_private",
    "free_space",
    "delete_lines",
    "add_lines",
    "install_packages",
    "reinstall_model",
    "save_as_text",
]
"""The action: one that a face has a command, a call, a setting or words of its own for, or one that is raised in many places.
Faces have words for every kind; a test compares them with this list."""


class Remedy(Model):
    """One thing to do, with its arguments; what is not needed for its kind is None.

    `Remedy(kind="check_permissions", path=p, then=Remedy(kind="ingest", path=p))` is a sequence,
    `otherwise` an alternative.
    """

    kind: RemedyKind = "advice"
    advice: Message | None = None
    """What to do by hand, in words that are the same on every face; of the kind `advice`."""
    path: str | None = None
    """A file or folder, as the user knows it."""
    setting: str | None = None
    """Key of a setting, dotted."""
    value: str | int | float | bool | None = None
    """The value to set."""
    name: str | None = None
    """A model, package, source, run, operation, filter or argument."""
    document: str | None = None
    """A document: its id, or an address."""
    names: tuple[str, ...] | None = None
    """Several names: filters, as they stand on the wire; suggestions; lines to add to a file."""
    lines: tuple[int, int] | None = None
    """First and last line, 1-based, inclusive."""
    line_numbers: tuple[int, ...] | None = None
    """Single lines, 1-based, ascending."""
    count: int | None = None
    """A number of things, or a process id."""
    then: Remedy | None = None
    """Next step."""
    otherwise: Remedy | None = None
    """Another remedy, in place of this one and of `then`."""

    def followed_by(self, last: Remedy) -> Remedy:
        """This remedy with another one at its end, and at that of each alternative."""
        then = last if self.then is None else self.then.followed_by(last)
        otherwise = None if self.otherwise is None else self.otherwise.followed_by(last)
        return self.model_copy(update={"then": then, "otherwise": otherwise})
