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
        own_title: str = "",
        warnings: Sequence[Message | None] = (),
    ) -> CanonicalDocument:
        """Build the document. One without blocks gets a warning unless it has one.

        Its title is `title` of the values, else that of its text, else the only heading of level 1 if the text begins with it,
        else the stem of the file's name.

        Args:
            context: The file.
            blocks: In reading order, with the id that `_identify` returns.
            text: What the spans of the blocks count in.
            values: What the file says about itself, under the keys that front matter has: `title`, `lang`, `tags`,
                `created`, `updated`; all others are kept as they are.
            own_title: A title that stands in the text, or that its writer gave it, such as the subject of a mail; empty without one.
            warnings: Those that are None are left out.
        """
        from kebab_core import SourceType, shorten_label

        from kebab_parse.assembly import NO_TEXT, assemble_document
        from kebab_parse.metadata import build_metadata
        from kebab_parse.title_language_sample import TitleLanguageSample, detect_language

        kept = tuple(blocks)
        sample = TitleLanguageSample()
        for block in kept:
            sample.note(block)
        facts = build_metadata(values, context=context, default_source_type=SourceType.REFERENCE)
        given = [warning for warning in warnings if warning is not None]
        if not kept and not given:
            given.append(NO_TEXT)
        next_title = own_title or sample.leading_heading or context.asset.workspace_path.stem
        head = assemble_document(
            context,
            parser_version=self.version,
            agent=self.agent,
            title=facts.title or next_title,
            lang=facts.lang or detect_language(self._detector, sample.blocks),
            facts=facts,
            warnings=given,
            blocks=iter(()),
        ).head
        shown_next = shorten_label(next_title)
        return head.model_copy(
            update={
                "blocks": kept,
                "text": text,
                "next_title": None if shown_next == head.title else shown_next,
            }
        )
