"""Titles of metadata that documents share, from the files to what the use cases show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import DocFilter, FetchAddress, SearchQuery
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
COMPANY = "ACME Trading Company"


def _page(title: str, text: str) -> str:
    return f"<!doctype html><html><head><title>{title}</title></head><body>{text}</body></html>"


def _invoice(number: int) -> str:
    text = f"<p>Amount due for delivery {number}: {number * 7} euros, payable within thirty days.</p>"
    return _page(COMPANY, text)


def _shown(base: Base) -> dict[str, str]:
    """Return the titles of documents by path, which are the same wherever a document is shown."""
    shown = {str(each.doc_path): each.title for each in base.app.list_documents(DocFilter())}
    for path, title in shown.items():
        document = base.app.fetch(FetchAddress(address=path)).document
        assert document.shown_title == base.app.inspect_document(document.doc_id).title == title
    for hit in base.app.search(SearchQuery(text="amount due delivery", k=9)).hits:
        assert hit.title == shown[str(hit.doc_path)]
    for found in base.app.find_names("ACME", limit=20):
        assert found.entry.title == shown[str(found.entry.doc_path)]
    return shown


def test_a_shared_title_gives_way_to_the_next_source_until_it_is_shared_no_more(base: Base) -> None:
    base.write("delivery-1.html", _invoice(1))
    base.ingest()
    assert _shown(base) == {"delivery-1.html": COMPANY}

    base.write("delivery-2.html", _page(COMPANY, "<h1>Offer</h1><p>Amount due for delivery: nothing.</p>"))
    base.write("copies/delivery-1.html", _invoice(1))
    second = base.ingest()
    assert _shown(base) == {
        "delivery-1.html": "delivery-1",
        "copies/delivery-1.html": "delivery-1",
        "delivery-2.html": "Offer",
    }
    assert second.counts["unchanged"] == 1

    (base.root / "delivery-2.html").unlink()
    base.ingest(prune=True)
    assert set(_shown(base).values()) == {COMPANY}


def test_titles_that_somebody_wrote_for_the_document_stay(base: Base) -> None:
    for number in (1, 2):
        base.write(
            f"mail-{number}.eml", f"From: a@example.org\nSubject: Re: Delivery\n\nAmount due: {number}.\n"
        )
        base.write(f"note-{number}.md", f"---\ntitle: Minutes\n---\nAmount due: {number} euros.\n")
        base.write(f"page-{number}.html", _page("Prices | ACME", f"<h1>Prices</h1><p>{number} euros</p>"))
    base.ingest()
    assert sorted(set(_shown(base).values())) == ["Minutes", "Prices", "Re: Delivery"]


def test_a_shared_title_is_searched_embedded_and_read_as_before(base: Base) -> None:
    def find(query: str) -> list[tuple[str, float, str]]:
        found = base.app.search(SearchQuery(text=query)).hits
        return sorted((str(each.doc_path), each.score, each.citation.to_address()) for each in found)

    base.embedder = BagOfWordsEmbedder()
    for number in range(1, 4):
        base.write(f"delivery-{number}.html", _invoice(number))
    base.ingest()
    queries = (COMPANY, "ACME delivery 2", "amount due")
    shown = [find(query) for query in queries]
    assert all(shown)
    assert base.app.find_related("delivery-1.html").has_vectors
    assert base.app.ask("What is the amount due for delivery 2?").citations

    with base.app.base.open_for_writing().writing() as connection:
        connection.execute("DELETE FROM metadata_titles")
    assert [find(query) for query in queries] == shown
    assert {hit.title for hit in base.app.search(COMPANY).hits} == {COMPANY}
