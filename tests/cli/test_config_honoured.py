"""Every command works on the knowledge base that `--config` points to and touches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

NOWHERE = "0" * 32
COMMANDS: dict[str, list[str]] = {
    "demo": ["demo", "--quiet"],
    "init": ["init"],
    "ingest": ["ingest"],
    "ocr": ["ocr"],
    "embed": ["embed"],
    "ingest-file": ["ingest-file", "{folder}/notes/english/deployment.md"],
    "ingest-stdin": ["ingest-stdin", "--title", "T"],
    "search": ["search", "색인"],
    "ask": ["ask", "색인은 언제 만들어지나요?"],
    "sessions list": ["sessions", "list"],
    "sessions show": ["sessions", "show", NOWHERE],
    "sessions delete": ["sessions", "delete", NOWHERE, "--yes"],
    "chat": ["chat"],
    "answers list": ["answers", "list"],
    "answers show": ["answers", "show", NOWHERE],
    "answers delete": ["answers", "delete", NOWHERE, "--yes"],
    "answers purge": ["answers", "purge", "--all", "--yes"],
    "forget": ["forget", NOWHERE, "--yes"],
    "fetch address": ["fetch", "english/deployment.md#L1"],
    "open": ["open", "english/deployment.md", "--json"],
    "render": ["render", NOWHERE],
    "fetch chunk": ["fetch", "chunk", NOWHERE],
    "fetch doc": ["fetch", "doc", NOWHERE],
    "fetch span": ["fetch", "span", NOWHERE, "1", "2"],
    "find": ["find", "deployment"],
    "related": ["related", NOWHERE],
    "list docs": ["list", "docs"],
    "list recent": ["list", "recent"],
    "list formats": ["list", "formats"],
    "pick": ["pick"],
    "tui": ["tui"],
    "list tags": ["list", "tags"],
    "list folders": ["list", "folders"],
    "list sources": ["list", "sources"],
    "models list": ["models", "list"],
    "models pull": ["models", "pull", NOWHERE],
    "models switch": ["models", "switch", NOWHERE],
    "models gc": ["models", "gc", "--yes"],
    "models verify": ["models", "verify"],
    "inspect doc": ["inspect", "doc", NOWHERE],
    "inspect chunk": ["inspect", "chunk", NOWHERE],
    "inspect ocr-stats": ["inspect", "ocr-stats"],
    "inspect ocr-failures": ["inspect", "ocr-failures"],
    "why": ["why", "{folder}/notes/english/deployment.md", "--query", "rollback"],
    "doctor": ["doctor"],
    "watch": ["watch", "--uninstall"],
    "mcp install": ["mcp", "install", "cursor", "--file", "{folder}/more/mcp.json"],
    "mcp uninstall": ["mcp", "uninstall", "cursor", "--file", "{folder}/more/mcp.json"],
    "web install": ["web", "install", NOWHERE],
    "web uninstall": ["web", "uninstall"],
    "schema": ["schema"],
    "config show": ["config", "show"],
    "config add-source": ["config", "add-source", "{folder}/more"],
    "config migrate": ["config", "migrate"],
    "config set": ["config", "set", "search.default_k", "7"],
    "config get": ["config", "get", "search"],
    "config edit": ["config", "edit"],
    "config remove-source": ["config", "remove-source", NOWHERE],
    "eval run": ["eval", "run", NOWHERE],
    "eval beir": ["eval", "beir", NOWHERE],
    "eval list": ["eval", "list"],
    "eval show": ["eval", "show", NOWHERE],
    "eval compare": ["eval", "compare", NOWHERE, NOWHERE],
    "export": ["export", "{folder}/more/b.zip"],
    "import": ["import", "{backup}", "--replace"],
    "reset": ["reset", "--data-only", "--yes"],
    "completion": ["completion", "bash"],
    "lake verify": ["lake", "verify"],
    "lake compact": ["lake", "compact"],
    "lake mirror": ["lake", "mirror"],
    "worker": ["worker", "--join", "127.0.0.1:1"],
}
WRITES = {
    "ingest": {"data"},
    "ocr": {"data"},
    "ingest-file": {"data"},
    "ingest-stdin": {"data", "notes"},
    "init": {"data"},
    "ask": {"data"},
    "chat": {"data"},
    "export": {"more"},
    "import": {"data"},
    "reset": {"data"},
    "config add-source": {"kebab.toml"},
    "config set": {"kebab.toml"},
    "mcp install": {"more"},
}
"""What a command may change below the knowledge base's folder. Readers may leave SQLite's side files."""

FAILING = {"embed", "config edit", "lake compact", "lake mirror", "lake verify", "pick", "tui", "worker"}
"""What needs an embedding model, a terminal, a lake or the secret of a cluster, of which there is none here."""


def test_every_command_is_in_the_table(leaf_commands) -> None:  # type: ignore[no-untyped-def]
    assert leaf_commands == set(COMMANDS)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"demo"}))  # that one: test_readme.py
def test_only_the_configured_folders_are_touched(name: str, indexed, backup) -> None:  # type: ignore[no-untyped-def]
    (indexed.folder / "more").mkdir()
    home_before, base_before = snapshot(indexed.kebab.home), snapshot(indexed.folder)
    done = indexed(
        *(part.format(folder=indexed.folder, backup=backup) for part in COMMANDS[name]), stdin="text"
    )
    fails = NOWHERE in COMMANDS[name] or name in FAILING
    assert done.code == (2 if fails else 0), done.stderr
    assert snapshot(indexed.kebab.home) == home_before
    after = snapshot(indexed.folder)
    changed = {p for p in after.keys() | base_before.keys() if after.get(p) != base_before.get(p)}
    allowed = WRITES.get(name, set())
    assert {
        p
        for p in changed
        if p.split("/")[0] not in allowed and not p.endswith((".sqlite-wal", ".sqlite-shm"))
    } == set()


NEEDS_NO_CONFIG = {"demo", "init", "import", "completion", "doctor", "mcp uninstall", "web uninstall"}
FAILS_BEFORE = {"pick", "tui", "web install"}
"""What needs a terminal, or is called with a wrong argument."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", sorted(set(COMMANDS) - NEEDS_NO_CONFIG - FAILS_BEFORE))
def test_a_config_that_does_not_exist_is_an_error_on(name: str, kb, inside) -> None:  # type: ignore[no-untyped-def]
    (kb.folder / "more").mkdir()
    kb.config.unlink()
    done = inside(kb)(*(part.format(folder=kb.folder) for part in COMMANDS[name]), "--json")
    assert (done.code, done.error["code"]) == (2, "config_not_found")


def test_doctor_reports_a_config_that_does_not_exist(kebab) -> None:  # type: ignore[no-untyped-def]
    done = kebab("doctor", "--config", str(kebab.home / "absent.toml"), "--json")
    assert done.code == 3
    assert done.last["checks"][0]["name"] == "config_loaded"  # type: ignore[index]
    assert done.last["ok"] is False


@pytest.mark.parametrize("place", ["before", "after"])
def test_global_flags_work_before_and_after_the_command(place: str, indexed) -> None:  # type: ignore[no-untyped-def]
    flags = ["--json", "--config", str(indexed.config)]
    arguments = [*flags, "list", "docs"] if place == "before" else ["list", "docs", *flags]
    done = indexed.kebab(*arguments)
    assert done.code == 0
    assert len(done.last["documents"]) == 2  # type: ignore[arg-type]


def test_config_show_marks_keys_that_nothing_acts_on(indexed) -> None:  # type: ignore[no-untyped-def]
    shown = {line.partition(" ")[0]: line for line in indexed("config", "show").stdout.splitlines()}
    assert shown["rag.multi_hop_max_depth"].endswith("# default (no effect)")
    assert shown["rag.score_gate"].endswith("# default")
    assert shown["search.default_k"].endswith("# default")
