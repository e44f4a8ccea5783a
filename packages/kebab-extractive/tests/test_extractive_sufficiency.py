from kebab_core import Passage
from kebab_extractive import ExtractiveReader
from kebab_extractive.query_terms import QueryTerm
from kebab_extractive.question import needed_coverage
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import NEAREST, build_passage, is_answer, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

_FEW = 12
_MANY = 240


def answer(question: str, *evidence: str | Passage, chunks: int) -> str:
    store = InMemoryDocumentStore()
    texts = ["the capital letter of a word", *(f"filler number {n} says it" for n in range(chunks - 1))]
    store.replace_document(build_record(RecordSpec(paragraphs=tuple(texts))))
    model = ExtractiveReader(analyzer=WordAnalyzer(), index=InMemoryLexicalIndex(store))
    return read_aloud(model, question, *evidence)


def word(weight: float, *, is_known: bool = True, is_name: bool = False) -> QueryTerm:
    return QueryTerm(frozenset({str(weight)}), {}, weight, is_known, is_name)


@walk("chunks", [_FEW, _MANY])
def test_question_with_a_name_that_no_chunk_holds_is_not_answered_by_its_other_words(chunks: int) -> None:
    text = "Write a capital letter."
    assert not is_answer(answer("capital of France", text, chunks=chunks))
    assert answer("capital letter", text, chunks=chunks).startswith(text)


@walk("name", ["Zed", "Alpha"])
def test_passage_without_a_name_of_the_question_is_near_and_no_answer(name: str) -> None:
    text = "The capital letter of a word says it first."
    said = answer(f"capital letter of a word says {name}", text, chunks=_MANY)
    assert said.startswith(NEAREST)
    assert text in said
    assert answer("capital letter of a word says", text, chunks=_MANY).startswith(text)


@walk("chunks", [_FEW, _MANY])
def test_thing_that_no_chunk_names_is_not_answered_by_the_other_word(chunks: int) -> None:
    assert not is_answer(answer("capital gains", "Write a capital letter.", chunks=chunks))


def test_what_happens_may_be_said_in_other_words_where_there_are_few_chunks() -> None:
    text = "The capital letter of a word comes first."
    assert is_answer(answer("does the capital letter lead", text, chunks=_FEW))


@walk("question", ["who capitalised the letter of a word", "when was the letter of a word cut"])
def test_who_did_something_and_when_is_not_answered_where_nothing_says_that_it_was_done(
    question: str,
) -> None:
    text = "The capital letter of a word is by Kim since May."
    assert not is_answer(answer(question, text, chunks=_FEW))


@walk("question", ["the", "The?", "what is it", "[#1]", "［＃７］", "[#1] the [ #12 ]", "???"])
@walk("chunks", [_FEW, _MANY])
def test_question_without_a_telling_word_is_refused_whatever_stands_in_the_evidence(
    question: str, chunks: int
) -> None:
    texts = (f"The capital letter is it: {question}.", "It is the 1 of 12 and 7.", "the")
    assert not is_answer(answer(question, *texts, chunks=chunks))


def test_number_that_the_passage_does_not_name_is_not_answered_by_another() -> None:
    question = "When was letter 5.0 said"
    assert not is_answer(answer(question, "The letter 5.0.4 was said in May.", chunks=_MANY))
    assert is_answer(answer(question, "The letter 5.0 was said in May.", chunks=_MANY))


def test_capital_at_the_beginning_of_a_question_makes_no_name() -> None:
    assert is_answer(answer("Explain capital letter", "Write a capital letter.", chunks=_FEW))


def test_by_words_among_few_chunks_more_is_needed_with_an_unknown_name_and_never_everything() -> None:
    known = needed_coverage([word(1.0), word(2.0)], is_by_coverage=True)
    named = needed_coverage([word(1.0), word(2.0, is_known=False, is_name=True)], is_by_coverage=True)
    assert 0 < known < named < 1


def test_question_without_words_needs_something_all_the_same() -> None:
    assert needed_coverage([], is_by_coverage=False) > 0


@walk(("evidence", "is_enough"), [(None, True), (0.9, True), (0.7, True), (0.3, False)])
def test_sentence_of_a_passage_with_little_evidence_is_quoted_as_near(
    evidence: float | None, is_enough: bool
) -> None:
    passage = build_passage("The capital letter of a word.").model_copy(update={"evidence": evidence})
    said = answer("capital letter of a word", passage, chunks=_MANY)
    assert said.endswith("The capital letter of a word. [#1]")
    assert (NEAREST not in said) is is_enough


def test_near_sentence_brings_the_list_that_it_leads_into() -> None:
    text = "The capital letter of a word has three uses:\n\n- It begins a name.\n- It begins a text.\n- It shouts."
    passage = build_passage(text).model_copy(update={"evidence": 0.3})
    said = answer("capital letter of a word", passage, chunks=_MANY)
    assert said == f"{NEAREST}\n{text} [#1]"


def test_sentence_that_is_close_to_the_best_one_is_quoted_with_it_whatever_the_evidence_of_its_passage() -> (
    None
):
    best = build_passage("The capital letter of a word.").model_copy(update={"evidence": 0.9})
    close = build_passage("A capital letter begins a word.", marker=2).model_copy(update={"evidence": 0.3})
    assert is_answer(said := answer("capital letter", best, close, chunks=_MANY))
    assert said.endswith(f"{close.text} [#2]")


def test_among_a_few_notes_little_evidence_is_enough() -> None:
    passage = build_passage("The capital letter of a word.").model_copy(update={"evidence": 0.3})
    assert is_answer(answer("capital letter of a word", passage, chunks=_FEW))
