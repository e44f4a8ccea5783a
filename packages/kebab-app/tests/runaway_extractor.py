"""An extractor of text that runs away over some files; worker processes of the tests import it by name."""

from __future__ import annotations

import os
import signal

from kebab_core import CanonicalDocument, ExtractContext, ExtractorServices, Model
from kebab_parse_md import TextExtractor

MB = 1024 * 1024


class RunawayExtractor(TextExtractor):
    """Extractor of text; a file may say what is to go wrong."""

    isolated = True

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        if content == b"loop":
            while True:
                pass
        eaten = []
        while content == b"eat":
            eaten.append(bytearray(1024 * MB))
        if content == b"kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if content == b"where":
            content = f"parsed by process {os.getpid()}".encode()
        return super().extract(context, content)


def build(_settings: Model | None, _services: ExtractorServices) -> RunawayExtractor:
    """Build the extractor."""
    return RunawayExtractor()
