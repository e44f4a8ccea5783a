"""What every `Analyzer` does."""

from __future__ import annotations

import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_core import Analyzer, Term
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.families import examples

_SAMPLES = (
    "벡터 인덱스는 언제 다시 만드나요?",
    "`parse_md_file`은 kebab-core의 v1.2.3에서 API를 읽습니다.",
    "What does the parser do with HTTPServer2 and e-mail?",
    "東京は日本の首都です 大韓民國",
    "naïve café",
)
mixed_text = st.lists(
    st.one_of(
        st.sampled_from(_SAMPLES).flatmap(lambda text: st.sampled_from(text.split())),
        st.text(max_size=8),
        st.sampled_from([" ", "\n", "\t", "\u3000", "\u1112\u1161\u11ab", "e\u0301", "\x00", "()", "…"]),
    ),
    max_size=12,
).map(" ".join)
"""Korean, Latin and CJK words among arbitrary characters."""

_given_text = given(mixed_text)
_shared = settings(
    suppress_health_check=[HealthCheck.differing_executors],
    deadline=None,
    max_examples=examples(60),
    derandomize=True,
)


class AnalyzerLaws:
    """Subclass it as `Test…` and return an analyser."""

    def make_analyzer(self) -> Analyzer:
        """Return the analyser under test; it may be the same object each time."""
        raise NotImplementedError

    def test_version_names_analyzer_and_version(self) -> None:
        name, _, version = self.make_analyzer().version.partition("@")
        assert name
        assert version

    def test_empty_text_gives_no_terms(self) -> None:
        analyzer = self.make_analyzer()
        assert analyzer.analyze("") == analyzer.analyze_query("") == analyzer.surface("") == []

    @_shared
    @_given_text
    def test_terms_are_lower_case_nfc_and_without_white_space(self, text: str) -> None:
        for term in _all_terms(self.make_analyzer(), text):
            assert term.text
            assert term.text.split() == [term.text]
            assert term.text == unicodedata.normalize("NFC", term.text)
            assert term.text == term.text.lower()

    @_shared
    @_given_text
    def test_terms_lie_inside_the_text_in_order(self, text: str) -> None:
        analyzer = self.make_analyzer()
        for terms in (analyzer.analyze(text), analyzer.analyze_query(text), analyzer.surface(text)):
            assert all(0 <= term.start < term.end <= len(text) for term in terms)
            assert terms == sorted(terms, key=lambda term: (term.start, -term.end))

    @_shared
    @_given_text
    def test_question_keeps_terms_of_the_text_and_never_loses_all(self, text: str) -> None:
        analyzer = self.make_analyzer()
        for ended in (text, f"{text} ."):
            assert bool(analyzer.analyze_query(ended)) == bool(analyzer.analyze(ended))
        asked, indexed = analyzer.analyze_query(f"{text} ."), analyzer.analyze(f"{text} .")
        assert not Counter(asked) - Counter(indexed)

    @_shared
    @_given_text
    def test_terms_that_are_looked_for_are_those_of_the_text(self, text: str) -> None:
        analyzer = self.make_analyzer()
        terms = analyzer.analyze(text)
        wanted = {term.text for term in terms[::3]}
        beginnings = tuple(term.text[:2] for term in terms[1::4])
        kept = [term for term in terms if term.text in wanted or term.text.startswith(beginnings)]
        assert analyzer.find_terms(text, wanted, beginnings=beginnings) == (kept, len(terms))

    @_shared
    @_given_text
    def test_decomposed_text_gives_the_terms_of_the_composed(self, text: str) -> None:
        analyzer = self.make_analyzer()
        composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
        assert _texts(analyzer.analyze(decomposed)) == _texts(analyzer.analyze(composed))

    @_shared
    @_given_text
    def test_columns_of_a_chunk_are_its_terms_joined(self, text: str) -> None:
        analyzer = self.make_analyzer()
        columns = analyzer.analyze_chunk(title=text, heading_path=(text,), text=text)
        terms = _texts(analyzer.analyze(text))
        for column in (columns.title, columns.heading, columns.body):
            assert column.split() == terms
            assert column == " ".join(terms)

    @_shared
    @_given_text
    def test_words_of_a_phrase_stand_side_by_side_in_the_surface_of_its_chunk(self, text: str) -> None:
        analyzer = self.make_analyzer()
        surface = analyzer.analyze_chunk(title="", heading_path=(), text=text).surface
        assert surface.split() == _texts(analyzer.surface(text))

    def test_words_of_two_headings_or_blocks_do_not_stand_side_by_side(self) -> None:
        path, text = ("alpha", "beta"), "gamma delta\n\nepsilon\nzeta"
        analyzer = self.make_analyzer()
        surface = analyzer.analyze_chunk(title="", heading_path=path, text=text).surface
        for parted in ("alpha beta", "beta gamma", "delta epsilon"):
            assert parted not in surface
        assert "gamma delta" in surface
        assert "epsilon zeta" in surface

    def test_threads_that_share_it_get_what_one_gets(self) -> None:
        analyzer = self.make_analyzer()
        expected = [analyzer.analyze(sample) for sample in _SAMPLES]
        fresh = self.make_analyzer()
        with ThreadPoolExecutor(4) as pool:
            runs = pool.map(lambda _: [fresh.analyze(sample) for sample in _SAMPLES], range(16))
            assert all(run == expected for run in runs)


def _texts(terms: list[Term]) -> list[str]:
    return [term.text for term in terms]


def _all_terms(analyzer: Analyzer, text: str) -> list[Term]:
    return [*analyzer.analyze(text), *analyzer.analyze_query(text), *analyzer.surface(text)]


ANALYZER = KoreanEnglishAnalyzer()


class TestKoreanEnglishAnalyzer(AnalyzerLaws):
    def make_analyzer(self) -> KoreanEnglishAnalyzer:
        return ANALYZER


class TestWordAnalyzer(AnalyzerLaws):
    def make_analyzer(self) -> WordAnalyzer:
        return WordAnalyzer()
