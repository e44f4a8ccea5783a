from kebab_core import IndexedChunk, IndexedDocument
from kebab_search.folding import page_key
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores


def chunk() -> IndexedChunk:
    store = TemporaryStores().documents
    record = build_record(RecordSpec(paragraphs=["text"]))
    store.replace_document(record)
    return store.get_chunks([chunk.chunk_id for chunk in record.chunks])[0]


CHUNK = chunk()


def document(path: str, lang: str, *, source: str = "notes") -> IndexedDocument:
    return CHUNK.document.model_copy(update={"doc_path": path, "lang": lang, "source_id": source})


@walk(
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


@walk(
    ("one", "other"),
    [
        (document("ko/search.md", "ko"), document("en/ingest.md", "en")),
        (document("ko/search.md", "en"), document("en/search.md", "en")),
        (document("README.md", "ko", source="diary"), document("README.md", "en", source="project")),
    ],
)
def test_names_that_differ_in_more_are_of_other_pages(one: IndexedDocument, other: IndexedDocument) -> None:
    assert page_key(one) != page_key(other)
