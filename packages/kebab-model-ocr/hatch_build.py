"""Puts the models into the wheel. Nothing is written into the source tree, and nothing is fetched."""

import hashlib
import json
import lzma
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "kebab_model_ocr"
SHA256 = {
    "PP-OCRv6_det_small.onnx": "090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
    "PP-OCRv6_rec_small.onnx": "6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
    "kor.traineddata": "6b85e11d9bbf07863b97b3523b1b112844c43e713df8b66418a081fd1060b3b2",
}
"""What every build must come to."""


class ChangedInputError(RuntimeError):
    """A model is not the one that was examined."""


class ModelBuildHook(BuildHookInterface[Any]):
    """Collects the models while a wheel is built."""

    folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the models and their manifest.

        Raises:
            ChangedInputError: One is another than the one that was examined.
        """
        if self.target_name != "wheel" or version == "editable":
            return
        packed = Path(self.root, "source", "kor.traineddata.xz").read_bytes()
        files = {name: read_packaged(name) for name in SHA256 if name.endswith(".onnx")}
        files["kor.traineddata"] = lzma.decompress(packed)
        for name, content in files.items():
            if (actual := hashlib.sha256(content).hexdigest()) != SHA256[name]:
                raise ChangedInputError(f"{name}: sha256 is {actual} instead of {SHA256[name]}")
        manifest = {"version": "1", "files": SHA256}
        files["manifest.json"] = f"{json.dumps(manifest, indent=2)}\n".encode()
        self.folder = tempfile.TemporaryDirectory()
        for name, content in files.items():
            path = Path(self.folder.name, name)
            path.write_bytes(content)
            build_data["force_include"][str(path)] = f"{PACKAGE}/data/{name}"

    def finalize(self, *_of_the_build: object) -> None:
        """Remove the files, once they are in the wheel."""
        if self.folder:
            self.folder.cleanup()


def read_packaged(name: str) -> bytes:
    """Return a model of the installed rapidocr, which is never imported."""
    (found,) = (file for file in distribution("rapidocr").files or () if file.name == name)
    return Path(str(found.locate())).read_bytes()
