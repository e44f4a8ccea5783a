from kebab_core import Extractor, MarkdownMedia, MediaType, TextMedia
from kebab_parse_md import MarkdownExtractor, TextExtractor
from kebab_testing.laws.extractor import ExtractorLaws

SAMPLES = [
    b"",
    b"\xef\xbb\xbf# BOM\r\n\r\ntext\r\n",
    "# 제목\n\n문단 하나.\n둘째 줄.\n\n- 가\n- 나\n\n| a | b |\n|---|---|\n| 1 | 2 |\n".encode(),
    "---\ntitle: x\n---\n\n> quote\n\n```py\nx = 1\n```\n\n![그림](a.png)\n".encode(),
    # NFD Hangul, a bare carriage return and separators that only Python takes for line ends
    "# \u1100\u1161\r\ra\u2028b\x0cc\x85d\n".encode(),
    b"no newline at the end",
]


class TestMarkdownExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return MarkdownExtractor()

    def media_type(self) -> MediaType:
        return MarkdownMedia()

    def samples(self) -> list[bytes]:
        return SAMPLES


class TestTextExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return TextExtractor()

    def media_type(self) -> MediaType:
        return TextMedia()

    def samples(self) -> list[bytes]:
        return SAMPLES
