"""The use cases `export_backup` and `import_backup`: a knowledge base as one file, and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_config import default_config_file, load_settings, put_in_place
from kebab_core import InvalidInputError, Remedy
from kebab_ingest import NOTES_SOURCE, list_external, restore_external

from kebab_app.knowledge_base import DATABASE_NAME, KnowledgeBase
from kebab_app.reset import ResetScope, delete_path, plan_reset
from kebab_app.store import (
    CONFIG_NAME,
    RUN_FILE,
    open_archive,
    stage_backup,
    write_backup,
)

if TYPE_CHECKING:
    from kebab_core import ByteSink

    from kebab_app.store import Backup, BackupManifest

_EXTERNAL = "external"


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    """Result of an import."""

    manifest: BackupManifest
    config_path: Path | None
    data_dir: Path
    documents: int
    missing_roots: tuple[Path, ...]
    """Folders of sources that are not on this machine; what is indexed of them stays."""
    kept_apart: tuple[Path, ...]
    """External documents whose source has no folder here, or another file of that name: where they are now."""
    endpoints: Mapping[str, str]
    """Addresses of servers in the configuration of the backup, by dotted key."""
    backup_path: Path | None  # of the configuration that was replaced


def export_backup(base: KnowledgeBase, target: Path, *, replace: bool, progress: ByteSink) -> Backup:
    """Write everything that belongs to a knowledge base into one archive. See `write_backup` of the store."""
    base.require_writable()
    config, runs = base.loaded.config_path, base.data_dir / "runs"
    files = {} if config is None else {CONFIG_NAME: config}
    files |= {f"{_EXTERNAL}/{name}": path for name, path in list_external(base.source_roots).items()}
    files |= {f"runs/{name}": path for name, path in _list_runs(runs)}
    return write_backup(
        base.open_for_reading(),
        target.expanduser().absolute(),
        files=files,
        kebab_version=version("kebab-app"),
        replace=replace,
        progress=progress,
    )


def _list_runs(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of stored evaluations: path in the folder, path on disk; other files and links are the user's."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        is_plain = path.is_file() and not (path.is_symlink() or path.parent.is_symlink())
        if RUN_FILE.fullmatch(name) and is_plain:
            yield name, path


def import_backup(
    archive: Path,
    *,
    config_path: Path | None,
    environ: Mapping[str, str],
    replace: bool,
    progress: ByteSink,
) -> ImportResult:
    """Make the knowledge base of a backup; nothing changes before all of the backup is unpacked and checked.

    Args:
        archive: The backup.
        config_path: Path of the configuration file; None is the default one.
        environ: The environment.
        replace: Replace the configuration and the knowledge base that are there.
        progress: Gets each step.

    Raises:
        InvalidInputError: The backup is damaged, or something is there and `replace` is false.
        ConfigInvalidError: The configuration of the backup does not load here.
        SchemaTooOldError: An older kebab has written the backup, and its database cannot be migrated.
        SchemaTooNewError: A newer kebab has written the backup.
        LockedError: Another process is writing the knowledge base that is there.
        StorageError: There is no space, or something cannot be written.
    """
    path = (config_path or default_config_file(environ)).expanduser().absolute()
    with open_archive(archive.expanduser()) as backup:
        content = b"".join(backup.read_blocks(CONFIG_NAME)) if CONFIG_NAME in backup else None
        loaded = load_settings(
            config_path=config_path if content is None else path, environ=environ, content=content
        )
        is_new_config = content is not None and not (path.is_file() and path.read_bytes() == content)
        data_dir = loaded.paths.data_dir
        for place in (*([path] if is_new_config else []), data_dir / DATABASE_NAME):
            if place.exists() and not replace:
                raise InvalidInputError(
                    "{path!r} exists already and was left as it is",
                    remedy=Remedy(
                        kind="replace_base",
                        path=str(archive),
                        otherwise=Remedy(kind="set", setting="storage.data_dir"),
                    ),
                    path=str(place),
                )
        # without a database the folder may be the user's own; the lock files that are made below say nothing
        had_base = (data_dir / DATABASE_NAME).exists()
        base = KnowledgeBase(loaded)
        apart = data_dir / f"{_EXTERNAL}-{backup.manifest.created_at:%Y%m%dT%H%M%SZ}"
        with stage_backup(backup, data_dir, clock=base.clock, progress=progress) as staged:
            roots = {**base.source_roots, NOTES_SOURCE: base.notes_source.root}
            placeless = restore_external(staged.list_files(_EXTERNAL), roots)
            for name in placeless:
                staged.move(f"{_EXTERNAL}/{name}", apart / name)
            new_config = content if is_new_config else None
            with put_in_place(path, new_config, is_final=lambda: staged.is_installed) as config_backup:
                for derived in plan_reset(base, ResetScope.VECTOR_ONLY) if had_base else ():
                    delete_path(derived)
                staged.install()
    folders = (source.root for source in loaded.paths.sources if source.settings.is_folder)
    return ImportResult(
        manifest=backup.manifest,
        config_path=loaded.config_path,
        data_dir=data_dir,
        documents=staged.documents,
        missing_roots=tuple(root for root in folders if not root.is_dir()),
        kept_apart=tuple(apart / name for name in placeless),
        endpoints={} if content is None else loaded.file_endpoints,
        backup_path=config_backup,
    )
