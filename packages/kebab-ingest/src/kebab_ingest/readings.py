"""Readings of text in pictures and captions, kept by content and what made them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kebab_core import (
    Clock,
    ModelCaption,
    OcrReading,
    PicturePage,
    hash_canonical,
)
from pydantic import TypeAdapter

if TYPE_CHECKING:
    from kebab_core import PictureStore

_KIND = "ocr"
_CAPTION = "caption"
_PROMPT = "2"
"""Version of what the model is asked about a picture."""
_CAPTIONS = TypeAdapter(dict[int, str])
"""Texts by page."""


@dataclass(frozen=True, kw_only=True)
class ReadingCache:
    """Reads and keeps readings; one that is damaged is not there."""

    pictures: PictureStore
    clock: Clock
    records_use: bool = True
    """False for whoever only reads the knowledge base."""

    def load(self, checksum: str, engines: Mapping[int, str]) -> dict[int, OcrReading]:
        """Return the readings of pages of a file that are there, by page.

        Args:
            checksum: Of the file.
            engines: Page to the `OcrIdentity.key` of what read it.
        """
        keys = {OcrReading.cache_key(checksum, page, engine): page for page, engine in engines.items()}
        found: dict[int, OcrReading] = {}
        at = self.clock.now() if self.records_use else None
        for key, payload in self.pictures.get_results(_KIND, list(keys), at=at).items():
            with suppress(zlib.error, ValueError):
                found[keys[key]] = OcrReading.model_validate_json(zlib.decompress(payload))
        return found

    def load_stored(self, checksum: str, pages: Iterable[PicturePage]) -> dict[int, OcrReading]:
        """Return the readings that the document of a file was built with."""
        engines = {page.page: page.engine_key for page in pages if page.engine_key is not None}
        return self.load(checksum, engines) if engines else {}

    def keep(self, checksum: str, page: int, reading: OcrReading) -> None:
        """Keep a reading."""
        key = OcrReading.cache_key(checksum, page, reading.engine_key)
        payload = zlib.compress(reading.model_dump_json(exclude_none=True).encode())
        self.pictures.put_results(_KIND, {key: payload}, at=self.clock.now())


@dataclass(frozen=True, kw_only=True)
class CaptionCache:
    """Reads and keeps the captions of one model."""

    pictures: PictureStore
    clock: Clock
    model: str

    def load(self, checksum: str) -> dict[int, ModelCaption]:
        """Return the captions of a file by page, of no text where the model wrote none; without those that are damaged."""
        found = self.pictures.get_results(_CAPTION, [self._key(checksum)], at=self.clock.now())
        texts: dict[int, str] = {}
        for payload in found.values():
            with suppress(ValueError):
                texts = _CAPTIONS.validate_json(payload)
        return {page: self.caption_of(text) for page, text in texts.items()}

    def keep(self, checksum: str, captions: Mapping[int, ModelCaption]) -> None:
        """Keep all captions of a file."""
        payload = _CAPTIONS.dump_json({page: caption.text for page, caption in captions.items()})
        self.pictures.put_results(_CAPTION, {self._key(checksum): payload}, at=self.clock.now())

    def caption_of(self, text: str) -> ModelCaption:
        """Return a text of the model as a caption."""
        return ModelCaption(text=text, model=self.model, model_version="")

    def _key(self, checksum: str) -> str:
        return hash_canonical({"checksum": checksum, "model": self.model, "prompt": _PROMPT})[:32]
