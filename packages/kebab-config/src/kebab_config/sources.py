"""Adding a folder of documents to a configuration file."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from kebab_core import DEFAULT_SOURCE_ID, InvalidInputError, WorkspaceSettings

from kebab_config.atomic_write import replace_text
from kebab_config.check import check_settings
from kebab_config.layers import file_layer, join_layers
from kebab_config.toml_file import read_config_file

_SOURCE_ID = re.compile(r"[A-Za-z0-9._-]+")


def add_source(path: Path, *, folder: Path, source_id: str) -> None:
    """Add a source to a file; comments, order and other values stay as they are.

    A file with one `workspace.root` (or none, which is the default one) gets that folder as its first source under
    the name it has had, `default`, so that what is indexed keeps its identity.

    Args:
        path: The file.
        folder: Absolute path of the documents.
        source_id: Name of the new source.

    Raises:
        InvalidInputError: The name or the folder is there already, or the name holds other than letters, digits,
            `.`, `_` and `-`.
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: It does not load.
        StorageError: It cannot be read or written.
    """
    import tomlkit
    from tomlkit.items import AoT

    file = read_config_file(path)
    settings = check_settings(
        join_layers(file_layer(file.tables)),
        describe=lambda key: f"line {line}" if (line := file.line_of(key)) else "",
        advise=lambda _key: f"edit {path}",
    )
    root = str(folder).replace("$", "$$")
    _refuse_name(source_id)
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


def _refuse_name(source_id: str) -> None:
    if not _SOURCE_ID.fullmatch(source_id):
        raise InvalidInputError(
            f"{source_id!r} cannot name a source: use letters, digits, `.`, `_` and `-`",
            hint="add --id NAME",
            id=source_id,
        )


def _refuse_twin(workspace: WorkspaceSettings, *, source_id: str, root: str) -> None:
    roots = {str(source.id): source.root for source in workspace.sources} or {
        DEFAULT_SOURCE_ID: workspace.root
    }
    if source_id in roots:
        raise InvalidInputError(
            f"there is a source named {source_id!r} already", hint="choose another --id", id=source_id
        )
    for name, known in roots.items():
        if known == root:
            raise InvalidInputError(f"{root!r} is the folder of source {name!r} already", hint="kebab ingest")


def _source(entry: MutableMapping[str, Any], source_id: str, root: str) -> MutableMapping[str, Any]:
    entry["id"] = source_id
    entry["root"] = root
    return entry
