"""What is there: `list`, `related` and `why`."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from kebab_core import TokenCounter
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from conftest import Base, Session

NOTES = {
    "일지/월요일.md": "---\ntags: [회의/주간, 채용]\nupdated: 2026-11-16\n---\n# 월요일 회의\n\n채용을 의논했다. [[결정]]을 보라.\n",
    "일지/화요일.md": "---\ntags: [회의]\nupdated: 2026-11-17\n---\n# 화요일 회의\n\n예산을 의논했다.\n",
    "결정.md": "---\ntags: [결정]\nupdated: 2026-10-01\n---\n# 결정\n\n면접은 두 번만 한다.\n",
}


def write_notes(base: Base) -> None:
    for path, text in NOTES.items():
        base.write(path, text)
    base.ingest()


@pytest.fixture(scope="module")
def catalogue(
    tmp_path_factory: pytest.TempPathFactory, ingested_once: Base, serve_base: Callable[..., Any]
) -> Iterator[Session]:
    """A server for tests that only read, over more notes."""
    folder = tmp_path_factory.mktemp("catalogue") / "kb"
    shutil.copytree(ingested_once.folder, folder)
    base = replace(ingested_once, folder=folder)
    write_notes(base)
    with serve_base(base.parameters()) as session:
        yield session


def test_without_arguments_the_list_is_an_overview(catalogue: Session) -> None:
    found = catalogue.call("list").value
    assert found["total"] == 5
    assert found["sources"] == {"default": 5}
    assert found["folders"]["일지/"] == 2
    assert found["tags"]["회의/주간"] == 1
    assert len(found["documents"]) == 5


def test_a_tag_lists_its_documents_with_those_of_nested_tags_newest_first(catalogue: Session) -> None:
    found = catalogue.call("list", tag="회의").value
    assert found["total"] == 2
    assert [(one["address"], one["title"], one["date"]) for one in found["documents"]] == [
        ("일지/화요일.md", "화요일 회의", "2026-11-17"),
        ("일지/월요일.md", "월요일 회의", "2026-11-16"),
    ]
    assert catalogue.call("list", since="2026-11-17", tag="회의").value["total"] == 1


def test_a_limit_cuts_the_list_and_not_the_count(catalogue: Session) -> None:
    found = catalogue.call("list", tag="회의", limit=1).value
    assert (found["total"], len(found["documents"])) == (2, 1)
    tags = catalogue.call("list", by="tags", limit=1).value
    every = catalogue.call("list", by="tags").value["tags"]
    assert (len(tags["tags"]), tags["omitted"]) == (1, len(every) - 1)
    assert "documents" not in tags


@walk(
    "asked",
    [{"by": "path"}, {"by": "recent", "since": "9999d"}, {"name": "회의"}, {"by": "path", "until": "2999"}],
)
@walk("size", [{"limit": 2}, {"max_tokens": 1}, {"limit": 1, "max_tokens": 1000}])
def test_pages_of_a_list_are_the_whole_list_and_say_what_is_left(
    asked: dict[str, object], size: dict[str, int], catalogue: Session
) -> None:
    whole = catalogue.call("list", **asked).value
    assert "omitted" not in whole
    pages: list[object] = []
    cursor: dict[str, str] = {}
    while True:
        page = catalogue.call("list", **asked, **size, **cursor).value
        pages += page["documents"]
        assert (page["total"], page.get("omitted", 0)) == (whole["total"], whole["total"] - len(pages))
        if "next_cursor" not in page:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert pages == whole["documents"]


def test_a_cursor_of_a_list_is_stale_after_a_write_and_the_hint_helps(base: Base, session: Session) -> None:
    write_notes(base)
    first = session.call("list", by="path", limit=2).value
    other = session.call("list", by="recent", limit=2, cursor=first["next_cursor"])
    assert (other.is_error, other.value["code"]) == (True, "stale_cursor")
    session.call("write_note", title="새 글", content="새 글이다.")
    stale = session.call("list", by="path", limit=2, cursor=first["next_cursor"]).value
    assert (stale["code"], stale["hint"]) == ("stale_cursor", "list again without the cursor")
    assert session.call("list", by="path", limit=2).value["total"] == first["total"] + 1


def test_an_overview_keeps_within_its_budget_with_the_largest_folders_first(
    base: Base, session: Session
) -> None:
    for number in range(60):
        folder = "많다" if number % 2 else f"하나 {number}"
        base.write(
            f"{folder}/글 {number}.md", f"---\ntags: [꼬리표{number}]\n---\n# 글 {number}\n\n글이다.\n"
        )
    base.ingest()
    reply = session.call("list", max_tokens=300)
    assert list(reply.value["folders"])[:2] == ["/", "많다/"]
    assert reply.value["omitted"] > 0
    assert TokenCounter().count(reply.text) <= 300 + 100


def test_documents_come_by_path_and_by_name_too(catalogue: Session) -> None:
    by_path = catalogue.call("list", by="path", path_glob="일지/**").value["documents"]
    assert [one["address"] for one in by_path] == ["일지/월요일.md", "일지/화요일.md"]
    named = catalogue.call("list", name="월요").value
    assert named["documents"] == [{"address": "일지/월요일.md", "title": "월요일 회의"}]


def test_links_and_backlinks_come_with_their_places(catalogue: Session) -> None:
    found = catalogue.call("related", address="결정.md").value
    (link,) = found["linked_from"]
    assert link["address"] == "일지/월요일.md#L7"
    assert found["lacks_vectors"] is True
    assert "채용을 의논했다" in catalogue.call("fetch", address=link["address"]).value["text"]
    (target,) = catalogue.call("related", address="일지/월요일.md").value["links_to"]
    assert target["address"] == "결정.md"


def test_why_tells_what_keeps_a_file_out(base: Base, session: Session) -> None:
    write_notes(base)
    base.write(".gitignore", "초안/\n")
    base.write("초안/글.md", "# 글\n")
    found = session.call("why", path="초안/글.md").value
    assert (found["verdict"], found["rule"]["line"]) == ("left_out", 1)
    assert session.call("why", path="결정.md", query="면접은 몇 번?").value["verdict"]


@walk(
    ("tool", "arguments"),
    [
        ("list", {"by": "size"}),
        ("list", {"limit": 0}),
        ("list", {"since": "언젠가"}),
        ("related", {}),
        ("related", {"address": "없는 노트.md"}),
    ],
)
def test_what_cannot_be_listed_is_an_error_with_a_way_out(
    tool: str, arguments: dict[str, object], shared: Session
) -> None:
    reply = shared.call(tool, **arguments)
    assert reply.is_error
    assert reply.value["hint"]


def test_every_tool_shows_the_same_title_where_metadata_have_that_of_others(
    base: Base, session: Session
) -> None:
    for number in (1, 2):
        page = f"<title>ACME Company</title><p>Payment {number} is due in thirty days.</p>"
        base.write(f"invoice-{number}.html", page)
    base.ingest()
    hits = session.call("search", query="payment due").value["hits"]
    assert {one["title"] for one in hits} == {"invoice-1", "invoice-2"}
    assert session.call("fetch", address="invoice-2.html").value["title"] == "invoice-2"
    listed = session.call("list", name="ACME Company").value["documents"]
    assert [(one["address"], one.get("title")) for one in listed] == [
        ("invoice-1.html", None),  # left out where it is the name of the file
        ("invoice-2.html", None),
    ]
