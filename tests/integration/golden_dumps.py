"""What parsers and chunkers make of small fixed files, kept as JSON under the label that made it.

A label says: these bytes are read, or cut, in this way. `python -m tests.integration.golden_dumps` adds the dumps of
labels that have none. It changes no dump that is there: another outcome needs another label.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from kebab_chunk import CHUNKER_VERSIONS, build_chunker
from kebab_core import (
    CanonicalDocument,
    EmailMedia,
    EpubMedia,
    Extractor,
    HtmlMedia,
    HwpMedia,
    MarkdownMedia,
    MediaType,
    OfficeMedia,
    PdfIngestSettings,
    PdfMedia,
    TextMedia,
)
from kebab_parse_html import EmailExtractor, EpubExtractor, HtmlExtractor
from kebab_parse_hwp import HwpExtractor
from kebab_parse_md import MarkdownExtractor, TextExtractor
from kebab_parse_office import PresentationExtractor, SheetExtractor, TextDocumentExtractor
from kebab_parse_pdf import PdfExtractor
from kebab_testing.documents import make_context, make_policy
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.fakes.detector import HangulDetector

GOLDENS = Path(__file__).parent.parent / "goldens"
EXTRACTORS: tuple[Extractor, ...] = (
    PdfExtractor(PdfIngestSettings(), HangulDetector()),
    *(
        make(HangulDetector())
        for make in (
            MarkdownExtractor,
            TextExtractor,
            HtmlExtractor,
            EpubExtractor,
            EmailExtractor,
            HwpExtractor,
            TextDocumentExtractor,
            PresentationExtractor,
            SheetExtractor,
        )
    ),
)
MEDIA: dict[str, MediaType] = {
    ".md": MarkdownMedia(),
    ".txt": TextMedia(),
    ".html": HtmlMedia(),
    ".epub": EpubMedia(),
    ".eml": EmailMedia(format="eml"),
    ".pdf": PdfMedia(),
    ".hwpx": HwpMedia(format="hwpx"),
    ".docx": OfficeMedia(format="docx"),
    ".pptx": OfficeMedia(format="pptx"),
    ".xls": OfficeMedia(format="xls"),
    ".csv": OfficeMedia(format="csv"),
}
POLICY = make_policy(target_tokens=30, max_tokens=40, overlap_tokens=10)


def make_dumps() -> Iterator[tuple[Path, str]]:
    """Yield where each dump belongs and what it is now.

    Chunkers cut the dumped documents of every parser label there ever was, so that theirs do not depend on the
    parsers of today.

    Yields:
        Path and text of one dump, documents before chunks.
    """
    for source in sorted((GOLDENS / "parse" / "inputs").glob("[!.]*")):
        extractor = next(each for each in EXTRACTORS if each.supports(MEDIA[source.suffix]))
        name = f"{source.name}.json"
        yield GOLDENS / "parse" / extractor.parser_version() / name, _dump(_extract(extractor, source))
    for version in CHUNKER_VERSIONS:
        chunker = build_chunker(version, WordCounter())
        for dumped in sorted((GOLDENS / "parse").glob("*-v*/*.json")):
            document = CanonicalDocument.model_validate_json(dumped.read_text("utf-8"))
            chunks = [chunk.model_dump(mode="json") for chunk in chunker.chunk(document, POLICY)]
            yield GOLDENS / "chunk" / version / dumped.parent.name / dumped.name, _dump(chunks)


def main() -> None:
    """Write the dumps that are missing."""
    for path, text in make_dumps():
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")


def _extract(extractor: Extractor, source: Path) -> object:
    content = source.read_bytes()
    context = make_context(content, path=f"goldens/{source.name}", media_type=MEDIA[source.suffix])
    return extractor.extract(context, content).model_dump(mode="json")


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    main()
