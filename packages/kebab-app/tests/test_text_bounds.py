"""Titles, headings, names and keys of any length: bounded where they are repeated, and never lost to search."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import (
    MAX_LABEL_CHARS,
    MAX_NAMES,
    MAX_USER_METADATA_CHARS,
    FetchDocument,
    SearchHit,
    SearchMode,
    SearchQuery,
)

if TYPE_CHECKING:
    from conftest import Base

LAST_WORD = "zyzzyva"
LONG = " ".join([*(f"w{number}" for number in range(5_000)), LAST_WORD])
SECTIONS = "\n\n".join(f"## Part {number}\n\nText of part {number}." for number in range(50))


def _search(base: Base, text: str, **options: int) -> tuple[SearchHit, ...]:
    return base.app.search(SearchQuery(text=text, mode=SearchMode.LEXICAL, **options)).hits


def _warnings(base: Base, path: str) -> tuple[str, ...]:
    document = base.app.inspect_document(base.documents()[path].doc_id)
    return document.provenance.warnings


def test_a_very_long_title_is_cut_with_a_warning_and_all_its_words_are_found(base: Base) -> None:
    base.write("long.md", f"---\ntitle: {LONG}\n---\n{SECTIONS}\n")
    base.ingest()
    (hit,) = _search(base, "part 7", k=1)
    assert len(hit.title) <= MAX_LABEL_CHARS
    assert hit.title.endswith("…")
    assert _warnings(base, "long.md") == (
        f"the title has {len(LONG):,} characters; {len(hit.title)} are shown",
    )
    assert any("the title has" in step.detail for step in base.app.why("long.md").steps)
    (found,) = _search(base, LAST_WORD)
    assert (found.citation.start, found.citation.end) == (2, 2)


def test_a_very_long_heading_is_whole_in_its_passage_and_short_above_the_others(base: Base) -> None:
    base.write("long.md", f"# {LONG}\n\n{SECTIONS}\n")
    base.ingest()
    (hit,) = _search(base, '"text of part 7"')
    assert max(map(len, (hit.title, *hit.heading_path))) <= MAX_LABEL_CHARS
    assert _search(base, LAST_WORD)


def test_what_is_stored_and_indexed_does_not_grow_with_title_times_passages(base: Base) -> None:
    base.write("long.md", f"---\ntitle: {LONG}\n---\n# {LONG}\n\n{SECTIONS}\n")
    base.ingest()
    chunks = base.app.base.index.documents.list_chunks(base.documents()["long.md"].doc_id)
    assert sum(len(heading) for chunk in chunks for heading in chunk.heading_path) < 600 * 500


def test_more_names_and_keys_than_metadata_hold_are_a_warning_and_words_of_the_text(base: Base) -> None:
    tags = ", ".join(f"tag{number}" for number in range(2000))
    keys = "\n".join(
        f"key{number}: {'v' * 50} {LAST_WORD if number == 999 else ''}" for number in range(1000)
    )
    base.write("keys.md", f"---\ntags: [{tags}]\naliases: ['{'a' * 5000}']\n{keys}\n---\nBody.\n")
    base.ingest()
    document = base.app.inspect_document(base.documents()["keys.md"].doc_id)
    assert len(document.metadata.tags) == MAX_NAMES
    assert document.metadata.aliases == ()
    assert sum(len(key) + len(str(value)) for key, value in document.metadata.user.items()) < (
        MAX_USER_METADATA_CHARS
    )
    assert len(document.provenance.warnings) == 3
    assert _search(base, LAST_WORD)
    assert _search(base, "tag1999")


@pytest.mark.parametrize("end", ["", "\n", "\n\n  \n"])
def test_a_note_of_front_matter_alone_is_found_by_its_title_and_other_words(base: Base, end: str) -> None:
    note = f"---\ntitle: Quarterly budget\naliases: [Finanzplan]\ntags: [money]\nsummary: 예산 요약\n---{end}"
    base.write("only.md", note)
    outcome = base.ingest()
    assert outcome.item("only.md").warnings == ()
    for query in ("quarterly budget", "finanzplan", "money", "예산"):
        (hit,) = _search(base, query)
        assert hit.title == "Quarterly budget"
        assert (hit.citation.start, hit.citation.end) == (2, 5)
    fetched = base.app.fetch(FetchDocument(doc_id=hit.doc_id))
    assert fetched.text == note


def test_a_note_of_front_matter_that_cannot_be_read_is_found_too(base: Base) -> None:
    base.write("broken.md", "---\ntitle: [quarterly budget\n---\n")
    base.ingest()
    assert [hit.doc_path for hit in _search(base, "quarterly")] == ["broken.md"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        ("\n \n", "the document has no text"),
        ("---\n---\n", "the document has no text"),
    ],
)
def test_an_empty_file_has_no_passage_and_a_warning(base: Base, text: str, said: str) -> None:
    base.write("empty.md", text)
    item = base.ingest().item("empty.md")
    assert (item.chunk_count, item.warnings) == (0, (said,))
