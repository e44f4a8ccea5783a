"""What parsers and chunkers make of small fixed files, kept as JSON under the label that made it.

A label says: these bytes are read, or cut, in this way. `python -m tests.integration.golden_dumps` adds the dumps of
labels that have none. It changes no dump that is there: another outcome needs another label, or, before any index was made
with the label, its dump deleted.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from kebab_chunk import build_chunker
from kebab_core import (
    CanonicalDocument,
    CodeMedia,
    EmailMedia,
    EpubMedia,
    Extractor,
    ExtractorServices,
    HtmlMedia,
    HwpMedia,
    LongDocument,
    MarkdownMedia,
    MediaType,
    OfficeMedia,
    PdfIngestSettings,
    PdfMedia,
    TextMedia,
)
from kebab_parse_code import (
    TextCodeExtractor,
    build_c_extractor,
    build_cpp_extractor,
    build_dockerfile_extractor,
    build_go_extractor,
    build_java_extractor,
    build_javascript_extractor,
    build_kotlin_extractor,
    build_manifest_extractor,
    build_python_extractor,
    build_rust_extractor,
    build_typescript_extractor,
    build_yaml_extractor,
)
from kebab_parse_html import EmailExtractor, EpubExtractor, HtmlExtractor
from kebab_parse_hwp import HwpExtractor
from kebab_parse_md import MarkdownExtractor, TextExtractor
from kebab_parse_office import PresentationExtractor, SheetExtractor, TextDocumentExtractor
from kebab_parse_pdf import PdfExtractor
from kebab_testing.documents import make_context, make_policy
from kebab_testing.fakes.counter import WordCounter

GOLDENS = Path(__file__).parent.parent / "goldens"
SERVICES = ExtractorServices(counter=WordCounter())
PROSE_CHUNKERS = ("md-heading-v4", "pdf-page-v2")
_PROSE: tuple[Extractor, ...] = (
    PdfExtractor(PdfIngestSettings()),
    *(
        make()
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
_CODE: tuple[tuple[Extractor, str], ...] = tuple(
    (build(None, SERVICES), chunker)
    for build, chunker in (
        (build_c_extractor, "code-c-ast-v2"),
        (build_cpp_extractor, "code-cpp-ast-v2"),
        (build_go_extractor, "code-go-ast-v2"),
        (build_java_extractor, "code-java-ast-v2"),
        (build_javascript_extractor, "code-js-ast-v2"),
        (build_kotlin_extractor, "code-kotlin-ast-v2"),
        (build_python_extractor, "code-python-ast-v2"),
        (build_rust_extractor, "code-rust-ast-v2"),
        (build_typescript_extractor, "code-ts-ast-v2"),
        (build_yaml_extractor, "k8s-manifest-resource-v1"),
        (build_dockerfile_extractor, "dockerfile-file-v2"),
        (build_manifest_extractor, "manifest-file-v1"),
    )
)
EXTRACTORS: tuple[tuple[Extractor, str], ...] = (
    *((each, "") for each in _PROSE),
    *_CODE,
    (TextCodeExtractor(), "code-text-paragraph-v1"),
)
"""Each with the label of the chunker behind it; text of all other kinds is cut by every one of `PROSE_CHUNKERS`."""
MEDIA: dict[str, MediaType] = {
    ".md": MarkdownMedia(),
    ".txt": TextMedia(),
    ".html": HtmlMedia(),
    ".epub": EpubMedia(),
    ".eml": EmailMedia(format="eml"),
    ".pdf": PdfMedia(),
    ".hwpx": HwpMedia(format="hwpx"),
    ".docx": OfficeMedia(format="docx"),
    ".doc": OfficeMedia(format="doc"),
    ".pptx": OfficeMedia(format="pptx"),
    ".ppt": OfficeMedia(format="ppt"),
    ".xls": OfficeMedia(format="xls"),
    ".csv": OfficeMedia(format="csv"),
    ".py": CodeMedia(lang="python"),
    ".rs": CodeMedia(lang="rust"),
    ".go": CodeMedia(lang="go"),
    ".java": CodeMedia(lang="java"),
    ".kt": CodeMedia(lang="kotlin"),
    ".ts": CodeMedia(lang="typescript"),
    ".js": CodeMedia(lang="javascript"),
    ".c": CodeMedia(lang="c"),
    ".cpp": CodeMedia(lang="cpp"),
    ".yaml": CodeMedia(lang="yaml"),
    ".toml": CodeMedia(lang="toml"),
    ".sh": CodeMedia(lang="shell"),
    "": CodeMedia(lang="dockerfile"),
}
POLICY = make_policy(target_tokens=30, max_tokens=40, overlap_tokens=10)


def make_dumps() -> Iterator[tuple[Path, str]]:
    """Yield where each dump belongs and what it is now.

    Chunkers cut the dumped documents of every parser label there ever was, so that theirs do not depend on the
    parsers of today; those of source code only the kinds that they are for.

    Yields:
        Path and text of one dump, documents before chunks.
    """
    for source in sorted((GOLDENS / "parse" / "inputs").glob("[!.]*")):
        extractor, _ = _find_extractor(source.name)
        name = f"{source.name}.json"
        yield GOLDENS / "parse" / extractor.parser_version() / name, _dump(_extract(extractor, source))
    for dumped in sorted((GOLDENS / "parse").glob("*-v*/*.json")):
        document = CanonicalDocument.model_validate_json(dumped.read_text("utf-8"))
        is_code = document.metadata.code_lang is not None
        for version in sorted({_find_extractor(dumped.stem)[1]} if is_code else PROSE_CHUNKERS):
            chunker = build_chunker(version, WordCounter())
            chunks = [
                chunk.model_dump(mode="json") for chunk in chunker.chunk(LongDocument.of(document), POLICY)
            ]
            yield GOLDENS / "chunk" / version / dumped.parent.name / dumped.name, _dump(chunks)


def _find_extractor(name: str) -> tuple[Extractor, str]:
    return next(each for each in EXTRACTORS if each[0].supports(MEDIA[Path(name).suffix]))


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
