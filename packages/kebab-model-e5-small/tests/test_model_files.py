import hashlib
import platform
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from kebab_model_e5_small import files, manifest
from kebab_testing.tables import walk

FOLDER = files()
needs_weights = pytest.mark.skipif(FOLDER is None, reason="built without weights on this platform")


def test_weights_are_there_on_the_platforms_they_exist_for() -> None:
    if (sys.platform, platform.machine()) in {("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64")}:
        assert FOLDER is not None


@needs_weights
def test_every_file_is_what_the_manifest_says() -> None:
    assert FOLDER is not None
    entries = manifest()["files"]
    assert {path.name for path in FOLDER.iterdir()} == {*entries, "manifest.json"}
    for name, entry in entries.items():
        content = (FOLDER / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (entry["size"], entry["sha256"])


@needs_weights
def test_the_identity_follows_the_weights() -> None:
    assert manifest()["weights_hash"] == manifest()["files"]["weights.bin"]["sha256"]


def test_the_manifest_names_the_model_and_its_licence() -> None:
    known = manifest()
    assert (known["model_id"], known["dimensions"], known["max_tokens"]) == (
        "multilingual-e5-small",
        384,
        512,
    )
    assert known["licence"] == "MIT"


@walk("name", ["MODEL_CARD.md", "MODEL_LICENSE.txt"])
def test_card_and_licence_of_the_model_are_installed(name: str) -> None:
    text = Path(sys.modules["kebab_model_e5_small"].__file__ or "").with_name(name).read_text("utf-8")
    assert "multilingual-e5-small" in text
    assert "MIT" in text


def test_the_wheel_says_under_which_licences_its_files_are() -> None:
    built = distribution("kebab-model-e5-small")
    assert built.metadata["License-Expression"] == f"(MIT OR Apache-2.0) AND {manifest()['licence']}"
    carried = [path for path in built.files or () if "licenses" in path.parts]
    assert {path.name for path in carried} == {"LICENSE-MIT", "LICENSE-APACHE", "MODEL_LICENSE.txt"}
    assert set(built.metadata.get_all("License-File") or ()) == {
        path.as_posix().partition("/licenses/")[2] for path in carried
    }


def test_the_wheel_is_the_same_for_every_platform() -> None:
    lines = (distribution("kebab-model-e5-small").read_text("WHEEL") or "").splitlines()
    assert "Tag: py3-none-any" in lines
