"""A plugin of a stranger: an extractor of subtitles, cited by time, and a language model that repeats its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kebab_core import (
    CanonicalDocument,
    ExtractedText,
    FinishReason,
    GenerateRequest,
    GenerationDone,
    MediaType,
    Metadata,
    Model,
    ModelRef,
    ParagraphBlock,
    ParserVersion,
    Provenance,
    SourceType,
    TextPart,
    TimeSpan,
    TokenChunk,
    TokenDelta,
    TokenUsage,
    UnsupportedMediaError,
    block_id_for,
    document_id_for,
)
from kebab_text import detect_language
from pydantic import Field

if TYPE_CHECKING:
    from kebab_core import ExtractContext, ExtractorServices, LanguageModelServices, LlmSettings

VERSION = ParserVersion("acme-srt-v1")
_CUE = re.compile(
    r"^(\d\d):(\d\d):(\d\d),(\d{3}) --> (\d\d):(\d\d):(\d\d),(\d{3})\n(.+?)(?:\n\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


class SubtitleSettings(Model):
    """The section `[ingest.extractors.sub]`."""

    min_chars: int = Field(default=0, ge=0, le=1000)


class SubtitleExtractor:
    """Reads `.sub` files: one paragraph for each cue."""

    settings_model = SubtitleSettings

    def __init__(self, settings: SubtitleSettings, services: ExtractorServices) -> None:
        self._settings = settings
        self._services = services

    def supports(self, media_type: MediaType) -> bool:
        return media_type.kind == "other" and media_type.label == "sub"

    def parser_version(self) -> ParserVersion:
        return VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        asset = context.asset
        text = content.decode()
        cues = [_read_cue(match) for match in _CUE.finditer(text)]
        cues = [cue for cue in cues if len(cue[1]) >= self._settings.min_chars]
        if not cues:
            raise UnsupportedMediaError("no subtitles", media="sub")
        doc_id = document_id_for(
            workspace_path=asset.workspace_path,
            asset_id=asset.asset_id,
            parser_version=VERSION,
            source_id=context.source_id,
        )
        blocks = tuple(
            ParagraphBlock(
                block_id=block_id_for(
                    doc_id=doc_id, block_kind="paragraph", heading_path=(), ordinal=ordinal, source_span=span
                ),
                heading_path=(),
                source_span=span,
                text=said,
            )
            for ordinal, (span, said) in enumerate(cues)
        )
        return CanonicalDocument(
            doc_id=doc_id,
            source_asset_id=asset.asset_id,
            source_id=context.source_id,
            workspace_path=asset.workspace_path,
            title=asset.workspace_path.stem,
            lang=detect_language(" ".join(said for _, said in cues)),
            blocks=blocks,
            metadata=Metadata(
                created_at=context.file_created_at,
                updated_at=context.file_modified_at,
                source_type=context.source_type or SourceType.NOTE,
            ),
            provenance=Provenance(),
            parser_version=VERSION,
            text=_join(cues),
        )


def _join(cues: list[tuple[TimeSpan, str]]) -> ExtractedText:
    """The text of all cues, a line each, with the time of each."""
    parts: list[TextPart] = []
    start = 0
    for span, said in cues:
        parts.append(TextPart(start=start, end=start + len(said), source_span=span))
        start += len(said) + 1
    return ExtractedText(text="\n".join(said for _, said in cues), parts=tuple(parts))


def _read_cue(match: re.Match[str]) -> tuple[TimeSpan, str]:
    first, last = ([int(part) for part in match.groups()[at : at + 4]] for at in (0, 4))
    start, end = (((h * 60 + m) * 60 + s) * 1000 + ms for h, m, s, ms in (first, last))
    return TimeSpan(start_ms=start, end_ms=end), match[9].strip()


class ParrotModel:
    """Repeats the first line of the best passage, in quotation marks."""

    def __init__(self, settings: LlmSettings, services: LanguageModelServices) -> None:
        self._settings = settings
        self._services = services

    def model_ref(self) -> ModelRef:
        return ModelRef(id=self._settings.model, provider=self._settings.provider)

    def context_tokens(self) -> int:
        return self._settings.context_tokens

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        passage = request.evidence[0]
        yield TokenDelta(text=f"“{passage.text.splitlines()[0]}” [#{passage.marker}]")
        yield GenerationDone(finish_reason=FinishReason.STOP, usage=TokenUsage(completion_tokens=1))
