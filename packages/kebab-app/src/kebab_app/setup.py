"""Setting up: configuration, data folder, database and a folder for documents; and a throw-away base over the guides."""

from __future__ import annotations

import json
import tempfile
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import (
    ConfigInvalidError,
    EmbeddingIdentity,
    InvalidInputError,
    Message,
    Remedy,
    StorageError,
    TextHash,
)

from kebab_app.knowledge_base import DATABASE_NAME
from kebab_app.wiring import SystemClock, open_store

if TYPE_CHECKING:
    from kebab_config import LoadedSettings
    from kebab_core import ChatServer

    from kebab_app.app import App
    from kebab_app.knowledge_base import KnowledgeBase


_GUIDE_VECTORS = "guide_vectors.json"
"""File of the vectors of the guides, beside them; `python -m tools.docs.generate` writes it."""
MODEL_SETS: Mapping[str, Mapping[str, object]] = {
    "small": {},
    "large": {
        "models.embedding.provider": "fastembed",
        "models.embedding.model": "multilingual-e5-large",
        "models.embedding.dimensions": 1024,
    },
}
"""Name of a model set to the settings of a new configuration; `small` comes with kebab."""


@dataclass(frozen=True, kw_only=True)
class InitResult:
    """Result of `initialize`."""

    config_path: Path
    data_dir: Path
    database_schema_version: int
    roots: tuple[Path, ...]
    """Folders of documents."""
    created: tuple[Path, ...]
    """Paths that were made, in the order configuration, data, database, documents."""
    kept: tuple[Path, ...]
    """Paths that existed."""
    backup_path: Path | None = None
    """The old configuration."""
    missing: tuple[Remedy, ...] = ()
    """What has to be done before the models of the configuration can be used, in order."""
    chat_servers: tuple[ChatServer, ...] = ()
    """Servers on this machine whose models could write the answers; empty where the configuration was there already."""


def initialize(
    *,
    config_path: Path | None,
    root: Path | None,
    environ: Mapping[str, str],
    force: bool = False,
    models: str | None = None,
    more_roots: Sequence[Path] = (),
) -> InitResult:
    """Make what is missing of configuration, data folder, database and folder of documents; what exists stays.

    A new configuration in a place of its own gets a data folder of its own where another one uses the default one: two
    sets of sources over one index would delete each other's documents.

    Args:
        config_path: The configuration file; None is the default place.
        root: Folder of documents to write into a new configuration; None is the default one.
        environ: The environment.
        force: Put an existing configuration aside as `.bak` and write a new one.
        models: A key of `MODEL_SETS`; needs a configuration that is written, not one that is kept.
        more_roots: Further folders of documents; each is then a source, named after its folder.

    Raises:
        ConfigInvalidError: An existing configuration does not load, or the new one would not; it is not kept.
        InvalidInputError: Models are named and the configuration is there already.
        StorageError: Something cannot be made.
    """
    from kebab_config import absolute_path, default_config_file, load_settings, set_value

    path = (config_path or default_config_file(environ)).expanduser().absolute()
    created: list[Path] = []
    kept: list[Path] = []
    if models is not None and path.exists() and not force:
        raise InvalidInputError(
            "the configuration {path!r} is there already, with its own models",
            remedy=Remedy(kind="set", setting="models.embedding", otherwise=Remedy(kind="init_anew")),
            path=str(path),
        )
    values = MODEL_SETS[models or "small"]
    folders = list(dict.fromkeys(absolute_path(each) for each in (root, *more_roots) if each is not None))
    _refuse_overlaps(folders)
    made = [each for each in folders if not each.exists()] if force or not path.exists() else []
    for folder in made:
        _make_folder(folder)
    backup = _write_config(path, folders=folders, values=values, force=force, created=created, kept=kept)
    try:
        loaded = load_settings(config_path=path, environ=environ)
        is_new = path in created and backup is None and path != default_config_file(environ).absolute()
        if is_new and _is_taken(loaded):
            set_value(path, "storage.data_dir", _choose_data_dir(loaded.paths.data_dir, path.stem))
            loaded = load_settings(config_path=path, environ=environ)
    except ConfigInvalidError:
        if path in created:
            _restore_config(path, backup)
        for folder in made:
            folder.rmdir()
        raise
    data_dir = loaded.paths.data_dir
    _record(data_dir, created, kept)
    database = data_dir / DATABASE_NAME
    _record(database, created, kept)
    with open_store(loaded, clock=SystemClock(), readonly=False) as store:
        schema = store.schema_version
    for source in loaded.paths.sources:
        if source.settings.is_folder:
            (created if source.root in made or not source.root.exists() else kept).append(source.root)
            _make_folder(source.root)
    return InitResult(
        config_path=path,
        data_dir=data_dir,
        database_schema_version=schema,
        roots=tuple(source.root for source in loaded.paths.sources),
        created=tuple(created),
        kept=tuple(kept),
        backup_path=backup,
        missing=_find_missing(loaded) if models == "large" else (),
        chat_servers=_find_chat_servers() if path in created else (),
    )


def add_folder(loaded: LoadedSettings, folder: Path, *, source_id: str | None = None) -> None:
    """Add a folder of documents to the configuration file, as a source.

    Args:
        loaded: The settings of the file.
        folder: The folder.
        source_id: Name of the source; None is that of the folder.

    Raises:
        ConfigNotFoundError: There is no configuration file.
        InvalidInputError: Another source holds the folder, lies in it or has the name; or as `kebab_config.add_source`.
    """
    from kebab_config import absolute_path, add_source, name_sources

    folder = absolute_path(folder)
    place = folder.resolve()
    roots = {source.settings.id: source.root.resolve() for source in loaded.paths.sources}
    twice = [
        f"{name} ({root})"
        for name, root in roots.items()
        if place != root and (place.is_relative_to(root) or root.is_relative_to(place))
    ]
    if twice:
        edit = Message(
            "add a folder that does not overlap, or edit {path} so that one source covers both",
            path=str(loaded.config_path),
        )
        raise InvalidInputError(
            Message(
                "{folder!r} overlaps source {sources}: files of both would be indexed twice",
                plural="{folder!r} overlaps sources {sources}: files of both would be indexed twice",
                count=len(twice),
                folder=str(folder),
                sources=", ".join(twice),
            ),
            remedy=Remedy(advice=edit),
        )
    (name,) = name_sources([folder], taken=[str(name) for name in roots])
    add_source(loaded.paths.config_file, folder=folder, source_id=source_id or name)


def _find_chat_servers() -> tuple[ChatServer, ...]:
    from kebab_llm_local import find_chat_servers

    return find_chat_servers()


def choose_chat_model(config_path: Path, server: ChatServer, model: str) -> None:
    """Write into the configuration that a chat model writes the answers.

    Args:
        config_path: The configuration file.
        server: The server that has the model.
        model: Its name.

    Raises:
        StorageError: The file cannot be written.
    """
    from kebab_config import set_value

    set_value(config_path, "models.llm.provider", server.provider)
    set_value(config_path, "models.llm.model", model)
    if server.endpoint is not None:
        set_value(config_path, "models.llm.endpoint", server.endpoint)


def _is_taken(loaded: LoadedSettings) -> bool:
    """Whether the default data folder is that of another configuration."""
    is_default = loaded.origins["storage.data_dir"].kind == "default"
    return is_default and (loaded.paths.data_dir / DATABASE_NAME).exists()


def _choose_data_dir(default: Path, name: str) -> str:
    names = chain([f"{default.name}-{name}"], (f"{default.name}-{name}-{number}" for number in count(2)))
    return str(next(path for path in map(default.with_name, names) if not path.exists())).replace("$", "$$")


def _find_missing(loaded: LoadedSettings) -> tuple[Remedy, ...]:
    from kebab_embed_local import find_missing

    return find_missing(loaded.settings.models.embedding.model, models_dir=loaded.paths.models_dir)


def _restore_config(path: Path, backup: Path | None) -> None:
    """Restore the configuration that was replaced by an invalid one."""
    if backup is not None:
        backup.replace(path)
    else:
        path.unlink()


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(
            "cannot make {path!r}: {reason}",
            remedy=Remedy(
                advice=Message("make the folder {path!r} yourself", path=str(path)),
                otherwise=Remedy(kind="set", setting="workspace.root"),
            ),
            path=str(path),
            _reason=error.strerror,
        ) from error


def _record(path: Path, created: list[Path], kept: list[Path]) -> None:
    (kept if path.exists() else created).append(path)


def _write_config(
    path: Path,
    *,
    folders: Sequence[Path],
    values: Mapping[str, object],
    force: bool,
    created: list[Path],
    kept: list[Path],
) -> Path | None:
    from kebab_config import back_up, name_sources, write_default_config

    backup = None
    if path.exists() and force:
        backup = back_up(path)
        path.unlink()
    _record(path, created, kept)
    if not path.exists():
        is_one = len(folders) == 1
        sources = {name: str(folder) for name, folder in name_sources(folders).items()}
        root = str(folders[0]) if is_one else None
        write_default_config(path, root=root, sources={} if is_one else sources, values=values)
    return backup


def _refuse_overlaps(folders: Sequence[Path]) -> None:
    """Refuse folders of which one lies in another.

    Raises:
        InvalidInputError: Files of both would be indexed twice.
    """
    for folder in folders:
        inner = next((each for each in folders if each != folder and each.is_relative_to(folder)), None)
        if inner is not None:
            raise InvalidInputError(
                "{inner!r} lies in {folder!r}: files of both would be indexed twice",
                remedy=Remedy(kind="init", path=str(folder)),
                _inner=str(inner),
                _folder=str(folder),
            )


@contextmanager
def open_demo() -> Iterator[App]:
    """Open a knowledge base whose only source is the guides; everything it writes is deleted after.

    The user's configuration, environment and data take no part. Search is by words, and by meaning as well where the
    model that comes with kebab has its weights. Vectors of the guides are there already.

    Yields:
        The knowledge base, nothing ingested yet.
    """
    from kebab_config import load_settings
    from kebab_model_e5_small import files as model_files

    from kebab_app.app import App

    with tempfile.TemporaryDirectory(prefix="kebab-demo-") as folder, as_file(_guides()) as guides:
        home = Path(folder)
        environ = {
            "HOME": folder,
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CACHE_HOME": str(home / "cache"),
        }
        overrides = {
            "workspace.root": str(guides),
            "storage.data_dir": str(home / "data"),
            "models.embedding.provider": "bundled" if model_files() else "none",
            "models.embedding.precision": "fp32",  # that of the vectors that come with kebab
        }
        loaded = load_settings(config_path=None, environ=environ, overrides=overrides)
        with App(loaded) as app:
            if app.base.wants_vectors:
                _store_guide_vectors(app.base)
            yield app


def _guides() -> Path:
    return Path(str(files("kebab_app") / "guide"))


def _store_guide_vectors(base: KnowledgeBase) -> None:
    """Store the vectors of the guides, which come with kebab: to make them takes half a minute of CPU time."""
    known = json.loads((files("kebab_app") / _GUIDE_VECTORS).read_text("utf-8"))
    vectors = {TextHash(bytes.fromhex(each)): b64decode(vector) for each, vector in known["vectors"].items()}
    base.open_for_writing()
    base.index.embeddings.put(EmbeddingIdentity.model_validate(known["model"]), vectors)
