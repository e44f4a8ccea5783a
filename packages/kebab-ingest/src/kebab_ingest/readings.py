"""Readings of text in pictures, kept in the derivation cache by content, page and engine."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from kebab_core import Clock, DerivationCache, OcrReading, PicturePage

_KIND = "ocr"


@dataclass(frozen=True, kw_only=True)
class ReadingCache:
    """Reads and keeps readings; one that is damaged is not there."""

    cache: DerivationCache
    clock: Clock

    def load(self, checksum: str, engines: Mapping[int, str]) -> dict[int, OcrReading]:
        """Return the readings of pages of a file that are there, by page.

        Args:
            checksum: Of the file.
            engines: Page to the `OcrIdentity.key` of what read it.
        """
        keys = {OcrReading.cache_key(checksum, page, engine): page for page, engine in engines.items()}
        found: dict[int, OcrReading] = {}
        for key, payload in self.cache.get_many(_KIND, list(keys), at=self.clock.now()).items():
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
        self.cache.put_many(_KIND, {key: payload}, at=self.clock.now())
