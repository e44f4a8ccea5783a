"""Source code in the terminal: symbols by name, signatures, lines with their indentation, and roles."""

from __future__ import annotations

import pytest

CORE = '''"""Groups of commands."""


class Group:
    """Commands under one name."""

    chain: bool = False

    def invoke_all(self, context):
        """Run every command of the group, one after the other."""
        for command in self.commands:
            if command.is_hidden:
                continue
            command.run(context)


def close_all(files):
    for file in files:
        file.close()
'''
TEST = """from core import close_all


def test_close_all():
    close_all([])
    close_all([])
    close_all([])
"""


GROUPS = "# Groups\n\nclose all files, close all groups, close all\n"


@pytest.fixture(scope="module")
def code_once(ingest_once):  # type: ignore[no-untyped-def]
    return ingest_once({"src/core.py": CORE, "tests/test_core.py": TEST, "groups.md": GROUPS})[0]


@pytest.fixture
def code(copy_of, code_once):  # type: ignore[no-untyped-def]
    return copy_of(code_once)


def test_a_symbol_is_shown_with_its_lines_and_indentation_and_its_signature_once(code) -> None:  # type: ignore[no-untyped-def]
    done = code("search", "--symbol", "Group.invoke_all")
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:7] == [
        "1. src/core.py > Group > invoke_all",
        "   src/core.py:9-14",
        "   ▎     def invoke_all(self, context):",
        '   ▎         """Run every command of the group, one after the other."""',
        "   ▎         for command in self.commands:",
        "   ▎             if command.is_hidden:",
        "   ▎                 continue…",
    ]


def test_a_field_is_found_at_its_own_line(code) -> None:  # type: ignore[no-untyped-def]
    hit = code("search", "--symbol", "chain", "--json").last["hits"][0]
    assert (hit["address"], hit["symbol"], hit["snippet"]) == (
        "src/core.py#L7",
        "core.Group.chain",
        "    chain: bool = False",
    )


def test_programs_get_symbol_signature_and_role(code) -> None:  # type: ignore[no-untyped-def]
    found = code("search", "--symbol", "close_all", "--json").last
    assert found["query"]["by_symbol"] is True
    assert [(hit["symbol"], hit["role"]) for hit in found["hits"]] == [("core.close_all", "definition")]
    assert found["hits"][0]["signature"] == "def close_all(files):"
    assert found["hits"][0]["citation"]["kind"] == "code"


def test_a_query_that_is_a_symbol_has_its_definition_before_notes_and_tests(code) -> None:  # type: ignore[no-untyped-def]
    hits = code("search", "close_all", "--json").last["hits"]
    assert hits[0]["symbol"] == "core.close_all"
    assert [hit["doc_path"] for hit in hits].index("tests/test_core.py") > 0


@pytest.mark.parametrize(
    "question",
    [
        "in which order are the commands of a group run",
        "what happens to hidden commands",
        "그룹의 명령은 어떤 순서로 실행되나요?",
    ],
)
def test_a_question_in_prose_has_the_note_before_the_code_that_does_it(code, question: str) -> None:  # type: ignore[no-untyped-def]
    code.write(
        "running.md",
        "# Running commands\n\nThe commands of a group run one after the other. Hidden commands are left out.\n",
    )
    code.write("실행.md", "# 명령 실행\n\n그룹의 명령은 적힌 순서로 실행된다.\n")
    code("ingest", "--quiet")
    assert code("search", question, "--json").last["hits"][0]["doc_path"] in {"running.md", "실행.md"}


def test_a_name_that_nothing_has_is_exit_code_1_with_the_nearest(code) -> None:  # type: ignore[no-untyped-def]
    done = code("search", "--symbol", "invocation")
    assert done.code == 1
    assert "Group > invoke_all" in done.stdout
    assert code("search", "--symbol", "invoke", "--path-glob", "tests/**").code == 1
    assert code("search", "--exact", "--symbol", "invoke_all").code == 2
    assert code("search", "--symbol", "invoke_all,close_all").code == 2
    assert code("search", "--symbol", "").code == 2


def test_a_symbol_beside_a_query_narrows_it_to_the_files_that_define_it(code) -> None:  # type: ignore[no-untyped-def]
    assert len(code("search", "close", "--json").last["hits"]) == 3
    found = code("search", "close", "--symbol", "Group.invokeAll", "--json").last
    assert found["query"]["filters"] == {"symbol": ["Group.invokeAll"]}
    assert [hit["doc_path"] for hit in found["hits"]] == ["src/core.py"]
    assert code("search", "--exact", "file", "--symbol", "test_close_all").code == 1
    assert code("list", "docs", "--symbol", "test_close_all").stdout.startswith("tests/test_core.py")


@pytest.mark.parametrize(
    "place", ["src/core.py:17-19", "src/core.py:17", "src/core.py:17:5", "default:src/core.py:17-19"]
)
def test_the_place_of_a_hit_is_taken_as_it_is_shown(code, place: str) -> None:  # type: ignore[no-untyped-def]
    lines = CORE.splitlines(keepends=True)[16 : 19 if place.endswith("-19") else 17]
    assert code("fetch", place).stdout == "".join(lines)
    opened = code("open", place, "--json")
    assert opened.code == 0, opened.stderr


def test_a_symbol_is_fetched_by_name_from_the_file(code) -> None:  # type: ignore[no-untyped-def]
    done = code("fetch", "symbol:Group.invoke_all")
    assert (done.code, done.stdout) == (0, "".join(CORE.splitlines(keepends=True)[8:14]))
    assert code("fetch", "symbol:close_all", "--json").last["address"] == "src/core.py#L17-L19"
    missing = code("fetch", "symbol:close_al")
    assert missing.code == 2
    assert "did you mean 'symbol:core.close_all'" in missing.stderr


def test_the_outline_of_a_source_file_has_its_symbols(code) -> None:  # type: ignore[no-untyped-def]
    assert code("fetch", "src/core.py", "--outline").stdout.splitlines() == [
        "class Group:  L4-L14",
        "  chain: bool = False  L7-L7",
        "  def invoke_all(self, context):  L9-L14",
        "def close_all(files):  L17-L19",
    ]


def test_the_outline_of_manifests_and_container_files_is_what_they_name(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write("shop.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  namespace: prod\n")
    kb.write("Dockerfile", "FROM go AS build\nRUN make\nFROM scratch AS final\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    assert kb("fetch", "shop.yaml", "--outline").stdout == "Service/prod/web  L1-L5\n"
    assert kb("fetch", "Dockerfile#L2", "--section").stdout == "FROM go AS build\nRUN make\n"


def test_related_tells_the_tests_of_a_definition(code) -> None:  # type: ignore[no-untyped-def]
    done = code("related", "symbol:core.close_all")
    assert "tests of this name" in done.stdout
    assert "tests/test_core.py#L4-L7" in done.stdout
    related = code("related", "symbol:core.close_all", "--json").last["documents"]
    assert ("tested_by", "tests/test_core.py#L4-L7") in [(one["relation"], one["address"]) for one in related]


def test_a_part_of_a_long_definition_is_shown_behind_its_signature_and_a_gap(code) -> None:  # type: ignore[no-untyped-def]
    steps = "".join(
        f"    step_{number} = compute_step(number={number}, of=context)\n" for number in range(60)
    )
    code.write("src/long.py", f"def walk_all(context):\n{steps}    return zebra_crossing(context)\n")
    code("ingest", "--quiet")
    asked = ("search", "zebra_crossing", "--mode", "lexical", "--json", "--snippet-chars", "9000")
    (hit,) = code(*asked).last["hits"]
    assert hit["signature"] == "def walk_all(context):"
    first, gap, *rest = hit["snippet"].split("\n")
    assert (first, gap) == ("def walk_all(context):", "…")
    assert rest[0].startswith("    step_")
