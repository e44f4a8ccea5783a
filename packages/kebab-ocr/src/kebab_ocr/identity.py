"""What reads text in pictures on this machine, known without loading it."""

from __future__ import annotations

from importlib.metadata import version
from importlib.util import find_spec

from kebab_core import DependencyMissingError, OcrIdentity, Remedy

_VERSION = "6"
"""Raised with every change of what is read."""


def identify_local(models: dict[str, str]) -> OcrIdentity:
    """Return the identity of `LocalOcrEngine`.

    Args:
        models: SHA-256 of each model, by name.

    Raises:
        DependencyMissingError: Tesseract is not installed; some platforms have no package of it.
    """
    if find_spec("tesserocr") is None:
        raise DependencyMissingError(
            "text in pictures is read with the package `{package}`",
            remedy=Remedy(kind="install_packages", name="tesserocr>=2.13", value="kebab-cli[ocr]"),
            package="tesserocr",
        )
    return OcrIdentity(
        engine="local",
        engine_version=_VERSION,
        libraries={name: version(name) for name in ("onnxruntime", "pillow", "tesserocr")},
        models=models,
        languages=("ko", "en"),
    )
