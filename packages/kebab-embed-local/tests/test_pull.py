import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from itertools import repeat
from pathlib import Path
from threading import Event, Thread

import httpx2
import pytest
from kebab_core import (
    ByteProgress,
    DependencyMissingError,
    ModelCorruptError,
    ModelMissingError,
    ModelUnreachableError,
    OperationTimeoutError,
    StorageError,
)
from kebab_embed_local import (
    CatalogueEntry,
    find_missing,
    model_pull as pulling,
    pull_model,
    read_pulled,
)

NAME, REPOSITORY, REVISION = "multilingual-e5-small", "intfloat/multilingual-e5-small", "ab" * 20
GRAPH = bytes(range(256)) * 4000
FILES = {
    "onnx/model.onnx": GRAPH,
    "tokenizer.json": b'{"a": 1}',
    "config.json": b'{"hidden_size": 384}',
    "pytorch_model.bin": b"not wanted",
    "README.md": b"",
}
LARGE = frozenset({"onnx/model.onnx", "pytorch_model.bin"})


class FakeHub:
    """A hub with one repository.

    Attributes:
        asked: Path and first byte of every request for content.
    """

    def __init__(
        self, files: dict[str, bytes] | None = None, *, listed: dict[str, bytes] | None = None
    ) -> None:
        self.files = dict(FILES if files is None else files)
        self.listed = listed or self.files
        self.takes_ranges = True
        self.break_after: list[int] = []
        self.asked: list[tuple[str, int]] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == f"/api/models/{REPOSITORY}":
            return httpx2.Response(200, json={"id": REPOSITORY, "sha": REVISION})
        if path == f"/api/models/{REPOSITORY}/tree/{REVISION}":
            return httpx2.Response(
                200, json=[{"type": "directory", "path": "onnx"}, *map(self._item, self.listed)]
            )
        wanted = path.removeprefix(f"/{REPOSITORY}/resolve/{REVISION}/")
        if wanted not in self.files:
            return httpx2.Response(404, text="Entry not found")
        return self._content(wanted, request.headers.get("range"))

    def _item(self, path: str) -> dict[str, object]:
        content = self.listed[path]
        item = {"type": "file", "path": path, "size": len(content), "oid": _git_sha1(content)}
        return item | ({"lfs": {"oid": hashlib.sha256(content).hexdigest()}} if path in LARGE else {})

    def _content(self, path: str, wanted: str | None) -> httpx2.Response:
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and self.takes_ranges else 0
        self.asked.append((path, start))
        rest = self.files[path][start:]
        cut = self.break_after.pop(0) if self.break_after and path in LARGE else None
        return httpx2.Response(206 if start else 200, content=_pieces(rest, cut))


def _pieces(content: bytes, cut: int | None) -> Iterator[bytes]:
    for start in range(0, len(content[:cut]), 100_000):
        yield content[:cut][start : start + 100_000]
    if cut is not None:
        raise httpx2.ReadError("connection reset")


def _git_sha1(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324


def _pull(tmp_path: Path, hub: FakeHub, **more: object) -> pulling.PulledModel:
    return pull_model(NAME, models_dir=tmp_path / "models", transport=httpx2.MockTransport(hub), **more)


def _part(tmp_path: Path) -> Path:
    return tmp_path / "models" / f".{NAME}.{REVISION[:12]}.partial" / "onnx" / "model.onnx.part"


def test_a_model_outside_the_catalogue_is_pulled_by_its_entry(tmp_path: Path) -> None:
    entry = CatalogueEntry("some-nli", REPOSITORY, graph="onnx/model.onnx")
    hub = httpx2.MockTransport(FakeHub())
    pulled = pull_model("some-nli", models_dir=tmp_path / "models", entry=entry, transport=hub)
    assert (pulled.folder / "onnx" / "model.onnx").read_bytes() == GRAPH


def test_pulled_model_is_its_files_and_where_they_came_from(tmp_path: Path) -> None:
    pulled = _pull(tmp_path, FakeHub())
    assert pulled.folder == tmp_path / "models" / NAME
    found = {
        str(file.relative_to(pulled.folder)): file.read_bytes()
        for file in pulled.folder.rglob("*")
        if file.is_file()
    }
    source = json.loads(found.pop("kebab-model.json"))
    assert found == {path: content for path, content in FILES.items() if path != "pytorch_model.bin"}
    assert (source["repository"], source["revision"]) == (REPOSITORY, REVISION)
    assert source["hashes"]["onnx/model.onnx"] == hashlib.sha256(GRAPH).hexdigest()
    assert [file.name for file in (tmp_path / "models").iterdir()] == [NAME]
    assert read_pulled(pulled.folder) == pulled


def test_a_hub_that_lists_without_an_end_is_a_timeout(tmp_path: Path) -> None:
    def endless(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=repeat(b" " * 1_000_000))

    with pytest.raises(OperationTimeoutError, match="16 MB"):
        pull_model(NAME, models_dir=tmp_path / "models", transport=httpx2.MockTransport(endless))


def test_progress_counts_every_byte_once(tmp_path: Path) -> None:
    told: list[ByteProgress] = []
    pulled = _pull(tmp_path, FakeHub(), progress=told.append)
    done = [progress.done_bytes for progress in told]
    assert done == sorted(done)
    assert done[-1] == pulled.total_bytes == told[0].total_bytes


def test_model_that_is_there_is_not_pulled_again(tmp_path: Path) -> None:
    first = _pull(tmp_path, FakeHub())

    def offline(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no network", request=request)

    assert pull_model(NAME, models_dir=tmp_path / "models", transport=httpx2.MockTransport(offline)) == first


@pytest.mark.parametrize("damage", ["gone", "cut", "no source"])
def test_model_with_a_file_gone_or_cut_is_pulled_again(tmp_path: Path, damage: str) -> None:
    folder = _pull(tmp_path, FakeHub()).folder
    if damage == "gone":
        (folder / "tokenizer.json").unlink()
    elif damage == "cut":
        (folder / "onnx" / "model.onnx").write_bytes(GRAPH[:100])
    else:
        (folder / "kebab-model.json").write_text("[]", "utf-8")
    assert read_pulled(folder) is None
    assert (_pull(tmp_path, FakeHub()).folder / "onnx" / "model.onnx").read_bytes() == GRAPH


def test_broken_connection_is_opened_again_where_it_broke(tmp_path: Path) -> None:
    hub = FakeHub()
    hub.break_after = [300_000, 200_000]
    told: list[ByteProgress] = []
    pulled = _pull(tmp_path, hub, progress=told.append)
    assert (pulled.folder / "onnx" / "model.onnx").read_bytes() == GRAPH
    assert [start for path, start in hub.asked if path in LARGE] == [0, 300_000, 500_000]
    assert told[-1].done_bytes == pulled.total_bytes


def test_connection_that_brings_nothing_ends_the_pull_and_keeps_what_came(tmp_path: Path) -> None:
    hub = FakeHub()
    hub.break_after = [300_000, 0]
    with pytest.raises(ModelUnreachableError):
        _pull(tmp_path, hub)
    assert _part(tmp_path).read_bytes() == GRAPH[:300_000]
    assert read_pulled(tmp_path / "models" / NAME) is None
    again = FakeHub()
    assert (_pull(tmp_path, again).folder / "onnx" / "model.onnx").read_bytes() == GRAPH
    assert ("onnx/model.onnx", 300_000) in again.asked


def test_hub_that_cannot_go_on_in_the_middle_begins_anew(tmp_path: Path) -> None:
    hub = FakeHub()
    hub.break_after, hub.takes_ranges = [300_000], False
    told: list[ByteProgress] = []
    pulled = _pull(tmp_path, hub, progress=told.append)
    assert (pulled.folder / "onnx" / "model.onnx").read_bytes() == GRAPH
    assert told[-1].done_bytes == pulled.total_bytes


def test_rest_of_another_file_is_thrown_away_and_the_next_pull_is_whole(tmp_path: Path) -> None:
    part = _part(tmp_path)
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * 1000)
    with pytest.raises(ModelCorruptError):
        _pull(tmp_path, FakeHub())
    assert not part.exists()
    assert (_pull(tmp_path, FakeHub()).folder / "onnx" / "model.onnx").read_bytes() == GRAPH


def test_rest_that_is_longer_than_the_file_is_not_used(tmp_path: Path) -> None:
    part = _part(tmp_path)
    part.parent.mkdir(parents=True)
    part.write_bytes(b"?" * (len(GRAPH) + 1))
    assert (_pull(tmp_path, FakeHub()).folder / "onnx" / "model.onnx").read_bytes() == GRAPH


@pytest.mark.parametrize("path", ["onnx/model.onnx", "tokenizer.json"])
@pytest.mark.parametrize("change", [lambda content: b"x" + content[1:], lambda content: content + b"x"])
def test_content_with_another_hash_is_refused(tmp_path: Path, path: str, change) -> None:
    with pytest.raises(ModelCorruptError) as caught:
        _pull(tmp_path, FakeHub({**FILES, path: change(FILES[path])}, listed=FILES))
    assert caught.value.details["file"] == path
    assert read_pulled(tmp_path / "models" / NAME) is None


def test_content_that_ends_early_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelUnreachableError):
        _pull(tmp_path, FakeHub({**FILES, "tokenizer.json": b"{"}, listed=FILES))


def test_content_that_the_hub_does_not_have_is_a_missing_model(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError):
        _pull(tmp_path, FakeHub({"onnx/model.onnx": GRAPH}, listed=FILES))


def test_repository_without_a_tokenizer_is_refused_before_anything_is_downloaded(tmp_path: Path) -> None:
    hub = FakeHub({"onnx/model.onnx": GRAPH})
    with pytest.raises(ModelMissingError):
        _pull(tmp_path, hub)
    assert hub.asked == []


@pytest.mark.parametrize("status", [401, 403, 404])
def test_repository_that_is_gone_or_hidden_is_a_missing_model(tmp_path: Path, status: int) -> None:
    with pytest.raises(ModelMissingError):
        _pull(tmp_path, lambda request: httpx2.Response(status))


@pytest.mark.parametrize("answer", ["<html>", "[]", '{"sha": 5}', '{"sha": "../../etc"}', "{}"])
def test_server_that_is_no_hub_is_unreachable(tmp_path: Path, answer: str) -> None:
    with pytest.raises(ModelUnreachableError):
        _pull(tmp_path, lambda request: httpx2.Response(200, text=answer))


@pytest.mark.parametrize("path", ["../outside", "/etc/passwd", "onnx/../../outside"])
def test_listing_that_leads_out_of_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(ModelUnreachableError):
        _pull(tmp_path, FakeHub({**FILES, path: b"evil"}))


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (httpx2.ConnectError, ModelUnreachableError),
        (httpx2.ConnectTimeout, ModelUnreachableError),
        (httpx2.ReadTimeout, OperationTimeoutError),
    ],
)
def test_fault_of_the_network_is_one_of_kebabs_errors(
    tmp_path: Path, fault: type[httpx2.RequestError], expected: type[Exception]
) -> None:
    def fail(request: httpx2.Request) -> httpx2.Response:
        raise fault("broken", request=request)

    with pytest.raises(expected) as caught:
        _pull(tmp_path, fail)
    assert caught.value.remedy


def test_disk_without_room_is_noticed_before_anything_is_downloaded(tmp_path: Path, monkeypatch) -> None:
    hub = FakeHub()
    monkeypatch.setattr(pulling.shutil, "disk_usage", lambda path: type("Usage", (), {"free": len(GRAPH)}))
    with pytest.raises(StorageError) as caught:
        _pull(tmp_path, hub)
    assert caught.value.details["needed_bytes"] > caught.value.details["free_bytes"] == len(GRAPH)
    assert hub.asked == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_disk_that_fills_up_is_a_storage_error(tmp_path: Path) -> None:
    part = _part(tmp_path).with_name("model.onnx")
    part.parent.mkdir(parents=True)
    _part(tmp_path).symlink_to("/dev/full")
    with pytest.raises(StorageError):
        _pull(tmp_path, FakeHub())


def test_models_folder_that_is_a_file_is_a_storage_error(tmp_path: Path) -> None:
    (tmp_path / "models").write_text("")
    with pytest.raises(StorageError):
        _pull(tmp_path, FakeHub())


def test_model_that_only_fastembed_may_know_names_the_extra(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    with pytest.raises(DependencyMissingError) as caught:
        pull_model("BAAI/bge-small-en-v1.5", models_dir=tmp_path)
    assert caught.value.remedy.name == "fastembed>=0.9,<1"


def test_what_a_model_runs_with_is_looked_for_before_anything_is_fetched(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    hub = FakeHub()
    with pytest.raises(DependencyMissingError) as caught:
        _pull(tmp_path, hub)
    assert caught.value.remedy.name == "tokenizers>=0.22,<1"
    assert not (tmp_path / "models").exists()
    steps = find_missing(NAME, models_dir=tmp_path / "models")
    assert [step.kind for step in steps] == ["install_packages", "pull_model"]
    monkeypatch.undo()
    _pull(tmp_path, hub)
    assert find_missing(NAME, models_dir=tmp_path / "models") == ()


class LoopbackHub(BaseHTTPRequestHandler):
    """Serves `FakeHub` on this machine; the first content it is asked for stops in the middle until it is cut off."""

    hub = FakeHub()
    half_sent, released = Event(), Event()

    def do_GET(self) -> None:
        request = httpx2.Request("GET", f"http://hub{self.path}", headers=dict(self.headers.items()))
        response = self.hub(request)
        content = b"".join(response.stream)
        self.send_response(response.status_code)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if len(content) == len(GRAPH):
            self.wfile.write(content[:400_000])
            self.wfile.flush()
            self.half_sent.set()
            self.released.wait(30)
            return
        self.wfile.write(content)

    def log_message(self, *args: object) -> None:
        pass


def test_pull_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    _allow_loopback()
    server = ThreadingHTTPServer(("127.0.0.1", 0), LoopbackHub)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    address, models = f"http://127.0.0.1:{server.server_port}", tmp_path / "models"
    code = "import sys, pathlib, kebab_embed_local as k; k.pull_model(sys.argv[1], models_dir=pathlib.Path(sys.argv[2]), hub=sys.argv[3])"
    try:
        child = subprocess.Popen([sys.executable, "-c", code, NAME, str(models), address])
        assert LoopbackHub.half_sent.wait(30)
        while not (_part(tmp_path).exists() and _part(tmp_path).stat().st_size):
            assert child.poll() is None
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        LoopbackHub.released.set()
        assert read_pulled(models / NAME) is None
        kept = _part(tmp_path).stat().st_size
        assert 0 < kept <= 400_000
        pulled = pull_model(NAME, models_dir=models, hub=address)
        assert (pulled.folder / "onnx" / "model.onnx").read_bytes() == GRAPH
        assert ("onnx/model.onnx", kept) in LoopbackHub.hub.asked
    finally:
        LoopbackHub.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _allow_loopback() -> None:
    """Lift what forbids sockets in tests, where it is installed; it comes back by itself after the test."""
    if find_spec("pytest_socket"):
        import pytest_socket

        pytest_socket.enable_socket()
