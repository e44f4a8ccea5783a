"""`kebab find` and `kebab list`: documents by name, and what is in the index with counts."""

from __future__ import annotations

from typing import get_args

import pytest
from kebab_documents import NameMatch
from kebab_wire import NamedDocumentV1

from tests.cli.test_addresses import run_in_terminal


@pytest.fixture
def notes(kb, inside):  # type: ignore[no-untyped-def]
    """Notes with tags, folders, aliases and dates."""
    for path, head, title in (
        ("회의/2026-10-05 주간 회의록.md", "tags: [회의, 회의/주간]\nupdated_at: 2026-10-05", "주간 회의록"),
        ("회의/회의실 예약.md", "tags: [회의]\nupdated_at: 2026-10-06", "회의실 예약"),
        ("policy/refund-policy.md", "aliases: [money back]\nupdated_at: 2026-10-07", "Refund policy"),
    ):
        kb.write(path, f"---\n{head}\n---\n# {title}\n\n글 {title}\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    return kb


def test_a_document_is_found_by_a_part_of_its_name(notes) -> None:  # type: ignore[no-untyped-def]
    done = notes("find", "회의록")
    assert (done.code, done.stdout) == (0, "1. 회의/2026-10-05 주간 회의록.md  주간 회의록\n")
    assert notes("find", "money", "back").stdout == "1. policy/refund-policy.md  Refund policy · money back\n"
    assert notes("find", "--brief", "ㅎㅇㅅ").stdout == "회의/회의실 예약.md\n"
    (found,) = notes("find", "refund", "policy", "--json").last["documents"]
    assert (found["match"], found["file"]) == ("whole", str(notes.notes / "policy" / "refund-policy.md"))
    assert notes("fetch", found["address"]).code == 0


def test_a_name_that_nothing_has_is_exit_code_1_and_says_what_to_do(notes) -> None:  # type: ignore[no-untyped-def]
    done = notes("find", "zzzzqqqq")
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr == "no document has such a name (kebab search searches the text)\n"
    assert notes("find", "zzzzqqqq", "--json").last["documents"] == []


def test_an_address_with_a_typing_error_is_answered_with_the_nearest(notes) -> None:  # type: ignore[no-untyped-def]
    done = notes("fetch", "policy/refund-polcy.md")
    assert done.code == 2
    assert "policy/refund-policy.md" in done.stderr.splitlines()[1]


def test_what_is_found_by_name_can_be_opened_by_its_rank(indexed) -> None:  # type: ignore[no-untyped-def]
    shown = run_in_terminal(indexed, "find deploy", "fetch @1", "list recent", "fetch @2")
    assert "1. english/deployment.md  Deployment\n# Deployment\n" in shown
    assert shown.count("[") == 0 or "error" not in shown


def test_tags_folders_and_sources_are_listed_with_counts(notes) -> None:  # type: ignore[no-untyped-def]
    assert notes("list", "tags").stdout == "2  회의\n1  검색\n1  색인\n1  회의/주간\n"
    assert notes("list", "tags", "-k", "1").stdout == "2  회의\n"
    assert notes("list", "tags", "--brief", "--path-glob", "회의/**").stdout == "회의\n회의/주간\n"
    assert notes("list", "folders").stdout.splitlines() == [
        "5  /", "2  회의/", "1  english/", "1  policy/", "1  한국어/",
    ]  # fmt: skip
    assert notes("list", "sources", "--json").last == {
        "schema_version": "count_list.v1",
        "by": "sources",
        "items": [{"name": "default", "documents": 5}],
    }


def test_the_newest_documents_come_first_with_their_day(notes) -> None:  # type: ignore[no-untyped-def]
    rows = [row.split("\t") for row in notes("list", "recent", "--tag", "회의").stdout.splitlines()]
    assert rows == [
        ["2026-10-06", "회의/회의실 예약.md", "회의실 예약"],
        ["2026-10-05", "회의/2026-10-05 주간 회의록.md", "주간 회의록"],
    ]
    (newest,) = notes("list", "recent", "--tag", "회의", "--limit", "1", "--json").last["documents"]
    assert newest["doc_path"] == "회의/회의실 예약.md"


def test_documents_are_listed_by_address_and_title(notes) -> None:  # type: ignore[no-untyped-def]
    done = notes("list", "docs", "--path-glob", "policy/**")
    assert (done.stdout, done.stderr) == ("policy/refund-policy.md\tRefund policy\n", "1 document\n")
    brief = notes("list", "docs", "--brief", "--path-glob", "policy/**")
    assert (brief.stdout, brief.stderr) == ("policy/refund-policy.md\n", "")


def test_kinds_of_match_on_the_wire_are_those_of_the_search_best_first() -> None:
    values = get_args(NamedDocumentV1.model_fields["match"].annotation)
    assert values == tuple(kind.name.lower() for kind in sorted(NameMatch, reverse=True))


def test_formats_that_are_read_are_listed_with_what_citations_name(quick) -> None:  # type: ignore[no-untyped-def]
    items = quick("list", "formats", "--json").last["items"]
    by_extension = {extension: item for item in items for extension in item["extensions"]}
    assert by_extension["docx"]["cites"] == "text_lines"
    assert by_extension["org"]["media"] == "text"
    assert by_extension["rs"]["format"] == "rust"
    shown = quick("list", "formats").stdout
    assert "PowerPoint  office · cited by slides\n    .pptx .pptm .ppsx\n" in shown
    assert (
        "파워포인트  office · 인용 위치: 슬라이드"
        in quick("list", "formats", env={"KEBAB_LANG": "ko"}).stdout
    )


def test_every_kind_that_is_left_out_is_named_with_a_next_step(quick) -> None:  # type: ignore[no-untyped-def]
    for number in range(40):
        quick.write(f"a.x{number}", "?")
    for name in ("a.pages", "b.pages"):
        quick.write(name, "?")
    shown = quick("ingest").stdout
    assert all(f".x{number} 1" in shown for number in range(40))
    assert "hint: open .pages files in their own program and save them as DOCX (kebab list formats" in shown
