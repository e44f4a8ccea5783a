"""`pull_model`: download of a model from a hub into the models folder, whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import (
    ByteProgress,
    ByteSink,
    DependencyMissingError,
    Message,
    ModelCorruptError,
    ModelMissingError,
    Remedy,
    StorageError,
)

from kebab_embed_local.catalogue import CatalogueEntry, find_entry
from kebab_embed_local.hub import DEFAULT_HUB, Hub, RemoteFile, download, hub_client, mapped_storage_errors
from kebab_embed_local.tokenizer import require_tokenizers

if TYPE_CHECKING:
    import httpx2


SOURCE_FILE = "kebab-model.json"
"""Says where a pulled model came from, and the hashes it was checked against; it is written last."""
_SHA256_DIGITS = 64
"""Shorter hashes are those of git."""


class PulledModel(NamedTuple):
    """A model that is on this machine."""

    name: str
    folder: Path
    repository: str
    revision: str
    total_bytes: int


def pull_model(
    name: str,
    *,
    models_dir: Path,
    entry: CatalogueEntry | None = None,
    progress: ByteSink | None = None,
    hub: str = DEFAULT_HUB,
    transport: httpx2.BaseTransport | None = None,
) -> PulledModel:
    """Have a model of the catalogue, or of fastembed's list, in its folder below the models folder.

    All files come from one revision, the newest when the pull began, and each is checked against the hash that the
    hub lists. The folder appears whole or not at all; what an interrupted pull of the same revision left is gone on
    with. A model that is there already is left alone, without asking the hub.

    Args:
        name: What the settings call it.
        models_dir: Made if need be.
        entry: Where the model is; None looks its name up.
        progress: Told of every piece.
        hub: Address of the server.
        transport: Stands for the network in tests.

    Returns:
        Where it is now.

    Raises:
        InvalidInputError: There is no such model.
        DependencyMissingError: Only fastembed may know it, and that is not installed; or what it runs with is not.
        ModelMissingError: The hub does not have it, or not all of it.
        ModelCorruptError: What arrived is not what the hub lists.
        ModelUnreachableError: The hub cannot be reached.
        OperationTimeoutError: It falls silent.
        StorageError: There is no room, or the folder cannot be written.
    """
    entry = entry or find_entry(name)
    present = read_pulled(models_dir / entry.name)
    if present is not None:
        return present
    require_tokenizers()  # before gigabytes are fetched that could not be used
    with hub_client(transport) as client:
        server = Hub(client, hub)
        revision = server.revision(entry.repository)
        files = _wanted(entry, server.files(entry.repository, revision))
        staging = models_dir / f".{entry.name}.{revision[:12]}.partial"
        with mapped_storage_errors(staging):
            staging.mkdir(parents=True, exist_ok=True, mode=0o700)
            _check_room(staging, files)
        _download_all(
            server, entry, revision, files=files, staging=staging, progress=progress or (lambda _: None)
        )
    return _settle(entry, revision, files, staging=staging, folder=models_dir / entry.name)


def find_missing(name: str, *, models_dir: Path) -> tuple[Remedy, ...]:
    """Find what has to be done before a model of the catalogue can be used, in order."""
    steps = []
    try:
        require_tokenizers()
    except DependencyMissingError as error:
        steps += [error.remedy] if error.remedy else []
    if read_pulled(models_dir / name) is None:
        steps.append(Remedy(kind="pull_model", name=name))
    return tuple(steps)


def read_pulled(folder: Path) -> PulledModel | None:
    """Return the model that was pulled into a folder; None if none was, or a file of it is gone or cut."""
    try:
        source = json.loads((folder / SOURCE_FILE).read_text("utf-8"))
        sizes = {str(path): int(size) for path, size in source["files"].items()}
        if any((folder / path).stat().st_size != size for path, size in sizes.items()):
            return None
        return PulledModel(folder.name, folder, source["repository"], source["revision"], sum(sizes.values()))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def verify_pulled(folder: Path) -> None:
    """Read every file of a pulled model, and compare it with the hash that the hub listed; other folders have none.

    Raises:
        ModelCorruptError: A file is gone or has changed.
    """
    try:
        source = json.loads((folder / SOURCE_FILE).read_text("utf-8"))
        files = [
            RemoteFile(name, source["files"][name], digest if len(digest) == _SHA256_DIGITS else None, digest)
            for name, digest in source["hashes"].items()
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    for file in files:
        path = folder / file.path
        if not (path.is_file() and file.matches(path)):
            raise ModelCorruptError(
                "{name} is not the file that the hub lists",
                remedy=Remedy(
                    advice=Message("move {path!r} away", path=str(folder)),
                    then=Remedy(kind="pull_model", name=folder.name),
                ),
                file=str(path),
                _name=file.path,
            )


def _wanted(entry: CatalogueEntry, listed: dict[str, RemoteFile]) -> list[RemoteFile]:
    missing = [path for path in entry.required if path not in listed]
    if missing:
        raise ModelMissingError(
            "{repository} does not have {missing} any more",
            repository=entry.repository,
            _missing=", ".join(missing),
        )
    return [listed[path] for path in (*entry.required, *entry.optional) if path in listed]


def _check_room(staging: Path, files: Sequence[RemoteFile]) -> None:
    there = sum(file.stat().st_size for file in staging.rglob("*") if file.is_file())
    needed = sum(file.size for file in files) - there
    free = shutil.disk_usage(staging).free
    if free < needed:
        raise StorageError(
            "the model needs {needed:.0f} MB, and {free:.0f} MB are free",
            remedy=Remedy(
                kind="free_space", otherwise=Remedy(kind="change_setting", setting="storage.data_dir")
            ),
            needed_bytes=needed,
            free_bytes=free,
            _needed=needed / 1e6,
            _free=free / 1e6,
        )


def _download_all(
    server: Hub,
    entry: CatalogueEntry,
    revision: str,
    *,
    files: Sequence[RemoteFile],
    staging: Path,
    progress: ByteSink,
) -> None:
    total, done = sum(file.size for file in files), 0
    for file in files:

        def advance(length: int, file: RemoteFile = file) -> None:
            nonlocal done
            done += length
            progress(ByteProgress(file.path, done, total))

        url = server.url(entry.repository, revision, file.path)
        download(server, url, file, target=staging / file.path, advance=advance)


def _settle(
    entry: CatalogueEntry, revision: str, files: Sequence[RemoteFile], *, staging: Path, folder: Path
) -> PulledModel:
    source = {
        "repository": entry.repository,
        "revision": revision,
        "licence": entry.licence,
        "files": {file.path: file.size for file in files},
        "hashes": {file.path: file.sha256 or file.git_sha1 for file in files},
    }
    with mapped_storage_errors(folder):
        (staging / SOURCE_FILE).write_text(json.dumps(source, indent=2) + "\n", "utf-8")
        if folder.exists():
            shutil.rmtree(folder)
        staging.replace(folder)
    return PulledModel(entry.name, folder, entry.repository, revision, sum(file.size for file in files))
