"""Terms for lexical search: Korean morphemes, English stems, names in code; language detection.

Stores nothing and ranks nothing. Loads dictionaries when the first text needs them, never on import.

    >>> from kebab_analysis import KoreanEnglishAnalyzer
    >>> [term.text for term in KoreanEnglishAnalyzer().analyze("인덱스를 다시 만들었다")]
    ['인덱스', '다시', '만들']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_analysis.analyzer import (
        KO_EN_VERSION as KO_EN_VERSION,
        KoreanEnglishAnalyzer as KoreanEnglishAnalyzer,
    )

__getattr__, __dir__ = lazy_exports(__name__)
