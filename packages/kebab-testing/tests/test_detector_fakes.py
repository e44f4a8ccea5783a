from kebab_testing.fakes.detector import FixedDetector, HangulDetector
from kebab_testing.laws.language_detector import KoreanEnglishDetectorLaws, LanguageDetectorLaws


class TestFixedDetector(LanguageDetectorLaws):
    def make_detector(self) -> FixedDetector:
        return FixedDetector("ko")


class TestHangulDetector(KoreanEnglishDetectorLaws):
    def make_detector(self) -> HangulDetector:
        return HangulDetector()


def test_fixed_detector_keeps_what_it_was_asked() -> None:
    detector = FixedDetector()
    assert [detector.detect(text) for text in ("가", "1")] == ["en", "und"]
    assert detector.asked == ["가", "1"]
