"""`kebab mcp`: the process becomes the server that agents talk to."""

from __future__ import annotations

import json
import os
import signal
import subprocess

GREETING = (
    '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
    '"clientInfo":{"name":"t","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)


def start(kb, *flags: str) -> subprocess.Popen[str]:  # type: ignore[no-untyped-def]
    return subprocess.Popen(
        kb.kebab.command("mcp", "--config", str(kb.config), *flags),
        env=kb.kebab.environment(),
        cwd=kb.folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def ask(server: subprocess.Popen[str], method: str, **params: object) -> dict[str, object]:
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
    server.stdin.flush()
    while (answer := json.loads(server.stdout.readline())).get("id") != 1:
        continue
    found: dict[str, object] = answer["result"]
    return found


def test_the_server_speaks_for_the_configured_knowledge_base_with_the_flags_given(indexed) -> None:  # type: ignore[no-untyped-def]
    (indexed.folder / "mcp.py").write_text("raise SystemExit('a stranger')\n", encoding="utf-8")
    with start(indexed, "--readonly") as server:
        assert server.stdin is not None
        server.stdin.write(GREETING)
        assert len(ask(server, "tools/list")["tools"]) == 8  # type: ignore[arg-type]
        found = ask(server, "tools/call", name="search", arguments={"query": "색인", "mode": "lexical"})
        assert json.loads(found["content"][0]["text"])["hits"]  # type: ignore[index]
        server.stdin.close()
        assert server.wait(timeout=60) == 0


def test_the_process_that_was_started_is_the_one_to_end(indexed) -> None:  # type: ignore[no-untyped-def]
    with start(indexed) as server:
        assert server.stdin is not None
        server.stdin.write(GREETING)
        assert len(ask(server, "tools/list")["tools"]) == 11  # type: ignore[arg-type]
        os.kill(server.pid, signal.SIGTERM)
        assert server.wait(timeout=60) == 128 + signal.SIGTERM


def test_a_configuration_that_is_named_and_absent_is_an_error_at_once(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.unlink()
    done = kb("mcp", "--json")
    assert (done.code, done.error["code"]) == (2, "config_not_found")


def test_somebody_at_a_terminal_is_told_what_is_waited_for(indexed) -> None:  # type: ignore[no-untyped-def]
    assert "waiting for a client" in said_at_a_terminal(indexed)


def said_at_a_terminal(kb) -> str:  # type: ignore[no-untyped-def]
    """Return what is said on stderr to somebody who types `kebab mcp` and ends the input."""
    reading, writing = os.openpty()
    with subprocess.Popen(
        kb.kebab.command("mcp", "--config", str(kb.config)),
        env=kb.kebab.environment(),
        stdin=writing,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as server:
        os.close(writing)
        assert server.stderr is not None
        said = server.stderr.readline()
        os.close(reading)
    return said
