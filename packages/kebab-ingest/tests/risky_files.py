"""An extractor that runs away over some files, and how worker processes of the tests prepare them.

Worker processes import this module by name.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from kebab_core import CanonicalDocument, CodeIngestSettings, ExtractContext, MediaType, ParserVersion
from kebab_ingest import ContentFilter, DocumentProcessor, FilePreparer, Prepare, Recipe
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.source import MemorySource
from kebab_testing.recipes import recipe_finder
from kebab_testing.temporary_stores import TemporaryStores

MB = 1024 * 1024


class RunawayExtractor:
    """One paragraph for a file, unless the file says what is to go wrong."""

    def supports(self, media_type: MediaType) -> bool:
        return media_type.kind == "text"

    def parser_version(self) -> ParserVersion:
        return ParserVersion("text-v1")

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        if content == b"loop":
            while True:
                pass
        eaten = []
        while content == b"eat":
            eaten.append(bytearray(1024 * MB))
        if content == b"kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if content == b"abort":
            os.abort()
        if content == b"exit":
            os._exit(3)
        builder = DocumentBuilder(path=str(context.asset.workspace_path), title=f"pid {os.getpid()}")
        document = builder.paragraph(content.decode()).build()
        return document.model_copy(update={"source_asset_id": context.asset.asset_id})


class PlainExtractor:
    """One paragraph for any file, whatever it says."""

    def supports(self, media_type: MediaType) -> bool:
        return media_type.kind == "text"

    def parser_version(self) -> ParserVersion:
        return ParserVersion("none-v1")

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        document = DocumentBuilder(path=str(context.asset.workspace_path)).paragraph(content.decode()).build()
        changes = {"source_asset_id": context.asset.asset_id, "parser_version": self.parser_version()}
        return document.model_copy(update=changes)


def make_processor(*, has_fallback: bool = False) -> DocumentProcessor:
    """Make the processor with that extractor alone, or with a fallback that reads everything."""
    from conftest import ParagraphChunker

    chunker, policy = ParagraphChunker(), make_policy()
    plain = Recipe(extractor=PlainExtractor(), chunker=chunker, policy=policy) if has_fallback else None
    recipe = Recipe(
        extractor=RunawayExtractor(), chunker=chunker, policy=policy, isolated=True, fallback=plain
    )
    return DocumentProcessor(find_recipe=recipe_finder([recipe]), analyzer=WordAnalyzer())


@dataclass(frozen=True)
class RunawayFactory:
    """Makes the function that prepares files of a source in memory."""

    source: MemorySource

    def __call__(self) -> Prepare:
        documents = TemporaryStores().documents
        return FilePreparer(
            connector=self.source,
            processor=make_processor(),
            keep_asset=lambda asset, _content: asset,
            pack=documents.pack_document,
            pack_long=documents.pack_long,
            content=ContentFilter(find_reason=lambda *_: None, version="none", settings=CodeIngestSettings()),
            clock=FixedClock(),
            ends_without_memory=True,
        ).prepare
