from __future__ import annotations

from kebab_core import Extractor, MediaType, OfficeMedia
from kebab_parse_office import PresentationExtractor, SheetExtractor, TextDocumentExtractor
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.office_files import paragraph, shape, slide_file, word_file


class TestTextDocumentExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return TextDocumentExtractor()

    def media_type(self) -> MediaType:
        return OfficeMedia(format="docx")

    def samples(self) -> list[bytes]:
        return [word_file(""), word_file(paragraph("가\u1100\u1161") + paragraph("가\u1100\u1161"))]


class TestPresentationExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return PresentationExtractor()

    def media_type(self) -> MediaType:
        return OfficeMedia(format="pptx")

    def samples(self) -> list[bytes]:
        return [
            slide_file(),
            slide_file(shape("\u1100\u1161", kind="title"), shape("가", "나", kind="body") * 2),
        ]


class TestSheetExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return SheetExtractor()

    def media_type(self) -> MediaType:
        return OfficeMedia(format="csv")

    def samples(self) -> list[bytes]:
        return [b"", "가,\u1100\u1161\n1,2\n\n가,나\n1,2\n".encode()]
