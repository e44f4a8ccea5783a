"""What was removed is nowhere in kebab's files, however they keep it."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

SECRET = "xylographquartzbeacon"
NOTE = f"# Door\n\nThe passphrase of the archive door is {SECRET} and nothing else.\n"
QUESTION = "what is the passphrase of the archive door?"
VECTORS = '[models.embedding]\nprovider = "bundled"\n'


def spellings(word: str) -> list[bytes]:
    """A word as files may hold it; FTS5 leaves out what a term has in common with the one before."""
    return [word[1:].encode(), word[1:].encode("utf-16-le"), word[1:].encode("utf-16-be")]


def unpacked(content: bytes) -> Iterator[bytes]:
    """Yield a file's bytes, and whatever in them zlib or gzip would unpack."""
    yield content
    for header in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda", b"\x1f\x8b"):
        place = content.find(header)
        while place >= 0:
            with suppress(zlib.error):
                yield zlib.decompressobj(zlib.MAX_WBITS | 32).decompress(content[place:])
            place = content.find(header, place + 1)


def files_with(word: str, *folders: Path) -> set[str]:
    """The files below folders that hold a word or, as a database does of a term, all but its beginning."""
    return {
        path.name
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file()
        and any(part in piece for piece in unpacked(path.read_bytes()) for part in spellings(word))
    }


def terms_with(word: str, database: Path) -> list[str]:
    """The terms of both full-text indexes that begin like a word, those of removed rows included."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.ranked USING fts5vocab(main, chunks_fts, instance)")
        connection.execute("CREATE VIRTUAL TABLE temp.exact USING fts5vocab(main, chunks_exact, instance)")
        terms = connection.execute("SELECT term FROM temp.ranked UNION SELECT term FROM temp.exact")
        return [term for (term,) in terms if word[:8] in term]


@pytest.fixture(scope="module")
def many_once(tmp_path_factory: pytest.TempPathFactory, ingested_once: Path, make_inside) -> Path:  # type: ignore[no-untyped-def]
    base = make_inside(tmp_path_factory.mktemp("many"))
    shutil.copytree(ingested_once, base.folder, dirs_exist_ok=True)
    base.write("door.md", NOTE)
    for number in range(12):
        words = " ".join(f"xylo{number}graph{n} quartz{n * number}" for n in range(60))
        base.write(f"others/{number}.md", f"# Note {number}\n\n{words}\n")
    assert base("ingest").code == 0
    folder: Path = base.folder
    return folder


@pytest.fixture
def many(tmp_path: Path, kb, inside, many_once: Path):  # type: ignore[no-untyped-def]
    """Some notes beside the one with the secret, so that it shares pages and segments with others; a copy to spoil."""
    shutil.copytree(many_once, kb.folder, dirs_exist_ok=True)
    return inside(kb)


def files_of(base) -> tuple[Path, Path]:  # type: ignore[no-untyped-def]
    return base.data, base.kebab.home


def test_a_removed_note_is_nowhere_once_the_answers_that_quote_it_are_purged(many) -> None:  # type: ignore[no-untyped-def]
    answered = many("ask", QUESTION, "--explain")
    assert SECRET in answered.stdout
    assert files_with(SECRET, *files_of(many)), "the search below could find nothing"

    (many.notes / "door.md").unlink()
    assert many("ingest").code == 0
    assert many("answers", "purge", "--quoting", "door.md", "--yes").stdout == "deleted  1 answer\n"

    assert files_with(SECRET, *files_of(many)) == set()
    assert terms_with(SECRET, many.data / "kebab.sqlite") == []
    assert many("search", "xylo7graph7").code == 0


def test_an_ingest_leaves_a_removed_note_in_stored_answers_only(many) -> None:  # type: ignore[no-untyped-def]
    (many.notes / "door.md").unlink()
    assert many("ingest").code == 0
    assert files_with(SECRET, *files_of(many)) == set()
    assert terms_with(SECRET, many.data / "kebab.sqlite") == []


def test_words_of_an_older_version_go_with_the_first_ingest_a_day_later(many) -> None:  # type: ignore[no-untyped-def]
    many.write("door.md", "# Door\n\nThe passphrase was changed.\n")
    assert many("ingest").code == 0
    with closing(sqlite3.connect(many.data / "kebab.sqlite")) as connection:
        connection.execute("UPDATE kv SET value = '2020-01-01T00:00:00.000000Z' WHERE key = 'erasure_due'")
        connection.commit()
    assert many("ingest").code == 0
    assert files_with(SECRET, *files_of(many)) == set()


def test_while_a_reader_holds_the_log_it_is_erased_later(many) -> None:  # type: ignore[no-untyped-def]
    (many.notes / "door.md").unlink()
    with closing(sqlite3.connect(many.data / "kebab.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM chunks").fetchone()
        assert many("ingest").code == 0
    (many.notes / "others/1.md").unlink()
    assert many("ingest").code == 0
    assert files_with(SECRET, *files_of(many)) == set()


@pytest.mark.parametrize("name", ["{path}", "{id}"])
def test_an_external_document_is_forgotten_with_its_copy_and_its_answers(name: str, many) -> None:  # type: ignore[no-untyped-def]
    (many.notes / "door.md").unlink()
    assert many("ingest").code == 0
    given = many("ingest-stdin", "--title", "Door", "--json", stdin=NOTE).last
    (item,) = given["items"]
    assert SECRET in many("ask", QUESTION).stdout
    other = many("ask", "when do we deploy?", "--json").last

    named = name.format(path=f"kebab-notes:{item['doc_path']}", id=item["doc_id"])
    report = many("forget", named, "--yes", "--erase", "--json").last

    assert report["documents"] == ["kebab-notes:Door.md"]
    assert report["removed_paths"] == [str(many.data / "notes" / "Door.md")]
    assert len(report["answers"]) == 1
    assert report["erased"] is True
    assert files_with(SECRET, *files_of(many), many.notes) == set()
    assert [
        row["answer"]["retrieval"]["trace_id"] for row in many("answers", "list", "--json").last["answers"]
    ] == [other["retrieval"]["trace_id"]]


def test_a_forgotten_note_is_told_where_it_is_and_comes_back(many) -> None:  # type: ignore[no-untyped-def]
    many("ingest-stdin", "--title", "Cellar", stdin=NOTE.replace("archive", "cellar"))
    done = many("forget", "kebab-notes:Cellar.md", "--yes")
    assert str(many.data / "trash") in done.stdout
    assert "kebab forget --undo" in done.stdout
    assert many("fetch", "doc", "0" * 32).code == 2
    back = many("forget", "--undo")
    assert (back.code, "Cellar.md" in back.stdout) == (0, True)
    assert (many.data / "notes" / "Cellar.md").is_file()
    assert many("forget", "--undo").code == 2


def test_forgetting_can_keep_the_answers(many) -> None:  # type: ignore[no-untyped-def]
    many("ask", QUESTION)
    (many.notes / "door.md").unlink()
    report = many("forget", "door.md", "--keep-answers", "--yes", "--json").last
    assert (report["documents"], report["answers"]) == (["door.md"], [])
    assert SECRET in many("answers", "list", "--json").stdout


def test_a_note_that_has_left_the_index_takes_its_answers_along_when_it_is_forgotten(many) -> None:  # type: ignore[no-untyped-def]
    many("ask", QUESTION)
    (many.notes / "door.md").unlink()
    many("ingest")
    report = many("forget", "door.md", "--yes", "--json").last
    assert (report["documents"], len(report["answers"])) == ([], 1)
    assert files_with(SECRET, *files_of(many)) == set()
    assert many("forget", "door.md", "--yes").code == 2


def test_a_file_of_the_user_is_not_forgotten_while_it_is_there(many) -> None:  # type: ignore[no-untyped-def]
    many("ask", QUESTION)
    done = many("forget", "_external/none.md", "door.md", "--yes", "--json")
    assert done.code == 2
    done = many("forget", "door.md", "--yes", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert (many.notes / "door.md").read_text() == NOTE
    assert SECRET in many("ask", QUESTION).stdout


def vectors_of(base) -> set[bytes]:  # type: ignore[no-untyped-def]
    with closing(sqlite3.connect(base.data / "kebab.sqlite")) as connection:
        return {text_hash for (text_hash,) in connection.execute("SELECT text_hash FROM vectors")}


def test_vectors_of_a_forgotten_text_go_and_those_of_others_stay(many) -> None:  # type: ignore[no-untyped-def]
    from kebab_model_e5_small import files

    if files() is None:
        pytest.skip("the model comes without weights here")
    many.config.write_text(many.config.read_text().partition("[models")[0] + VECTORS)
    many("ingest-stdin", "--title", "Door 2", stdin=NOTE.replace("archive", "cellar"))
    before = vectors_of(many)
    assert many("forget", "kebab-notes:Door 2.md", "--yes").code == 0
    after = vectors_of(many)
    assert len(before - after) == 1
    assert not after - before


DEPLOY, CHUNK = "when do we deploy?", "청크는 어디에서 나누나요?"


@pytest.fixture(scope="module")
def asked_once(
    tmp_path_factory: pytest.TempPathFactory, ingested_once: Path, make_inside
) -> tuple[Path, list[str]]:  # type: ignore[no-untyped-def]
    base = make_inside(tmp_path_factory.mktemp("asked"))
    shutil.copytree(ingested_once, base.folder, dirs_exist_ok=True)
    return base.folder, answered(base, DEPLOY, CHUNK)


@pytest.fixture
def asked(copy_of, asked_once: tuple[Path, list[str]]):  # type: ignore[no-untyped-def]
    """A knowledge base with an answer to each of two questions, and their ids; a copy to spoil."""
    folder, ids = asked_once
    return copy_of(folder), ids


def answered(base, *questions: str) -> list[str]:  # type: ignore[no-untyped-def]
    return [base("ask", question, "--json").last["retrieval"]["trace_id"] for question in questions]


def left(base) -> list[str]:  # type: ignore[no-untyped-def]
    return [
        row["answer"]["retrieval"]["trace_id"] for row in base("answers", "list", "--json").last["answers"]
    ]


def test_answers_are_deleted_by_id_or_the_beginning_of_one(quick) -> None:  # type: ignore[no-untyped-def]
    first, second, third = answered(
        quick, "when do we deploy?", "청크는 어디에서 나누나요?", "파스타 삶는 법"
    )
    report = quick("answers", "delete", first, second[:12], "--yes", "--json").last
    assert report == {
        "schema_version": "erasure_report.v1",
        "documents": [],
        "removed_paths": [],
        "answers": [first, second],
        "sessions": [],
        "erased": True,
    }
    assert left(quick) == [third]
    assert quick("answers", "show", third[:12]).code == 0


@pytest.mark.parametrize("name", ["ret_", "", "ret_zzz", "x"])
def test_a_beginning_that_names_no_answer_or_several_deletes_none(name: str, asked) -> None:  # type: ignore[no-untyped-def]
    quick, ids = asked
    done = quick("answers", "delete", ids[0], name, "--yes", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert set(left(quick)) == set(ids)


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        (["--all"], 2),
        (["--before", "2020-01-01"], 0),
        (["--before", "2100-01-01"], 2),
        (["--older-than", "0"], 2),
        (["--older-than", "1"], 0),
        (["--quoting", "english/deployment.md"], 1),
        (["--quoting", "default:english/deployment.md"], 1),
        (["--quoting", "other:english/deployment.md"], 0),
        (["--quoting", "deployment.md"], 0),
        (["--quoting", "english/deployment.md", "--older-than", "1"], 0),
    ],
)
def test_a_purge_takes_what_it_names_and_nothing_else(flags: list[str], count: int, asked) -> None:  # type: ignore[no-untyped-def]
    quick, ids = asked
    report = quick("answers", "purge", *flags, "--yes", "--json").last
    assert len(report["answers"]) == count
    assert set(left(quick)) == set(ids) - set(report["answers"])


@pytest.mark.parametrize(
    "flags", [[], ["--all", "--older-than", "1"], ["--before", "2020-01-01", "--older-than", "1"]]
)
def test_a_purge_wants_to_know_what_it_is_to_take(flags: list[str], asked) -> None:  # type: ignore[no-untyped-def]
    quick, ids = asked
    done = quick("answers", "purge", *flags, "--yes", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")
    assert set(left(quick)) == set(ids)


@pytest.mark.parametrize(
    "arguments", [["answers", "purge", "--all"], ["answers", "delete", "ret_"], ["forget", "x"]]
)
def test_nothing_is_deleted_unasked_or_where_writing_is_switched_off(arguments: list[str], asked) -> None:  # type: ignore[no-untyped-def]
    quick, ids = asked
    readonly = quick(*arguments, "--yes", "--readonly", "--json")
    assert (readonly.code, readonly.error["code"]) == (2, "readonly_mode")
    assert quick(*arguments).code == 2
    assert set(left(quick)) == set(ids)


def test_a_terminal_is_asked_and_told_what_would_go(indexed, terminal) -> None:  # type: ignore[no-untyped-def]
    (trace_id,) = answered(indexed, "when do we deploy?")
    kept = terminal(indexed, "answers", "purge", "--all", typed="n\n")
    assert kept.code == 130
    assert trace_id in kept.stderr
    assert left(indexed) == [trace_id]
