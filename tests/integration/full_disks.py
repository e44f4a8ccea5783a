"""Runs of ingest that meet the end of the disk, and what has to be true of them and of the next run."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from kebab_app import App
from kebab_testing.full_disks import run_with_small_files

from tests.integration.killed_runs import NEW, OLD, Document, KilledBase, dump_all, dump_documents


def run_kebab(
    base: KilledBase, *arguments: str, max_bytes: int = resource.RLIM_INFINITY
) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does, where no file may grow beyond so many bytes."""
    base.load()
    config = str(base.home / "data.toml")
    return run_with_small_files(
        [sys.executable, "-m", "kebab_cli", *arguments, "--config", config],
        max_bytes=max_bytes,
        env={"HOME": str(base.home), "PYTHONWARNINGS": "error"},
    )


def faults_of_full_run(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return what a run that met a full disk did not say as it should."""
    if done.returncode != 2:
        return [f"exit code {done.returncode}: {done.stderr}"]
    try:
        error = json.loads(done.stderr)
    except ValueError:
        return [f"stderr is more than one error: {done.stderr[-600:]!r}"]
    if error["code"] != "io_error" or "disk space" not in error["hint"]:
        return [f"the error is {error}"]
    return []


def make_index(home: Path) -> tuple[KilledBase, dict[str, Document]]:
    """Return a knowledge base over the old files whose folder holds the new ones, and what is stored."""
    base = KilledBase(home)
    base.write(OLD)
    base.ingest()
    with App(base.load()) as app:
        old = dump_documents(app)
    base.write({path: content.replace(b"FAILS", b"works") for path, content in NEW.items()})
    return base, old


def faults_after(base: KilledBase, old: dict[str, Document]) -> list[str]:
    """Return what is not as it was, or as it is to be, in the index and then after a run with space."""
    base.ingest("fresh")
    with App(base.load("fresh")) as app:
        expected, new = dump_all(app), dump_documents(app)
    with App(base.load()) as app:
        seen = dump_documents(app)
    faults = [f"{path} is a mixture" for path in seen if seen[path] not in (old.get(path), new.get(path))]
    faults += [f"{path} is gone" for path in old if path in new and path not in seen]
    base.ingest()
    with App(base.load()) as app:
        found = dump_all(app)
        faults += [
            f"{name} are not those of a new index" for name in expected if found[name] != expected[name]
        ]
        return faults + [f"doctor: {c.name}: {c.detail}" for c in app.doctor().checks if not c.ok]


def can_mount() -> bool:
    """Return whether a file system can be mounted here, which takes root and its capabilities."""
    with tempfile.TemporaryDirectory() as folder:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=False, capture_output=True)
        if mounted.returncode == 0:
            subprocess.run(["umount", folder], check=True)
    return mounted.returncode == 0


def find_faults_on_small_disk(home: Path, *, free: int) -> list[str]:
    """Ingest with the data folder on a disk that has so many bytes left; return what was not as promised."""
    data = home / "data"
    data.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256m,mode=700", "tmpfs", str(data)], check=True)
    try:
        base, old = make_index(home)
        filler = data / "filler"
        status = os.statvfs(data)
        with filler.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, status.f_bavail * status.f_frsize - free)
        faults = faults_of_full_run(run_kebab(base, "ingest", "--json"))
        filler.unlink()
        return faults + faults_after(base, old)
    finally:
        subprocess.run(["umount", str(data)], check=True)
