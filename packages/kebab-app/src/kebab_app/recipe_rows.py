"""The table of recipes: which extractor and chunker read each medium. A new format is a row here and one of `kebab_core.formats`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import ChunkingSettings


@dataclass(frozen=True, kw_only=True)
class RecipeRow:
    """Extractor, chunker and chunk sizes of a medium, by name: a row can be pickled, and its parts load when built."""

    media: str
    """Kind of the medium; of `other` media the label."""
    extractor: str
    """`module:class` of an extractor without arguments, else `module:factory` of an `ExtractorFactory`. Several
    rows may name extractors of one label."""
    chunker: str = "md-heading-v4"
    """Label of the chunker."""
    policy: ChunkingSettings | None = None
    """Chunk sizes; None is those of `ingest.chunking`."""
    settings: str | None = None
    """Section of `IngestSettings` that the extractor gets, or that decides by content which files it reads; it is then
    part of the fingerprint."""


_TEXT_CODE = RecipeRow(
    media="code",
    extractor="kebab_parse_code:TextCodeExtractor",
    chunker="code-text-paragraph-v1",
    settings="code",
)
RECIPES: tuple[RecipeRow, ...] = (
    RecipeRow(media="markdown", extractor="kebab_parse_md:MarkdownExtractor"),
    RecipeRow(media="text", extractor="kebab_parse_md:TextExtractor"),
    RecipeRow(media="text", extractor="kebab_parse_md:MarkupExtractor"),
    RecipeRow(media="text", extractor="kebab_parse_md:RecordsExtractor"),
    RecipeRow(media="text", extractor="kebab_parse_md:LogExtractor"),
    RecipeRow(media="office", extractor="kebab_parse_office:TextDocumentExtractor"),
    RecipeRow(media="office", extractor="kebab_parse_office:RichTextExtractor"),
    RecipeRow(media="office", extractor="kebab_parse_office:SheetExtractor"),
    RecipeRow(media="office", extractor="kebab_parse_office:PresentationExtractor"),
    RecipeRow(media="hwp", extractor="kebab_parse_hwp:HwpExtractor"),
    RecipeRow(
        media="pdf", extractor="kebab_parse_pdf:build_pdf_extractor", chunker="pdf-page-v2", settings="pdf"
    ),
    RecipeRow(media="image", extractor="kebab_parse_image:build_image_extractor", settings="image"),
    RecipeRow(media="audio", extractor="kebab_parse_audio:RecordingExtractor"),
    RecipeRow(media="subtitles", extractor="kebab_parse_audio:SubtitleExtractor"),
    RecipeRow(media="chat", extractor="kebab_parse_chat:ChatLogExtractor"),
    RecipeRow(media="chat", extractor="kebab_parse_chat:ChatArchiveExtractor"),
    RecipeRow(media="html", extractor="kebab_parse_html:HtmlExtractor"),
    RecipeRow(media="epub", extractor="kebab_parse_html:EpubExtractor"),
    RecipeRow(media="epub", extractor="kebab_parse_html:FictionBookExtractor"),
    RecipeRow(media="email", extractor="kebab_parse_html:EmailExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:NotebookExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:CalendarExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:ContactsExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:CanvasExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:ExcalidrawExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:DrawioExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:OutlineExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:BookmarkExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:KeepExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:ClippingsExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:BibliographyExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:JsonExportExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_structured:AnkiExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_html:EvernoteExtractor"),
    RecipeRow(media="structured", extractor="kebab_parse_html:FeedExtractor"),
    RecipeRow(media="archive", extractor="kebab_parse_structured:ZipExtractor"),
    *(
        RecipeRow(
            media="code",
            extractor=f"kebab_parse_code:build_{lang}_extractor",
            chunker=f"code-{label}-ast-v2",
            settings="code",
        )
        for lang, label in (
            ("c", "c"),
            ("cpp", "cpp"),
            ("go", "go"),
            ("java", "java"),
            ("javascript", "js"),
            ("kotlin", "kotlin"),
            ("python", "python"),
            ("rust", "rust"),
            ("typescript", "ts"),
        )
    ),
    RecipeRow(
        media="code",
        extractor="kebab_parse_code:build_yaml_extractor",
        chunker="k8s-manifest-resource-v1",
        settings="code",
    ),
    RecipeRow(
        media="code",
        extractor="kebab_parse_code:build_dockerfile_extractor",
        chunker="dockerfile-file-v2",
        settings="code",
    ),
    RecipeRow(
        media="code",
        extractor="kebab_parse_code:build_manifest_extractor",
        chunker="manifest-file-v1",
        settings="code",
    ),
    _TEXT_CODE,
)
"""Built-in recipes; of those that read a medium, the first is taken."""
FALLBACKS: Mapping[str, RecipeRow] = {"code": _TEXT_CODE}
"""Medium to the row that reads a file where its own row fails."""
