"""GGUF files, without a server."""

import json
import struct
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from kebab_core import (
    ContextOverflowError,
    DependencyMissingError,
    FinishReason,
    GenerationDone,
    KebabError,
    LlmSettings,
    ModelCorruptError,
    ModelMissingError,
)
from kebab_llm_local import build_chat_model
from kebab_testing.passages import build_request

REQUEST = build_request("색인은 언제 만드나요?", max_tokens=20)


def build(path: object, models_dir: Path = Path(), **changes: object):
    settings = LlmSettings.model_validate({
        "provider": "llama-cpp",
        "model": str(path),
        "threads": 1,
        **changes,
    })
    return build_chat_model(settings, models_dir=models_dir)


def test_file_says_its_window_before_it_is_loaded(tiny_gguf: Path) -> None:
    model = build(tiny_gguf)
    assert (model.context_tokens(), model.header.name, model.header.architecture) == (
        512,
        "Tiny Llama",
        "llama",
    )
    assert build(tiny_gguf, context_tokens=300).context_tokens() == 300
    assert model.model_ref().id == "tiny-llama"


def test_relative_name_is_below_the_models_folder(tiny_gguf: Path) -> None:
    model = build("tiny-llama.gguf", tiny_gguf.parent)
    *_, done = model.generate_stream(REQUEST)
    assert isinstance(done, GenerationDone)
    assert done.usage.prompt_tokens > 0


def test_limit_and_schema_are_kept(tiny_gguf: Path) -> None:
    schema = {"enum": ["하나", "둘"]}
    request = REQUEST.model_copy(update={"json_schema": schema})
    *texts, done = build(tiny_gguf).generate_stream(request)
    assert json.loads("".join(each.text for each in texts)) in schema["enum"]
    assert done.finish_reason is FinishReason.STOP
    *_, done = build(tiny_gguf).generate_stream(REQUEST.model_copy(update={"max_tokens": 3}))
    assert (done.finish_reason, done.usage.completion_tokens) == (FinishReason.LENGTH, 3)


def test_prompt_that_is_longer_than_the_window_is_an_overflow(tiny_gguf: Path) -> None:
    with pytest.raises(ContextOverflowError) as caught:
        list(build(tiny_gguf).generate_stream(build_request("long " * 2000)))
    assert caught.value.remedy is not None


def test_schema_that_is_none_is_an_error_of_kebab(tiny_gguf: Path) -> None:
    request = REQUEST.model_copy(update={"json_schema": {"type": "zzz"}})
    with pytest.raises(KebabError):
        list(build(tiny_gguf).generate_stream(request))


def test_closed_stream_frees_the_model_for_the_next(tiny_gguf: Path) -> None:
    model = build(tiny_gguf)
    stream = model.generate_stream(REQUEST.model_copy(update={"max_tokens": 400}))
    next(stream)
    assert isinstance(stream, Generator)
    stream.close()
    assert list(model.generate_stream(REQUEST))


def find_listening() -> set[str]:
    """Return the sockets of this process that others can reach; none on systems other than Linux."""
    if sys.platform != "linux":
        return set()
    inodes = {link.readlink().name for link in Path("/proc/self/fd").iterdir() if link.is_symlink()}
    sockets = [
        line.split()
        for table in ("tcp", "tcp6")
        for line in Path("/proc/net", table).read_text("ascii").splitlines()[1:]
    ]
    return {f"socket:[{fields[9]}]" for fields in sockets if fields[3] == "0A"} & inodes


def test_nothing_that_others_can_reach_is_left_open(tiny_gguf: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other = tmp_path / "other.gguf"
    other.write_bytes(tiny_gguf.read_bytes())
    before = find_listening()  # servers of other tests in this process
    assert list(build(other).generate_stream(REQUEST))
    assert [path.name for path in tmp_path.iterdir()] == ["other.gguf"]
    assert find_listening() <= before


def test_file_that_is_not_there_is_missing(tmp_path: Path) -> None:
    for name in ("none.gguf", "."):
        with pytest.raises(ModelMissingError):
            list(build(name, tmp_path).generate_stream(REQUEST))


HEAD = b"GGUF" + struct.pack("<IQQ", 3, 1, 5)
DAMAGED = {
    "empty": b"",
    "text": b"# A note\n",
    "version 9": b"GGUF" + struct.pack("<IQQ", 9, 1, 5),
    "cut": HEAD,
    "endless name": HEAD + struct.pack("<Q", 2**60),
    "unknown kind": HEAD + struct.pack("<Q", 1) + b"x" + struct.pack("<I", 99),
    "endless list": HEAD + struct.pack("<Q", 1) + b"x" + struct.pack("<IIQ", 9, 8, 2**50),
    "list of lists": HEAD + struct.pack("<Q", 1) + b"x" + struct.pack("<IIQ", 9, 9, 2),
    "list beyond the end": HEAD + struct.pack("<Q", 1) + b"x" + struct.pack("<IIQ", 9, 0, 2**63),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_file_that_is_no_model_is_corrupt(tmp_path: Path, name: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(DAMAGED[name])
    with pytest.raises(ModelCorruptError) as caught:
        build(path).context_tokens()
    assert caught.value.remedy is not None


def test_file_whose_weights_are_cut_off_is_corrupt(tiny_gguf: Path, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(tiny_gguf.read_bytes()[:60_000])
    with pytest.raises(ModelCorruptError):
        list(build(path).generate_stream(REQUEST))


def test_package_that_is_not_installed_comes_with_what_installs_it(monkeypatch, tiny_gguf: Path) -> None:
    monkeypatch.setattr("kebab_llm_local.llama_cpp_model.find_spec", lambda _: None)
    with pytest.raises(DependencyMissingError) as caught:
        build(tiny_gguf)
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == "kebab-llm-local[llama-cpp]"


END = """
import sys
from pathlib import Path
from kebab_core import LlmSettings
from kebab_llm_local import build_chat_model
from kebab_testing.passages import build_request

settings = LlmSettings(provider="llama-cpp", model=sys.argv[1], threads=1)
streams = [build_chat_model(settings, models_dir=Path()).generate_stream(build_request("a")) for _ in range(4)]
for stream in streams:
    next(stream)
print("ends")
"""


def test_process_that_ends_while_the_model_writes_ends_in_order(tiny_gguf: Path) -> None:
    done = subprocess.run([sys.executable, "-c", END, tiny_gguf], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")
