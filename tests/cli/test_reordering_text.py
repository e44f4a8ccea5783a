"""Characters that reorder a line are told from a document's words: people see them, programs get them."""

from __future__ import annotations

import json

import pytest

HIDDEN = "\u202e"
OTHERS = "\u2066\u2069\u200f\u061c\U000e0041"
WORDS = f"The deposit{HIDDEN} is 300{OTHERS} euros."
DOCUMENT = f"---\ntitle: Lease{HIDDEN}\ntags: [flat{HIDDEN}]\n---\n\n# Deposit{HIDDEN}\n\n{WORDS}\n"


@pytest.fixture
def lease(kb, inside):  # type: ignore[no-untyped-def]
    kb.write(f"lease{HIDDEN}.md", DOCUMENT)
    assert inside(kb)("ingest").code == 0
    return inside(kb)


def test_listings_and_hits_and_answers_show_where_text_would_be_reordered(lease) -> None:  # type: ignore[no-untyped-def]
    doc_id = lease.doc_id(f"lease{HIDDEN}.md")
    for arguments in (
        ("search", "deposit euros"),
        ("list", "docs"),
        ("inspect", "doc", doc_id),
        ("ask", "how much is the deposit?"),
    ):
        shown = lease(*arguments).stdout
        assert "�" in shown or arguments[0] == "ask", arguments  # an answer may leave them out
        assert not {HIDDEN, *OTHERS} & set(shown), arguments


def test_a_terminal_shows_a_document_in_the_order_of_its_letters(lease, terminal) -> None:  # type: ignore[no-untyped-def]
    doc_id = lease.doc_id(f"lease{HIDDEN}.md")
    for arguments in (("fetch", "doc", doc_id), ("search", "deposit euros"), ("inspect", "doc", doc_id)):
        for environ in ({}, {"NO_COLOR": "1"}):
            shown = terminal(lease, *arguments, env=environ).stdout
            assert "�" in shown, arguments
            assert not {HIDDEN, *OTHERS} & set(shown), arguments


def test_programs_get_the_text_as_it_is_and_a_terminal_none_of_it_raw(lease) -> None:  # type: ignore[no-untyped-def]
    printed = lease("search", "deposit euros", "--k", "1", "--json").stdout
    assert not {HIDDEN, *OTHERS} & set(printed)
    (hit,) = json.loads(printed)["hits"]
    assert WORDS in hit["snippet"]
    assert HIDDEN in hit["doc_path"]
    assert HIDDEN in hit["heading_path"][-1]
