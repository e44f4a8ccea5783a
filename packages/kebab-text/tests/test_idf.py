import math

import pytest
from hypothesis import given, strategies as st
from kebab_text import FTS5_LEAST_IDF, fts5_idf, inverse_document_frequency


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_rarer_terms_weigh_more(first: int, second: int) -> None:
    rare, common = sorted((first, second))
    assert inverse_document_frequency(rare, 1000) >= inverse_document_frequency(common, 1000) > 0
    assert fts5_idf(rare, 1000) >= fts5_idf(common, 1000) >= FTS5_LEAST_IDF


def test_weights_are_those_of_bm25() -> None:
    assert inverse_document_frequency(1, 10) == pytest.approx(math.log(1 + 9.5 / 1.5))
    assert fts5_idf(1, 10) == pytest.approx(math.log(9.5 / 1.5))


def test_term_held_more_often_than_there_are_passages_is_held_by_all() -> None:
    assert inverse_document_frequency(7, 3) == inverse_document_frequency(7, 7)
    assert fts5_idf(7, 3) == FTS5_LEAST_IDF
