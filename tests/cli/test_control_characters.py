"""Control characters in documents reach neither a terminal nor what may show text on one later; programs get them."""

from __future__ import annotations

import json
import unicodedata

import pytest

HOSTILE = "\x1b]0;owned\x07 \x9b31m red \r over \u202e reversed \x1b[2J"
NAME = "lease\x1b[31m\u202e.md"
DOCUMENT = (
    f"---\ntitle: {json.dumps('Lease ' + HOSTILE)}\ntags: [flat]\n---\n\n"
    f"# Deposit {HOSTILE}\n\nThe deposit {HOSTILE} is 300 euros.\n\n"
    f"| a {HOSTILE} | b |\n|---|---|\n| 1 | deposit {HOSTILE} |\n\n```\ndeposit {HOSTILE}\n```\n"
)


@pytest.fixture
def hostile(kb, inside):  # type: ignore[no-untyped-def]
    kb.write(NAME, DOCUMENT)
    assert inside(kb)("ingest").code == 0
    return inside(kb)


def controls(text: str) -> set[str]:
    return {c for c in text if c not in "\n\t" and (unicodedata.category(c) == "Cc" or c == "\u202e")}


def test_no_command_prints_them_into_a_pipe(hostile) -> None:  # type: ignore[no-untyped-def]
    doc_id = hostile.doc_id(NAME)
    (hit, *_) = hostile("search", "deposit euros", "--json").last["hits"]
    answer = hostile("ask", "how much is the deposit?", "--json").last
    runs = [
        ("fetch", "doc", doc_id),
        ("fetch", "span", doc_id, "1", "40"),
        ("fetch", "span", doc_id, "900", "901"),
        ("fetch", "chunk", hit["chunk_id"], "--context", "1"),
        ("inspect", "doc", doc_id),
        ("inspect", "chunk", hit["chunk_id"]),
        ("list", "docs"),
        ("search", "deposit euros"),
        ("search", "deposit euros", "--explain"),
        ("search", "deposit euros", "--trace"),
        ("search", "deposit euros", "--brief"),
        ("search", f"nowhere{HOSTILE}"),
        ("ask", "how much is the deposit?"),
        ("ask", "how much is the deposit?", "--explain"),
        ("ask", "how much is the deposit?", "--stream"),
        ("ask", f"how much is the {HOSTILE} deposit?"),
        ("answers", "list"),
        ("answers", "show", answer["retrieval"]["trace_id"]),
        ("why", doc_id),
        ("why", doc_id, "--query", f"deposit {HOSTILE}"),
        ("why", f"nowhere{HOSTILE}"),
        ("ingest", "--force-reingest"),
        ("answers", "purge", "--quoting", NAME),
        ("forget", NAME, "--yes"),
        ("doctor",),
    ]
    for arguments in runs:
        done = hostile(*arguments)
        assert not controls(done.stdout + done.stderr), arguments


def test_fetched_text_says_where_they_were(hostile) -> None:  # type: ignore[no-untyped-def]
    shown = hostile("fetch", "doc", hostile.doc_id(NAME)).stdout
    assert "The deposit �]0;owned� �31m red � over � reversed �[2J is 300 euros." in shown


def test_programs_get_every_character(hostile) -> None:  # type: ignore[no-untyped-def]
    printed = hostile("fetch", "doc", hostile.doc_id(NAME), "--json").stdout
    assert f"The deposit {HOSTILE} is 300 euros." in json.loads(printed)["text"]
    assert not {c for c in printed if c != "\n" and ord(c) < 32}
