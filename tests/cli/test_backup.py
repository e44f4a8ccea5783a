"""`kebab export` and `kebab import` as users run them: the same results on the other side, and kills at any moment."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

QUERIES = (
    ["search", "색인은 언제 다시 만들어지나요?"],
    ["search", "rollback", "--explain"],
    ["ask", "how long does rolling back take?"],
    ["list", "docs"],
)


@pytest.fixture
def elsewhere(quick, tmp_path: Path):  # type: ignore[no-untyped-def]
    """An empty folder with a home of its own, for a base whose settings name folders beside the configuration."""
    folder = tmp_path / "다른 곳"
    folder.mkdir()
    return type(quick)(folder, quick.kebab)


def comparable(text: str) -> object:
    """Return a wire object without what differs from call to call, and without the paths of files on this machine."""
    value = json.loads(text, object_hook=lambda fields: {k: v for k, v in fields.items() if k != "file"})
    for name in ("trace_id", "created_at", "usage", "elapsed_ms", "took_ms"):
        value.pop(name, None)
    value.get("retrieval", {}).pop("trace_id", None)
    return value


@pytest.mark.parametrize("arguments", QUERIES, ids=lambda arguments: " ".join(arguments))
def test_every_result_is_the_same_on_the_other_side(quick, elsewhere, arguments: list[str]) -> None:  # type: ignore[no-untyped-def]
    quick("ingest-stdin", "--title", "편지", stdin="서울에서 보낸 편지이다.")
    assert quick("export", str(quick.folder / "b.zip")).code == 0
    shutil.copytree(quick.notes, elsewhere.notes)
    imported = elsewhere("import", str(quick.folder / "b.zip"))
    assert imported.code == 0, imported.stderr
    here, there = quick(*arguments, "--json"), elsewhere(*arguments, "--json")
    assert (here.code, there.code) == (0, 0)
    assert comparable(there.stdout) == comparable(here.stdout)


def test_people_read_what_a_backup_holds_and_what_comes_next(quick, elsewhere) -> None:  # type: ignore[no-untyped-def]
    exported = quick("export", str(quick.folder / "b.zip"))
    assert exported.stdout.splitlines() == [
        exported.stdout.splitlines()[0],
        "  configuration, database, 2 copies of originals",
        "  it is not encrypted and holds the text of your documents",
    ]
    again = quick("export", str(quick.folder / "b.zip"))
    assert (again.code, "--force" in again.stderr) == (2, True)
    assert quick("export", str(quick.folder / "b.zip"), "--force").code == 0
    imported = elsewhere("import", str(quick.folder / "b.zip"))
    assert f"  {elsewhere.notes}" in imported.stdout.splitlines()
    assert "not on this machine" in imported.stdout
    refused = elsewhere("import", str(quick.folder / "b.zip"))
    assert (refused.code, "kebab import --replace" in refused.stderr) == (2, True)


def test_a_secret_in_the_settings_is_said(quick) -> None:  # type: ignore[no-untyped-def]
    text = quick.config.read_text("utf-8")
    quick.config.write_text(f'{text}endpoint = "http://kim:pass@localhost:1"\n', "utf-8")
    done = quick("export", str(quick.folder / "b.zip"))
    assert "models.embedding.endpoint, which looks like a secret" in done.stdout
    assert "pass" not in done.stdout.replace("password", "")


def test_servers_of_an_imported_configuration_are_named(quick, elsewhere) -> None:  # type: ignore[no-untyped-def]
    text = quick.config.read_text("utf-8")
    quick.config.write_text(f'{text}endpoint = "http://models.example:1"\n', "utf-8")
    quick("export", str(quick.folder / "b.zip"))
    imported = elsewhere("import", str(quick.folder / "b.zip"))
    assert "  models.embedding.endpoint = http://models.example:1" in imported.stdout.splitlines()
    report = elsewhere("import", str(quick.folder / "b.zip"), "--replace", "--json").last
    assert report["endpoints"] == {"models.embedding.endpoint": "http://models.example:1"}
    assert report["data_dir"]


@pytest.mark.parametrize("command", ["export", "import"])
def test_neither_works_in_read_only_mode(quick, elsewhere, command: str) -> None:  # type: ignore[no-untyped-def]
    archive = quick.folder / "b.zip"
    if command == "import":
        quick("export", str(archive))
    base = quick if command == "export" else elsewhere
    done = base(command, str(archive), "--readonly", "--json")
    assert (done.code, done.error["code"]) == (2, "readonly_mode")
    assert list(elsewhere.folder.iterdir()) == []


def kill_at(command: list[str], environ: dict[str, str], *, appears: Path, kind: signal.Signals) -> int:
    """Start a command, send it a signal as soon as a path that may hold a wildcard exists, and return its exit code."""
    process = subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    while process.poll() is None and not list(Path("/").glob(str(appears)[1:])):
        os.sched_yield()
    process.send_signal(kind)
    process.communicate(timeout=60)
    return process.returncode


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("appears", ["scratch/export-*", "scratch/export-*/archive.zip"])
def test_a_killed_export_leaves_no_half_archive(  # type: ignore[no-untyped-def]
    indexed, tmp_path: Path, kind: signal.Signals, appears: str
) -> None:
    target = tmp_path / "out" / "b.zip"
    target.parent.mkdir()
    command = indexed.kebab.command("export", str(target), "--config", str(indexed.config))
    code = kill_at(command, indexed.kebab.environment(), appears=indexed.folder / "data" / appears, kind=kind)
    if target.exists():
        with ZipFile(target) as whole:
            assert whole.testzip() is None
            assert "manifest.json" in whole.namelist()
    else:
        assert code in {-kind, 130}
        assert list(target.parent.iterdir()) == []
    done = indexed("export", str(target), "--force")
    assert done.code == 0, done.stderr
    assert [path.name for path in target.parent.iterdir()] == ["b.zip"]
    assert not (indexed.folder / "data" / "scratch").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize(
    "appears", ["data", "data/scratch/import-*/kebab.sqlite", "data/assets", "kebab.toml"]
)
def test_a_killed_import_leaves_nothing_or_everything_and_can_be_repeated(  # type: ignore[no-untyped-def]
    indexed, tmp_path: Path, kind: signal.Signals, appears: str
) -> None:
    archive = tmp_path / "b.zip"
    assert indexed("export", str(archive)).code == 0
    there = tmp_path / "there"
    there.mkdir()
    config = there / "kebab.toml"
    command = indexed.kebab.command("import", str(archive), "--config", str(config))
    kill_at(command, indexed.kebab.environment(), appears=there / appears, kind=kind)
    expected = comparable(indexed("list", "docs", "--json").stdout)
    if (there / "data" / "kebab.sqlite").exists():
        found = indexed.kebab("list", "docs", "--json", "--config", str(config))
        assert comparable(found.stdout) == expected
    else:
        done = indexed.kebab("import", str(archive), "--config", str(config))
        assert done.code == 0, done.stderr
    found = indexed.kebab("list", "docs", "--json", "--config", str(config))
    assert comparable(found.stdout) == expected
    assert not (there / "data" / "scratch").exists() or kind is signal.SIGKILL


@pytest.mark.thorough
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_replacement_leaves_the_old_base_or_the_new_one(  # type: ignore[no-untyped-def]
    indexed, tmp_path: Path, kind: signal.Signals
) -> None:
    archive, there = tmp_path / "b.zip", tmp_path / "there"
    assert indexed("export", str(archive)).code == 0
    new = comparable(indexed("list", "docs", "--json").stdout)
    indexed.write("third.md", "# Third\n\nOnly in the old base.\n")
    assert indexed("ingest").code == 0
    shutil.copytree(indexed.folder, there)
    old = comparable(indexed("list", "docs", "--json").stdout)
    config = str(there / "kebab.toml")
    command = indexed.kebab.command("import", str(archive), "--replace", "--config", config)
    kill_at(command, indexed.kebab.environment(), appears=there / "data" / "scratch", kind=kind)
    found = comparable(indexed.kebab("list", "docs", "--json", "--config", config).stdout)
    assert found in (old, new)
    assert indexed.kebab("doctor", "--repair", "--config", config).code == 0
    assert not (there / "data" / "scratch").exists()
    assert indexed.kebab("import", str(archive), "--replace", "--config", config).code == 0
    found = comparable(indexed.kebab("list", "docs", "--json", "--config", config).stdout)
    assert found == new
