"""Light commands stay light: counted in modules, which machines agree on, not in milliseconds."""

from __future__ import annotations

import subprocess
import sys
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
MAX_ANSWER_MODULES = 147
"""Of kebab's own; each takes a third of a millisecond."""

PROBE = """
import sys
from kebab_cli.main import run
for arguments in {commands!r}:
    code = run(arguments)
    print("\\nMODULES", *sorted(sys.modules))
"""


def modules_after(*commands: tuple[str, ...], home: Path) -> list[set[str]]:
    """Run commands one after the other in an interpreter of its own; return the modules that are loaded after each."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(commands=[list(arguments) for arguments in commands])],
        env={"HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    lines = done.stdout.splitlines()
    return [set(line.split()[1:]) for line in lines if line.startswith("MODULES ")]


def packages_of(modules: set[str]) -> set[str]:
    """Return the top names of modules."""
    return {name.partition(".")[0] for name in modules}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("base")
    (folder / "notes").mkdir()
    (folder / "notes" / "색인.md").write_text("# 색인\n\n다시 만들어진다.\n", encoding="utf-8")
    (folder / "kebab.toml").write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n')
    run_on(folder, ("ingest", "--quiet"))
    return folder


def run_on(base: Path, *commands: tuple[str, ...]) -> list[set[str]]:
    """As `modules_after`, of a knowledge base."""
    config = ("--config", str(base / "kebab.toml"))
    return modules_after(*((*arguments, *config) for arguments in commands), home=base)


def test_help_imports_no_pydantic_and_few_modules(tmp_path: Path) -> None:
    (names,) = modules_after(("--help",), home=tmp_path)
    assert len(names) <= MAX_HELP_MODULES
    assert not packages_of(names) & (
        HEAVY | {"pydantic", "rich", "sqlite3", "mecab_ko", "kebab_app", "tomlkit"}
    )


def test_reading_commands_import_nothing_heavy(base: Path) -> None:
    fetched, *_, listed, explained, examined, searched, asked = map(
        packages_of,
        run_on(
            base,
            ("fetch", "doc", "0" * 32),
            ("list", "docs"),
            ("list", "docs", "--json"),
            ("list", "recent"),
            ("list", "tags"),
            ("schema",),
            ("answers", "list"),
            ("why", "색인.md"),
            ("why", "색인.md", "--query", "색인", "--mode", "lexical"),
            ("search", QUESTION, "--mode", "lexical"),
            ("ask", QUESTION, "--mode", "lexical"),
        ),
    )
    assert not fetched & (HEAVY | {"rich", "tomlkit", "mecab_ko", "py3langid"})
    assert not listed & {"mecab_ko", "Stemmer", "kebab_rag", "kebab_extractive"}
    assert "kebab_source_fs" in explained
    assert not examined & (HEAVY | {"rich", "tomlkit", "kebab_extractive"})
    assert not searched & {"kebab_extractive"}
    assert not asked & (HEAVY | {"rich", "tomlkit", "markdown_it", "py3langid", "yaml"})


@walk(("flags", "most"), [(("--mode", "lexical"), MAX_LEXICAL_MODULES), ((), MAX_HYBRID_MODULES)])
def test_searching_loads_what_it_needs_and_no_more(flags: tuple[str, ...], most: int, base: Path) -> None:
    *searched, asked = run_on(
        base, ("search", "zzqq", *flags), ("search", QUESTION, *flags), ("ask", QUESTION, *flags)
    )
    for names in searched:
        assert "kebab_search.hits" in names
        assert not names & (OF_OTHER_COMMANDS | {"kebab_rag", "kebab_extractive"})
        assert len({name for name in names if name.startswith("kebab_")}) <= most
    packages = packages_of(asked)
    assert packages >= {"kebab_rag", "kebab_extractive"}
    assert flags or "onnxruntime" in packages_of(searched[-1])
    assert not packages & (HEAVY - ({"numpy", "onnxruntime"} if not flags else set()))


def test_an_answer_by_words_loads_no_models_of_whole_documents(base: Path) -> None:
    (names,) = run_on(base, ("ask", QUESTION, "--mode", "lexical"))
    assert not names & (OF_OTHER_COMMANDS | {"kebab_core.assets", "kebab_core.media"}) - {"kebab_core.answer"}
    assert len({name for name in names if name.startswith("kebab_")}) <= MAX_ANSWER_MODULES
