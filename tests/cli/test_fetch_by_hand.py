"""What `kebab fetch` shows to people, and what of it a pipe gets."""

from __future__ import annotations

import pytest

from_the_index = "색인은 파일이 바뀌면 다시 만들어진다. 벡터 인덱스도 마찬가지다."


def test_a_chunk_is_labelled_with_path_and_heading(quick, places) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "chunk", places["chunk"])
    assert done.code == 0
    label, *text = done.stdout.splitlines()
    assert label == "[한국어/색인.md § 색인]"
    assert from_the_index in text
    assert done.stderr == ""


def test_context_shows_the_neighbours_in_order_each_under_its_label(quick, places) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "chunk", places["chunk"], "--context", "1")
    labels = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert labels == ["[한국어/색인.md § 색인]", "[한국어/색인.md § 색인 > 규칙]"]
    assert done.stdout.index(from_the_index) < done.stdout.index("표는 자르지 않는다.")


def test_a_document_is_its_text_and_nothing_else(quick, places) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "doc", places["doc"])
    assert (done.code, done.stderr) == (0, "")
    assert done.stdout == (quick.notes / "한국어/색인.md").read_text(encoding="utf-8")


def test_a_cut_document_says_so_on_stderr_only(quick, places) -> None:  # type: ignore[no-untyped-def]
    whole = quick("fetch", "doc", places["doc"]).stdout
    done = quick("fetch", "doc", places["doc"], "--max-tokens", "8")
    assert done.stderr == "note: cut at --max-tokens\n"
    assert 0 < len(done.stdout) < len(whole)
    assert quick("fetch", "doc", places["doc"], "--max-tokens", "8", "--quiet").stderr == ""


def test_lines_are_those_of_the_file_and_their_label_goes_to_stderr(quick, places) -> None:  # type: ignore[no-untyped-def]
    written = (quick.notes / "한국어/색인.md").read_text(encoding="utf-8").splitlines()
    done = quick("fetch", "span", places["doc"], "5", "7")
    assert done.stdout.splitlines() == written[4:7]
    assert done.stderr == "[한국어/색인.md lines 5-7]\n"


def test_lines_past_the_end_are_cut_to_those_there_are(quick, places) -> None:  # type: ignore[no-untyped-def]
    written = (quick.notes / "한국어/색인.md").read_text(encoding="utf-8").splitlines()
    done = quick("fetch", "span", places["doc"], str(len(written)), "999")
    assert done.stdout.splitlines() == written[-1:]
    assert done.stderr == f"[한국어/색인.md lines {len(written)}-{len(written)}]\n"


def test_lines_wholly_past_the_end_are_a_note_and_no_text(quick, places) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "span", places["doc"], "900", "999")
    assert (done.code, done.stdout) == (0, "")
    assert done.stderr == "note: 한국어/색인.md has no line 900\n"


def test_a_reversed_span_is_answered_with_the_command_meant(quick, places) -> None:  # type: ignore[no-untyped-def]
    done = quick("fetch", "span", places["doc"], "7", "5")
    assert done.code == 2
    assert done.stderr.splitlines()[-1] == f"hint: kebab fetch span {places['doc']} 5 7"


def test_the_place_of_a_hit_leads_to_its_lines(quick) -> None:  # type: ignore[no-untyped-def]
    hit = quick("search", "rollback", "--json").last["hits"][0]  # type: ignore[index]
    citation = hit["citation"]
    done = quick("fetch", "span", hit["doc_id"], str(citation["start"]), str(citation["end"]))
    assert "Rolling back takes one command and five minutes." in done.stdout


def test_a_changed_file_is_shown_as_it_was_indexed_with_a_note(quick, places) -> None:  # type: ignore[no-untyped-def]
    quick.write("한국어/색인.md", "# 완전히 새로 쓴 글\n")
    done = quick("fetch", "span", places["doc"], "7", "7")
    assert from_the_index in done.stdout


def test_ids_may_be_written_in_capitals(quick, places) -> None:  # type: ignore[no-untyped-def]
    assert quick("fetch", "chunk", places["chunk"].upper()).code == 0


def test_control_codes_in_a_document_reach_neither_a_pipe_nor_a_terminal(kb, inside, terminal) -> None:  # type: ignore[no-untyped-def]
    kb.write("trick.md", "# Trick\n\nred \x1b[31m and a bell \x07\n")
    assert inside(kb)("ingest").code == 0
    doc_id = inside(kb).doc_id("trick.md")
    piped = inside(kb)("fetch", "doc", doc_id).stdout
    assert piped == "# Trick\n\nred �[31m and a bell �\n"
    assert terminal(kb, "fetch", "doc", doc_id).stdout == piped


@pytest.mark.parametrize("kind", ["chunk", "doc"])
def test_a_terminal_gets_the_same_words(kind: str, indexed, places, terminal) -> None:  # type: ignore[no-untyped-def]
    assert from_the_index in terminal(indexed, "fetch", kind, places[kind]).stdout
