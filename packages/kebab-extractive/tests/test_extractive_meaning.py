from hypothesis import given, strategies as st
from kebab_core import (
    Embedder,
    EmbeddingKind,
    ModelMissingError,
    Passage,
    VectorMatrix,
)
from kebab_extractive import ExtractiveReader
from kebab_extractive.semantic_rerank import estimate_tokens, fit_budget
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import NEAREST, NOTHING, build_passage, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

SYNONYMS = {
    "색인": "index",
    "매일": "night",
    "정성": "carefully",
    "제작": "built",
    "몇": "how",
    "번": "often",
}
QUESTION = "색인 매일 정성 제작"
ENGLISH = "Nobody likes rain in spring. The index built night carefully. Trains leave from platform nine."


class AbsentEmbedder:
    """An embedder whose weights are not on this machine."""

    identity = BagOfWordsEmbedder().identity

    def embed(self, texts: object, kind: EmbeddingKind) -> VectorMatrix:
        raise ModelMissingError("the weights are not here", hint="kebab models pull")


def make_embedder() -> BagOfWordsEmbedder:
    return BagOfWordsEmbedder(256, synonyms=SYNONYMS)


def answer(question: str, *evidence: Passage, embedder: Embedder | None) -> str:
    store = InMemoryDocumentStore()
    store.replace_document(build_record(RecordSpec(paragraphs=tuple(each.text for each in evidence))))
    model = ExtractiveReader(analyzer=WordAnalyzer(), index=InMemoryLexicalIndex(store), embedder=embedder)
    return read_aloud(model, question, *evidence)


def test_sentence_in_another_language_that_means_the_question_is_quoted_as_near_and_no_answer() -> None:
    said = answer(QUESTION, build_passage(ENGLISH), embedder=make_embedder())
    assert said == f"{NEAREST}\nThe index built night carefully. [#1]"


def test_passage_in_the_language_of_the_question_answers_before_a_higher_one_in_another() -> None:
    evident = {"evidence": 0.99}
    korean = build_passage("색인은 index built carefully night 한다.", lang="ko").model_copy(update=evident)
    english = build_passage("The index built night carefully.", marker=2, lang="en").model_copy(
        update=evident
    )
    question = "index built night carefully"
    assert answer(question, korean, english, embedder=make_embedder()) == f"{english.text} [#2]"
    assert answer(question, korean, embedder=make_embedder()) == f"{korean.text} [#1]"


@walk(("evidence", "is_enough"), [(0.99, True), (0.001, False)])
def test_among_a_few_notes_a_sentence_needs_evidence_too(evidence: float, *, is_enough: bool) -> None:
    text = "The index built night carefully."
    passage = build_passage(text).model_copy(update={"evidence": evidence})
    said = answer("index built night carefully", passage, embedder=make_embedder())
    assert said.endswith(f"{text} [#1]")
    assert (NEAREST not in said) is is_enough


@walk("embedder", [None, AbsentEmbedder()])
def test_question_in_another_language_is_refused_without_a_model(embedder: Embedder | None) -> None:
    assert answer(QUESTION, build_passage(ENGLISH), embedder=embedder) == NOTHING


def test_question_is_refused_where_no_sentence_in_the_other_language_is_near() -> None:
    passage = build_passage("Nobody likes rain in spring. Trains leave from platform nine.")
    assert answer(QUESTION, passage, embedder=make_embedder()) == NOTHING


def test_question_is_refused_where_every_sentence_in_the_other_language_is_as_near() -> None:
    passage = build_passage("The index built night carefully. Index built carefully the night.")
    assert answer(QUESTION, passage, embedder=make_embedder()) == NOTHING


@walk(("figure", "is_quoted"), [("", False), (" 3", True)])
def test_near_sentence_is_an_answer_only_with_the_figure_that_is_asked_for(
    figure: str, is_quoted: bool
) -> None:
    passage = build_passage(f"Nobody likes rain in spring. The index built how often night{figure}.")
    said = answer("색인 매일 몇 번 제작", passage, embedder=make_embedder())
    assert ("[#1]" in said) is is_quoted


def test_sentences_in_the_language_of_the_question_are_left_to_their_words() -> None:
    said = answer(QUESTION, build_passage(ENGLISH, lang="ko"), embedder=make_embedder())
    assert said == NOTHING


def test_what_words_find_is_quoted_before_what_only_meaning_finds() -> None:
    korean = build_passage("색인 매일 정성 제작 한다.", marker=2, lang="ko")
    said = answer(QUESTION, build_passage(ENGLISH), korean, embedder=make_embedder())
    assert said.endswith("[#2]")
    assert "[#1]" not in said


def test_what_only_meaning_finds_in_a_higher_passage_is_quoted_as_near_before_what_some_words_find() -> None:
    korean = build_passage("색인 매일 달린다.", marker=2, lang="ko").model_copy(update={"evidence": 0.001})
    said = answer(QUESTION, build_passage(ENGLISH), korean, embedder=make_embedder())
    near = f"The index built night carefully. [#1]\n{korean.text} [#2]"
    assert said == f"{NEAREST}\n{near}"


def test_passage_in_another_language_is_quoted_as_near_once() -> None:
    passage = build_passage("Nobody likes rain in spring. The index built night carefully 색인 매일.")
    said = answer(QUESTION, passage, embedder=make_embedder())
    assert said.count("[#1]") == 1


@walk(("marker", "is_quoted"), [(1, True), (2, False)])
def test_passage_in_another_language_answers_only_before_all_in_the_language_of_the_question(
    marker: int, is_quoted: bool
) -> None:
    korean = build_passage("기차는 구 번 홈에서 떠난다.", marker=3 - marker, lang="ko")
    evidence = sorted([korean, build_passage(ENGLISH, marker=marker)], key=lambda each: each.marker)
    said = answer(QUESTION, *evidence, embedder=make_embedder())
    assert ("[#1]" in said) is is_quoted
    assert is_quoted or said == NOTHING


def test_equal_requests_get_equal_text_with_one_model_and_with_another() -> None:
    passage = build_passage(ENGLISH)
    shared = make_embedder()
    said = {answer(QUESTION, passage, embedder=each) for each in (shared, shared, make_embedder())}
    assert len(said) == 1


def test_quotes_are_compared_below_title_and_heading_whatever_the_language() -> None:
    embedder = make_embedder()
    passage = build_passage(ENGLISH, title="Index", heading_path=("Index", "Upkeep"))
    assert "[#1]" in answer("is the index built carefully", passage, embedder=embedder)
    (_, compared) = (texts for texts, _ in embedder.asked)
    assert all(text.startswith("Index\nUpkeep\n") for text in compared)


def test_of_sentences_that_are_as_near_the_one_of_the_passage_with_more_evidence_is_quoted() -> None:
    little = build_passage("The index built night carefully.").model_copy(update={"evidence": 0.05})
    much = build_passage("Night built the index carefully.", marker=2).model_copy(update={"evidence": 0.99})
    said = answer("index built night carefully", little, much, embedder=make_embedder())
    assert said == f"{much.text} [#2]"


def test_of_a_long_passage_only_so_much_is_read_as_there_is_time_for() -> None:
    embedder = make_embedder()
    passage = build_passage(
        " ".join(f"The index number {n} is built by somebody at night." for n in range(200))
    )
    answer(QUESTION, passage, embedder=embedder)
    (_, read) = (texts for texts, _ in embedder.asked)
    assert 2 < len(read) < 30


@given(st.lists(st.text(max_size=80), max_size=12), st.floats(0, 100))
def test_affordable_texts_never_cost_more_than_the_budget(texts: list[str], budget: float) -> None:
    taken = fit_budget(enumerate(texts), budget=budget)
    assert sum(estimate_tokens(text) for text in taken.values()) <= budget + 1e-6
    assert list(taken) == sorted(taken)
