import pytest
from kebab_core import IndexedChunk, IndexedDocument
from kebab_search.fusion import page_key, prefer_query_script
from kebab_search.ranking import FIRST_POOL, Candidate
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.records import RecordSpec, build_record


def chunk() -> IndexedChunk:
    store = InMemoryDocumentStore()
    record = build_record(RecordSpec(paragraphs=["text"]))
    store.replace_document(record)
    return store.get_chunks([chunk.chunk_id for chunk in record.chunks])[0]


CHUNK = chunk()


def document(path: str, lang: str, *, source: str = "notes") -> IndexedDocument:
    return CHUNK.document.model_copy(update={"doc_path": path, "lang": lang, "source_id": source})


def candidate(path: str, lang: str, *, rank: int = 1) -> Candidate:
    found = CHUNK.model_copy(update={"document": document(path, lang)})
    return Candidate(found, None, None, 0.0, vector_rank=rank, is_cross_script=lang != "ko")


def placed(*passages: tuple[str, str, float], rank: int = 1) -> list[str]:
    """Return paths and languages by value, of a Korean query."""
    values = prefer_query_script(
        [candidate(path, lang, rank=rank) for path, lang, _ in passages],
        [value for *_, value in passages],
    )
    names = [f"{path} {lang}" for path, lang, _ in passages]
    return [name for _, name in sorted(zip(values, names, strict=True), reverse=True)]


@pytest.mark.parametrize(
    ("korean", "english"),
    [
        ("ko/search.md", "en/search.md"),
        ("docs/ko-kr/search.md", "docs/en-us/search.md"),
        ("README.ko.md", "README.md"),
        ("search_ko.md", "search_en.md"),
        ("docs/KO/search.md", "docs/search.md"),
    ],
)
def test_names_that_differ_in_their_language_are_of_one_page(korean: str, english: str) -> None:
    assert page_key(document(korean, "ko")) == page_key(document(english, "en"))


def test_sources_may_be_named_by_their_languages() -> None:
    korean = document("search.md", "ko", source="guide-ko")
    english = document("search.md", "en", source="guide-en")
    assert page_key(korean) == page_key(english)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (document("ko/search.md", "ko"), document("en/ingest.md", "en")),
        (document("ko/search.md", "en"), document("en/search.md", "en")),
        (document("README.md", "ko", source="diary"), document("README.md", "en", source="project")),
    ],
)
def test_names_that_differ_in_more_are_of_other_pages(one: IndexedDocument, other: IndexedDocument) -> None:
    assert page_key(one) != page_key(other)


def test_page_in_the_language_of_the_query_comes_before_its_translation() -> None:
    assert placed(("en/a.md", "en", 6.0), ("ko/a.md", "ko", 4.5)) == ["ko/a.md ko", "en/a.md en"]


def test_page_in_the_language_of_the_query_passes_nothing_but_its_translation() -> None:
    order = placed(
        ("en/b.md", "en", 7.0), ("en/a.md", "en", 6.0), ("ko/a.md", "ko", 5.0), ("ko/c.md", "ko", 5.5)
    )
    assert order == ["en/b.md en", "ko/a.md ko", "en/a.md en", "ko/c.md ko"]


def test_page_far_behind_its_translation_stays_there() -> None:
    assert placed(("en/a.md", "en", 9.0), ("ko/a.md", "ko", 4.5)) == ["en/a.md en", "ko/a.md ko"]


def test_second_passage_of_a_page_comes_before_the_second_of_its_translation() -> None:
    order = placed(
        ("en/a.md", "en", 6.0), ("en/a.md", "en", 5.0), ("ko/a.md", "ko", 5.5), ("ko/a.md", "ko", 4.0)
    )
    assert order == ["ko/a.md ko", "en/a.md en", "ko/a.md ko", "en/a.md en"]


def test_pages_looked_at_for_later_places_only_keep_their_values() -> None:
    order = placed(("en/a.md", "en", 6.0), ("ko/a.md", "ko", 5.0), rank=FIRST_POOL + 1)
    assert order == ["en/a.md en", "ko/a.md ko"]
