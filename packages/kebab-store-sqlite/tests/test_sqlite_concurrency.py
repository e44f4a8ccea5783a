from __future__ import annotations

import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from kebab_core import DocFilter, LexicalQuery
from kebab_store_sqlite import (
    SqliteDatabase,
    SqliteDocumentStore,
    SqliteLexicalIndex,
    SqliteSourceFileStore,
    check_integrity,
    open_database,
)
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

PARAGRAPHS = ("alpha one", "alpha two", "alpha three")

WRITER = """
import sys
from pathlib import Path
from kebab_store_sqlite import SqliteDocumentStore, open_database
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
folder, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with open_database(folder, clock=FixedClock(), copy_threshold_bytes=1) as database:
    store = SqliteDocumentStore(database)
    for number in range(count):
        for path in (f"{name}{number}.md", "shared.md"):
            paragraphs = ("alpha one", "alpha two", f"alpha {name} {number}")
            store.replace_document(build_record(RecordSpec(path=path, paragraphs=paragraphs)))
        print(number, flush=True)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("documents", [1, 7, 23])
def test_a_killed_writer_leaves_whole_documents_only(data_dir: Path, documents: int) -> None:
    command = [sys.executable, "-c", WRITER, str(data_dir), "n", "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(documents):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
        listed = store.list_documents(DocFilter())
        assert len(listed) > documents
        assert {line.chunk_count for line in listed} == {3}
        for line in listed:
            document = store.get_document(line.doc_id)
            assert document is not None
            assert len(document.blocks) == 3
        assert index.document_frequencies(["alpha"])["alpha"] == 3 * len(listed) == index.corpus_size()
        assert check_integrity(database) == []


def test_two_processes_write_and_a_reader_sees_them(data_dir: Path, database: SqliteDatabase) -> None:
    store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)
    assert index.search(LexicalQuery(terms=("alpha",)), limit=1) == []
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(data_dir), name, "30"]) for name in "ab"]
    assert [process.wait() for process in processes] == [0, 0]
    assert store.stats().doc_count == 61
    assert store.corpus_revision() == 120
    assert len(index.search(LexicalQuery(terms=("alpha",)), limit=500)) == 183


def test_threads_share_one_database(database: SqliteDatabase) -> None:
    store, index = SqliteDocumentStore(database), SqliteLexicalIndex(database)

    def work(number: int) -> int:
        store.replace_document(build_record(RecordSpec(path=f"{number}.md", paragraphs=PARAGRAPHS)))
        return len(index.search(LexicalQuery(terms=("alpha",)), limit=1000)) % len(PARAGRAPHS)

    with ThreadPoolExecutor(max_workers=6) as pool:
        assert set(pool.map(work, range(48))) == {0}
    assert store.corpus_revision() == 48


def test_connections_of_finished_threads_are_closed(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    for _ in range(5):
        thread = threading.Thread(target=store.corpus_revision)
        thread.start()
        thread.join()
    assert len(database._connections) <= 2


def test_files_can_be_looked_through_while_documents_are_written(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    for number in range(5):
        store.replace_document(build_record(RecordSpec(path=f"{number}.md")))
    seen = []
    for file in SqliteSourceFileStore(database).tracked_files(build_record(RecordSpec()).document.source_id):
        seen.append(file.workspace_path)
        store.replace_document(build_record(RecordSpec(path=f"new{file.workspace_path}")))
    assert seen == ["0.md", "1.md", "2.md", "3.md", "4.md"]


def test_a_failed_write_changes_nothing_and_the_next_one_works(database: SqliteDatabase) -> None:
    store = SqliteDocumentStore(database)
    record = build_record(RecordSpec(paragraphs=PARAGRAPHS))
    twice = record.model_copy(update={"chunks": record.chunks[:1] * 2, "terms": record.terms[:1] * 2})
    store.replace_document(record)
    with pytest.raises(Exception, match="UNIQUE"):
        store.replace_document(twice)
    document = store.get_document(record.document.doc_id)
    assert document is not None
    assert (document.doc_version, store.corpus_revision()) == (1, 1)
    store.replace_document(record)
    assert store.corpus_revision() == 2


CLOSED_IN_USE = """
import sys, threading
from contextlib import suppress
from pathlib import Path
from kebab_core import DocFilter, StorageError
from kebab_store_sqlite import SqliteDocumentStore, open_database
from kebab_testing.fakes.clock import FixedClock

def read(store, begun):
    with suppress(StorageError):
        while True:
            store.list_documents(DocFilter())
            begun.set()

for _ in range(60):
    database = open_database(Path(sys.argv[1]), clock=FixedClock(), copy_threshold_bytes=1)
    begun = threading.Event()
    reader = threading.Thread(target=read, args=(SqliteDocumentStore(database), begun))
    reader.start()
    begun.wait()
    database.close()
    reader.join()
"""


def test_a_database_closed_while_another_thread_reads_ends_its_reading_and_not_the_process(
    data_dir: Path,
) -> None:
    with open_database(data_dir, clock=FixedClock(), copy_threshold_bytes=1) as database:
        store = SqliteDocumentStore(database)
        for number in range(200):
            store.replace_document(build_record(RecordSpec(path=f"{number}.md", paragraphs=PARAGRAPHS)))
    done = subprocess.run([sys.executable, "-c", CLOSED_IN_USE, str(data_dir)], check=False, timeout=60)
    assert done.returncode == 0
    assert {path.name for path in data_dir.glob("kebab.sqlite*")} == {"kebab.sqlite"}
