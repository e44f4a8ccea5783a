"""The Korean catalogue: everything that the command line prints in words, with its translation.

    python -m tools.catalogue --missing   lists what has no translation, or one that does not fit
    python -m tools.catalogue --write     brings the catalogue into order and compiles it

`packages/kebab-words/src/kebab_words/locale/ko/LC_MESSAGES/kebab.po` is edited by hand, except for `--write`: it adds new entries
without translation, drops unused ones, sorts by source file and writes `kebab.mo`. Entries are messages
(`tools.messages`), help texts, the words of remedies, the texts of click, and errors of the system.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import io
import re
import string
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

import click
from babel.messages.catalog import Catalog, Message as BabelMessage
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from kebab_cli import COMMANDS, help_texts
from kebab_cli.main import cli
from kebab_wire import REMEDY_JOINTS, REMEDY_WORDS
from kebab_words import DOMAIN, LOCALE_DIR

from tools.messages import list_messages

LANGUAGE = "ko"
PO_FILE = LOCALE_DIR / LANGUAGE / "LC_MESSAGES" / f"{DOMAIN}.po"
MO_FILE = PO_FILE.with_suffix(".mo")
Kind = Literal["message", "remedy", "help", "click", "system"]
_HEADER = "# Korean texts of kebab. Edit the translations, then run `python -m tools.catalogue --write`."
_NO_DATE = datetime(1970, 1, 1, tzinfo=UTC)
"""Dates in the compiled header, so that the file depends on the texts alone."""
_LITERAL = re.compile(r"`[^`]*`|(?<![\w-])--?[a-z][a-z-]*|(?<![A-Za-z_])[A-Z][A-Z_]+(?![A-Za-z_])|\d+")
"""What a translated help text has as the English one has it: code, flags, placeholders, numbers."""
_WORDS = re.compile(r"(?<![\w./-])[a-z]+(?:-[a-z]+)*")
"""Words of a remedy; flags are none."""
_PLACEHOLDER = re.compile(r"\{[^{}]*\}")
_CHOICES = re.compile(r"[\[\]|]")
_SYSTEM = (
    "Address already in use", "Broken pipe", "Connection refused", "Connection reset by peer", "Connection timed out",
    "Device or resource busy", "Directory not empty", "Disk quota exceeded", "File exists", "File name too long", "File too large",
    "Input/output error", "Invalid argument", "File is not a zip file", "Invalid cross-device link", "Is a directory", "No such device",
    "No such file or directory", "No space left on device", "Not a directory", "Operation not permitted",
    "Operation not supported", "Permission denied", "Read-only file system", "Stale file handle", "Text file busy",
    "Too many levels of symbolic links", "Too many open files", "Transport endpoint is not connected",
)  # fmt: skip
"""Errors of the operating system that files and local servers meet, as `os.strerror` has them."""
_SQLITE = (
    "Attempt to write a readonly database", "Database disk image is malformed", "Database is locked", "Database or disk is full",
    "Disk I/O error", "File is not a database", "Unable to open database file",
)  # fmt: skip
"""Errors of SQLite, with a capital letter."""


class Entry(NamedTuple):
    """A text to be translated."""

    text: str
    plural: str | None
    kind: Kind
    place: str
    """Source file."""


def list_entries() -> list[Entry]:
    """List all texts, each once for each file that has it."""
    found = dict.fromkeys([
        *(
            Entry(each.text, each.plural, "message", each.place.partition(":")[0])
            for each in list_messages().templates
            if not each.place.startswith("apps/kebab-mcp/")
            and re.search(r"[^\W\d_]", _without_fields(each.text))
        ),
        *_remedies(),
        *_shared_help(),
        *_texts_of_click(),
        *(Entry(text, None, "system", "system/errno") for text in _SYSTEM),
        *(Entry(text, None, "system", "system/sqlite") for text in _SQLITE),
    ])
    return list(found)


def _without_fields(template: str) -> str:
    return "".join(literal for literal, *_ in string.Formatter().parse(template))


def _remedies() -> Iterator[Entry]:
    words = "packages/kebab-wire/src/kebab_wire/remedies.py"
    for text in (*REMEDY_JOINTS, *(text for kind, text in REMEDY_WORDS.items() if kind not in COMMANDS)):
        yield Entry(text, None, "remedy", words)
    commands = {"kebab", *_names_of_commands(cli)}
    for text in COMMANDS.values():
        if set(_WORDS.findall(_PLACEHOLDER.sub("", text))) - commands:
            yield Entry(text, None, "remedy", "apps/kebab-cli/src/kebab_cli/remedies.py")


def _names_of_commands(group: click.Command) -> Iterator[str]:
    """Yield the names of the commands of a group, and of the commands below them."""
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            yield name
            if command := group.get_command(context, name):
                yield from _names_of_commands(command)


def _shared_help() -> Iterator[Entry]:
    """Yield help texts; those of several modules, such as global flags, are of the module that shares them."""
    places: dict[str, set[str]] = {}
    for text, place in _help(cli):
        places.setdefault(text, set()).add(place)
    for text, found in places.items():
        shared = "apps/kebab-cli/src/kebab_cli/options.py"
        yield Entry(text, None, "help", shared if len(found) > 1 else found.pop())


def _help(command: click.Command) -> Iterator[tuple[str, str]]:
    """Yield the help texts of a command, of its flags and of its subcommands, each with its source file."""
    place = f"apps/kebab-cli/src/{inspect.unwrap(command.callback or cli).__module__.replace('.', '/')}.py"
    for text in help_texts(command.help or ""):
        if text:
            yield text, place
    for param in command.params:
        if isinstance(param, click.Option) and param.help:
            yield param.help, place
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is not None:
                yield from _help(child)


def _texts_of_click() -> Iterator[Entry]:
    """Yield the literals that the installed click passes to gettext, those that it does not, and one of a variable."""
    for text in ("required", "[OPTIONS]", "COMMAND [ARGS]...", "[COMMAND] [ARGS]..."):
        yield Entry(text, None, "click", "click/core.py")
    folder = Path(str(click.__file__)).parent
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"_", "ngettext"}
            ):
                texts = [
                    arg.value
                    for arg in node.args
                    if isinstance(arg, ast.Constant) and isinstance(arg.value, str)
                ]
                if texts:
                    yield Entry(texts[0], texts[1] if len(texts) > 1 else None, "click", f"click/{path.name}")


def read_catalogue() -> Catalog:
    """Read the catalogue; entries that are commented out are left out."""
    if not PO_FILE.exists():
        return Catalog(locale=LANGUAGE, domain=DOMAIN)
    with PO_FILE.open("rb") as file:
        catalogue = read_po(file, locale=LANGUAGE, domain=DOMAIN, ignore_obsolete=True)
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    return catalogue


def order_catalogue(catalogue: Catalog, texts: Sequence[Entry]) -> Catalog:
    """Make the catalogue of texts, by source file and text, with the translations of another."""
    ordered = Catalog(
        locale=LANGUAGE,
        domain=DOMAIN,
        header_comment=_HEADER,
        charset="utf-8",
        fuzzy=False,
        revision_date=None,
    )
    places: dict[str, list[Entry]] = {}
    for entry in texts:
        places.setdefault(entry.text, []).append(entry)
    for entries in sorted(places.values(), key=lambda each: (min(e.place for e in each), each[0].text)):
        text, plural = entries[0].text, next((each.plural for each in entries if each.plural), None)
        known = catalogue.get(text)
        (translation,) = _translations(known) or [""]
        ordered.add(
            (text, plural) if plural else text,
            (translation,) if plural else translation,
            locations=[(place, 0) for place in sorted({each.place for each in entries})],
            flags=() if known is None else known.flags - {"python-format", "python-brace-format"},
        )
    return ordered


def format_catalogue(catalogue: Catalog) -> str:
    """The text of the file."""
    file = io.BytesIO()
    write_po(file, catalogue, width=0, omit_header=False, include_lineno=False)
    text = file.getvalue().decode()
    return "".join(
        line
        for line in text.splitlines(keepends=True)
        if not line.startswith((
            '"POT-Creation-Date',
            '"PO-Revision-Date',
            '"Generated-By',
            '"Last-Translator',
            '"Language-Team',
            '"Project-Id-Version',
            '"Report-Msgid',
            "#, python",
        ))
    )


def compile_catalogue(catalogue: Catalog) -> bytes:
    """The bytes of the compiled file.

    Plurals are entries of their own, too: a text that was stored may be one, and gettext does not tell its plurals.
    """
    whole = deepcopy(catalogue)
    for entry in catalogue:
        if isinstance(entry.id, tuple | list):
            (translation,) = _translations(entry)
            whole.add(entry.id[1], translation)
    file = io.BytesIO()
    write_mo(file, whole)
    return file.getvalue()


def find_faults(catalogue: Catalog, entries: Sequence[Entry]) -> list[str]:
    """Find what is wrong with a catalogue: a line for each text that is missing, does not fit or is not used."""
    faults = [fault for entry in entries if (fault := _fault_of(entry, catalogue))]
    used = {entry.text for entry in entries}
    unused = [_text(each.id) for each in catalogue if each.id and _text(each.id) not in used]
    return [*dict.fromkeys(faults), *(f"unused: {text!r}" for text in unused)]


def _translations(known: BabelMessage | None) -> list[str]:
    """The translation of an entry; Korean has one form for all counts."""
    if known is None or not known.string:
        return [""]
    return [known.string] if isinstance(known.string, str) else [*(known.string or ())]


def _text(msgid: str | tuple[str, ...] | list[str]) -> str:
    return msgid if isinstance(msgid, str) else msgid[0]


def _fault_of(entry: Entry, catalogue: Catalog) -> str | None:
    known = catalogue.get(entry.text)
    translations = (
        [] if known is None else [known.string] if isinstance(known.string, str) else [*(known.string or ())]
    )
    if known is None or not translations or not all(translations):
        return f"missing: {entry.text!r} ({entry.place})"
    if known.fuzzy:
        return f"fuzzy: {entry.text!r} ({entry.place})"
    if (entry.plural is not None) and isinstance(known.id, str):
        return f"no plural: {entry.text!r} ({entry.place})"
    for translation in translations:
        try:
            wanted, found = _marks(entry.plural or entry.text, entry.kind), _marks(translation, entry.kind)
            fits = set(wanted) <= set(found) if entry.kind == "help" else wanted == found
        except ValueError as error:
            return f"broken: {translation!r}: {error} ({entry.place})"
        if not fits:
            return f"differs in fields: {entry.text!r}, {translation!r} ({entry.place})"
    return None


def _marks(text: str, kind: Kind) -> list[str]:
    """What a translation has in common with its text, of which it has the plural where there is one; sorted."""
    if kind == "help":
        return sorted(set(_LITERAL.findall(text)))
    if kind == "remedy":
        return sorted([*re.findall(r"\{[^{}]*\}", text), *_CHOICES.findall(text)])
    fields = string.Formatter().parse(text)
    return sorted({f"{name}!{conversion}:{spec}" for _, name, spec, conversion in fields if name is not None})


def main() -> None:
    """List faults, or write the catalogue and its compiled form; exit with 1 if there are faults."""
    parser = argparse.ArgumentParser(prog="python -m tools.catalogue")
    parser.add_argument(
        "--missing", action="store_true", help="list what is missing, does not fit or is not used"
    )
    parser.add_argument("--write", action="store_true", help="order and compile the catalogue")
    arguments = parser.parse_args()
    catalogue, texts = read_catalogue(), list_entries()
    if arguments.write:
        catalogue = order_catalogue(catalogue, texts)
        PO_FILE.parent.mkdir(parents=True, exist_ok=True)
        PO_FILE.write_text(format_catalogue(catalogue), encoding="utf-8")
        MO_FILE.write_bytes(compile_catalogue(read_catalogue()))
    if arguments.missing or not arguments.write:
        faults = find_faults(catalogue, texts)
        sys.stdout.write("".join(f"{fault}\n" for fault in faults))
        sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
