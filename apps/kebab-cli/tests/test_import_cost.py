"""Light commands stay light: counted in modules, which machines agree on, not in milliseconds."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from kebab_testing.tables import walk

HEAVY = {
    "lancedb", "pyarrow", "numpy", "onnxruntime", "tokenizers", "fastembed", "ollama", "httpx", "requests", "mcp",
    "textual", "starlette", "sqlite_utils", "jsonschema",
}  # fmt: skip
"""Nothing that searches by words, fetches or lists may import these."""
MAX_HELP_MODULES = 179
"""Each command is a module of its own; six choose and hold the language, and know how wide a character is."""
OF_OTHER_COMMANDS = {
    "kebab_core.answer", "kebab_core.document", "kebab_core.listing", "kebab_core.jobs", "kebab_core.ingest", "kebab_core.source",
    "kebab_wire", "kebab_chunk", "kebab_parse_md", "kebab_source_fs", "kebab_ingest.run_log",
    "concurrent.futures.thread", "logging.handlers", "multiprocessing", "asyncio", "http", "urllib.request",
}  # fmt: skip
"""What no search needs: models of documents and of the ways they come here, and what is heavy of Python's own."""
QUESTION = "색인은 언제 만들어지나요?"
MAX_LEXICAL_MODULES = 112
MAX_HYBRID_MODULES = 142
MAX_ANSWER_MODULES = 146
"""Of kebab's own; each takes a third of a millisecond."""

PROBE = """
import sys
before = set(sys.modules)
from kebab_cli.main import run
try:
    code = run({arguments!r})
finally:
    print("\\nMODULES", *sorted(sys.modules))
"""


def modules_after(*arguments: str, home: Path) -> tuple[int, set[str]]:
    """Return how many modules a command loads, and the names of their packages."""
    names = all_modules_after(*arguments, home=home)
    return len(names), {name.partition(".")[0] for name in names}


@cache
def all_modules_after(*arguments: str, home: Path) -> frozenset[str]:
    """Return the modules of an interpreter of its own; each command is run once."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(arguments=list(arguments))],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    return frozenset(done.stdout.rpartition("\nMODULES ")[2].split())


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    (folder / "notes").mkdir()
    (folder / "notes" / "색인.md").write_text("# 색인\n\n다시 만들어진다.\n", encoding="utf-8")
    (folder / "kebab.toml").write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n')
    modules_after("ingest", "--config", str(folder / "kebab.toml"), "--quiet", home=folder)
    return folder


def test_help_imports_no_pydantic_and_few_modules(tmp_path: Path) -> None:
    count, names = modules_after("--help", home=tmp_path)
    assert count <= MAX_HELP_MODULES
    assert not names & (HEAVY | {"pydantic", "rich", "sqlite3", "mecab_ko", "kebab_app", "tomlkit"})


@walk(
    "arguments",
    [
        ("search", QUESTION, "--mode", "lexical"),
        ("ask", QUESTION, "--mode", "lexical"),
        ("list", "docs"),
        ("list", "docs", "--json"),
        ("list", "recent"),
        ("list", "tags"),
        ("find", "색인"),
    ],
)
def test_reading_commands_import_nothing_heavy(arguments: tuple[str, ...], base: Path) -> None:
    _, names = modules_after(*arguments, "--config", str(base / "kebab.toml"), home=base)
    assert not names & (HEAVY | {"rich", "tomlkit", "markdown_it", "py3langid", "yaml"})


@walk("asked", [(), ("--query", "색인", "--mode", "lexical")])
def test_why_imports_nothing_heavy_where_meaning_is_not_asked(asked: tuple[str, ...], base: Path) -> None:
    _, names = modules_after("why", "색인.md", *asked, "--config", str(base / "kebab.toml"), home=base)
    assert not names & (HEAVY | {"rich", "tomlkit", "kebab_extractive"})
    assert "kebab_source_fs" in names


@walk(("flags", "most"), [(["--mode", "lexical"], MAX_LEXICAL_MODULES), ([], MAX_HYBRID_MODULES)])
@walk("query", [QUESTION, "zzqq"])
def test_searching_loads_what_it_needs_and_no_more(
    flags: list[str], most: int, query: str, base: Path
) -> None:
    config = ("--config", str(base / "kebab.toml"))
    names = all_modules_after("search", query, *flags, *config, home=base)
    assert "kebab_search.hits" in names
    assert not names & OF_OTHER_COMMANDS
    assert len({name for name in names if name.startswith("kebab_")}) <= most


def test_an_answer_by_words_loads_no_models_of_whole_documents(base: Path) -> None:
    config = ("--config", str(base / "kebab.toml"))
    names = all_modules_after("ask", QUESTION, "--mode", "lexical", *config, home=base)
    assert not names & (OF_OTHER_COMMANDS | {"kebab_core.assets", "kebab_core.media"}) - {"kebab_core.answer"}
    assert len({name for name in names if name.startswith("kebab_")}) <= MAX_ANSWER_MODULES


@walk("command", ["search", "ask"])
def test_looking_by_meaning_imports_no_database_of_vectors(command: str, base: Path) -> None:
    _, names = modules_after(command, QUESTION, "--config", str(base / "kebab.toml"), home=base)
    assert "onnxruntime" in names
    assert not names & (HEAVY - {"numpy", "onnxruntime"})


def test_fetch_imports_nothing_heavy(base: Path) -> None:
    _, names = modules_after("fetch", "doc", "0" * 32, "--config", str(base / "kebab.toml"), home=base)
    assert not names & (HEAVY | {"rich", "tomlkit", "mecab_ko", "py3langid"})


def test_listing_does_not_load_the_dictionary(base: Path) -> None:
    _, names = modules_after("list", "docs", "--config", str(base / "kebab.toml"), home=base)
    assert not names & {"mecab_ko", "Stemmer"}


def test_only_asking_loads_what_answers(base: Path) -> None:
    config = ("--config", str(base / "kebab.toml"))
    for arguments in (("search", QUESTION), ("list", "docs"), ("schema",), ("answers", "list")):
        _, names = modules_after(*arguments, *config, home=base)
        assert not names & {"kebab_rag", "kebab_extractive"}
    _, names = modules_after("ask", QUESTION, *config, home=base)
    assert names >= {"kebab_rag", "kebab_extractive"}
