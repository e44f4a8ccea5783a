"""What the analyser has always made of four texts. Another outcome makes stored terms wrong: it needs the next label."""

from kebab_analysis import KoreanEnglishAnalyzer
from kebab_testing.tables import walk

ANALYZER = KoreanEnglishAnalyzer()
NEXT_LABEL = "terms in existing indexes are those kept here: give the analyser its next label"
KOREAN = "데이터베이스 색인은 언제 다시 만들어야 하나요? 김치찌개를 끓이는 방법과 大韓民國 헌법 제1조를 적었습니다."
ENGLISH = "The parsers were reading e-mail addresses from John's files, v1.2.3 of them, running quickly."
CODE = (
    'def parse_md_file(path: Path) -> HTTPServer2: return kebab_core.loadConfig(path)["max-size"]  # C++ 3.14'
)

SIGNS = "2024.01.15에 ＡＰＩ 1.0.0-rc.1을 정확히 쓰는 법 🎉 http://127.0.0.1:80"
SMALL_DIGITS = "1998³ 10⁶ km²과 H₂O, CO₂, x²y², footnote¹²"

GROUPS = "R&D 예산, AT&T, 010-1234-5678, ISBN 978-89-12-34567-8"
AMOUNTS = "보증금 3천만원, 2.5 million"
ESCAPES = r'"first\nsecond files\tC:\new", "\nmaxSize\t다음"'


@walk(
    ("text", "terms"),
    [
        (
            KOREAN,
            "데이터베이스 데이터 베이스 색인 언제 다시 만들 김치찌개 김치 찌개 끓이 방법 大韓民國 대한민국 大韓 대한 韓民 民國 민국 헌법 1 조 적",
        ),
        (
            ENGLISH,
            "the parsers parser were reading read e-mail email mail addresses address from john's john files file "
            "v1.2.3 1.2.3 1.2 of them running run quickly quick",
        ),
        (
            CODE,
            "def parse_md_file parse pars md file path path httpserver2 http server return kebab_core.loadconfig "
            "kebab_core kebab core loadconfig load config path max-size maxsize maxsiz max size c++ 3.14",
        ),
        (
            SIGNS,
            "2024.01.15 2024-01-15 -01-15 2024.01 2024 api 1.0.0-rc.1 1.0.0 1.0 rc 정확히 정확 쓰 쓸 법 🎉 http://127.0.0.1:80 http "
            "127.0.0.1 127.0 80",
        ),
        (
            SMALL_DIGITS,
            "1998³ 1998 10⁶ 10 km² km2 km h₂o h2o co₂ co2 x²y² x2y2 x²y footnote¹² footnote12 footnote footnot",
        ),
        (
            GROUPS,
            "r&d 예산 at&t at 010-1234-5678 01012345678 010 1234 5678 isbn 978-89-12-34567-8 9788912345678 978 89 12 34567",
        ),
        (AMOUNTS, "보증금 보증 금 30000000 3 천만 원 2500000 2.5 million"),
        (
            ESCAPES,
            r"first\nsecond first nsecond second files\tc files file tc new ew nmaxsize\t nmaxsize nmaxsiz nmax maxsize maxsiz max size size 다음",
        ),
    ],
)
def test_terms_of_the_label_are_what_they_always_were(text: str, terms: str) -> None:
    assert ANALYZER.version == "ko-en@6", "keep the terms of the new label too"
    assert [term.text for term in ANALYZER.analyze(text)] == terms.split(), NEXT_LABEL


@walk(
    ("text", "words"),
    [
        (
            KOREAN,
            "데이터베이스 색인은 언제 다시 만들어야 하나요 김치찌개를 끓이는 방법과 大 韓 民 國 헌법 제 1 조를 적었습니다",
        ),
        (
            ENGLISH,
            "the parsers were reading e mail addresses from john s files v1 2 3 of them running quickly",
        ),
        (
            CODE,
            "def parse md file path path httpserver2 return kebab core loadconfig path max size c++ 3 14",
        ),
    ],
)
def test_surface_words_of_the_label_are_what_they_always_were(text: str, words: str) -> None:
    assert [word.text for word in ANALYZER.surface(text)] == words.split(), NEXT_LABEL
