import pytest
from kebab_core import (
    ChunkId,
    DocumentId,
    EmbeddingKind,
    InvalidInputError,
    SearchMode,
    SearchQuery,
    SearchSettings,
    VectorRow,
    text_hash_of,
)
from kebab_search import (
    NO_CENTROIDS,
    MetWord,
    PassageExaminer,
    QueryCentroids,
    SearchRetriever,
    VectorSearch,
)
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores
from kebab_text import Script

ANALYZER = WordAnalyzer()


class Shelf:
    """Documents of a few passages, with words and vectors."""

    def __init__(self) -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.index = self.stores.index
        self.source = InMemoryVectorSource()
        self.embedder = BagOfWordsEmbedder(96, synonyms={"car": "automobile"})
        self.examiner = PassageExaminer(index=self.index, documents=self.store, analyzer=ANALYZER)

    def put(self, path: str, *paragraphs: str) -> tuple[DocumentId, list[ChunkId]]:
        terms = [ANALYZER.analyze_chunk(title="t", heading_path=(), text=text) for text in paragraphs]
        record = build_record(RecordSpec(path=path, paragraphs=paragraphs, terms=terms, title="t"))
        self.store.replace_document(record)
        embedded = self.embedder.embed([c.text for c in record.chunks], EmbeddingKind.DOCUMENT)
        rows = [
            VectorRow(c.chunk_id, record.document.doc_id, record.document.lang, text_hash_of(c.text))
            for c in record.chunks
        ]
        self.source.put(self.embedder.identity, dict(zip(rows, embedded.tolist(), strict=True)))
        return record.document.doc_id, [chunk.chunk_id for chunk in record.chunks]

    def leg(self) -> VectorSearch:
        return VectorSearch(
            embedder=self.embedder,
            store=self.stores.open_vector_store(self.source),
            centroids=NO_CENTROIDS,
        )

    def words(self, text: str, doc_id: DocumentId) -> dict[str, MetWord]:
        return {word.text: word for word in self.examiner.words(text, doc_id)}


@pytest.fixture
def shelf() -> Shelf:
    shelf = Shelf()
    for number in range(12):
        shelf.put(f"filler/{number:02}.md", f"weather gardens music rivers number {number} item{number}")
    return shelf


def test_terms_tell_which_passages_hold_them_and_how_many_there_are(shelf: Shelf) -> None:
    doc_id, ids = shelf.put("a.md", "the red fox", "a quick brown fox", "nothing")
    met = shelf.words("brown fox unicorn weather", doc_id)
    assert list(met) == ["brown", "fox", "unicorn", "weather"]
    assert set(met["fox"].chunk_ids) == set(ids[:2])
    assert met["brown"].chunk_ids == (ids[1],)
    assert (met["fox"].in_index, met["unicorn"].in_index, met["weather"].in_index) == (2, 0, 12)
    assert met["unicorn"].chunk_ids == met["weather"].chunk_ids == ()
    assert not met["unicorn"].searched
    assert met["fox"].searched


def test_phrases_prefixes_and_syntax_are_told_by_what_they_are(shelf: Shelf) -> None:
    doc_id, ids = shelf.put("a.md", "the red fox", "a quick brown fox")
    met = shelf.words('"brown fox" "red dog" wea* gar*', doc_id)
    assert met["brown fox"].kind == "phrase"
    assert met["brown fox"].chunk_ids == (ids[1],)
    assert (met["red dog"].chunk_ids, met["red dog"].in_index) == ((), 0)
    assert met["wea"].kind == "prefix"
    assert (met["wea"].chunk_ids, met["wea"].in_index) == ((), None)


def test_an_empty_query_is_an_error(shelf: Shelf) -> None:
    doc_id, _ = shelf.put("a.md", "the red fox")
    with pytest.raises(InvalidInputError):
        shelf.examiner.words(" ", doc_id)


def test_nearness_is_told_of_what_search_finds_and_of_what_is_below_the_minimum(shelf: Shelf) -> None:
    shelf.put("words.md", "the car park is closed")
    doc_id, ids = shelf.put("a.md", "an automobile stands in the yard", "music rivers number")
    document = shelf.store.get_indexed_document(doc_id)
    assert document is not None
    near, far = shelf.examiner.nearness("car", shelf.leg(), document)
    assert (near.chunk_id, far.chunk_id) == tuple(ids)
    assert near.z_score > near.min_z_score == far.min_z_score > far.z_score
    retriever = SearchRetriever(
        vectors=shelf.leg,
        index=shelf.index,
        documents=shelf.store,
        analyzer=ANALYZER,
        clock=FixedClock(),
        settings=SearchSettings(),
    )
    found = retriever.search(SearchQuery(text="car", mode=SearchMode.VECTOR, k=100))
    hits = {hit.chunk_id: hit.retrieval.vector_score for hit in found.hits}
    assert hits[near.chunk_id] == pytest.approx(near.cosine)
    assert far.chunk_id not in hits


def test_what_looks_like_letters_at_random_has_no_minimum_of_similarity(shelf: Shelf) -> None:
    doc_id, _ = shelf.put("a.md", "an automobile stands in the yard")
    document = shelf.store.get_indexed_document(doc_id)
    assert document is not None
    one, other = shelf.embedder.embed(["weather", "qwzx"], EmbeddingKind.QUERY).tolist()
    centroids = QueryCentroids(questions={Script.LATIN: tuple(one)}, gibberish={Script.LATIN: tuple(other)})
    leg = VectorSearch(
        embedder=shelf.embedder, store=shelf.stores.open_vector_store(shelf.source), centroids=centroids
    )
    assert [each.min_z_score for each in shelf.examiner.nearness("qwzx", leg, document)] == [None]


def test_passages_without_a_vector_have_no_nearness(shelf: Shelf) -> None:
    record = build_record(RecordSpec(path="late.md", paragraphs=("an automobile",)))
    shelf.store.replace_document(record)
    document = shelf.store.get_indexed_document(record.document.doc_id)
    assert document is not None
    assert shelf.examiner.nearness("car", shelf.leg(), document) == []
