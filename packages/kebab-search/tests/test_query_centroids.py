import math
from collections.abc import Callable, Sequence

import pytest
from kebab_core import EmbeddingKind, InvalidInputError, VectorMatrix
from kebab_search import NO_CENTROIDS, QueryCentroids, compute_centroids, decode_centroids
from kebab_search.query_centroids import TITLE_SAMPLE, centroid_texts, max_cosine, subtract_centroid
from kebab_search.vector_search import MinScore, calibration_of, min_score_for
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.tables import walk
from kebab_testing.vectors import matrix_of, unit
from kebab_text import Script

EMBEDDER = BagOfWordsEmbedder(128)
MEASURED = NO_CENTROIDS._replace(questions={Script.LATIN: (1.0, 0.0)})


def queries(embedder: BagOfWordsEmbedder) -> Callable[[Sequence[str]], VectorMatrix]:
    return lambda texts: embedder.embed(texts, EmbeddingKind.QUERY)


def test_titles_are_embedded_in_their_script_beside_questions() -> None:
    texts = centroid_texts(["배포 안내", "Deployment", "Deployment", " "])
    assert "배포 안내" in texts[Script.HANGUL]
    assert texts[Script.LATIN].count("Deployment") == 1
    assert "배포 안내" not in texts[Script.LATIN]
    assert all(len(of_script) > 20 for of_script in texts.values())


def test_another_title_changes_one_of_many() -> None:
    titles = [f"title {number}" for number in range(1000)]
    before, after = (set(centroid_texts(some)[Script.LATIN]) for some in (titles, [*titles, "one more"]))
    assert len(before) >= TITLE_SAMPLE
    assert len(before - after) <= 1


def test_centroids_survive_being_written_down() -> None:
    centroids = compute_centroids(queries(EMBEDDER), ["배포 안내", "Deployment"])
    again = decode_centroids(centroids.encode())
    assert again.questions[Script.HANGUL] == pytest.approx(centroids.questions[Script.HANGUL], abs=1e-6)
    assert again.gibberish.keys() == centroids.gibberish.keys()
    assert again.digest == centroids.digest != NO_CENTROIDS.digest


@walk("content", [b"", b"[]", b"{}", b'{"questions": 1, "gibberish": {}}', b"\xff"])
def test_anything_else_is_refused(content: bytes) -> None:
    with pytest.raises(InvalidInputError):
        decode_centroids(content)


def test_what_is_left_without_the_mean_is_of_unit_norm() -> None:
    (rest,) = subtract_centroid(matrix_of([0.6, 0.8]), (0.0, 0.8)).tolist()
    assert rest == pytest.approx([1.0, 0.0], abs=1e-6)


def test_a_query_that_is_nothing_but_the_mean_stays() -> None:
    query = matrix_of([0.0, 1.0])
    assert subtract_centroid(query, (0.0, 1.0)).tolist() == query.tolist()


def test_max_cosine_is_that_with_the_nearest_mean_whatever_its_length() -> None:
    means = {Script.LATIN: (2.0, 0.0), Script.HANGUL: (0.0, 0.5)}
    assert max_cosine(matrix_of(unit([1.0, 1.0])), means) == pytest.approx(math.sqrt(0.5))
    assert max_cosine(matrix_of([1.0, 0.0]), {}) is None


def min_score(query: Sequence[float], centroids: QueryCentroids, *, knows: bool = False) -> MinScore:
    return min_score_for(matrix_of(query), centroids=centroids, has_known_terms=knows)


def test_nothing_is_similar_enough_to_what_looks_like_gibberish_unless_a_word_is_known() -> None:
    centroids = NO_CENTROIDS._replace(
        questions={Script.LATIN: (1.0, 0.0)}, gibberish={Script.LATIN: (0.0, 1.0)}
    )
    assert min_score([0.0, 1.0], centroids) == (math.inf, math.inf)
    assert max(min_score([0.0, 1.0], centroids, knows=True)) < math.inf
    assert max(min_score([1.0, 0.0], centroids)) < math.inf


def test_before_a_model_is_measured_nothing_is_found_across_scripts() -> None:
    for knows in (True, False):
        same_script, cross_script = min_score([1.0], NO_CENTROIDS, knows=knows)
        assert same_script < cross_script == math.inf
    assert max(min_score([1.0, 0.0], MEASURED)) < math.inf


def test_there_is_no_prior_for_an_unknown_model() -> None:
    assert calibration_of("somebody/else").same_script is None
    assert calibration_of("multilingual-e5-small").same_script is not None
