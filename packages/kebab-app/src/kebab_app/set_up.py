"""Setting up a knowledge base: configuration, data folder, database, and a folder for documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import ConfigInvalidError, InvalidInputError, StorageError

from kebab_app.clock import SystemClock
from kebab_app.wiring import open_store

if TYPE_CHECKING:
    from kebab_wire import InitReport


MODEL_SETS: Mapping[str, Mapping[str, object]] = {
    "small": {},
    "large": {
        "models.embedding.provider": "fastembed",
        "models.embedding.model": "multilingual-e5-large",
        "models.embedding.dimensions": 1024,
    },
}
"""By name: what is set in a new configuration; `small` is what comes with kebab."""


def initialize(
    *,
    config_path: Path | None,
    root: Path | None,
    environ: Mapping[str, str],
    force: bool = False,
    models: str | None = None,
) -> InitReport:
    """Make what is missing; what exists stays as it is.

    Args:
        config_path: The configuration file; None is the default place.
        root: Folder of documents to write into a new configuration; None is the default one.
        environ: The environment.
        force: Put an existing configuration aside as `.bak` and write a new one.
        models: A key of `MODEL_SETS`; needs a configuration that is written, not one that is kept.

    Returns:
        What was made and what was there already, each in the order config, data, database, documents.

    Raises:
        ConfigInvalidError: An existing configuration does not load, or the new one would not; it is not kept.
        InvalidInputError: Models are named and the configuration is there already.
        StorageError: Something cannot be made.
    """
    from kebab_config import default_config_file, load_settings
    from kebab_wire import InitReport

    path = (config_path or default_config_file(environ)).expanduser().absolute()
    created: list[str] = []
    kept: list[str] = []
    if models is not None and path.exists() and not force:
        raise InvalidInputError(
            f"the configuration {str(path)!r} is there already, with its own models",
            hint="set [models.embedding] in it, or let --force put it aside",
            path=str(path),
        )
    values = MODEL_SETS[models or "small"]
    backup = _write_config(path, root=root, values=values, force=force, created=created, kept=kept)
    try:
        loaded = load_settings(config_path=path, environ=environ)
    except ConfigInvalidError:
        if str(path) in created:
            _take_back(path, backup)
        raise
    data_dir = loaded.paths.data_dir
    _note(data_dir, created, kept)
    database = data_dir / "kebab.sqlite"
    _note(database, created, kept)
    with open_store(data_dir, loaded, clock=SystemClock(), readonly=False) as store:
        schema = store.schema_version
    for source in loaded.paths.sources:
        _note(source.root, created, kept)
        _make_folder(source.root)
    return InitReport(
        config_path=str(path),
        data_dir=str(data_dir),
        database_schema_version=schema,
        roots=tuple(str(source.root) for source in loaded.paths.sources),
        created=tuple(created),
        kept=tuple(kept),
        backup_path=str(backup) if backup else None,
    )


def _take_back(path: Path, backup: Path | None) -> None:
    """Leave the configuration as it was before one that cannot work was written."""
    if backup is not None:
        backup.replace(path)
    else:
        path.unlink()


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            f"cannot make {str(path)!r}: {error.strerror}",
            hint="make it yourself, or set `workspace.root` to another folder",
            path=str(path),
        ) from error


def _note(path: Path, created: list[str], kept: list[str]) -> None:
    (kept if path.exists() else created).append(str(path))


def _write_config(
    path: Path,
    *,
    root: Path | None,
    values: Mapping[str, object],
    force: bool,
    created: list[str],
    kept: list[str],
) -> Path | None:
    from kebab_config import back_up, write_default_config

    backup = None
    if path.exists() and force:
        backup = back_up(path)
        path.unlink()
    _note(path, created, kept)
    if not path.exists():
        write_default_config(path, root=str(root.expanduser().absolute()) if root else None, values=values)
    return backup
