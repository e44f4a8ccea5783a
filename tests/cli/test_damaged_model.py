"""The model that comes with kebab, damaged: words are searched all the same, and what helps is said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from kebab_model_e5_small import files

FOLDER = files()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="the model comes without weights here")

BUNDLED = '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n'


def _gone(file: Path) -> None:
    file.unlink()


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def _of_other_words(file: Path) -> None:
    file.write_text('{"files": 3}', "utf-8")


@pytest.fixture
def model(kb, tmp_path: Path) -> Path:  # type: ignore[no-untyped-def]
    """Return the files of a copy of the model that the commands meet before the one that is installed."""
    assert FOLDER is not None
    package = tmp_path / "site" / FOLDER.parent.name
    shutil.copytree(FOLDER.parent, package)
    kb.kebab.environ["PYTHONPATH"] = str(package.parent)
    kb.config.write_text(BUNDLED, "utf-8")
    return package / FOLDER.name


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("manifest.json", _gone),
        ("manifest.json", _cut),
        ("manifest.json", _of_other_words),
        ("weights.bin", _gone),
        ("tokenizer.bin", _cut),
    ],
)
def test_damaged_file_leaves_words_and_tells_how_it_is_mended(
    kb,  # type: ignore[no-untyped-def]
    model: Path,
    name: str,
    damage: Callable[[Path], None],
) -> None:
    damage(model / name)
    ingested = kb("ingest", "--json")
    assert (ingested.code, ingested.last["chunks_indexed"]) == (0, 4), ingested.stderr
    assert ingested.last["embedding"]["failure"]["code"] == "model_corrupt"
    found = kb("search", "rollback", "--json")
    assert (found.code, found.last["coverage"]["leg_failure"]["code"]) == (0, "model_corrupt"), found.stderr
    assert kb("ask", "how long does rolling back take?", "--json").last["grounded"]
    for command in (("search", "rollback", "--mode", "vector"), ("embed",)):
        refused = kb(*command, "--json")
        assert (refused.code, json.loads(refused.stderr.splitlines()[-1])["code"]) == (2, "model_corrupt")
    assert "uv run --reinstall-package kebab-model-e5-small" in refused.stderr
    checks = {check["name"]: check for check in kb("doctor", "--json").last["checks"]}
    assert "damaged" in checks["embedding_model"]["detail"]


@pytest.mark.thorough
@pytest.mark.parametrize("damage", [_gone, _cut])
@pytest.mark.parametrize("name", ["manifest.json", "weights.bin"])
def test_damaged_model_is_listed_as_one(kb, model: Path, name: str, damage: Callable[[Path], None]) -> None:  # type: ignore[no-untyped-def]
    damage(model / name)
    listed = kb("models", "list", "--json").last["models"][0]
    assert (listed["name"], listed["state"]) == ("multilingual-e5-small", "damaged")
    assert listed["folder"] == str(model)
    assert "damaged (kebab doctor)" in kb("models", "list").stdout
