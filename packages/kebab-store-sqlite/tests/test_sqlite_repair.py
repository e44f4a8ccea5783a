"""Damage in the full-text indexes is mended from the rows; other damage is left as it is."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from kebab_core import DatabaseCorruptError, LexicalMatch, LexicalQuery, ReadonlyModeError, Remedy
from kebab_store_sqlite import (
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteLexicalIndex,
    check_integrity,
    open_database,
    repair_lexical_index,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

Damage = Callable[[Path], None]


@contextmanager
def opened(folder: Path, *, readonly: bool = False) -> Iterator[SqliteDatabase]:
    with open_database(folder, clock=FixedClock(), copy_threshold_bytes=100, readonly=readonly) as database:
        yield database


def find(database: SqliteDatabase) -> list[LexicalMatch]:
    return SqliteLexicalIndex(database).search(LexicalQuery(terms=("w7",), phrases=(("w7",),)), limit=100)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("whole")
    with opened(made) as database:
        store = SqliteDocumentStore(database)
        for number in range(40):
            words = tuple(f"w{number} w{part} w{number * part}" for part in range(12))
            store.replace_document(build_record(RecordSpec(path=f"{number}.md", paragraphs=words)))
    return made


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy that the test may damage."""
    return shutil.copytree(whole, tmp_path, dirs_exist_ok=True)


def execute(statement: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)

    return damage


def rewrite_schema(change: str, name: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(f"UPDATE sqlite_master SET {change} WHERE name = '{name}'")

    return damage


def overwrite_root_of(table: str) -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            (page,) = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)
            ).fetchone()
            (size,) = connection.execute("PRAGMA page_size").fetchone()
        with path.open("r+b") as file:
            file.seek((page - 1) * size)
            file.write(b"\x5a" * size)

    return damage


IN_INDEXES: dict[str, Damage] = {
    "blocks of terms": execute("UPDATE chunks_fts_data SET block = x'0001020304' WHERE id > 10"),
    "structure": execute("UPDATE chunks_fts_data SET block = x'ff' WHERE id = 10"),
    "settings": execute("DELETE FROM chunks_fts_config"),
    "missing terms": execute("DELETE FROM chunks_exact_data WHERE id > 10"),
    "missing sizes": execute("DELETE FROM chunks_fts_docsize WHERE id % 2"),
    "definition": rewrite_schema("sql = replace(sql, 'fts5', 'fts7')", "chunks_fts"),
    "stray term": execute("INSERT INTO chunks_exact (rowid, surface) VALUES (999999, 'stray')"),
    **{
        f"page of {table}": overwrite_root_of(table)
        for table in ("chunks_fts_data", "chunks_fts_idx", "chunks_fts_docsize", "chunks_exact_config")
    },
}
ELSEWHERE: dict[str, Damage] = {
    f"page of {table}": overwrite_root_of(table)
    for table in ("documents", "chunks", "document_parts", "idx_document_parts_doc_no", "file_failures")
}
ELSEWHERE["page that is another table's"] = rewrite_schema(
    "rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'chunks')", "assets"
)


@pytest.mark.thorough
@pytest.mark.parametrize("name", IN_INDEXES)
def test_a_damaged_full_text_index_is_made_anew(name: str, folder: Path) -> None:
    with opened(folder) as database:
        before = find(database)
    assert before
    IN_INDEXES[name](folder / "kebab.sqlite")

    with opened(folder) as database:
        assert check_integrity(database) != []
        assert repair_lexical_index(database)
        assert check_integrity(database) == []
        assert find(database) == before
        store = SqliteDocumentStore(database)
        store.replace_document(build_record(RecordSpec(path="1.md", paragraphs=("w7",))))
        store.remove_documents([build_record(RecordSpec(path="2.md", paragraphs=("x",))).document.doc_id])
        assert check_integrity(database) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", ELSEWHERE)
def test_other_damage_is_named_and_left_alone(name: str, folder: Path) -> None:
    path = folder / "kebab.sqlite"
    ELSEWHERE[name](path)
    before = path.read_bytes()

    with opened(folder) as database:
        with pytest.raises(DatabaseCorruptError) as caught:
            repair_lexical_index(database)
        assert caught.value.remedy == Remedy(kind="reset_data", then=Remedy(kind="ingest"))
    assert path.read_bytes() == before


def test_a_sound_database_is_left_alone(folder: Path) -> None:
    with opened(folder) as database:
        before = (folder / "kebab.sqlite").read_bytes()
        assert not repair_lexical_index(database)
    assert (folder / "kebab.sqlite").read_bytes() == before


def test_a_database_for_reading_is_not_repaired(folder: Path) -> None:
    with opened(folder, readonly=True) as database, pytest.raises(ReadonlyModeError):
        repair_lexical_index(database)


def test_readers_that_were_open_see_the_repaired_index(folder: Path) -> None:
    with opened(folder) as reader:
        before = find(reader)
        execute("UPDATE chunks_fts_data SET block = x'0001020304' WHERE id > 10")(folder / "kebab.sqlite")
        with opened(folder) as database:
            repair_lexical_index(database)
        assert find(reader) == before


@pytest.mark.parametrize("name", ["blocks of terms", "settings", "page of chunks_fts_data"])
def test_a_search_of_a_damaged_index_says_so(name: str, folder: Path) -> None:
    IN_INDEXES[name](folder / "kebab.sqlite")

    with opened(folder) as database, pytest.raises(DatabaseCorruptError) as caught:
        find(database)
    assert caught.value.remedy == Remedy(kind="repair")


@pytest.mark.parametrize("size", [0, 4])
@pytest.mark.parametrize(
    ("table", "query"),
    [
        ("chunks_fts", LexicalQuery(terms=("w7",))),
        ("chunks_exact", LexicalQuery(phrases=(("w7",),))),
        ("chunks_exact", LexicalQuery(terms=("w7",), phrases=(("w7",),))),
    ],
)
def test_an_index_that_lost_its_structure_does_not_pass_for_one_without_results(
    table: str, query: LexicalQuery, size: int, folder: Path
) -> None:
    cut_off = f"UPDATE {table}_data SET block = substr(block, 1, {size}) WHERE id = 10"
    execute(cut_off)(folder / "kebab.sqlite")
    with opened(folder) as database:
        index = SqliteLexicalIndex(database)
        with pytest.raises(DatabaseCorruptError) as caught:
            index.search(query, limit=10)
        assert caught.value.remedy == Remedy(kind="repair")
        assert repair_lexical_index(database)
        assert index.search(query, limit=10)


def test_frequencies_from_an_index_that_lost_its_structure_are_not_zero(folder: Path) -> None:
    execute("UPDATE chunks_fts_data SET block = x'' WHERE id = 10")(folder / "kebab.sqlite")
    with opened(folder) as database, pytest.raises(DatabaseCorruptError):
        SqliteLexicalIndex(database).document_frequencies(["w7"])


def test_nothing_found_in_an_index_that_is_whole_is_no_damage(folder: Path, tmp_path: Path) -> None:
    nowhere = LexicalQuery(terms=("nowhere",), phrases=(("nowhere",),))
    for place in (folder, tmp_path / "empty"):
        with opened(place) as database:
            index = SqliteLexicalIndex(database)
            assert index.search(nowhere, limit=10) == []
            assert index.document_frequencies(["nowhere"]) == {"nowhere": 0}
