"""`LlamaCppModel`: a GGUF file run inside this process by llama.cpp, through the package xllamacpp.

Name, architecture and window are read from the header of the file, without its weights; format:
https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from kebab_core import (
    DependencyMissingError,
    GenerateRequest,
    LlmSettings,
    Message,
    ModelCorruptError,
    ModelMissingError,
    ModelRef,
    Remedy,
    TokenChunk,
)
from kebab_runtime import ReplyLimits, ReplyWatch

from kebab_llm_local.openai_chunks import ModelErrors, build_body, read_chunks
from kebab_llm_local.providers import ChatModelResources

if TYPE_CHECKING:
    from xllamacpp import Server

_BATCH_TOKENS = 64
"""Tokens of a prompt between two checks whether to stop. CPU time of 300 tokens by batches of 32, 64, 128 and 512, with 1.5 B
parameters: 9.1, 8.5, 8.8 and 8.3 s."""
_SILENT = -1
_OTHER_MODEL = Remedy(kind="change_setting", setting="models.llm.model")
_LOADING = Lock()

_MAGIC = b"GGUF"
_VERSIONS = frozenset({2, 3})
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_STRING = 1 << 24
_MAX_ENTRIES = 4096
_TOKENIZER = "tokenizer.ggml.tokens"
"""Where the long lists begin; name, architecture and window stand before."""


class LlamaCppModel:
    """Implements `LanguageModel` by a GGUF file. Thread-safe; requests are answered one after the other.

    The weights are loaded with the first request and stay in memory, those of one model at a time. Nothing listens on a
    port. A stream that is closed stops the model after the token, or the part of the prompt, in hand; a process that
    ends waits for that.

    Args:
        settings: Limits and threads.
        path: The file.
    """

    def __init__(self, settings: LlmSettings, path: Path) -> None:
        self._settings = settings
        self._path = path

    def model_ref(self) -> ModelRef:
        """Return the name of the file."""
        return ModelRef(id=self._path.stem, provider=self._settings.provider)

    def context_tokens(self) -> int:
        """Return the size of the window: that of the settings, or that of the model where it is smaller.

        Raises:
            ModelMissingError: There is no such file.
            ModelCorruptError: It is no GGUF file.
        """
        return min(self._settings.context_tokens, self.header.window or self._settings.context_tokens)

    @cached_property
    def header(self) -> GgufHeader:
        """Header of the file.

        Raises:
            ModelMissingError: There is no such file, or it cannot be read.
            ModelCorruptError: It is no GGUF file.
        """
        if not self._path.is_file():
            raise ModelMissingError(
                "there is no model file {path!r}",
                remedy=Remedy(
                    kind="check_setting",
                    setting="models.llm.model",
                    otherwise=Remedy(
                        advice=Message(
                            "put the files of the model into {path!r}", path=str(self._path.parent)
                        )
                    ),
                ),
                path=str(self._path),
            )
        try:
            return read_gguf_header(self._path)
        except OSError as error:
            raise ModelMissingError(
                "cannot read the model file {path!r}: {reason}",
                remedy=Remedy(kind="make_accessible", path=str(self._path)),
                path=str(self._path),
                _reason=error.strerror,
            ) from error

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield text as the model writes it, then the end. See `LanguageModel`."""
        server = self._load()
        body, limits = (
            {**build_body(request, ""), "return_progress": True},
            ReplyLimits.of_settings(self._settings),
        )
        # A caller that reads slowly, or not at all, must not hold the model up, which has one request at a time.
        chunks: SimpleQueue[Any] = SimpleQueue()
        is_closed = Event()

        def take(chunk: Any) -> bool:
            chunks.put(chunk)
            return is_closed.is_set()

        def run() -> None:
            try:
                server.handle_chat_completions(body, take)
            except (RuntimeError, TypeError, ValueError) as error:
                chunks.put({"error": str(error)})
            finally:
                chunks.put(None)

        def stop() -> None:
            is_closed.set()
            chunks.put(None)

        def read(watch: ReplyWatch) -> Iterator[Any]:
            for chunk in iter(chunks.get, None):
                watch.note_part()
                watch.note_bytes(len(str(chunk)))
                if watch.passed is not None:
                    break
                yield chunk
            if watch.passed is not None:
                raise limits.error(watch.passed, name=self._name, check=_OTHER_MODEL)

        # No daemon: a process that ends while llama.cpp computes crashes, so the part in hand is waited for.
        Thread(target=run, name="llama.cpp").start()
        try:
            with ReplyWatch(limits, stop) as watch:
                yield from read_chunks(
                    read(watch), ModelErrors(self.model_ref().id), max_tokens=request.max_tokens
                )
        finally:
            is_closed.set()

    @property
    def _name(self) -> Message:
        return Message("the model {model!r}", model=self.model_ref().id)

    def _load(self) -> Server:
        window = self.context_tokens()
        stat = self._path.stat()
        with _LOADING:
            try:
                return _open(self._path, (stat.st_mtime_ns, stat.st_size), window, self._settings.threads)
            except RuntimeError as error:
                raise ModelCorruptError(
                    "llama.cpp cannot load {path!r}: it is damaged, of a kind that it does not know, or too large",
                    remedy=Remedy(kind="change_setting", setting="models.llm.model"),
                    path=str(self._path),
                ) from error


@lru_cache(maxsize=1)
def _open(path: Path, _state: tuple[int, int], window: int, threads: int) -> Server:
    """Load a model; the last one stays loaded, as answers of one process come from one model."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.n_ctx, params.n_parallel = window, 1
    params.n_batch = params.n_ubatch = _BATCH_TOKENS
    if threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity, params.cache_ram_mib = _SILENT, 0
    params.endpoint_slots, params.ui = False, False
    # The package opens a server of its own in any case. Its socket is in a folder that only this user can enter, and
    # gone before the first request.
    with TemporaryDirectory(prefix="kebab-") as folder:
        params.hostnames = [str(Path(folder, "llama.sock"))]
        return xllamacpp.Server(params)


def llama_cpp_model(settings: LlmSettings, resources: ChatModelResources) -> LlamaCppModel:
    """A model in a file; nothing is loaded yet.

    Raises:
        DependencyMissingError: The package that runs it is not installed.
    """
    if find_spec("xllamacpp") is None:
        raise DependencyMissingError(
            "the provider `{provider}` needs packages that are not installed",
            remedy=Remedy(kind="install_packages", name="xllamacpp", value="kebab-llm-local[llama-cpp]"),
            package="xllamacpp",
            _provider=settings.provider,
        )
    return LlamaCppModel(settings, Path(resources.models_dir, Path(settings.model).expanduser()))


@dataclass(frozen=True, kw_only=True)
class GgufHeader:
    """What the header of a file says; parts that it does not tell are empty or None."""

    name: str
    architecture: str
    window: int | None
    """Tokens that the model was trained to read."""


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of a file.

    Raises:
        ModelCorruptError: It is no GGUF file, or ends within its header.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        try:
            found = _read_entries(file)
        except (struct.error, UnicodeDecodeError, ValueError, KeyError, MemoryError) as error:
            raise ModelCorruptError(
                "{path!r} is no GGUF file, or damaged",
                remedy=Remedy(
                    kind="check_setting",
                    setting="models.llm.model",
                    otherwise=Remedy(
                        advice=Message("put the files of the model into {path!r}", path=str(path.parent))
                    ),
                ),
                path=str(path),
            ) from error
    architecture = str(found.get("general.architecture", ""))
    window = found.get(f"{architecture}.context_length")
    return GgufHeader(
        name=str(found.get("general.name", "")),
        architecture=architecture,
        window=window if isinstance(window, int) and window > 0 else None,
    )


def _read_entries(file: BinaryIO) -> dict[str, object]:
    if file.read(4) != _MAGIC or _number(file, "I") not in _VERSIONS:
        raise ValueError
    _number(file, "Q")  # the number of tensors
    found: dict[str, object] = {}
    for _ in range(min(int(_number(file, "Q")), _MAX_ENTRIES)):
        key = _string(file)
        if key == _TOKENIZER:
            break
        found[key] = _value(file, int(_number(file, "I")))
    return found


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _number(file, _SCALARS[kind])
    item, length = int(_number(file, "I")), int(_number(file, "Q"))
    if item in _SCALARS:
        file.seek(length * struct.calcsize(_SCALARS[item]), 1)
    elif item == _STRING and length <= _MAX_STRING:
        for _ in range(length):
            _string(file)
    else:
        raise ValueError
    return None


def _number(file: BinaryIO, code: str) -> int | float:
    (value,) = struct.unpack(f"<{code}", file.read(struct.calcsize(code)))
    return value  # type: ignore[no-any-return]  # the codes of _SCALARS are numbers


def _string(file: BinaryIO) -> str:
    length = int(_number(file, "Q"))
    if length > _MAX_STRING:
        raise ValueError
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError
    return raw.decode("utf-8", "replace")
