"""Which spans are quoted, by their probabilities."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from hypothesis import given, strategies as st
from kebab_core import EmbeddingKind, LineCitation, Passage, WorkspacePath
from kebab_extractive.passage import ReadPassage, read_passage
from kebab_extractive.question import Question, read_question
from kebab_extractive.quotes import Quote
from kebab_extractive.selection import ANSWERED, choose_answer, choose_nearest
from kebab_extractive.span_features import NAMES, Span, find_spans
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.passages import build_passage, build_passages
from kebab_testing.temporary_stores import TemporaryStores
from kebab_text import Script

ANALYZER = WordAnalyzer()
INDEX = TemporaryStores().index


def read(question: str, *passages: Passage) -> tuple[Question, list[ReadPassage], list[Span]]:
    texts = [read_passage(passage, ANALYZER) for passage in passages]
    asked = read_question(question, analyzer=ANALYZER, index=INDEX)
    return asked, texts, find_spans(asked, texts)


def texts(quotes: Sequence[Quote]) -> list[str]:
    return [
        quote.passage.text[low:high]
        for quote in quotes
        for each in quote.passage_quotes()
        for low, high in each.ranges
    ]


def dated(path: str, text: str, *, marker: int) -> Passage:
    return build_passage(text, marker=marker, citation=LineCitation(path=WorkspacePath(path), start=1, end=1))


def test_documents_that_give_different_values_are_both_quoted_the_newer_one_first() -> None:
    old = dated("2025-11-03 standup.md", "Dana owns the release.", marker=1)
    new = dated("2026-02-09 standup.md", "Omar owns the release.", marker=2)
    asked, passages, spans = read("who owns the release", old, new)
    sure = [replace(span, probability=0.9 - 0.1 * span.rank) for span in spans]
    assert texts(choose_answer(asked, passages, sure)) == ["Omar owns the release.", "Dana owns the release."]
    undated = [build_passage(each.text, marker=each.marker) for each in (old, new)]
    asked, passages, spans = read("who owns the release", *undated)
    assert texts(choose_answer(asked, passages, sure)) == ["Dana owns the release.", "Omar owns the release."]


def test_of_two_documents_with_the_same_text_one_is_quoted() -> None:
    text = "Dana owns the release.\n\nOmar owns the rollback."
    copies = [dated(name, text, marker=at) for at, name in enumerate(("plan.md", "plan (1).md"), 1)]
    asked, passages, spans = read("who owns the release and the rollback", *copies)
    chances = {(0, 0): 0.9, (1, 1): 0.8, (1, 0): 0.7, (0, 1): 0.6}
    for share, choose in ((1, choose_answer), (0.3, choose_nearest)):
        weighed = [replace(one, probability=share * chances[one.rank, one.position]) for one in spans]
        ordered = sorted(weighed, key=lambda one: -one.probability)
        assert {quote.passage.marker for quote in choose(asked, passages, ordered)} == {1}


def test_day_that_a_document_states_stands_above_one_in_its_name_and_undated_ones_keep_their_place() -> None:
    old = dated("2026-03-01 copy.md", "Dana owns the release.", marker=1)
    old = old.model_copy(update={"stated_on": date(2025, 11, 3)})
    undated = build_passage("Mina owns the release.", marker=2)
    new = build_passage("Omar owns the release.", marker=3, stated_on=date(2026, 2, 9))
    asked, passages, spans = read("who owns the release", old, undated, new)
    sure = [replace(span, probability=0.9 - 0.1 * span.rank) for span in spans]
    assert [each.split()[0] for each in texts(choose_answer(asked, passages, sure))] == [
        "Omar",
        "Mina",
        "Dana",
    ]


def test_less_probable_document_that_holds_the_same_words_is_quoted_too() -> None:
    notes = ("Dana owns the release.", "Since May Omar owns the release.", "Mina owns the roadmap.")
    asked, passages, spans = read("who owns the release", *build_passages(notes))
    for share, expected in ((0.26, [*notes[:2]]), (0.24, [*notes[:1]])):
        weighed = [replace(span, probability=0.8 * (share if span.rank else 1)) for span in spans]
        assert texts(choose_answer(asked, passages, weighed)) == expected


def test_comparison_quotes_both_sides_of_the_page_but_no_improbable_one() -> None:
    page = build_passage("The grey index is small.\n\nRain fell on the town.\n\nThe white one is large.")
    asked, passages, spans = read("what is the difference of the grey index versus white", page)
    for share, expected in (
        (0.51, ["The grey index is small.", "The white one is large."]),
        (0.49, ["The grey index is small."]),
    ):
        shares = {0: 1.0, 2: share}
        weighed = [replace(span, probability=0.9 * shares.get(span.position, 0.0)) for span in spans]
        weighed.sort(key=lambda span: -span.probability)
        assert texts(choose_answer(asked, passages, weighed)) == expected


def test_span_below_the_least_probability_is_quoted_as_near_and_never_as_an_answer() -> None:
    asked, passages, spans = read("who owns the release", build_passage("Dana owns the release."))
    unsure = [replace(span, probability=ANSWERED[False] - 0.01) for span in spans]
    assert choose_answer(asked, passages, unsure) == []
    assert texts(choose_nearest(asked, passages, unsure)) == ["Dana owns the release."]


def test_names_of_columns_alone_come_near_to_nothing() -> None:
    rows = "\n".join(f"tx{n} | shop {n} | paid by card, nothing more is known of it" for n in range(30))
    near = []
    for head in ("id | name | note", "name | Omar"):
        asked, passages, spans = read("what is the name", build_passage(f"{head}\n{rows}"))
        weighed = [replace(span, probability=0.2 * (span.position == 0)) for span in spans]
        near.append(texts(choose_nearest(asked, passages, sorted(weighed, key=lambda one: -one.probability))))
    assert near == [[], ["name | Omar"]]


@given(
    st.lists(st.integers(1, 300), min_size=1, max_size=6),
    st.lists(st.floats(0, ANSWERED[False], exclude_max=True), min_size=6, max_size=6),
)
def test_what_comes_nearest_are_three_spans_and_400_characters_at_most(
    lengths: list[int], chances: list[float]
) -> None:
    notes = [
        build_passage(f"Owner {number} {'x' * length} is here.", marker=number)
        for number, length in enumerate(lengths, 1)
    ]
    asked, passages, spans = read("owner here", *notes)
    weighed = sorted(
        (replace(span, probability=chances[span.rank]) for span in spans), key=lambda span: -span.probability
    )
    near = texts(choose_nearest(asked, passages, weighed))
    assert 1 <= len(near) <= 3
    assert sum(map(len, near)) <= 400
    assert near[0] == passages[weighed[0].rank].passage.text


def test_sentence_that_several_passages_hold_is_quoted_once() -> None:
    text = "The index keeps terms."
    asked, passages, spans = read("index keeps terms", build_passage(text), build_passage(text, marker=2))
    sure = [replace(span, probability=0.9) for span in spans]
    assert texts(choose_answer(asked, passages, sure)) == [text]


def test_by_meaning_every_sentence_in_another_script_is_compared() -> None:
    """Words promise nothing of them: the answer may be the last sentence of the last passage."""
    korean = [build_passage("오늘은 비가 온다. " * 9, marker=n, lang="ko") for n in range(1, 4)]
    english = [
        build_passage(" ".join(f"Sentence {n}{at} says it." for at in range(7)), marker=n)
        for n in range(4, 10)
    ]
    passages = [read_passage(each, ANALYZER) for each in (*korean, *english)]
    asked = read_question("열쇠는 어디에 있나요", analyzer=ANALYZER, index=INDEX)
    compared = find_spans(asked, passages, embedder=BagOfWordsEmbedder())
    assert sum(span.rank >= len(korean) for span in compared) == 6 * 7
    assert {span.rank for span in compared} == set(range(9))


def test_span_in_another_script_is_measured_without_what_is_common_to_questions() -> None:
    embedder = BagOfWordsEmbedder()
    passages = [read_passage(build_passage("The key hangs in the well."), ANALYZER)]
    asked = read_question("열쇠는 어디에 있나요", analyzer=ANALYZER, index=INDEX)
    (plain,) = find_spans(asked, passages, embedder=embedder)
    (common,) = embedder.embed([asked.text], EmbeddingKind.QUERY).tolist()
    (centred,) = find_spans(asked, passages, embedder=embedder, centroids={Script.HANGUL: common})
    at = NAMES.index("centred")
    assert (plain.features[at], centred.features[at]) == (-2.0, 0.0)
    assert plain.features[at + 2 :] == centred.features[at + 2 :]
