from dataclasses import replace

import pytest
from kebab_extractive.answer_patterns import AnswerType
from kebab_extractive.passage import read_passage
from kebab_extractive.query_terms import find_predicates
from kebab_extractive.question import Question, read_question
from kebab_extractive.scoring import score_sentences
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import build_passage
from kebab_testing.records import RecordSpec, build_record


def lead_of_section(question: Question) -> float:
    """Return by how much a sentence below a fitting heading is ahead of the same one elsewhere."""
    text = "The index keeps terms."
    passages = [build_passage(text, title="keeps terms"), build_passage(text, title="News")]
    section, elsewhere = (
        score_sentences(question, read_passage(passage, WordAnalyzer()), rank=0)[0].score
        for passage in passages
    )
    return section - elsewhere


@pytest.mark.parametrize(
    ("question", "content", "predicates"),
    [
        ("Who wrote the index?", "wrote index", "wrote"),
        ("What does the index keep?", "index keep", "keep"),
        ("How many days do clerks get?", "days clerks", ""),
        ("색인을 언제 만드나요?", "색인을 만드나요", "만드나요"),
    ],
)
def test_predicates_are_verbs_and_no_nouns(question: str, content: str, predicates: str) -> None:
    starts = {question.index(word): word for word in content.split()}
    found = find_predicates(question, [(start, start + len(word)) for start, word in starts.items()])
    assert [starts[start] for start in found] == predicates.split()


def make_question(text: str) -> Question:
    store = InMemoryDocumentStore()
    store.replace_document(build_record(RecordSpec(paragraphs=("the index keeps terms", "how to do it"))))
    return read_question(text, analyzer=WordAnalyzer(), index=InMemoryLexicalIndex(store))


def test_sentence_that_goes_on_from_another_scores_less_than_the_same_that_stands_alone() -> None:
    passage = build_passage("Rain fell. So index keeps terms. Rain fell. Now index keeps terms.")
    scores = score_sentences(
        make_question("index keeps terms"), read_passage(passage, WordAnalyzer()), rank=0
    )
    assert scores[1].score < scores[3].score


def test_only_how_to_questions_prefer_the_section_that_is_about_them() -> None:
    question = make_question("how to index keeps terms")
    assert AnswerType.MANNER in question.answer_types
    assert lead_of_section(question) > 0
    assert lead_of_section(replace(question, answer_types=())) == 0
