import math

from kebab_analysis import KO_EN_VERSION, KoreanEnglishAnalyzer
from kebab_core import AnalyzerVersion, TermKind
from kebab_testing.tables import walk

ANALYZER = KoreanEnglishAnalyzer()


def test_version_is_the_label_that_indexes_carry() -> None:
    assert ANALYZER.version == KO_EN_VERSION == "ko-en@6"


def test_terms_point_at_the_words_they_come_from() -> None:
    text = "둘째 줄\nkebab-core의 `parseMdFile`과 대한민국"
    slices = {(term.text, text[term.start : term.end]) for term in ANALYZER.analyze(text)}
    assert {
        ("kebab-core", "kebab-core"),
        ("core", "core"),
        ("parse", "parse"),
        ("대한민국", "대한민국"),
        ("민국", "민국"),
    } <= slices


@walk("text", ["쿠버네티스", "쿠버네티스를 설치", "쿠버네티스, 도커"])
def test_unknown_word_is_a_term_whatever_its_pieces_are_taken_for(text: str) -> None:
    assert ANALYZER.analyze(text)[0].text == "쿠버네티스"


def test_decomposed_words_are_found_at_their_own_places() -> None:
    text = "e\u0301tude \u1112\u1161\u11ab\u1100\u116e\u11a8"  # 'étude 한국', decomposed
    assert [(term.text, term.start, term.end) for term in ANALYZER.analyze(text)] == [
        ("etude", 0, 6),
        ("etud", 0, 6),
        ("한국", 7, 13),
    ]


@walk("text", ["함수의", "긴 함수의", "캐나다의", "우크라이나", "메모리의 확장의"])
def test_other_reading_of_the_last_word_only_gives_parts_of_its_words(text: str) -> None:
    asked, followed = ANALYZER.analyze_query(text), ANALYZER.analyze(f"{text} 것")
    words = [term for term in asked if term.kind is not TermKind.PART]
    assert len(words) == len(text.split())
    assert {term.text for term in asked} >= {term.text for term in followed if len(term.text) > 1}
    assert all(any(word.start <= term.start and term.end <= word.end for word in words) for term in asked)


def test_query_that_ends_in_a_mark_is_read_as_it_stands() -> None:
    assert ANALYZER.analyze_query("함수의.") == ANALYZER.analyze("함수의.")


def test_surface_words_end_at_signs_and_other_scripts() -> None:
    assert [term.text for term in ANALYZER.surface("벡터 인덱스는, API를 다시 만듭니다.")] == [
        "벡터",
        "인덱스는",
        "api",
        "를",
        "다시",
        "만듭니다",
    ]


def test_lone_surrogates_and_controls_do_not_stop_the_analysis() -> None:
    assert "한국" in [term.text for term in ANALYZER.analyze("\ud800 한국\x00 \x0b말")]


def test_heading_path_and_body_are_both_in_the_surface() -> None:
    columns = ANALYZER.analyze_chunk(title="제목", heading_path=("설치", "Linux"), text="명령을 실행")
    assert columns.surface.split() == ["설치", "¶", "linux", "¶", "명령을", "실행"]


def test_very_long_lines_are_cut_and_keep_their_places() -> None:
    text = "가나 다라마 " * 3_000 + "ㅋ" * 10_000 + " 마지막 한국"
    terms = ANALYZER.analyze(text)
    assert (terms[-1].text, terms[-1].start, terms[-1].end) == ("한국", len(text) - 2, len(text))
    assert {text[term.start : term.end] for term in terms if term.text == "마지막"} == {"마지막"}


def test_the_terms_of_a_text_do_not_depend_on_what_was_analysed_before() -> None:
    words = [f"getItem{number}List 자료{number}를" for number in range(9_000)]
    texts = [" ".join(words[start : start + 100]) for start in range(0, len(words), 100)]
    used, fresh = KoreanEnglishAnalyzer(), KoreanEnglishAnalyzer()
    for text in texts:  # more words than are remembered at once
        used.analyze_chunk(title="", heading_path=(), text=text)
    for text in (texts[0], texts[-1]):
        known = used.analyze_chunk(title="", heading_path=(), text=text)
        assert known == fresh.analyze_chunk(title="", heading_path=(), text=text)


def test_an_index_of_another_label_is_not_read() -> None:
    assert ANALYZER.reads(KO_EN_VERSION)
    assert not ANALYZER.reads(AnalyzerVersion("ko-en@4"))


@walk("query", ["보증금 3천만원", "보증금 3,000만 원", "보증금 30,000,000원", "보증금 0.3억원"])
def test_an_amount_is_found_however_it_is_written(query: str) -> None:
    asked = {term.text for term in ANALYZER.analyze_query(query)}
    for text in ("보증금은 금 30,000,000원으로 한다", "보증금 3천만 원", "보증금 30000000"):
        assert {"보증금", "30000000"} <= asked & {term.text for term in ANALYZER.analyze(text)}


def test_a_date_is_found_by_its_day_and_by_its_year() -> None:
    texts = ["5월 3일에 만났다", "on 2025-05-03.", "May 3, 2024", "note-2025-05-03"]
    held = [{term.text for term in ANALYZER.analyze(text)} for text in texts]
    columns = [
        set(ANALYZER.analyze_chunk(title="", heading_path=(), text=text).body.split()) for text in texts
    ]
    assert columns == held
    asked = {
        query: [term.text for term in ANALYZER.analyze_query(query)] for query in ("3 May", "2025년 5월 3일")
    }
    assert asked == {"3 May": ["-05-03"], "2025년 5월 3일": ["2025-05-03", "0000-05-03"]}
    assert [[text in terms for terms in held] for text in ("-05-03", "2025-05-03", "0000-05-03")] == [
        [True, True, True, True],
        [False, True, False, True],
        [True, False, False, False],
    ]


def test_entries_of_the_dictionary_and_usual_words_are_likelier_than_misspelt_ones() -> None:
    analyzer = ANALYZER
    assert [analyzer.log_likelihood(word) for word in ("진입을", "만드나요", "농업이", "저격한")] == [
        0,
        0,
        0,
        0,
    ]
    assert [analyzer.log_likelihood(word) for word in ("가톨뤽교회의", "쿠버네티즈", "그렇밈")] == [
        -math.inf
    ] * 3
    assert analyzer.log_likelihood("Cancer") > -19.5 > analyzer.log_likelihood("asyncronous")
    assert analyzer.log_likelihood("naïve") == analyzer.log_likelihood("naive")
