"""A whole document for a screen: its text or blocks, and what of it an address cites."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import RenderedPage, SoughtWords, render_page
from kebab_core import DocumentNotFoundError
from kebab_testing.pdf_files import Line, PageSpec, write_pdf

if TYPE_CHECKING:
    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")


def test_lines_of_a_note_are_those_of_its_file_with_the_front_matter_left_empty(base: Base) -> None:
    base.write("notes/a.md", "---\ntitle: Harbour\ntags: [sea]\n---\n# Harbour\n\nShips arrive.\n")
    base.ingest()

    view = base.app.read_document("notes/a.md#L7")

    assert view.source is not None
    assert view.source.split("\n")[:7] == ["", "", "", "", "# Harbour", "", "Ships arrive."]
    assert (view.found.lines, view.blocks, view.pages) == ((7, 7), (), {})
    assert [heading.text for heading in view.outline] == ["Harbour"]


def test_a_pdf_has_blocks_pages_and_the_rectangles_of_what_is_cited_beside_an_unmarked_picture(
    base: Base,
) -> None:
    base.write(
        "fees.pdf",
        write_pdf(
            PageSpec([Line(60, 40, "Ships arrive.")]), PageSpec([Line(60, 40, "The fee is 40 euros.")])
        ),
    )
    base.ingest()
    address = "fees.pdf#p=2&char=0,20"

    view = base.app.read_document(address)
    plain = render_page(base.app.base, address, scale=0.5, marked=False)

    assert view.source is None
    assert [each.text for each in view.blocks if view.found.holds(each.source_span)] == [
        "The fee is 40 euros."
    ]  # type: ignore[union-attr]
    assert [*view.pages] == [1, 2]
    assert view.pages[2] == plain.size
    assert view.rectangles == plain.rectangles
    assert view.rectangles[0].x == 60
    assert plain.png == render_page(base.app.base, "fees.pdf#p=2", scale=0.5).png


def test_sought_words_are_underlined_in_the_text_of_a_page(base: Base) -> None:
    lines = [Line(60, 40, "Fees", size=24), Line(60, 200, "A late fee is added.")]
    base.write("fees.pdf", write_pdf(PageSpec(lines)))
    base.ingest()

    def draw(address: str, words: str, *, marked: bool = True) -> RenderedPage:
        return render_page(
            base.app.base, address, marked=marked, sought=SoughtWords(query=words, quotes=((words,),))
        )

    whole, cited = draw("fees.pdf#p=1", "fees"), draw("fees.pdf#p=1&char=0,4", "fees")
    assert [each.y // 100 for each in whole.word_rectangles] == [0, 1]
    assert cited.word_rectangles == whole.word_rectangles[:1]
    assert draw("fees.pdf#p=1", "late fee is").word_rectangles[0].w > 2 * whole.word_rectangles[1].w
    assert draw("fees.pdf", "fees", marked=False).word_rectangles == whole.word_rectangles
    assert draw("fees.pdf#p=1", "fees").png != draw("fees.pdf#p=1", "anchor").png


def test_a_path_on_disk_is_no_document(base: Base, tmp_path: Path) -> None:
    base.write("a.md", "# A\n")
    base.ingest()
    outside = tmp_path / "outside.md"
    outside.write_text("secret", encoding="utf-8")
    with pytest.raises(DocumentNotFoundError, match="no document has the address"):
        base.app.read_document(str(outside))
