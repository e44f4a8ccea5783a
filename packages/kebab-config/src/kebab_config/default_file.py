"""The configuration file that `kebab init` writes, and the sources that it adds to one.

The file has every key with its default as a comment. A line that is active is a decision of the user; the others show
defaults that may improve with a later version.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, MutableMapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

from kebab_core import (
    DEFAULT_SOURCE_ID,
    ConfigInvalidError,
    InvalidInputError,
    Message,
    Remedy,
    SourceSettings,
    WorkspaceSettings,
)

from kebab_config.load import file_layer, join_layers, parse_text
from kebab_config.settings import (
    SCHEMA_VERSION,
    ConfigKey,
    Settings,
    check_section,
    config_keys,
    describe_field,
    section_docs,
    unknown_key,
)
from kebab_config.toml_file import read_config_file, replace_text, write_new

_HEAD = """\
# The configuration of kebab. Every key is here with its default; to change one, remove the `# ` before it.
# A variable KEBAB_<SECTION>_<KEY> wins over this file, and a flag over both.
# Paths may use ~, $HOME and ${VARIABLE:-fallback}; a relative one starts from the folder of this file.
"""


def write_default_config(
    path: Path,
    *,
    root: str | None = None,
    sources: Mapping[str, str] | None = None,
    values: Mapping[str, object] | None = None,
) -> None:
    """Write a commented file that only its owner may read; its folders are made.

    Args:
        path: A path that does not exist yet.
        root: Folder of documents to set as `workspace.root`; a dollar sign in it is taken literally.
        sources: Folders of several sources by their names, instead of `root`.
        values: Keys to set, by dotted name; JSON values.

    Raises:
        InvalidInputError: There is a file already; it is left as it is.
        ConfigInvalidError: `values` names a key that does not exist.
        StorageError: It cannot be written.
    """
    chosen = {"workspace.root": root.replace("$", "$$")} if root is not None else {}
    tables = [
        f"\n[[workspace.sources]]\nid = {_format_value(name)}\nroot = {_format_value(folder.replace('$', '$$'))}\n"
        for name, folder in (sources or {}).items()
    ]
    write_new(path, "".join([render_default_config({**chosen, **(values or {})}), *tables]))


def render_default_config(values: Mapping[str, object]) -> str:
    """The text of the file; `values` by dotted key are active lines, everything else is commented.

    Raises:
        ConfigInvalidError: `values` names a key that does not exist.
    """
    known = {key.key for key in config_keys()}
    for name in values:
        if name not in known:
            raise ConfigInvalidError("{key}: {reason}", key=name, _reason=unknown_key(name))
    lines = [_HEAD, f"schema_version = {SCHEMA_VERSION}"]
    keys_by_section: dict[str, list[ConfigKey]] = {section: [] for section in section_docs()}
    for each in config_keys():
        if "." in each.key:
            keys_by_section[each.key.rpartition(".")[0]].append(each)
    for section, keys in keys_by_section.items():
        lines += ["", f"[{section}]", f"# {section_docs()[section]}", "#"]
        for key in keys:
            lines += _render_key(key, values)
    return "\n".join(lines) + "\n"


def _render_key(key: ConfigKey, values: Mapping[str, object]) -> Iterator[str]:
    if key.kind == "list of tables":
        yield from _render_sources(key)
        return
    if remark := _remark(key):
        yield f"# {remark}"
    name = key.key.rpartition(".")[2]
    value = values.get(key.key, key.default)
    yield f"{'' if key.key in values else '# '}{name} = {_format_value(value)}"


def _render_sources(key: ConfigKey) -> Iterator[str]:
    yield f"# {_remark(key)}"
    yield "#   [[workspace.sources]]"
    examples = {"id": "notes", "root": "~/Notes", "trust_level": "secondary", "source_type": "reference"}
    for name, field in SourceSettings.model_fields.items():
        described = describe_field(name, field, section=SourceSettings)
        value = examples.get(name, described.default)
        yield f"#   {name} = {_format_value(value)}  # {_remark(described)}"


def _remark(key: ConfigKey) -> str:
    allowed = " | ".join(key.choices) or key.bounds
    unset = "empty is unset" if key.is_optional else ""
    remarks = (allowed, unset, key.effect_note)
    return " ".join(
        part for part in (key.description, *(f"({remark})" for remark in remarks if remark)) if part
    )


def _format_value(value: object) -> str:
    """A JSON value as TOML; None is an empty text."""
    return json.dumps("" if value is None else value, ensure_ascii=False).replace("\x7f", "\\u007f")


_SOURCE_ID = re.compile(r"[\w.-]+")
_NOT_IN_ID = re.compile(r"[^\w.-]+")


def add_source(path: Path, *, folder: Path, source_id: str) -> None:
    """Add a source to a file; comments, order and other values stay as they are.

    A file with one `workspace.root` (or none, which is the default one) gets that folder as its first source under
    its old name `default`, so that indexed documents keep their ids.

    Args:
        path: The file.
        folder: Absolute path of the documents.
        source_id: Name of the new source.

    Raises:
        InvalidInputError: The name or the folder is in use already, or the name has characters other than letters,
            digits, `.`, `_` and `-`.
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: It does not load.
        StorageError: It cannot be read or written.
    """
    import tomlkit
    from tomlkit.items import AoT

    file = read_config_file(path)
    settings = check_section(
        Settings,
        join_layers(file_layer(file.tables)),
        describe=lambda key: Message("line {line}", line=line) if (line := file.line_of(key)) else None,
        advise=lambda _key: Remedy(advice=Message("edit {path}", path=str(path))),
    )
    root = str(folder).replace("$", "$$")
    if not _SOURCE_ID.fullmatch(source_id):
        raise InvalidInputError(
            "{id!r} cannot name a source: use letters, digits, `.`, `_` and `-`",
            remedy=Remedy(advice=Message("give the source another name")),
            id=source_id,
        )
    _refuse_twin(settings.workspace, source_id=source_id, root=root)
    document = tomlkit.parse(file.text)
    workspace = document.setdefault("workspace", tomlkit.table())
    sources = workspace.get("sources")
    if sources is None:
        sources = tomlkit.aot()
        first = workspace.pop("root", WorkspaceSettings().root)
        sources.append(_source(tomlkit.table(), DEFAULT_SOURCE_ID, first))
        workspace["sources"] = sources
    entry = tomlkit.table() if isinstance(sources, AoT) else tomlkit.inline_table()
    sources.append(_source(entry, source_id, root))
    replace_text(path, tomlkit.dumps(document))


def name_sources(folders: Sequence[Path], *, taken: Collection[str] = ()) -> dict[str, Path]:
    """Name folders by their own names, as far as a source can have them.

    Args:
        folders: The folders.
        taken: Names that are in use.

    Returns:
        The folders by name, in their order.
    """
    named: dict[str, Path] = {}
    for folder in folders:
        name = _NOT_IN_ID.sub("-", unicodedata.normalize("NFC", folder.name)).strip("-.") or "source"
        choices = chain([name], (f"{name}-{number}" for number in count(2)))
        named[next(each for each in choices if each not in named and each not in taken)] = folder
    return named


def remove_source(path: Path, *, source_id: str) -> None:
    """Remove a source from a file; comments, order and other values stay as they are.

    Args:
        path: The file.
        source_id: Name of the source.

    Raises:
        InvalidInputError: There is no source of this name, or it is the only one.
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: It cannot be parsed.
        StorageError: It cannot be read or written.
    """
    import tomlkit

    document = tomlkit.parse(read_config_file(path).text)
    sources = document.get("workspace", {}).get("sources", [])
    names = [str(source.get("id")) for source in sources]
    if source_id not in names:
        raise InvalidInputError(
            "there is no source named {id!r}; there are {names}",
            remedy=Remedy(kind="show_config"),
            id=source_id,
            _names=", ".join(names) or DEFAULT_SOURCE_ID,
        )
    if len(names) == 1:
        raise InvalidInputError(
            "{id!r} is the only source",
            remedy=Remedy(kind="add_source", otherwise=Remedy(kind="init_anew")),
            id=source_id,
        )
    del sources[names.index(source_id)]
    replace_text(path, tomlkit.dumps(document))


def set_value(path: Path, key: str, text: str) -> None:
    """Set one key of a file. See `set_values`."""
    set_values(path, {key: text})


def set_values(path: Path, values: Mapping[str, str]) -> None:
    """Set keys of a file, all or none; comments, order and other values stay as they are.

    Args:
        path: The file.
        values: By dotted name, such as `search.default_k`, as in an environment variable.

    Raises:
        InvalidInputError: A key holds several sources.
        ConfigInvalidError: There is no such key, or it cannot have this value; the file is left as it is.
        ConfigNotFoundError: There is no such file.
        StorageError: It cannot be read or written.
    """
    import tomlkit

    known = {each.key: each for each in config_keys()}
    for key in values:
        if key not in known:
            reason = unknown_key(key)
            raise ConfigInvalidError(
                "{key}: {reason}", remedy=Remedy(kind="show_config"), key=key, _reason=reason
            )
        if known[key].kind == "list of tables":
            raise InvalidInputError(
                "{key} cannot be set by one value",
                remedy=Remedy(advice=Message("edit {path}", path=str(path))),
                key=key,
            )
    file = read_config_file(path)
    document = tomlkit.parse(file.text)
    for key, text in values.items():
        *sections, name = key.split(".")
        table: MutableMapping[str, Any] = document
        for section in sections:
            table = table.setdefault(section, tomlkit.table())
        table[name] = parse_text(text, known[key])
    check_section(
        Settings,
        join_layers(file_layer(document.unwrap())),
        describe=lambda _key: None,
        advise=lambda _key: Remedy(advice=Message("give another value")),
    )
    replace_text(path, tomlkit.dumps(document))


def _refuse_twin(workspace: WorkspaceSettings, *, source_id: str, root: str) -> None:
    roots = {str(source.id): source.root for source in workspace.sources} or {
        DEFAULT_SOURCE_ID: workspace.root
    }
    if source_id in roots:
        raise InvalidInputError(
            "there is a source named {id!r} already",
            remedy=Remedy(advice=Message("give the source another name")),
            id=source_id,
        )
    for name, known in roots.items():
        if known == root:
            raise InvalidInputError(
                "{root!r} is the folder of source {name!r} already",
                remedy=Remedy(kind="ingest"),
                _root=root,
                _name=name,
            )


def _source(entry: MutableMapping[str, Any], source_id: str, root: str) -> MutableMapping[str, Any]:
    entry["id"] = source_id
    entry["root"] = root
    return entry
