from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.laws.analyzer import AnalyzerLaws


class TestWordAnalyzer(AnalyzerLaws):
    def make_analyzer(self) -> WordAnalyzer:
        return WordAnalyzer()
