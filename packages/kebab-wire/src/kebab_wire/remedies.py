"""Words of remedies: templates without commands that every face shares, and what fills them in.

A face has templates of its own for the kinds that are commands or tool calls there, and renders with both.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from functools import cache
from string import Formatter
from typing import TYPE_CHECKING

from kebab_core import Remedy, shorten_message

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence
    from typing import Any

    from kebab_app import CheckResult, Explanation
    from kebab_core import IngestFailure, KebabError, Message, RemedyKind
    from kebab_words import Words

RemedyRenderer = Callable[[Remedy], str]
"""Words of a remedy on one face."""

REMEDY_WORDS: Mapping[RemedyKind, str] = {
    "advice": "{advice}",
    "ingest": "ingest[ {path}]",
    "verify_files": "ingest, and compare every file with its stored copy",
    "prune": "ingest, and remove documents whose files are missing",
    "embed": "embed the passages",
    "remake_vectors": "embed the passages: the vector index is made again from the database, nothing is lost",
    "read_pictures": "recognise the text in pictures[ of {path}]",
    "compact_lake": "compact the lake",
    "mirror_lake": "copy the lake",
    "start_worker": "make this machine a worker of the cluster",
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
    "pull_model": "fetch the model[ {name}]",
    "pull_served_model": "fetch the model {name} on its server",
    "show_config": "look at the configuration in force",
    "show_usage": "look at the usage[ of {name}]",
    "show_media": "look at the kinds of files that can be read",
    "search_without_filters": "search without [the filters {names!l}|filters]",
    "search_document": "search in [the document {document}|it] alone",
    "give_question": "give a question",
    "give_query": "give words or a question",
    "give_backup": "give another backup",
    "replace_file": "replace the file",
    "replace_base": "replace what is there",
    "choose": "one of: {name}",
    "allow_writing": "allow writing",
    "retry": "run it again",
    "wait_for_writer": "wait for it to finish[ (pid {count})]",
    "set": "set {setting}[ = {value!j}]",
    "raise_setting": "raise {setting}[ to {value}]",
    "check_setting": "check {setting}",
    "change_setting": "choose another {setting}",
    "unset": "unset [{name}|{setting}]",
    "check_permissions": "check [the permissions of {path!r}|its permissions]",
    "make_private": "let only yourself read [{path!r}|it]",
    "free_space": "free some disk space",
    "add_lines": "add the {names!n} at the end of {path}",
    "delete_lines": "delete {line_numbers!n}[ of {path}]",
    "install_packages": "install {name}[, which is what {value} adds]",
    "reinstall_model": "install the package of the bundled model again",
    "explain_other_file": "if the other one is meant: ask why [{path}|it] is not found",
    "init_anew": "write a new configuration file",
    "read_files_again": "ingest, which reads your files again; stored answers and eval runs are lost",
    "did_you_mean": "did you mean {names!c}?",
    "save_as_text": "save it as Markdown or plain text",
    "name_corpus": "name the folder of its documents",
    "add_to_setting": "add its folder to {setting}",
    "add_password": "add its password to {setting}, or save it without one",
    "use_argument": "set {name}[ to {value}]",
    "make_accessible": "give yourself access to [{path!r}|it]",
    "list_stored": "look at the list of {name}",
    "next_page": "raise the number of tokens, or go on with the next page",
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
    "o": lambda name: f"--{name.replace('_', '-')}",
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
        translate: Puts a template, one of `REMEDY_JOINTS`, or a message with its arguments into a language.
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
    if remedy.advice is not None:
        fields["advice"] = translate(remedy.advice)

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


def render_hint(
    failure: KebabError | Explanation | CheckResult | IngestFailure,
    words: Words,
    *,
    handled: Container[RemedyKind] = (),
) -> str:
    """Render the remedy of a failure, else its hint, for a reader without a command line.

    Args:
        failure: What went wrong.
        words: The language of the reader.
        handled: Kinds of remedies that the face does itself.

    Returns:
        One line; empty without remedy or hint, for kinds that are handled, and where only a command helps. Where that is
        so of the first step alone, the line is of the next step, or of another remedy.
    """
    remedy = failure.remedy
    if remedy is None:
        hint: Message | str | None = getattr(failure, "hint", None)
        return words.localize(hint) if hint else ""
    said = _find_said(remedy, handled)
    if said is None:
        return ""
    return render_remedy(said.model_copy(update={"then": None, "otherwise": None}), translate=words.translate)


def _find_said(remedy: Remedy | None, handled: Container[RemedyKind]) -> Remedy | None:
    """Return the first step or alternative that needs no command; None where there is none, or a face does it."""
    while remedy is not None and remedy.kind not in handled:
        if _is_shared(remedy.kind):
            return remedy
        if said := _find_said(remedy.then, handled):
            return said
        remedy = remedy.otherwise
    return None


@cache
def _is_shared(kind: RemedyKind) -> bool:
    """Return True if the words of a remedy are translated, which those that every face replaces by a command are not.

    An advice is a message, which has its own translation.
    """
    from kebab_words import Words

    text = REMEDY_WORDS[kind]
    return kind == "advice" or Words("ko").localize_text(text) != text
