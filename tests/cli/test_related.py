"""`kebab related`: documents by links to and from one, and by meaning."""

from __future__ import annotations

import pytest
from kebab_model_e5_small import files

NOTES = {
    "policy/refund.md": "# Refund policy\n\nMoney comes back within 14 days, see [[Invoice rules]].\n\n## Exceptions\n\n"
    "- gift cards\n- [overview](../index.md#policies)\n",
    "policy/Invoice rules.md": "# Invoice rules\n\nAn invoice names the buyer.\n",
    "index.md": "# Start\n\nAll **[policies](policy/refund.md)** are here, and [the web](https://example.org/refund.md).\n",
    "diary.md": "# Diary\n\nAsked about the [[refund|money]].\n\nAgain: [[refund]]\n",
}


@pytest.fixture(scope="module")
def linked_once(ingest_once):  # type: ignore[no-untyped-def]
    return ingest_once(NOTES)[0]


@pytest.fixture
def linked(copy_of, linked_once):  # type: ignore[no-untyped-def]
    return copy_of(linked_once)


def test_links_to_and_from_a_note_are_told_with_their_lines(linked) -> None:  # type: ignore[no-untyped-def]
    done = linked("related", "policy/refund.md")
    assert (done.code, done.stdout.splitlines()) == (
        0,
        [
            "links to",
            "  1. policy/Invoice rules.md  Invoice rules  line 3: Invoice rules",
            "  2. index.md  Start  line 8: overview",
            "linked from",
            "  3. diary.md#L3  Diary  money",
            "  4. index.md#L3  Start  policies",
        ],
    )
    assert done.stderr == "note: it has no vectors, so similar documents are not known (kebab embed)\n"
    found = linked("related", "index.md", "--json").last
    assert [(each["relation"], each["address"]) for each in found["documents"]] == [  # type: ignore[attr-defined]
        ("links_to", "policy/refund.md"),
        ("linked_from", "policy/refund.md#L8"),
    ]
    assert (found["linked_from_count"], found["has_vectors"]) == (1, False)


def test_a_part_of_a_note_has_its_own_links(linked) -> None:  # type: ignore[no-untyped-def]
    found = linked("related", "policy/refund.md#L5-L8", "--json").last["documents"]
    assert [(each["relation"], each["address"]) for each in found][:1] == [("links_to", "index.md")]
    assert "policy/Invoice rules.md" not in {each["address"] for each in found}


def test_links_in_tables_and_headings_count(linked) -> None:  # type: ignore[no-untyped-def]
    linked.write("정책/환불 규정.md", "# 환불 규정\n\n열흘 안에 돌려줍니다.\n")
    linked.write(
        "회의.md",
        "# 회의\n\n| 안건 | 문서 |\n|---|---|\n| 송장 | [[Invoice rules\\|송장 규칙]] |\n| 환불 | [[환불 규정]] |\n\n"
        "## [[diary]]에서 온 것\n\n없음\n",
    )
    linked("ingest", "--quiet")
    found = linked("related", "회의.md", "--json").last["documents"]
    assert [(each["address"], each["line"], each["text"]) for each in found] == [
        ("policy/Invoice rules.md", 5, "송장 규칙"),
        ("정책/환불 규정.md", 6, "환불 규정"),
        ("diary.md", 8, "diary"),
    ]
    (row,) = linked("related", "정책/환불 규정.md", "--json").last["documents"]
    assert (row["relation"], row["address"]) == ("linked_from", "회의.md#L6")
    (heading,) = linked("related", "회의.md#L8", "--json").last["documents"]
    assert heading["address"] == "diary.md"


def test_a_note_without_relations_is_told_so(linked) -> None:  # type: ignore[no-untyped-def]
    done = linked("related", "english/deployment.md")
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr.startswith("no document links to or from it")


def test_more_links_than_are_listed_are_counted(linked) -> None:  # type: ignore[no-untyped-def]
    for number in range(5):
        linked.write(f"more/{number}.md", f"# N{number}\n\n[[refund]]\n")
    linked("ingest", "--quiet")
    done = linked("related", "policy/refund.md", "-k", "2")
    assert "and 5 more that link to it (-k)\n" in done.stderr
    assert linked("related", "policy/refund.md", "-k", "2", "--json").last["linked_from_count"] == 7


@pytest.mark.skipif(files() is None, reason="the model comes without weights here")
def test_what_is_near_in_meaning_comes_from_stored_vectors(kb, inside) -> None:  # type: ignore[no-untyped-def]
    topics = ["Tomatoes want sun and water.", "The train leaves at nine.", "Concrete sets within a day."]
    for number in range(30):
        kb.write(f"noise/{number}.md", f"# Note {number}\n\n{topics[number % 3]} Number {number}.\n")
    kb.write("cat.md", "# Cats\n\nA kitten sleeps most of the day and eats fish.\n")
    kb.write("pet.md", "# Pets\n\nYoung cats rest a lot and are fed with tuna.\n")
    kb.config.write_text(kb.config.read_text().replace('provider = "none"', 'provider = "bundled"'))
    kb = inside(kb)
    kb("ingest", "--quiet")
    (first, *_) = found = kb("related", "cat.md", "--json").last["documents"]
    assert (first["relation"], first["address"]) == ("similar", "pet.md#L1-L3")
    assert 0 < first["similarity"] <= 1
    assert "cat.md" not in {each["address"].partition("#")[0] for each in found}


def test_callers_are_found_in_all_files_of_the_source_by_name_and_it_is_said_where(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write("lib.py", "def close_all(files):\n    pass\n\n\ndef other():\n    close_all([])\n")
    kb.write(
        "app/main.py", "class App:\n    def stop(self):\n        close_all(self.files)\n\n\nclose_all([])\n"
    )
    kb.write("app/pool.py", "class Pool:\n    def close_all(self):\n        pass\n")
    kb.write("app/text.py", "def explain():\n    return 'close_all is not called'\n")
    kb.write("tool.rs", "fn main() {\n    close_all(vec![]);\n}\n")
    kb.write("notes.md", "# Notes\n\nCall close_all() last.\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    found = kb("related", "symbol:lib.close_all", "--json").last
    assert [each["address"] for each in found["documents"] if each["relation"] == "called_by"] == [
        "lib.py#L5-L6", "app/main.py#L2-L3", "app/main.py#L6", "tool.rs#L1-L3",
    ]  # fmt: skip
    assert found["call_search"] == {"names": ["close_all"], "files": 3, "complete": True}
    unused = kb("related", "symbol:text.explain")
    assert "calls are found by name (explain), not resolved; 0 other files" in unused.stderr


def test_where_no_definition_is_known_no_search_for_calls_is_claimed(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write("lib.sh", "close_all() {\n    :\n}\n")
    kb.write("run.sh", "source lib.sh\nclose_all\n")
    kb.write("main.py", "import os\n\n\ndef stop():\n    pass\n")
    kb = inside(kb)
    kb("ingest", "--quiet")
    for address in ("lib.sh#L1", "main.py#L1"):
        assert "call_search" not in kb("related", address, "--json").last
        assert "calls are found by name" not in kb("related", address).stderr
