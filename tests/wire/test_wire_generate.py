"""The generator of `wire-schema/v1`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from tools.wire.generate import main


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wire") / "v1"
    assert main(["--accept", "--folder", str(folder)]) == 0
    return folder


@pytest.fixture
def folder(generated: Path, tmp_path: Path) -> Path:
    for path in generated.rglob("*.json"):
        copy = tmp_path / path.relative_to(generated)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return tmp_path


def check(folder: Path) -> int:
    return main(["--check", "--folder", str(folder)])


def test_written_folder_is_in_step_and_pinned(folder: Path) -> None:
    assert check(folder) == 0
    pins = json.loads((folder / "PINNED.json").read_text(encoding="utf-8"))
    schemas = {path.name: path for path in folder.glob("*.schema.json")}
    assert set(pins) == set(schemas)
    for name, path in schemas.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == pins[name]


@pytest.mark.parametrize("name", ["error.schema.json", "examples/error.json", "PINNED.json"])
def test_check_notices_an_edited_or_missing_file_and_writes_nothing(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / name
    path.write_text(path.read_text(encoding="utf-8").replace("error", "eror"), encoding="utf-8")
    before = path.read_bytes()
    assert check(folder) == 1
    assert f"{name} is not in step" in capsys.readouterr().err
    assert path.read_bytes() == before
    path.unlink()
    assert check(folder) == 1
    assert f"{name} is missing" in capsys.readouterr().err


def test_check_notices_a_file_that_nothing_generates(folder: Path) -> None:
    (folder / "old.schema.json").write_text("{}", encoding="utf-8")
    assert check(folder) == 1


def test_nothing_is_written_over_a_baseline_that_promises_more(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "baseline" / "error.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    schema["properties"]["promised"] = {"type": "string"}
    path.write_text(json.dumps(schema), encoding="utf-8")
    (folder / "PINNED.json").unlink()
    for flags in ([], ["--accept"], ["--check"]):
        assert main([*flags, "--folder", str(folder)]) == 1
        assert "error.schema.json: object.promised: was removed" in capsys.readouterr().err
    assert not (folder / "PINNED.json").exists()
    assert "promised" in path.read_text(encoding="utf-8")


def test_removed_object_is_a_breaking_change(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "baseline" / "gone.schema.json").write_text("{}", encoding="utf-8")
    assert check(folder) == 1
    assert "gone.schema.json: the object was removed" in capsys.readouterr().err


def test_writing_without_accept_leaves_the_baseline_alone(folder: Path) -> None:
    path = folder / "baseline" / "error.schema.json"
    path.unlink()
    assert main(["--folder", str(folder)]) == 0
    assert not path.exists()
