import math
from collections.abc import Callable, Sequence

import pytest
from kebab_core import EmbeddingKind, InvalidInputError, VectorMatrix
from kebab_search import NO_ANCHORS, decode_anchors, make_anchors
from kebab_search.anchors import TITLES, anchor_texts, nearness, without_mean
from kebab_search.floor import floor_for
from kebab_search.model_habits import Floors, habits_of
from kebab_search.scripts import Script, script_of_language, script_of_text
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.vectors import matrix_of, unit

EMBEDDER = BagOfWordsEmbedder(128)
FLOORS = Floors(known=1.0, known_abroad=2.0, unknown=3.0, abroad=4.0, gibberish=9.0)
ASKED = NO_ANCHORS._replace(questions={Script.LATIN: (1.0, 0.0)})


def queries(embedder: BagOfWordsEmbedder) -> Callable[[Sequence[str]], VectorMatrix]:
    return lambda texts: embedder.embed(texts, EmbeddingKind.QUERY)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("벡터 인덱스", Script.HANGUL),
        ("FastAPI 배포", Script.HANGUL),
        ("how to deploy FastAPI", Script.LATIN),
        ("k8s 404", Script.LATIN),
        ("ㅋㅋㅋ", Script.HANGUL),
        ("日本語の検索", Script.HAN),
        ("поиск", Script.CYRILLIC),
        ("…", Script.LATIN),
        ("", Script.LATIN),
        ("a very long English question about one 단어", Script.LATIN),
    ],
)
def test_script_of_a_query_is_that_of_a_fifth_of_its_letters(text: str, script: Script) -> None:
    assert script_of_text(text) is script


@pytest.mark.parametrize(
    ("lang", "script"),
    [("ko", Script.HANGUL), ("en", Script.LATIN), ("und", Script.LATIN), ("zh", Script.HAN)],
)
def test_script_of_a_language_is_latin_unless_known(lang: str, script: Script) -> None:
    assert script_of_language(lang) is script


def test_titles_are_asked_for_in_their_script_beside_questions() -> None:
    texts = anchor_texts(["배포 안내", "Deployment", "Deployment", " "])
    assert "배포 안내" in texts[Script.HANGUL]
    assert texts[Script.LATIN].count("Deployment") == 1
    assert "배포 안내" not in texts[Script.LATIN]
    assert all(len(of_script) > 20 for of_script in texts.values())


def test_another_title_changes_one_of_many() -> None:
    titles = [f"title {number}" for number in range(1000)]
    before, after = (set(anchor_texts(some)[Script.LATIN]) for some in (titles, [*titles, "one more"]))
    assert len(before) >= TITLES
    assert len(before - after) <= 1


def test_anchors_survive_being_written_down() -> None:
    anchors = make_anchors(queries(EMBEDDER), ["배포 안내", "Deployment"])
    again = decode_anchors(anchors.encode())
    assert again.questions[Script.HANGUL] == pytest.approx(anchors.questions[Script.HANGUL], abs=1e-6)
    assert again.gibberish.keys() == anchors.gibberish.keys()
    assert again.digest == anchors.digest != NO_ANCHORS.digest


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"questions": 1, "gibberish": {}}', b"\xff"])
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInputError):
        decode_anchors(content)


def test_what_is_left_without_the_mean_is_of_unit_norm() -> None:
    (rest,) = without_mean(matrix_of([0.6, 0.8]), (0.0, 0.8)).tolist()
    assert rest == pytest.approx([1.0, 0.0], abs=1e-6)


def test_a_query_that_is_nothing_but_the_mean_stays() -> None:
    query = matrix_of([0.0, 1.0])
    assert without_mean(query, (0.0, 1.0)).tolist() == query.tolist()


def test_nearness_is_the_cosine_with_the_nearest_mean_whatever_its_length() -> None:
    means = {Script.LATIN: (2.0, 0.0), Script.HANGUL: (0.0, 0.5)}
    assert nearness(matrix_of(unit([1.0, 1.0])), means) == pytest.approx(math.sqrt(0.5))
    assert nearness(matrix_of([1.0, 0.0]), {}) is None


def test_floor_is_lower_where_the_index_knows_a_word() -> None:
    query = matrix_of([1.0, 0.0])
    known, unknown = (
        floor_for(query, FLOORS, anchors=ASKED, knows_words=knows, vectors=3000) for knows in (True, False)
    )
    assert known == (1.0, 2.0)
    assert unknown == (3.0, 4.0)


def test_floor_of_what_looks_like_gibberish_is_highest_unless_a_word_is_known() -> None:
    anchors = NO_ANCHORS._replace(questions={Script.LATIN: (1.0, 0.0)}, gibberish={Script.LATIN: (0.0, 1.0)})
    for knows, floors in ((False, (9.0, 9.0)), (True, (1.0, 2.0))):
        query = matrix_of([0.0, 1.0])
        assert floor_for(query, FLOORS, anchors=anchors, knows_words=knows, vectors=3000) == floors
    question = matrix_of([1.0, 0.0])
    assert floor_for(question, FLOORS, anchors=anchors, knows_words=False, vectors=3000) == (3.0, 4.0)


def test_before_a_model_is_measured_nothing_is_found_abroad_and_unknown_words_find_next_to_nothing() -> None:
    known, unknown = (
        floor_for(matrix_of([1.0]), FLOORS, anchors=NO_ANCHORS, knows_words=knows, vectors=3000)
        for knows in (True, False)
    )
    assert known == (1.0, math.inf)
    assert unknown == (9.0, math.inf)


def test_floor_is_lower_where_few_passages_could_stand_out_by_chance() -> None:
    few, some, many = (
        floor_for(matrix_of([1.0, 0.0]), FLOORS, anchors=ASKED, knows_words=False, vectors=vectors)
        for vectors in (40, 400, 40_000)
    )
    assert few < some < many == (3.0, 4.0)


def test_floor_is_within_reach_of_a_few_passages() -> None:
    for vectors in range(1, 30):
        floors = floor_for(matrix_of([1.0, 0.0]), FLOORS, anchors=ASKED, knows_words=False, vectors=vectors)
        assert max(floors) <= math.sqrt(vectors - 1)


def test_nothing_is_taken_as_usual_for_an_unknown_model() -> None:
    assert habits_of("somebody/else").plain is None
    assert habits_of("multilingual-e5-small").plain is not None
