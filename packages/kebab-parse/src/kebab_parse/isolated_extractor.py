"""The frame of extractors of files that are not text."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kebab_core import (
        Block,
        CanonicalDocument,
        DocumentId,
        ExtractContext,
        ExtractedText,
        LanguageDetector,
        MediaType,
        Message,
        ParserVersion,
    )
    from pydantic import JsonValue


class IsolatedExtractor:
    """What extractors share that are run in worker processes with limits; a subclass adds `extract`.

    `detector` detects the language where the file names none.
    """

    isolated: Final = True
    kind: ClassVar[str]
    """Kind of the media that it reads."""
    formats: ClassVar[frozenset[str] | None] = None
    """Formats of this kind; None for all."""
    version: ClassVar[ParserVersion]
    agent: ClassVar[str]
    """Its distribution, as provenance names it."""

    def __init__(self, detector: LanguageDetector) -> None:
        self._detector = detector

    def supports(self, media_type: MediaType) -> bool:
        """Return True for media of its kind and formats."""
        return media_type.kind == self.kind and (
            self.formats is None or getattr(media_type, "format", None) in self.formats
        )

    def parser_version(self) -> ParserVersion:
        """Return its label."""
        return self.version

    def _identify(self, context: ExtractContext) -> DocumentId:
        """Return the id of the document that it makes of a file."""
        from kebab_parse.assembly import identify_document

        return identify_document(context, self.version)

    def _build(
        self,
        context: ExtractContext,
        blocks: Iterable[Block],
        text: ExtractedText,
        *,
        values: Mapping[str, JsonValue],
        warnings: Sequence[Message | None] = (),
    ) -> CanonicalDocument:
        """Build the document: `build_document` with what is the same for all documents of the extractor."""
        from kebab_parse.document_builder import build_document

        return build_document(
            context,
            parser_version=self.version,
            agent=self.agent,
            detector=self._detector,
            blocks=blocks,
            text=text,
            values=values,
            warnings=warnings,
        )
