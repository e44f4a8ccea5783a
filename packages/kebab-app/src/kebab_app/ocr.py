"""Text in pictures: the engine of the settings, and what reads pages in worker processes."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import PAGE_DPI, DependencyMissingError, IngestFailure, Message, ModelMissingError, Remedy

if TYPE_CHECKING:
    from collections.abc import Callable

    from kebab_core import OcrIdentity, PdfIngestSettings, Picture, RawAsset
    from kebab_ingest import PictureTask, PictureText

    from kebab_app.store import AssetFiles


def find_ocr_engine() -> OcrIdentity | IngestFailure:
    """Return the identity of what reads text in pictures, or why nothing can; nothing heavy is loaded."""
    for module, name in (("kebab_ocr", "kebab-ocr"), ("kebab_model_ocr", "kebab-model-ocr")):
        if find_spec(module) is None:
            message = Message("text in pictures is read with the package `{package}`", package=name)
            return IngestFailure(code=DependencyMissingError.code, message=message, remedy=_install(name))
    from kebab_model_ocr import manifest
    from kebab_ocr import identify_local

    try:
        return identify_local(manifest()["files"])
    except DependencyMissingError as error:
        return IngestFailure(code=error.code, message=error.message, remedy=error.remedy)
    except (OSError, ValueError, KeyError):
        message = Message("files of the {model} are not on this machine", model="OCR model")
        return IngestFailure(code=ModelMissingError.code, message=message, remedy=_install("kebab-model-ocr"))


def _install(package: str) -> Remedy:
    return Remedy(kind="install_packages", name=package, value="kebab-cli[ocr]")


def read_stored(files: AssetFiles, asset: RawAsset) -> bytes:
    """Read the kept bytes of an asset.

    Raises:
        StorageError: They are gone, or the file has other content now.
    """
    stored = asset.stored
    return files.read(stored.kind, stored.path, byte_len=asset.byte_len, checksum=asset.checksum)


@dataclass(frozen=True, kw_only=True)
class PictureReaderRecipe:
    """Everything that reading text in pictures depends on, as values that can be pickled for a worker process."""

    data_dir: Path
    pdf: PdfIngestSettings

    def __call__(self) -> Callable[[PictureTask], PictureText]:
        """Make the function that reads pictures in this process."""
        from kebab_ingest import PictureText
        from kebab_model_ocr import files as model_files, manifest
        from kebab_ocr import build_local_ocr

        from kebab_app.store import AssetFiles

        engine = build_local_ocr(model_files(), manifest()["files"])
        files = AssetFiles(self.data_dir, copy_threshold_bytes=0)
        passwords = [each.get_secret_value() for each in self.pdf.passwords]

        @lru_cache(maxsize=1)
        def read_file(asset: RawAsset) -> bytes:
            return read_stored(files, asset)

        def read(task: PictureTask) -> PictureText:
            started = time.process_time()
            content = task.content or read_file(task.asset)
            picture = decode_page(content, task.page, task.asset.media_type.kind, passwords)
            text = engine.read(picture)
            return PictureText(text, round((time.process_time() - started) * 1000))

        return read


def decode_page(content: bytes, page: int, kind: str, passwords: list[str]) -> Picture:
    """Decode a page, picture or frame of a file.

    Args:
        content: The file.
        page: 1-based.
        kind: Of its medium.
        passwords: Of PDFs.

    Raises:
        DocumentError: It cannot be decoded.
        UnsupportedMediaError: The file is not what its medium says.
    """
    if kind == "pdf":
        from kebab_parse_pdf import draw_page

        return draw_page(content, page, dpi=PAGE_DPI, passwords=passwords)
    from kebab_parse_image import decode_picture

    return decode_picture(content, page)
