"""Puts the model into the wheel. Nothing is written into the source tree, and nothing is fetched."""

import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "kebab_model_e5_small"


class ModelBuildHook(BuildHookInterface[Any]):
    """Makes the files of the model while a wheel is built."""

    folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files, or a manifest without any where the weights do not exist for the machine."""
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        from conversion.files import make_files, write_manifest

        self.folder = tempfile.TemporaryDirectory()
        files = make_files(sys.platform, platform.machine())
        for name, content in {**files, "manifest.json": write_manifest(files).encode()}.items():
            path = Path(self.folder.name, name)
            path.write_bytes(content)
            build_data["force_include"][str(path)] = f"{PACKAGE}/data/{name}"

    def finalize(self, *_of_the_build: object) -> None:
        """Remove the files, once they are in the wheel."""
        if self.folder:
            self.folder.cleanup()
