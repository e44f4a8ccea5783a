"""Terms for lexical search: Korean morphemes, English stems, names in code; language detection; token estimate.

Stores nothing and ranks nothing. Loads dictionaries when the first text needs them, never on import.

    >>> from kebab_analysis import KoreanEnglishAnalyzer
    >>> [term.text for term in KoreanEnglishAnalyzer().analyze("인덱스를 다시 만들었다")]
    ['인덱스', '다시', '만들']
"""

from kebab_analysis.analyzer import KO_EN_VERSION, KoreanEnglishAnalyzer
from kebab_analysis.languages import ScriptLanguageDetector
from kebab_analysis.tokens import ScriptTokenCounter

__all__ = ["KO_EN_VERSION", "KoreanEnglishAnalyzer", "ScriptLanguageDetector", "ScriptTokenCounter"]
