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
    "debug",
    "repair",
    "reset_data",
    "reset_orphans",
    "reset_vectors",
    "ingest_file",
    "ingest_text",
    "undo_removal",
    "add_source",
    "init",
    "explain_file",
    "fetch_document",
    "fetch_address",
    "fetch_lines",
    "list_documents",
    "list_answers",
    "list_sessions",
    "list_eval_runs",
    "list_models",
    "pull_model",
    "pull_served_model",
    "load_served_model",
    "show_config",
    "show_usage",
    "show_media",
    "explain_other_file",
    "init_anew",
    "read_files_again",
    "restore_source",
    "show_log",
    "reinstall",
    # another call
    "search_again",
    "search_later",
    "search_without_cursor",
    "list_without_cursor",
    "search_without_syntax",
    "search_lexical",
    "search_without_filters",
    "search_document",
    "quote_words",
    "give_question",
    "give_query",
    "give_file",
    "give_text",
    "give_backup",
    "replace_file",
    "replace_base",
    "shorten_question",
    "ask_parts",
    "split_queries",
    "choose",
    "write_as",
    "allow_writing",
    "retry",
    "retry_later",
    "resume",
    "wait_for_writer",
    "search_plain_words",
    "search_whole_words",
    "search_without_quotes",
    "search_other_words",
    "search_own_words",
    "search_nearer_words",
    "search_hybrid",
    "search_by_words",
    "show_more_hits",
    "raise_token_limit",
    "next_page",
    "check_spelling",
    "did_you_mean",
    "name_corpus",
    "give_test_set",
    "leave_out_baseline",
    "compare_same_set",
    "use_own_corpus",
    "write_nothing",
    # settings
    "set",
    "set_address",
    "set_variable",
    "set_api_key",
    "raise_setting",
    "check_setting",
    "change_setting",
    "change_value",
    "unset",
    "name_source",
    "use_defaults",
    "use_absolute_paths",
    "use_relative_path",
    "use_larger_model",
    "raise_context",
    "add_pattern",
    "remove_pattern",
    "mend_config",
    "add_to_setting",
    "add_password",
    "use_local_disk",
    # files, folders and the machine
    "check_path",
    "check_extension",
    "check_toml",
    "escape_dollar",
    "add_model_files",
    "check_permissions",
    "make_readable",
    "make_writable",
    "make_private",
    "check_drive",
    "raise_watch_limit",
    "use_running_watch",
    "check_network",
    "check_server",
    "free_space",
    "create_folder",
    "move_away",
    "drop_from_database",
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
    "install_plugin",
    "update_distribution",
    "uninstall_others",
    "order_times",
    "add_lines",
    "split_file",
    "save_as_text",
    "save_as",
    "save_unprotected",
    "write_text",
    "add_text_layer",
    "remove_link",
    "mend_link",
    "rename_one",
    "move_document",
    "move_to_own_folder",
    "exclude_file",
    "restore_files",
    "check_content",
    "check_corpus",
    "match_ids",
    "give_own_ids",
    "write_suite",
    "write_lines",
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
