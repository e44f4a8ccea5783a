"""Whatever is wrong is said in one sentence with a next step, and what was indexed stays."""

from __future__ import annotations

import fcntl
import json
import re
import sqlite3
from collections.abc import Callable

import pytest
from kebab_store_sqlite import SCHEMA_VERSION

NOWHERE = "0" * 32


def fine(_kb) -> None:  # type: ignore[no-untyped-def]
    pass


def take_the_root_away(kb) -> None:  # type: ignore[no-untyped-def]
    kb.notes.rename(kb.folder / "elsewhere")


def put_a_file_where_the_root_was(kb) -> None:  # type: ignore[no-untyped-def]
    take_the_root_away(kb)
    kb.notes.write_text("not a folder")


def move_the_root_into_the_data_folder(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text('[workspace]\nroot = "data/notes"\n[storage]\ndata_dir = "data"\n')


def misspell_a_key(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text(kb.config.read_text() + "[search]\ndefault_kk = 3\n")


def misspell_a_section(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text(kb.config.read_text() + "[serch]\ndefault_k = 3\n")


def break_the_syntax(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text(kb.config.read_text() + "[search\n")


def write_the_config_in_utf16(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text(kb.config.read_text(), encoding="utf-16")


def put_a_folder_where_the_config_was(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.unlink()
    kb.config.mkdir()


def take_the_config_away(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.rename(kb.folder / "elsewhere.toml")


def use_a_newer_database(kb) -> None:  # type: ignore[no-untyped-def]
    with sqlite3.connect(kb.data / "kebab.sqlite") as database:
        database.execute("UPDATE schema_meta SET value = '99' WHERE key = 'schema_version'")
    database.close()


def use_an_older_database(kb) -> None:  # type: ignore[no-untyped-def]
    with sqlite3.connect(kb.data / "kebab.sqlite") as database:
        database.execute("UPDATE schema_meta SET value = '11' WHERE key = 'schema_version'")
    database.close()


def damage_the_database(kb) -> None:  # type: ignore[no-untyped-def]
    for path in kb.data.glob("kebab.sqlite*"):
        path.unlink()
    (kb.data / "kebab.sqlite").write_text("not a database\n" * 1000)


def put_a_file_where_the_data_was(kb) -> None:  # type: ignore[no-untyped-def]
    kb.data.rename(kb.folder / "elsewhere")
    kb.data.write_text("not a folder")


def delete_the_data_folder(kb) -> None:  # type: ignore[no-untyped-def]
    kb.data.rename(kb.folder / "elsewhere")


Prepare = Callable[..., None]
FAULTS: dict[str, tuple[Prepare, list[str], str]] = {
    "missing root": (take_the_root_away, ["ingest"], "io_error"),
    "root is a file": (put_a_file_where_the_root_was, ["ingest"], "io_error"),
    "root inside the data folder": (move_the_root_into_the_data_folder, ["ingest"], "config_invalid"),
    "root inside the data folder, search": (
        move_the_root_into_the_data_folder,
        ["search", "x"],
        "config_invalid",
    ),
    "unknown config key": (misspell_a_key, ["search", "색인"], "config_invalid"),
    "unknown config section": (misspell_a_section, ["list", "docs"], "config_invalid"),
    "config is not TOML": (break_the_syntax, ["ingest"], "config_invalid"),
    "config is not UTF-8": (write_the_config_in_utf16, ["ingest"], "config_invalid"),
    "config is a folder": (put_a_folder_where_the_config_was, ["ingest"], "config_invalid"),
    "no config": (take_the_config_away, ["ingest"], "config_not_found"),
    "newer database, ingest": (use_a_newer_database, ["ingest"], "schema_too_new"),
    "newer database, search": (use_a_newer_database, ["search", "색인"], "schema_too_new"),
    "newer database, init": (use_a_newer_database, ["init"], "schema_too_new"),
    "newer database, reset": (use_a_newer_database, ["reset", "--orphans-only", "--yes"], "schema_too_new"),
    "older database, ingest": (use_an_older_database, ["ingest"], "schema_too_old"),
    "older database, search": (use_an_older_database, ["search", "색인"], "schema_too_old"),
    "older database, readonly": (use_an_older_database, ["search", "색인", "--readonly"], "schema_too_old"),
    "damaged database": (damage_the_database, ["search", "색인"], "database_corrupt"),
    "data folder is a file": (put_a_file_where_the_data_was, ["ingest"], "io_error"),
    "data folder is gone": (delete_the_data_folder, ["search", "색인"], "not_indexed"),
    "empty query": (fine, ["search", ""], "invalid_input"),
    "query of spaces": (fine, ["search", " \t "], "invalid_input"),
    "query is not text": (fine, ["search", "\udcff"], "invalid_input"),
    "unknown chunk": (fine, ["fetch", "chunk", NOWHERE], "chunk_not_found"),
    "unknown document": (fine, ["fetch", "doc", NOWHERE], "doc_not_found"),
    "unknown document, span": (fine, ["fetch", "span", NOWHERE, "1", "2"], "doc_not_found"),
    "unknown chunk, inspect": (fine, ["inspect", "chunk", NOWHERE], "chunk_not_found"),
    "unknown document, inspect": (fine, ["inspect", "doc", NOWHERE], "doc_not_found"),
    "not a chunk id": (fine, ["fetch", "chunk", "abc"], "doc_not_found"),
    "not a document id": (fine, ["inspect", "doc", "한글"], "doc_not_found"),
    "not a document id, filter": (fine, ["search", "색인", "--doc-id", "abc"], "doc_not_found"),
    "no vectors": (fine, ["search", "색인", "--mode", "vector"], "not_indexed"),
    "unknown command": (fine, ["frobnicate"], "invalid_input"),
    "unknown subcommand": (fine, ["list", "frobnicate"], "invalid_input"),
    "no subcommand": (fine, ["fetch"], "invalid_input"),
    "unknown flag": (fine, ["search", "색인", "--frobnicate"], "invalid_input"),
    "missing argument": (fine, ["search"], "invalid_input"),
    "flag out of range": (fine, ["search", "색인", "--k", "0"], "invalid_input"),
    "flag of another kind": (fine, ["search", "색인", "--k", "many"], "invalid_input"),
    "not a time": (fine, ["search", "색인", "--ingested-after", "soon"], "invalid_input"),
    "path outside": (fine, ["ingest", "/"], "invalid_input"),
    "path that is not there": (fine, ["ingest", "{notes}/absent.md"], "io_error"),
    "source that is not there": (fine, ["config", "add-source", "{notes}/absent"], "invalid_input"),
    "reset without an answer": (fine, ["reset"], "invalid_input"),
    "two scopes of reset": (fine, ["reset", "--all", "--config-only", "--yes"], "invalid_input"),
    "writing switched off": (fine, ["ingest", "--readonly"], "readonly_mode"),
    "reset with writing switched off": (fine, ["reset", "--yes", "--readonly"], "readonly_mode"),
}


def spoiled(name: str, kb) -> list[str]:  # type: ignore[no-untyped-def]
    prepare, arguments, _ = FAULTS[name]
    prepare(kb)
    return [part.format(notes=kb.notes) for part in arguments]


@pytest.mark.thorough
@pytest.mark.parametrize("name", FAULTS)
def test_people_get_one_sentence_and_a_next_step_on(name: str, quick) -> None:  # type: ignore[no-untyped-def]
    arguments = spoiled(name, quick)
    done = quick(*arguments, "--quiet")
    assert (done.code, done.stdout) == (2, "")
    error, hint = done.stderr.splitlines()
    assert re.fullmatch(r"error: [^A-Z\s].*[^.]", error)
    assert re.fullmatch(r"hint: .+", hint)
    assert "Error:" not in error


@pytest.mark.thorough
@pytest.mark.parametrize("name", FAULTS)
def test_programs_get_the_code_and_a_hint_on(name: str, quick) -> None:  # type: ignore[no-untyped-def]
    arguments = spoiled(name, quick)
    done = quick(*arguments, "--json")
    assert (done.code, done.error["code"]) == (2, FAULTS[name][2])
    assert done.error["hint"]
    assert "\n" not in str(done.error["message"])


def documents(kb) -> list[tuple[object, object]]:  # type: ignore[no-untyped-def]
    return [(d["doc_path"], d["doc_id"]) for d in kb("list", "docs", "--json").last["documents"]]


SPOILS_THE_INDEX = {damage_the_database, put_a_file_where_the_data_was, delete_the_data_folder}


@pytest.mark.thorough
@pytest.mark.parametrize("name", [n for n, fault in FAULTS.items() if fault[0] not in SPOILS_THE_INDEX])
def test_what_was_indexed_is_still_there_after(name: str, quick) -> None:  # type: ignore[no-untyped-def]
    before, config = documents(quick), quick.config.read_text()
    quick(*spoiled(name, quick))
    mend(quick, config)
    assert documents(quick) == before
    assert quick("doctor").code == 0


def mend(kb, config: str) -> None:  # type: ignore[no-untyped-def]
    """Undo what was done around the index; the index has to be as it was by itself."""
    if (kb.folder / "elsewhere").exists():
        kb.notes.unlink(missing_ok=True)
        (kb.folder / "elsewhere").rename(kb.notes)
    if kb.config.is_dir():
        kb.config.rmdir()
    kb.config.write_text(config, encoding="utf-8")
    with sqlite3.connect(kb.data / "kebab.sqlite") as database:
        database.execute(
            "UPDATE schema_meta SET value = ? WHERE key = 'schema_version'", (str(SCHEMA_VERSION),)
        )
    database.close()


def test_after_what_the_hint_of_an_older_database_says_everything_is_found_again(quick) -> None:  # type: ignore[no-untyped-def]
    before = documents(quick)
    use_an_older_database(quick)
    error = json.loads(quick("search", "색인", "--json").stderr)
    assert (error["code"], error["hint"]) == ("schema_too_old", "kebab doctor --repair; then kebab ingest")
    for command in error["hint"].split("; then "):
        assert quick(*command.split()[1:]).code == 0
    assert documents(quick) == before


@pytest.mark.parametrize("command", ["search 색인", "ingest", "list docs", "schema", "init", "doctor"])
def test_a_damaged_database_is_left_for_whoever_can_save_it(command: str, quick) -> None:  # type: ignore[no-untyped-def]
    damage_the_database(quick)
    before = (quick.data / "kebab.sqlite").read_bytes()
    assert quick(*command.split()).code == (3 if command == "doctor" else 2)
    assert (quick.data / "kebab.sqlite").read_bytes() == before


def test_a_deleted_data_folder_is_made_again_by_the_next_run(quick) -> None:  # type: ignore[no-untyped-def]
    before = documents(quick)
    delete_the_data_folder(quick)
    assert quick("doctor").code == 0
    assert quick("ingest").code == 0
    assert documents(quick) == before


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("missing root", "workspace_readable"),
        ("root is a file", "workspace_readable"),
        ("root inside the data folder", "config_loaded"),
        ("unknown config key", "config_loaded"),
        ("no config", "config_loaded"),
        ("newer database, search", "sqlite_open"),
        ("damaged database", "sqlite_open"),
        ("data folder is a file", "data_dir_writable"),
    ],
)
def test_doctor_names_the_check_and_what_to_do_about(name: str, check: str, quick) -> None:  # type: ignore[no-untyped-def]
    spoiled(name, quick)
    done = quick("doctor", "--json")
    failed = [c for c in done.last["checks"] if not c["ok"]]  # type: ignore[attr-defined, union-attr]
    assert done.code == 3
    assert failed[0]["name"] == check
    assert all(c["hint"] for c in failed)


def test_an_unknown_key_is_answered_with_the_nearest_one(quick) -> None:  # type: ignore[no-untyped-def]
    misspell_a_key(quick)
    assert "search.default_k" in quick("search", "색인").stderr


def test_a_run_over_an_empty_folder_succeeds_with_a_hint(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb = inside(kb)
    take_the_root_away(kb)
    kb.notes.mkdir()
    done = kb("ingest")
    assert done.code == 0
    assert "hint: there are no files here yet" in done.stdout
    found = kb("search", "색인", "--json")
    assert (found.code, found.last["no_hit_reason"]) == (1, "index_empty")
    assert "the index is empty" in kb("search", "색인").stdout


def test_a_lost_database_beside_copies_is_told_from_a_new_one(quick) -> None:  # type: ignore[no-untyped-def]
    for path in quick.data.glob("kebab.sqlite*"):
        path.unlink()
    (quick.data / "kebab.sqlite").touch()
    found = quick("search", "색인").stdout
    assert "the index is empty, although copies of 2 files are beside it" in found
    assert "hint: kebab doctor" in found
    examined = quick("doctor", "--json")
    failed = {check["name"]: check["hint"] for check in examined.last["checks"] if not check["ok"]}
    assert (examined.code, list(failed)) == (3, ["assets_kept"])
    assert "kebab ingest" in failed["assets_kept"]
    assert quick("ingest").code == 0
    assert quick("doctor").code == 0


def test_an_emptied_folder_empties_a_small_index_and_says_so(quick) -> None:  # type: ignore[no-untyped-def]
    take_the_root_away(quick)
    quick.notes.mkdir()
    done = quick("ingest", "--json")
    assert (done.code, done.last["removed"]) == (0, 2)


@pytest.mark.parametrize("content", [b"\0" * 100, b"# title\n\0\x01\x02", bytes(range(256)) * 8])
def test_binary_content_under_a_text_name_is_skipped_by_name(content: bytes, quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("picture.md", content)
    done = quick("ingest", "--json")
    assert (done.code, done.last["skipped_binary_content"]) == (0, 1)
    assert done.last["skip_examples"]["binary_content"] == ["picture.md"]  # type: ignore[index]
    assert "binary content, such as picture.md" in quick("ingest").stdout
    assert len(documents(quick)) == 2


def test_one_example_of_each_kind_is_named_of_what_is_left_out(quick) -> None:  # type: ignore[no-untyped-def]
    for name in ("a.md", "b.md", "c.md", "d.md", "e.md", "f.log", "g.tex"):
        quick.write(f"left/{name}", b"\0" * 100)
    assert "binary content, such as left/a.md, left/f.log, left/g.tex" in quick("ingest").stdout


def test_a_document_that_turned_binary_leaves_the_index(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("english/deployment.md", b"\0\1\2" * 50)
    done = quick("ingest", "--json")
    assert (done.code, done.last["skipped_binary_content"]) == (0, 1)
    assert [path for path, _ in documents(quick)] == ["한국어/색인.md"]


def test_a_source_that_is_gone_and_a_file_that_fails_are_told_with_what_helps(quick) -> None:  # type: ignore[no-untyped-def]
    gone = quick.notes / "gone"
    sources = "".join(
        f'[[workspace.sources]]\nid = "{name}"\nroot = "{folder}"\n'
        for name, folder in (("here", quick.notes / "english"), ("gone", gone))
    )
    quick.config.write_text(f'{sources}[storage]\ndata_dir = "data"\n[models.embedding]\nprovider = "none"\n')
    quick.write("english/broken.pdf", b"no PDF")
    done = quick("ingest")
    assert done.code == 0
    told = f"cannot read {gone}: No such file or directory; the documents in it stay indexed (kebab doctor)"
    assert told in done.stdout
    assert "hint: kebab doctor says what to do about failed files" in done.stdout
    assert quick("ingest", "--json").last["unreadable_folders"] == [f"{gone}: No such file or directory"]


def test_a_folder_that_may_not_be_entered_is_an_error_until_it_may(indexed, ordinary_user, terminal) -> None:  # type: ignore[no-untyped-def]
    folder = indexed.notes / "english"
    folder.chmod(0)
    done = indexed("ingest")
    assert done.code == 0
    assert ", 1 folder not read" in done.stdout
    assert f"cannot read english: Permission denied: {folder}; the documents in it stay" in done.stdout
    assert "earlier versions of failed files" not in done.stdout
    report = indexed("ingest", "--json").last
    assert (report["errors"], report["items"], len(report["unreadable_folders"])) == (0, [], 1)
    assert ", 0 failed, 1 folder not read" in terminal(indexed, env={"TERM": "dumb"}).stdout
    assert "files_readable" in indexed("doctor").stdout
    assert indexed("doctor").code == 3
    assert indexed("search", "rollback").stdout.splitlines()[0].endswith("[stale]")

    folder.chmod(0o700)
    assert indexed("ingest").code == 0
    assert indexed("doctor").code == 0
    assert "[stale]" not in indexed("search", "rollback").stdout


def test_a_second_writer_is_told_who_writes(quick) -> None:  # type: ignore[no-untyped-def]
    lock = quick.data / "writer.lock"
    lock.write_text(json.dumps({"pid": 4711, "host": "desk", "command": "kebab ingest"}))
    with lock.open("r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = quick("ingest", "--json")
        assert (done.code, done.error["code"]) == (2, "locked")
        assert done.error["details"] == {"pid": 4711, "host": "desk", "command": "kebab ingest"}
        assert quick("search", "색인").code == 0
    assert quick("ingest").code == 0


def test_a_failed_init_can_be_repeated_with_another_root(kebab, tmp_path) -> None:  # type: ignore[no-untyped-def]
    data = kebab.home / ".local" / "share" / "kebab"
    assert kebab("init", "--root", str(data / "notes"), "--yes").code == 2
    assert kebab("init", "--root", str(tmp_path / "notes"), "--yes").code == 0
    assert kebab("ingest").code == 0


class TestReadOnlyDataFolder:
    @pytest.fixture
    def sealed(self, indexed, ordinary_user):  # type: ignore[no-untyped-def]
        for path in (indexed.data, *indexed.data.rglob("*")):
            path.chmod(0o500 if path.is_dir() else 0o400)
        yield indexed
        for path in (indexed.data, *indexed.data.rglob("*")):
            path.chmod(0o700 if path.is_dir() else 0o600)

    def test_ingest_is_refused_with_the_folder_named(self, sealed) -> None:  # type: ignore[no-untyped-def]
        done = sealed("ingest", "--json")
        assert (done.code, done.error["code"]) == (2, "readonly_mode")
        assert str(sealed.data) in str(done.error["message"])
        human = sealed("ingest")
        assert [line.split(":")[0] for line in human.stderr.splitlines()] == ["error", "hint"]

    def test_reading_goes_on(self, sealed, places) -> None:  # type: ignore[no-untyped-def]
        assert sealed("search", "색인").code == 0
        assert "색인은 파일이" in sealed("fetch", "doc", places["doc"]).stdout
        assert sealed("search", "색인", "--readonly").code == 0

    def test_doctor_names_it(self, sealed) -> None:  # type: ignore[no-untyped-def]
        done = sealed("doctor", "--json")
        failed = [c["name"] for c in done.last["checks"] if not c["ok"]]  # type: ignore[attr-defined, union-attr]
        assert (done.code, failed) == (3, ["data_dir_writable"])


@pytest.mark.parametrize(
    ("environ", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_errors_are_coloured_on_terminals_that_want_it(environ, coloured, indexed, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(indexed, "search", " ", env=environ)
    assert done.code == 2
    assert ("\x1b[31merror:" in done.stderr) is coloured
    assert coloured or done.stderr.startswith("error: the query is empty\nhint: ")


def test_whoever_begins_with_ingest_is_led_to_init(kebab) -> None:  # type: ignore[no-untyped-def]
    done = kebab("ingest", "--quiet")
    assert done.code == 2
    assert done.stderr.splitlines()[-1].startswith("hint: kebab init --root ")


def test_a_link_to_a_note_is_counted_as_read_anyway(kb) -> None:  # type: ignore[no-untyped-def]
    (kb.notes / "link.md").symlink_to("english/deployment.md")
    assert "skipped 1: link to a file that is indexed anyway, such as link.md" in kb("ingest").stdout


def test_a_folder_whose_name_is_spelled_in_two_ways_says_so_in_hangul(kb, inside) -> None:  # type: ignore[no-untyped-def]
    composed, decomposed = "한글", "\u1112\u1161\u11ab\u1100\u1173\u11af"
    kb.write(f"{composed}/a.md", "# 하나\n")
    kb.write(f"{decomposed}/b.md", "# 둘\n")
    if len([path for path in kb.notes.iterdir() if path.name in {composed, decomposed}]) < 2:
        pytest.skip("this file system takes both spellings for one name")
    kb = inside(kb)
    said = kb("ingest").stdout
    assert "skipped 1: another file or folder beside it has the same name in other letters" in said
    assert "such as 한글~" in said
    assert "\\u" not in said
    report = kb("ingest", "--json").last
    assert (report["skipped_spelled_twice"], report["skipped_unusable_name"], report["skipped"]) == (1, 0, 1)
