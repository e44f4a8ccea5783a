"""Words of remedies: templates without commands that every face shares, and what fills them in.

A face has templates of its own for the kinds that are commands or tool calls there, and renders with both.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from string import Formatter
from typing import TYPE_CHECKING

from kebab_core import Remedy, shorten_message

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from kebab_core import RemedyKind

RemedyRenderer = Callable[[Remedy], str]
"""Words of a remedy on one face."""

REMEDY_WORDS: Mapping[RemedyKind, str] = {
    "ingest": "ingest[ {path}]",
    "verify_files": "ingest, and compare every file with its stored copy",
    "prune": "ingest, and remove documents whose files are missing",
    "embed": "embed the passages",
    "remake_vectors": "embed the passages: the vector index is made again from the database, nothing is lost",
    "doctor": "run the health checks",
    "debug": "look for the id in the log",
    "repair": "run the health checks with repair",
    "reset_data": "delete the data folder's content (stored answers and eval runs are lost: copy the folder first "
    "if you want them)",
    "reset_orphans": "delete the documents that no source has",
    "reset_vectors": "delete all vectors",
    "ingest_file": "ingest [{path}|the file] as a single file",
    "ingest_text": "ingest its text, with a title",
    "add_source": "make [{path}|its folder] a source",
    "init": "write a configuration[ for {path}]",
    "explain_file": "ask why [{path}|the file] is not found",
    "fetch_document": "fetch the whole document[ {document}]",
    "fetch_address": "fetch [{document}|its address]",
    "fetch_lines": "fetch lines {lines[0]} to {lines[1]}",
    "undo_removal": "bring it back by its address",
    "list_documents": "list the documents[ in {path}]",
    "list_answers": "list the stored answers",
    "list_sessions": "list the conversations",
    "list_eval_runs": "list the stored eval runs",
    "list_models": "list the models",
    "pull_model": "fetch the model[ {name}]",
    "pull_served_model": "fetch the model {name} on its server",
    "load_served_model": "load the model {name} there",
    "show_config": "look at the configuration in force",
    "show_usage": "look at the usage[ of {name}]",
    "show_media": "look at the kinds of files that can be read",
    "search_again": "search again: ids change when a document or the way it is cut changes",
    "search_later": "search again later: kebab is at work on the index[ (pid {count})]",
    "search_without_cursor": "search again without the cursor",
    "list_without_cursor": "list again without the cursor",
    "search_without_syntax": "search without the raw syntax",
    "search_lexical": "search by words only",
    "search_without_filters": "search without [the filters {names!l}|filters]",
    "search_document": "search in [the document {document}|it] alone",
    "quote_words": "put words in double quotes",
    "give_question": "give a question",
    "give_query": "give words or a question",
    "give_text": "give a title and a text",
    "give_backup": "give another backup",
    "replace_file": "replace the file",
    "replace_base": "replace what is there",
    "give_file": "name [the file in it, such as {path}|a file]",
    "shorten_question": "ask a shorter question",
    "ask_parts": "ask one part at a time, or name a chat model in models.llm.provider",
    "split_queries": "send them {count} at a time",
    "choose": "one of: {name}",
    "write_as": "write it as {value}",
    "allow_writing": "allow writing",
    "retry": "run it again",
    "retry_later": "try again in a moment",
    "resume": "run it again; it goes on where it stopped",
    "wait_for_writer": "wait for it to finish[ (pid {count})]",
    "set": "set {setting}[ = {value!j}]",
    "set_address": "set {setting} to the server's address[, such as {value}]",
    "set_variable": "set {name}",
    "set_api_key": "put the server's key into the environment variable that {setting} names",
    "raise_setting": "raise {setting}[ to {value}]",
    "check_setting": "check {setting}",
    "change_setting": "choose another {setting}",
    "change_value": "give another value",
    "unset": "unset [{name}|{setting}]",
    "name_source": "give the source another name",
    "use_defaults": "go without a configuration file: the defaults apply",
    "use_absolute_paths": "write absolute paths",
    "use_relative_path": "paths inside a source are relative to its root",
    "use_larger_model": "use a model that reads more",
    "raise_context": "let {name} read more at once",
    "add_model_files": "put the files of the model [into {path!r}|there again]",
    "check_path": "check [{path!r}|its name]",
    "check_extension": "check the file's extension",
    "check_toml": "texts stand in quotation marks, lists in square brackets",
    "escape_dollar": "write $$ for a dollar sign",
    "check_permissions": "check [the permissions of {path!r}|its permissions]",
    "make_readable": "make [{path!r}|it] readable",
    "make_writable": "make [{path!r}|it] writable",
    "make_private": "let only yourself read [{path!r}|it]",
    "raise_watch_limit": "raise the limits of your system for watched folders (on Linux fs.inotify.max_user_watches), or "
    "make all folders of the source readable",
    "use_running_watch": "leave it running, or end it first[ (pid {count})]",
    "check_drive": "check that the drive is mounted and that the configuration names the right folder",
    "check_network": "check the network",
    "check_server": "check whether the server is busy",
    "free_space": "free some disk space",
    "create_folder": "make [the folder {path!r}|it] yourself",
    "drop_from_database": "copy what you need of it into a database of your own, then remove it with SQLite: DROP {value} {name!r}",
    "move_away": "move [{path!r}|it] away",
    "rename": "rename [{path!r}|it]",
    "restore_file": "put [{path!r}|it] back",
    "restore_backup": "restore [{path!r}|it] from a backup",
    "mend_file": "edit [{path}|the file]",
    "convert_to_utf8": "save [{path!r}|it] as UTF-8",
    "delete_lines": "delete {line_numbers!n}[ of {path}]",
    "install_packages": "install {name}[, which is what {value} adds]",
    "reinstall_model": "install the package of the bundled model again",
    "start_server": "start [{name}|it]",
    "upgrade": "use a newer kebab",
    "install_plugin": "install the plugin",
    "update_distribution": "update or uninstall the distribution",
    "uninstall_others": "uninstall all but one of them",
    "order_times": "give the earlier time first",
    "explain_other_file": "if the other one is meant: ask why [{path}|it] is not found",
    "init_anew": "write a new configuration file",
    "read_files_again": "ingest, which reads your files again; stored answers and eval runs are lost",
    "restore_source": "configure the source[ {name}] again",
    "show_log": "look into the log folder",
    "reinstall": "reinstall kebab",
    "search_plain_words": "search in plain words, without raw: or the single quotes around it",
    "search_whole_words": "ask in whole words, without *",
    "search_without_quotes": "search without the quotation marks",
    "search_other_words": 'ask with words that stand in it[, such as those of its title: "{value}"]',
    "search_own_words": "ask with words that only it has",
    "search_nearer_words": "search finds it; for an answer, rephrase using the file's own words",
    "search_hybrid": "search by words and meaning",
    "search_by_words": "search by words too, which find it",
    "show_more_hits": "ask for {count} hits",
    "raise_token_limit": "raise the number of tokens",
    "next_page": "go on with the next page",
    "check_spelling": "check how it is spelled",
    "did_you_mean": "did you mean {names!c}?",
    "add_pattern": "add a pattern for it to {setting}[ of {name}]",
    "remove_pattern": "take {value!r} out of {setting}[ of {name}]",
    "mend_config": "mend the configuration file",
    "add_lines": "add the {names!n} at the end of {path}",
    "split_file": "split the file",
    "save_as_text": "save it as Markdown or plain text",
    "save_as": "open it in its own program and save it as {name}",
    "save_unprotected": "open it in its own program and save it without protection",
    "write_text": "write something into it",
    "add_text_layer": "add a text layer to it with a program that recognises text in pictures (OCR)",
    "remove_link": "remove the link",
    "mend_link": "mend the link or put the file in its place",
    "rename_one": "rename one of the two",
    "move_document": "move the document out of {setting}",
    "move_to_own_folder": "move the document to a folder of its own, under another name",
    "exclude_file": "leave it out",
    "restore_files": "bring the files back",
    "name_corpus": "name the folder of its documents",
    "give_test_set": "name a folder that holds queries.jsonl, qrels.tsv and corpus.jsonl",
    "leave_out_baseline": "leave out the lexical baseline",
    "compare_same_set": "compare runs of the same test set",
    "use_own_corpus": "use a set with its own corpus.jsonl and relevant documents",
    "write_nothing": "write nothing",
    "add_to_setting": "add its folder to {setting}",
    "add_password": "add its password to {setting}, or save it without one",
    "use_local_disk": "set {setting} to a local disk",
    "check_content": "check what is in the file",
    "check_corpus": "check corpus.jsonl, or the folder and patterns of the documents",
    "match_ids": "check that the ids of {names!l} are the same",
    "give_own_ids": "give every {name} an id of its own",
    "write_suite": "docs/evaluation.md shows how a suite is written",
    "write_lines": "every line is {value}",
}
"""Template of each kind. `{field}` is a field of the remedy: `!q` quotes it for a shell, `!w` each of its words, `!r` as
Python, `!j` as JSON; of several, `!l` lists them, `!n` as lines, `!f` as flags, `!c` in quotation marks. `[a]` is left
out, and `[a|b]` is b, where a field in a is None."""

_FIELD_OR_CHOICE = re.compile(
    r"\{[^{}]*\}|\[((?:[^\[\]{}|]|\{[^{}]*\})*)(?:\|((?:[^\[\]{}]|\{[^{}]*\})*))?\]"
)
_FIELD = re.compile(r"\{(\w+)")


_THEN, _OR, _AND, _LINE, _LINES = "; then ", ", or ", " and ", "line ", "lines "
REMEDY_JOINTS = (_THEN, _OR, _AND, _LINE, _LINES)
"""What stands between steps, between alternatives, and before the last of several values; and before numbers of lines."""

_CONVERSIONS: Mapping[str, Callable[[Any], str]] = {
    "q": lambda value: shlex.quote(str(value)),
    "w": lambda value: shlex.join(str(value).split()),
    "j": lambda value: json.dumps(value, ensure_ascii=False),
    "c": lambda values: ", ".join(map(repr, values)),
}


Translate = Callable[[str], str]
"""Puts a template, or one of `REMEDY_JOINTS`, into a language."""


class _Quoting(Formatter):
    """`str.format` with conversions for shells, JSON and several values.

    Args:
        translate: Puts joints into a language.
    """

    def __init__(self, translate: Translate) -> None:
        self._translate = translate

    def convert_field(self, value: Any, conversion: Any) -> Any:
        match conversion:
            case "l":
                return self._list(value)
            case "n":
                return self._translate(_LINES if len(value) > 1 else _LINE) + self._list(value)
            case "f":
                return self._list([f"--{name.replace('_', '-')}" for name in value])
        convert = _CONVERSIONS.get(conversion)
        return super().convert_field(value, conversion) if convert is None else convert(value)

    def _list(self, values: Sequence[object]) -> str:
        *most, last = map(str, values)
        return f"{', '.join(most)}{self._translate(_AND)}{last}" if most else last


def render_remedy(
    remedy: Remedy, words: Mapping[RemedyKind, str] | None = None, *, translate: Translate = str
) -> str:
    """Render a remedy as one line of text.

    Args:
        remedy: What to do; what comes after it follows `; then`, an alternative follows `, or`. What all alternatives
            end with stands once, at the end.
        words: Templates of a face, by kind; the shared ones serve where it has none.
        translate: Puts a template, or one of `REMEDY_JOINTS`, into a language.
    """
    then = translate(_THEN)
    alternatives: list[list[str]] = []
    one: Remedy | None = remedy
    while one is not None:
        alternatives.append(_render_steps(one, words, translate))
        one = one.otherwise
    ending: list[str] = []
    while len(alternatives) > 1 and all(len(steps) > 1 for steps in alternatives):
        if len({steps[-1] for steps in alternatives}) > 1:
            break
        ending = [*{steps.pop() for steps in alternatives}, *ending]
    return shorten_message(
        then.join([translate(_OR).join(then.join(steps) for steps in alternatives), *ending])
    )


def _render_steps(remedy: Remedy, words: Mapping[RemedyKind, str] | None, translate: Translate) -> list[str]:
    """Render a remedy and what comes after it, without its alternatives."""
    template = translate((words or {}).get(remedy.kind) or REMEDY_WORDS[remedy.kind])
    fields = {name: getattr(remedy, name) for name in type(remedy).model_fields}

    def choose(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        is_given = all(fields[name] is not None for name in _FIELD.findall(match[1]))
        return match[1] if is_given else match[2] or ""

    text = _Quoting(translate).vformat(_FIELD_OR_CHOICE.sub(choose, template), (), fields)
    after = remedy.then
    if after is None:
        return [text]
    return [
        text,
        *(
            _render_steps(after, words, translate)
            if after.otherwise is None
            else [render_remedy(after, words, translate=translate)]
        ),
    ]
