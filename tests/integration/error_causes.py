"""How to bring about what `error_table` names: files spoiled, folders gone, servers that refuse. Nothing is pretended."""

from __future__ import annotations

import fcntl
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from kebab_store_sqlite import LockWait

from tests.document_parts import read_passages, write_passages

Cause = Callable[[Any], AbstractContextManager[object]]
"""Spoils a knowledge base, which has `folder`, `config`, `data` and `settle(*sections)`, for as long as it is entered."""

DIMENSIONS = 8


def _by(spoil: Callable[[Any], object]) -> Cause:
    def cause(base: Any) -> AbstractContextManager[object]:
        spoil(base)
        return nullcontext()

    return cause


def _run(*statements: str) -> Cause:
    def spoil(base: Any) -> None:
        with closing(sqlite3.connect(base.data / "kebab.sqlite")) as connection, connection:
            for statement in statements:
                connection.execute(statement)

    return _by(spoil)


def _remove_places(base: Any) -> None:
    with closing(sqlite3.connect(base.data / "kebab.sqlite")) as connection, connection:
        for part_no, chunks, terms, blocks in connection.execute(
            "SELECT part_no, chunks, terms, blocks FROM document_parts"
        ).fetchall():
            passages = [one | {"source_spans": []} for one in read_passages(chunks)]
            row = write_passages(passages, chunks=chunks, terms=terms, blocks=blocks)
            connection.execute(
                "UPDATE document_parts SET chunks = ?, terms = ?, blocks = ? WHERE part_no = ?",
                (*row, part_no),
            )


def _replace_index(base: Any) -> None:
    for file in base.data.glob("kebab.sqlite*"):
        file.unlink()
    with closing(sqlite3.connect(base.data / "kebab.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE recipes (name)")


def _damage_index(base: Any) -> None:
    file = base.data / "kebab.sqlite"
    content = file.read_bytes()
    for beside in ("-wal", "-shm"):
        file.with_name(file.name + beside).unlink(missing_ok=True)
    file.write_bytes(content[:100] + b"\xff" * (len(content) - 100))


def _put_file_for_data(base: Any) -> None:
    shutil.rmtree(base.data)
    base.data.write_text("not a folder", encoding="utf-8")


def _model(provider: str, **settings: object) -> str:
    lines = (f"{name} = {json.dumps(value)}" for name, value in {"provider": provider, **settings}.items())
    return "\n".join(["[models.embedding]", *lines, f"dimensions = {DIMENSIONS}", ""])


def _put_rubbish_for_a_model(base: Any) -> None:
    folder = base.folder / "rubbish"
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json", "config.json"):
        (folder / name).write_text("{}", encoding="utf-8")
    base.settle(_model("onnx", model=str(folder)))


@contextmanager
def _another_writer(base: Any) -> Iterator[None]:
    """One that goes on and on: this process waits for it a moment only, not two seconds in each of many commands."""
    defaults: dict[str, object] = LockWait.__init__.__kwdefaults__
    with (base.data / "writer.lock").open("a+") as file, pytest.MonkeyPatch.context() as patch:
        assert "timeout_s" in defaults
        patch.setitem(defaults, "timeout_s", 0.01)
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def serve(answer: Callable[[dict[str, Any]], tuple[int, object]]) -> Iterator[str]:
    """Run a model server.

    Args:
        answer: Returns the status and the content for what it is sent.

    Yields:
        Its address.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, content = answer(sent)
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()


def _refusing(status: int, said: str) -> Cause:
    @contextmanager
    def cause(base: Any) -> Iterator[None]:
        with serve(lambda _: (status, {"error": said})) as address:
            base.settle(_model("openai", model="a-model", endpoint=address))
            yield

    return cause


def _embed(sent: dict[str, Any]) -> tuple[int, object]:
    rows = [[1.0 + len(text) % 7, *[1.0] * (DIMENSIONS - 1)] for text in sent["input"]]
    return 200, {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}


@contextmanager
def _vectors_of_another_model(base: Any) -> Iterator[None]:
    with serve(_embed) as address:
        base.settle(_model("openai", model="the-first", endpoint=address))
        done = base("embed")
        assert done.code == 0, done.stderr
    with serve(_embed) as address:  # the first model cannot be asked any more
        base.settle(_model("openai", model="the-second", endpoint=address))
        yield


CAUSES: dict[str, Cause] = {
    "settings with a bad value": _by(
        lambda base: base.config.write_text("[search]\ndefault_k = 0\n", encoding="utf-8")
    ),
    "settings for another kind of model": _by(
        lambda base: base.settle(
            '[models.embedding]\nprovider = "none"\n', '[models.llm]\nprovider = "nobody"\nmodel = "x"\n'
        )
    ),
    "no settings": _by(lambda base: base.config.unlink()),
    "no index": _by(lambda base: shutil.rmtree(base.data)),
    "a model server that is not there": _by(
        lambda base: base.settle(_model("openai", model="a-model", endpoint="http://127.0.0.1:9/v1"))
    ),
    "a model server without the model": _refusing(404, "model not found"),
    "a model server that finds it too long": _refusing(400, "maximum context length exceeded"),
    "a model folder that is not there": _by(lambda base: base.settle(_model("onnx", model="nowhere"))),
    "a model folder with rubbish": _by(_put_rubbish_for_a_model),
    "vectors of another model": _vectors_of_another_model,
    "data where no folder is": _by(_put_file_for_data),
    "another writer": _another_writer,
    "a document of pages": _run(
        "UPDATE documents SET media = 'pdf'",
        "UPDATE documents SET media_json = json_set(media_json, '$.kind', 'pdf')",
        """INSERT INTO document_texts SELECT doc_id, 'text',
             '{"parts":[{"start":0,"end":4,"source_span":{"kind":"page","page":1}}]}' FROM documents""",
    ),
    "passages without a place": _by(_remove_places),
    "an index that refuses rows": _run(
        "CREATE TRIGGER no_more BEFORE INSERT ON ingest_runs BEGIN SELECT RAISE(ABORT, 'no more'); END"
    ),
    "an index from the future": _run("UPDATE schema_meta SET value = '999' WHERE key = 'schema_version'"),
    "an index of an older schema": _run("UPDATE schema_meta SET value = '11' WHERE key = 'schema_version'"),
    "an index that is damaged": _by(_damage_index),
    "an index of something else": _by(_replace_index),
}
"""By what is the matter; what is not here needs nothing spoiled."""


def write_measures(folder: Path) -> None:
    """Write a judged set and a suite to measure with, a letter to add, and a file that is no document."""
    (folder / "set").mkdir()
    for name, text in (
        ("set/corpus.jsonl", '{"_id": "d", "title": "제목", "text": "본문"}'),
        ("set/queries.jsonl", '{"_id": "q", "text": "본문은?"}'),
        ("set/qrels.tsv", "q\td\t1"),
        ("suite.yaml", 'queries: [{id: q, query: "색인은?", expected_doc_ids: ["한국어/색인.md"]}]'),
        ("letter.md", "# 편지\n\n바나나는 노랗다.\n"),
        ("photo.xyz", "\0"),
    ):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "more").mkdir()
