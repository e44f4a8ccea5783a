from __future__ import annotations

from kebab_core import Extractor, MediaType, OfficeMedia
from kebab_parse_office import TextDocumentExtractor
from kebab_testing.fakes.detector import HangulDetector
from kebab_testing.laws.extractor import ExtractorLaws
from kebab_testing.office_files import paragraph, word_file


class TestTextDocumentExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return TextDocumentExtractor(HangulDetector())

    def media_type(self) -> MediaType:
        return OfficeMedia(format="docx")

    def samples(self) -> list[bytes]:
        return [word_file(""), word_file(paragraph("가\u1100\u1161") + paragraph("가\u1100\u1161"))]
