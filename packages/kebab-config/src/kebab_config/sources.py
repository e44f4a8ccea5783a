"""Adding a folder to the configuration file, with everything else in it left as it is."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

from kebab_core import DEFAULT_SOURCE_ID, InvalidInputError, WorkspaceSettings
from pydantic import ValidationError

from kebab_config.atomic_write import replace_text
from kebab_config.toml_file import read_config_file


def add_source(path: Path, *, folder: Path, source_id: str) -> None:
    """Add one source to a configuration file.

    A file with a single `workspace.root` gets two sources: that root under the id `default`, so that what is
    indexed of it stays what it is, and the new one.

    Args:
        path: The configuration file.
        folder: Absolute path of the folder to add.
        source_id: Its name.

    Raises:
        InvalidInputError: The id or the folder is there already, or the id is not a name.
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: The file is not valid TOML.
        StorageError: It cannot be written.
    """
    import tomlkit

    document = tomlkit.parse(read_config_file(path).text)
    workspace = document.setdefault("workspace", tomlkit.table())
    sources = workspace.get("sources")
    if sources is None:
        sources = tomlkit.aot()
        sources.append(_entry(DEFAULT_SOURCE_ID, workspace.pop("root", WorkspaceSettings().root)))
    _refuse_twins(list(sources), folder=folder, source_id=source_id)
    sources.append(_entry(source_id, str(folder)))
    workspace["sources"] = sources
    _check(workspace.unwrap(), source_id)
    replace_text(path, tomlkit.dumps(document))


def _entry(source_id: str, root: str) -> MutableMapping[str, Any]:
    import tomlkit

    table = tomlkit.table()
    table.update({"id": source_id, "root": root})
    return table


def _refuse_twins(sources: list[MutableMapping[str, Any]], *, folder: Path, source_id: str) -> None:
    for source in sources:
        if source.get("id") == source_id:
            raise InvalidInputError(
                f"there is a source named {source_id!r} already", hint="choose another --id", id=source_id
            )
        if source.get("root") == str(folder):
            raise InvalidInputError(
                f"{str(folder)!r} is the folder of source {source.get('id')!r} already", hint="kebab ingest"
            )


def _check(workspace: dict[str, Any], source_id: str) -> None:
    try:
        WorkspaceSettings.model_validate(workspace)
    except ValidationError as error:
        raise InvalidInputError(
            f"{source_id!r} cannot name a source: use letters, digits, `.`, `_` and `-`", id=source_id
        ) from error
