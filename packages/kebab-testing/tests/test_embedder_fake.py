from operator import mul

from kebab_core import Embedder, EmbeddingKind
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.laws.embedder import EmbedderLaws


class TestBagOfWordsEmbedder(EmbedderLaws):
    def make_embedder(self) -> Embedder:
        return BagOfWordsEmbedder(256)


def test_synonyms_bring_two_languages_together() -> None:
    embedder = BagOfWordsEmbedder(256, synonyms={"색인": "index"})
    matrix = embedder.embed(["색인은", "index", "고양이"], EmbeddingKind.DOCUMENT)
    korean, english, other = ([matrix[row, at] for at in range(256)] for row in range(3))
    assert sum(map(mul, korean, english)) > 0.5
    assert abs(sum(map(mul, korean, other))) < 0.5


def test_bag_of_words_keeps_what_it_was_asked() -> None:
    embedder = BagOfWordsEmbedder()
    embedder.embed(["a", "b"], EmbeddingKind.DOCUMENT)
    embedder.embed(["c"], EmbeddingKind.QUERY)
    assert embedder.asked == [(("a", "b"), EmbeddingKind.DOCUMENT), (("c",), EmbeddingKind.QUERY)]
    assert embedder.texts_embedded == 3
