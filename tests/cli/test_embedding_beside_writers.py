"""An embedding pass of one process while others search and write: real processes, and a model that is held."""

from __future__ import annotations

import json
import queue
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_socket
from kebab_store_sqlite import hold_writer_lock

from tests.command_server import ForkedProcess
from tests.integration.error_causes import DIMENSIONS, serve
from tests.integration.served import Served

HELD = "겨울 준비"
"""Passages with these words are embedded when the test says so."""
PATIENCE_S = 60
FILES = 40


@dataclass
class HeldModel:
    """A model server that answers at once, but for some passages."""

    asked: queue.Queue[list[str]] = field(default_factory=queue.Queue)
    go: threading.Event = field(default_factory=threading.Event)
    texts: list[str] = field(default_factory=list)
    address: str = ""

    def answer(self, sent: dict[str, Any]) -> tuple[int, object]:
        texts = sent["input"]
        self.texts += texts
        if any(HELD in text for text in texts) and not self.go.is_set():
            self.asked.put(texts)
            self.go.wait(PATIENCE_S)
        rows = [[1.0 + len(text) % 7, *[1.0] * (DIMENSIONS - 1)] for text in texts]
        return 200, {"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}


@pytest.fixture
def model() -> Iterator[HeldModel]:
    held = HeldModel()
    with serve(held.answer) as address:
        held.address = address
        try:
            yield held
        finally:
            held.go.set()


@pytest.fixture
def embedding(kb, inside, model):
    """A knowledge base with more passages than a batch has, and the model in its settings.

    What goes on beside the process of the pass is run inside this one.
    """
    for number in range(FILES):
        kb.write(f"many/{number:02}.md", f"# {number}\n\n{HELD} {number}\n")
    text = kb.config.read_text(encoding="utf-8").replace('provider = "none"', 'provider = "openai"')
    text = text.replace(
        "[storage]", "[ingest]\nworkers = 1\n[storage]"
    )  # who reads the files is not the point
    more = f'model = "m"\nendpoint = "{model.address}"\ndimensions = {DIMENSIONS}\n'
    kb.config.write_text(text + more, encoding="utf-8")
    return inside(kb)


def allow_server() -> None:
    """Allow a server of this machine; it is forbidden again before the next test."""
    pytest_socket.enable_socket()


@contextmanager
def running(kb, command: str, *flags: str) -> Iterator[ForkedProcess]:
    with kb.kebab.begin(command, *flags, "--config", str(kb.config)) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def embedding_pass(kb, model: HeldModel, *flags: str) -> Iterator[ForkedProcess]:
    """Run an ingest until its model is at work on the first batch."""
    allow_server()
    with running(kb, "ingest", "--json", "--summary-only", *flags) as process:
        model.asked.get(timeout=PATIENCE_S)
        yield process


def finish(process: ForkedProcess, model: HeldModel) -> dict[str, Any]:
    """Let the model go on, and return the report."""
    model.go.set()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, "")
    return json.loads(out.splitlines()[-1])


def assert_complete(kb, *, documents: int) -> None:
    """Every document has its vectors, and nothing is wrong."""
    assert kb("schema", "--json").last["stats"]["doc_count"] == documents
    healthy = kb("doctor", "--json")
    assert [check for check in healthy.last["checks"] if not check["ok"]] == []
    again = kb("embed", "--json").last
    assert (again["embedding"]["pending"], again["embeddings_indexed"]) == (0, 0)


def test_text_given_beside_a_pass_is_found_by_words_and_by_meaning_at_once(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        done = embedding("ingest-stdin", "--title", "우산", "--json", stdin="접이식 우산은 현관에 있다.")
        assert (done.code, done.last["embeddings_indexed"]) == (0, 1)
        for mode in ("lexical", "vector"):
            found = embedding("search", "접이식 우산", "--mode", mode, "--json").last
            assert "우산" in [hit["title"] for hit in found["hits"]]
        assert found["coverage"]["documents_pending"] == FILES + 2
        checks = {check["name"]: check for check in embedding("doctor", "--json").last["checks"]}
        assert checks["vectors_complete"]["ok"] is True
        assert f"(pid {process.pid})" in checks["vectors_complete"]["detail"]
        assert process.poll() is None
        report = finish(process, model)
    assert report["embedding"]["pending"] == 0
    assert_complete(embedding, documents=FILES + 3)


def test_agent_writes_and_asks_beside_a_pass(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        server = Served(embedding.config, env=embedding.kebab.environment())
        server.start()
        try:
            given = {"content": "접이식 우산은 현관에 있다.", "title": "우산"}
            report = server.call("ingest_stdin", **given)
            assert (report["new"], report["embeddings_indexed"]) == (1, 1)
            found = server.call("search", query="접이식 우산", mode="lexical")
            assert "접이식 우산은 현관에 있다" in found["hits"][0]["snippet"]
            answer = server.call("ask", question="접이식 우산은 어디에 있나요?", mode="lexical")
            assert "현관" in answer["answer"]
        finally:
            server.kill()
        finish(process, model)
    assert_complete(embedding, documents=FILES + 3)


def test_document_forgotten_while_its_vector_is_made_leaves_none(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        (embedding.notes / "many/00.md").unlink()
        done = embedding("forget", "many/00.md", "--yes", "--json")
        assert (done.code, done.last["documents"]) == (0, ["many/00.md"])
        report = finish(process, model)
    assert report["embedding"]["pending"] == 0
    assert_complete(embedding, documents=FILES + 1)


def test_second_ingest_reads_files_and_leaves_their_vectors_to_the_pass_that_runs(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        embedding.write("late.md", "# Late\n\nAn umbrella in the hall.\n")
        (embedding.notes / "many/39.md").write_text(f"# 39\n\n{HELD} 바뀜\n", encoding="utf-8")
        second = embedding("ingest", "--json", "--summary-only")
        assert (second.code, second.last["new"], second.last["updated"]) == (0, 1, 1)
        left = second.last["embedding"]
        assert (left["failure"]["code"], left["computed"]) == ("locked", 0)
        assert f"(pid {process.pid} on" in left["failure"]["message"]
        assert left["pending"] > 2
        told = embedding("ingest").stdout
        assert "passages without vectors: another process is computing embeddings: `kebab" in told
        assert f"(pid {process.pid} on" in told
        found = embedding("search", "umbrella", "--mode", "lexical", "--json").last
        assert [hit["doc_path"] for hit in found["hits"]] == ["late.md"]
        report = finish(process, model)
    assert report["embedding"]["pending"] == 0
    assert_complete(embedding, documents=FILES + 3)
    passages = [text for text in model.texts if HELD in text]
    assert len(set(passages)) == len(passages)


def test_second_pass_is_refused_or_waits(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        refused = embedding("embed", "--json")
        assert (refused.code, refused.error["code"]) == (2, "locked")
        assert refused.error["details"]["pid"] == process.pid
        assert "kebab embed --wait" in refused.error["hint"]
        with running(embedding, "embed", "--wait", "--json") as embed:
            assert embed.stdout is not None
            assert f"(pid {process.pid}," in json.loads(embed.stdout.readline())["waits_for"]
            with running(embedding, "ingest", "--wait", "--json", "--summary-only") as ingest:
                assert ingest.stdout is not None
                waits = next(beat for line in ingest.stdout if (beat := json.loads(line)).get("waits_for"))
                assert f"(pid {process.pid}," in waits["waits_for"]
                finish(process, model)
                for waiting in (embed, ingest):
                    out, _ = waiting.communicate(timeout=PATIENCE_S)
                    report = json.loads(out.splitlines()[-1])
                    assert (waiting.returncode, report["embedding"]["pending"]) == (0, 0)
    assert_complete(embedding, documents=FILES + 2)


def test_killed_pass_leaves_nothing_unfinished_but_vectors(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        process.kill()
        process.communicate()
    checks = {check["name"]: check["ok"] for check in embedding("doctor", "--json").last["checks"]}
    assert (checks["ingest_finished"], checks["vectors_complete"]) == (True, False)
    missed = embedding("search", "파스타", "--mode", "lexical", "--json").last["coverage"]
    assert (missed["ingest_running"], missed["ingest_interrupted"]) == (False, False)
    model.go.set()
    report = embedding("embed", "--json").last
    assert (report["embedding"]["pending"], report["aborted"]) == (0, False)
    assert_complete(embedding, documents=FILES + 2)


def test_interrupted_pass_keeps_the_batch_in_hand(embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        process.send_signal(signal.SIGINT)
        model.go.set()
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 130
    report = json.loads(out.splitlines()[-1])
    assert report["aborted"] is True
    assert 0 < report["embeddings_indexed"] < FILES
    assert "failure" not in report["embedding"]
    assert embedding("ingest", "--json").last["embedding"]["pending"] == 0
    assert_complete(embedding, documents=FILES + 2)


def test_interrupt_ends_the_wait_of_a_pass_for_another_writer(embedding, model) -> None:
    with embedding_pass(embedding, model) as process, hold_writer_lock(embedding.data):
        process.send_signal(signal.SIGINT)
        model.go.set()
        out, err = process.communicate(timeout=PATIENCE_S)
        assert (process.returncode, err) == (130, "")
    report = json.loads(out.splitlines()[-1])
    assert (report["aborted"], report["embeddings_indexed"]) == (True, 0)
    assert embedding("ingest", "--json").last["embedding"]["pending"] == 0
    assert_complete(embedding, documents=FILES + 2)


@pytest.mark.parametrize("scope", ["--data-only", "--vector-only"])
def test_reset_beside_a_pass_is_refused(scope: str, embedding, model) -> None:
    with embedding_pass(embedding, model) as process:
        refused = embedding("reset", scope, "--yes", "--json")
        assert (refused.code, refused.error["code"]) == (2, "locked")
        assert refused.error["details"]["pid"] == process.pid
        finish(process, model)
    assert_complete(embedding, documents=FILES + 2)
    assert embedding("reset", scope, "--yes").code == 0
    if scope == "--data-only":
        assert not embedding.data.exists()


def test_waiting_passages_are_said_to_be_searchable_and_how_long_they_take(embedding, model) -> None:
    allow_server()
    model.go.set()
    said = embedding("ingest").stderr.splitlines()
    count = next(line for line in said if "have no vectors" in line)
    assert count.endswith("passages have no vectors yet; full-text search finds them already")


def test_terminal_says_so_above_the_bar(embedding, model, terminal) -> None:
    allow_server()
    model.go.set()
    done = terminal(embedding, "ingest", streams=["stderr"], columns=200)
    assert "full-text search finds them already" in done.stderr
    assert "embed" in done.stderr


@pytest.mark.parametrize("flags", [("--embed-for", "0"), ("--embed-for", "0s"), ("--no-embed",)])
def test_no_time_for_embedding_leaves_vectors_for_later(flags: tuple[str, ...], embedding, model) -> None:
    done = embedding("ingest", *flags)
    assert done.code == 0
    assert "passages have no vectors (kebab embed)" in done.stdout
    assert model.texts == []


@pytest.mark.parametrize("time", ["5", "-1s", "1.5m", "5 m", "m", "", "1d", "5m1h", "9999999s"])
def test_time_that_is_none_is_refused(time: str, quick) -> None:
    for command in ("ingest", "embed"):
        refused = quick(command, "--embed-for", time, "--json")
        assert (refused.code, refused.error["code"]) == (2, "invalid_input")
        assert "30s, 5m, 1h30m or 0" in refused.error["message"]


def test_enough_time_embeds_everything(embedding, model) -> None:
    allow_server()
    model.go.set()
    report = embedding("ingest", "--embed-for", "1h30m", "--json").last
    assert (report["embedding"]["pending"], report["embedding"]["time_limit_reached"]) == (0, False)
