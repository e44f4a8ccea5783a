from collections.abc import Iterator
from pathlib import Path

import kebab_store_sqlite.fulltext
import kebab_store_sqlite.fulltext_query
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import ChunkTerms, LexicalQuery
from kebab_store_sqlite import SqliteDatabase, SqliteDocumentStore, SqliteLexicalIndex, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.families import examples
from kebab_testing.records import RecordSpec, build_record

COMMON = "common"
WORDS = ["alpha", "beta", "gamma", "delta", COMMON, "usual", "absent"]
DOCUMENTS = 60


def text_of(number: int) -> str:
    words = [COMMON] if number % 5 else []
    words += ["usual"] * (number % 3)
    words += [
        word
        for divisor, word in ((4, "alpha"), (7, "beta"), (11, "gamma"), (31, "delta"))
        if number % divisor == 0
    ]
    return " ".join(words + ["filler"] * (number % 6))


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteDatabase]:
    folder: Path = tmp_path_factory.mktemp("common")
    with open_database(folder, clock=FixedClock(), copy_threshold_bytes=0) as database:
        store = SqliteDocumentStore(database)
        for number in range(DOCUMENTS):
            text = text_of(number) or "-"
            terms = ChunkTerms(title="title", heading="", body=text, surface=text)
            store.replace_document(
                build_record(RecordSpec(path=f"{number:02}.md", paragraphs=(text,), terms=[terms]))
            )
        yield database


@pytest.mark.thorough
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), st.integers(1, 40), st.integers(0, 40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(150))
def test_search_with_common_terms_apart_finds_what_it_finds_with_all_together(
    database: SqliteDatabase, terms: list[str], limit: int, few: int
) -> None:
    query = LexicalQuery(terms=tuple(terms))
    together = SqliteLexicalIndex(database).search(query, limit=limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kebab_store_sqlite.fulltext_query, "_FEW_CHUNKS", few)
        patch.setattr(kebab_store_sqlite.fulltext, "_TIE_MARGIN", 2)
        assert SqliteLexicalIndex(database).search(query, limit=limit) == together


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=4),
    st.lists(st.integers(1, 60), min_size=2, max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(40))
def test_a_query_that_is_asked_again_for_more_or_fewer_chunks_finds_what_it_finds_at_once(
    database: SqliteDatabase, terms: list[str], limits: list[int]
) -> None:
    query, index = LexicalQuery(terms=tuple(terms)), SqliteLexicalIndex(database)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kebab_store_sqlite.fulltext, "_TIE_MARGIN", 9)
        patch.setattr(kebab_store_sqlite.fulltext_query, "_FEW_CHUNKS", 20)
        for limit in limits:
            assert index.search(query, limit=limit) == SqliteLexicalIndex(database).search(query, limit=limit)


def test_a_query_that_is_asked_again_finds_what_was_stored_meanwhile(tmp_path: Path) -> None:
    with open_database(tmp_path, clock=FixedClock(), copy_threshold_bytes=0) as database:
        store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
        for number in range(3):
            store.replace_document(build_record(RecordSpec(path=f"{number}.md", paragraphs=("alpha",))))
            assert len(index.search(LexicalQuery(terms=("alpha",)), limit=9)) == number + 1
            assert (
                len(
                    store.get_chunks([
                        each.chunk_id for each in index.search(LexicalQuery(terms=("alpha",)), limit=9)
                    ])
                )
                == number + 1
            )


def test_frequencies_follow_the_corpus(tmp_path: Path) -> None:
    with open_database(tmp_path, clock=FixedClock(), copy_threshold_bytes=0) as database:
        store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
        counts = []
        for number in range(3):
            store.replace_document(
                build_record(RecordSpec(path=f"{number}.md", paragraphs=(f"alpha {number}",)))
            )
            counts.append(dict(index.document_frequencies(["alpha", "absent"])))
        assert counts == [{"alpha": number, "absent": 0} for number in (1, 2, 3)]
