from kebab_core import Extractor, HwpMedia, MediaType
from kebab_parse_hwp import HwpExtractor
from kebab_testing.hangul_files import (
    hwp5_control,
    hwp5_paragraph,
    hwp5_table,
    hwpx_paragraph,
    hwpx_table,
    write_hwp5,
    write_hwpx,
)
from kebab_testing.laws.extractor import ExtractorLaws

SAMPLES = [
    write_hwpx(""),
    write_hwpx(
        hwpx_paragraph("총칙", shape=1)
        + hwpx_paragraph("NFD: \u1112\u1161\u11ab\u1100\u1173\u11af")
        + hwpx_paragraph("하나", shape=3)
        + hwpx_paragraph("둘", shape=3)
        + hwpx_paragraph(hwpx_table([["가", "나"], ["다", "라"]]))
    ),
    write_hwp5(b""),
    write_hwp5(
        hwp5_paragraph("총칙", shape=1)
        + hwp5_paragraph("하나", shape=3)
        + hwp5_paragraph("표" + hwp5_control(11, "tbl "), hwp5_table([["가", "나"], ["다", "라"]]))
    ),
]


class TestHwpExtractor(ExtractorLaws):
    def make_extractor(self) -> Extractor:
        return HwpExtractor()

    def media_type(self) -> MediaType:
        return HwpMedia(format="hwpx")

    def samples(self) -> list[bytes]:
        return SAMPLES
