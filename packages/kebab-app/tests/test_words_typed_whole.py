"""Words that the analyser divides, typed as they stand in one document only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import SearchMode, SearchQuery
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Base

FILLER = "창고의 짐을 옮기고 바닥을 쓸었다. 저녁에는 비가 왔고 아침에는 개었다.\n\n"


@walk(
    ("word", "parts"),
    [
        ("조르블락스", "블락스를 사자고 조르고 또 졸랐다. 블락스는 장난감이고, 조르는 아이가 많다."),
        ("자문위원회", "위원회는 자문을 받는다. 자문은 위원회에 온다. 위원회의 자문은 길다."),
        ("게이키치", "게이와 키치는 다른 말이다. 키치는 예술이고 게이는 사람이다. 키치, 게이."),
    ],
)
def test_document_with_the_word_as_typed_comes_first(base: Base, word: str, parts: str) -> None:
    base.write("parts.md", f"{parts}\n")
    base.write("whole.md", FILLER * 6 + f"{word}라고 적혀 있었다.\n\n" + FILLER * 6)
    for number in range(4):
        base.write(f"{number}.md", f"{number}번째 노트. {FILLER}")
    base.ingest()
    hits = base.app.search(SearchQuery(text=word, mode=SearchMode.LEXICAL)).hits
    assert [hit.doc_path for hit in hits][:1] == ["whole.md"]


def test_a_misspelt_word_whose_end_reads_as_a_particle_is_searched_by_its_nearest(base: Base) -> None:
    base.write("새.md", "# 새\n\n이번 주에는 황조롱이 관찰이 있었다.\n")
    base.ingest()
    found = base.app.search(SearchQuery(text="황조로이 관찰", mode=SearchMode.LEXICAL))
    assert [(each.text, each.nearest) for each in found.unknown_words] == [("황조로이", ("황조롱이",))]
    assert found.hits[0].citation.path == "새.md"
