"""The document of a file that is not text: title, language and metadata around its blocks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kebab_core import (
    Block,
    CanonicalDocument,
    ExtractContext,
    ExtractedText,
    LanguageDetector,
    Message,
    ParserVersion,
    SourceType,
)
from pydantic import JsonValue

from kebab_parse.assembly import NO_TEXT, assemble_document
from kebab_parse.metadata import build_metadata
from kebab_parse.title_language_sample import TitleLanguageSample, detect_language


def build_document(
    context: ExtractContext,
    *,
    parser_version: ParserVersion,
    agent: str,
    detector: LanguageDetector,
    blocks: Iterable[Block],
    text: ExtractedText,
    values: Mapping[str, JsonValue],
    warnings: Sequence[Message | None] = (),
) -> CanonicalDocument:
    """Build the document of a file that is not text.

    Its title is `title` of the values, else the only heading of level 1 if the text begins with it, else the stem of the
    file's name. A document without blocks gets a warning unless it has one.

    Args:
        context: The file.
        parser_version: Label of the extractor.
        agent: Its distribution, as provenance names it.
        detector: Detects the language where the values name none.
        blocks: In reading order; `identify_document` gives the id that they carry.
        text: What the spans of the blocks count in.
        values: What the file says about itself, under the keys that front matter has: `title`, `lang`, `tags`,
            `created`, `updated`; all others are kept as they are.
        warnings: Those that are None are left out.
    """
    kept = tuple(blocks)
    sample = TitleLanguageSample()
    for block in kept:
        sample.note(block)
    facts = build_metadata(values, context=context, default_source_type=SourceType.REFERENCE)
    given = [warning for warning in warnings if warning is not None]
    if not kept and not given:
        given.append(NO_TEXT)
    document = assemble_document(
        context,
        parser_version=parser_version,
        agent=agent,
        title=facts.title or sample.leading_heading or context.asset.workspace_path.stem,
        lang=facts.lang or detect_language(detector, sample.blocks),
        facts=facts,
        warnings=given,
        blocks=iter(()),
    )
    return document.head.model_copy(update={"blocks": kept, "text": text})
