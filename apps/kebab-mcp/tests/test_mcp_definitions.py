"""What tools say of themselves: little, and true."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from jsonschema import Draft202012Validator
from kebab_core import SearchFilters, SearchMode
from kebab_mcp.search_arguments import FilterArguments
from kebab_mcp.tool import READERS, UNLISTED, WRITERS, define, load_tool, offered_tools
from kebab_mcp.tools import __path__ as tool_folders
from kebab_wire import WIRE_SCHEMAS, FiltersV1

if TYPE_CHECKING:
    from typing import Any

HEAVY = (
    "kebab_app",
    "kebab_wire",
    "kebab_config.load",
    "kebab_config.settings",
    "kebab_search",
    "kebab_rag",
    "kebab_store_sqlite",
    "numpy",
    "mcp",
    "mcp_types",
    "anyio",
)

every_tool = pytest.mark.parametrize("name", READERS + WRITERS + UNLISTED)

FILTERS = tuple(name for name in FilterArguments.model_fields if name != "filters")


def definition(name: str) -> dict[str, Any]:
    return define(load_tool(name))


def test_every_module_of_tools_is_registered() -> None:
    from pkgutil import iter_modules

    assert {module.name for module in iter_modules(tool_folders)} == set(READERS + WRITERS + UNLISTED)


@every_tool
def test_a_tool_is_named_like_its_module_and_writes_where_it_is_listed_so(name: str) -> None:
    tool = load_tool(name)
    assert (tool.name, tool.is_writer) == (name, name in {*WRITERS, "ingest_stdin"})


BY_ID = {"kind", "chunk_id", "doc_id", "line_start", "line_end", "page", "start_ms", "end_ms", "context"}
RARE = {
    "doc_id",
    "lang",
    "media",
    "source_type",
    "trust_min",
    "modified_since",
    "ingested_after",
    "repo",
    "code_lang",
    "symbol",
}
HIDDEN = {
    "fetch": BY_ID,
    "search": {"doc_id", "filters", "source_type", "trust_min", "snippet_chars", "rerank", "nearest"},
    "ask": {*FILTERS, "mode", "k"},
    "list": RARE | {"max_tokens"},
    "why": set(FILTERS),
}
"""Arguments that are taken and not shown: ids from before there were addresses, and filters that `search` shows for all."""


@every_tool
def test_all_arguments_but_former_ones_are_shown_and_the_needed_ones_are_named(name: str) -> None:
    schema = definition(name)["inputSchema"]
    fields = load_tool(name).arguments.model_fields
    hidden = HIDDEN.get(name, set())
    assert schema["properties"].keys() == fields.keys() - hidden
    assert set(schema.get("required", ())) == {each for each, field in fields.items() if field.is_required()}


@every_tool
def test_the_arguments_are_a_valid_schema(name: str) -> None:
    Draft202012Validator.check_schema(definition(name)["inputSchema"])


def test_search_shows_what_to_find_before_where_to_look() -> None:
    shown = list(definition("search")["inputSchema"]["properties"])
    assert shown[0] == "query"
    filters = [name for name in FILTERS if name not in HIDDEN["search"]]
    assert shown[-len(filters) :] == filters


@every_tool
def test_an_error_is_no_breach_of_a_schema_of_results(name: str) -> None:
    assert "outputSchema" not in definition(name)


@every_tool
def test_only_a_tool_that_changes_the_index_needs_the_permission_to_write(name: str) -> None:
    is_reader = name in {*READERS, "schema"}
    assert definition(name)["annotations"] == (
        {"readOnlyHint": True} if is_reader else {"destructiveHint": False}
    )


def test_every_filter_of_the_domain_is_an_argument_under_its_name_on_the_wire() -> None:
    assert set(FILTERS) == set(FiltersV1.model_fields)
    assert len(FILTERS) == len(SearchFilters.model_fields)


def test_every_mode_is_a_choice() -> None:
    assert definition("search")["inputSchema"]["properties"]["mode"]["enum"] == [
        mode.value for mode in SearchMode
    ]


def test_a_read_only_server_offers_the_readers() -> None:
    assert [tool.name for tool in offered_tools(readonly=True)] == list(READERS)


def test_listing_the_tools_imports_no_part_of_kebab_that_works() -> None:
    code = (
        "import sys, kebab_mcp.process\n"
        "from kebab_mcp.tool import list_tools\n"
        "list_tools(readonly=False)\n"
        f"print(sorted(set(sys.modules) & set({HEAVY!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_tool_returns_a_published_object() -> None:
    assert {load_tool(name).returns for name in READERS + WRITERS} <= set(WIRE_SCHEMAS)
