"""What is said of one thing does not answer a question about another, however many words the two share."""

import pytest
from kebab_analysis import KoreanEnglishAnalyzer
from kebab_extractive import ExtractiveReader
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import build_passage, is_answer, read_aloud
from kebab_testing.records import RecordSpec, build_record

from tests.integration.contrast_pairs import CONTRASTS, Contrast

ANALYZER = KoreanEnglishAnalyzer()


def answer(question: str, *texts: str) -> str:
    store = InMemoryDocumentStore()
    terms = [ANALYZER.analyze_chunk(title="", heading_path=(), text=text) for text in texts]
    store.replace_document(build_record(RecordSpec(paragraphs=texts, terms=terms)))
    model = ExtractiveReader(analyzer=ANALYZER, index=InMemoryLexicalIndex(store))
    passages = [build_passage(text, marker=marker) for marker, text in enumerate(texts, start=1)]
    return read_aloud(model, question, *passages)


def all_of(*sentences: str) -> str:
    return " ".join(sentences)


@pytest.mark.thorough
@pytest.mark.parametrize("pair", CONTRASTS, ids=lambda pair: pair.question)
def test_sentence_about_what_is_asked_is_quoted_and_the_one_about_the_other_is_not(pair: Contrast) -> None:
    for texts in ((pair.wrong, pair.remark, pair.right), (all_of(pair.wrong, pair.right, pair.remark),)):
        said = answer(pair.question, *texts)
        assert pair.right.rstrip(".") in said
        assert pair.wrong.rstrip(".") not in said


@pytest.mark.thorough
@pytest.mark.parametrize("pair", CONTRASTS, ids=lambda pair: pair.question)
def test_sentence_about_the_other_answers_nothing_where_what_is_asked_is_known_but_not_told(
    pair: Contrast,
) -> None:
    for texts in (
        (pair.wrong, pair.remark),
        (all_of(pair.wrong, pair.remark),),
        (all_of(pair.remark, pair.wrong),),
    ):
        assert not is_answer(answer(pair.question, *texts))
