"""Results that are read page by page, within a budget, and with what is behind them."""

from __future__ import annotations

import json
import re
import unicodedata
from urllib.parse import quote

import pytest
from kebab_core import TokenCounter
from kebab_model_e5_small import files
from kebab_testing.tables import walk

ESCAPE = "\x1b"
SENTENCE = "형태소 분석은 조사와 어미를 떼어 낸 뒤 남은 말로 찾게 해 준다. 그래서 규칙을 묻든 규칙은 묻든 같은 글이 나온다. "
NOTES = 25
QUESTION = "형태소 분석 규칙"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory, make_inside):  # type: ignore[no-untyped-def]
    """So many notes that all answer one question, some more than others."""
    kb = make_inside(tmp_path_factory.mktemp("shelf"))
    for number in range(NOTES):
        often = "형태소 분석 " * (number % 4)
        kb.write(f"글{number:02}.md", f"# 글 {number}\n\n{often}{SENTENCE * (1 + number % 3)}{number}\n")
    assert kb("ingest").code == 0
    return kb


def search(kb, *flags: str):  # type: ignore[no-untyped-def]
    done = kb("search", QUESTION, "--json", *flags)
    assert done.code == 0, done.stderr
    return done.last


def chunks(response) -> list[str]:  # type: ignore[no-untyped-def]
    return [hit["chunk_id"] for hit in response["hits"]]


def pages(kb, *flags: str):  # type: ignore[no-untyped-def]
    page = search(kb, *flags)
    yield page
    while page["next_cursor"] is not None:
        page = search(kb, *flags, "--cursor", page["next_cursor"])
        yield page


@walk("size", ["3", "10", "24"])
def test_pages_together_are_the_whole(size: str, shelf) -> None:  # type: ignore[no-untyped-def]
    whole = search(shelf, "--k", "100")
    assert [hit for page in pages(shelf, "--k", size) for hit in page["hits"]] == whole["hits"]
    assert [hit["rank"] for hit in whole["hits"]] == list(range(1, NOTES + 1))
    assert whole["next_cursor"] is None


def test_a_budget_is_kept_by_what_is_printed_of_the_hits(shelf) -> None:  # type: ignore[no-untyped-def]
    def cost(*flags: str) -> int:
        printed = shelf("search", QUESTION, "--json", "--k", "5", *flags).stdout
        hits = printed[printed.index('"hits":[') : printed.index('],"coverage"')]
        return TokenCounter().count(hits.removeprefix('"hits":['))

    response = search(shelf, "--k", "5", "--max-tokens", "1500")
    assert cost("--max-tokens", "1500") <= 1500 + len(response["hits"]) < cost()
    assert response["truncated"] is True
    assert response["query"]["max_tokens"] == 1500


def test_a_budget_for_hits_in_brief_is_kept_by_what_is_printed_of_them(shelf) -> None:  # type: ignore[no-untyped-def]
    brief = search(shelf, "--k", "10", "--brief", "--max-tokens", "900")
    spent = [TokenCounter().count(json.dumps(hit, ensure_ascii=False)) for hit in brief["hits"]]
    whole = search(shelf, "--k", "10", "--max-tokens", "900")
    assert sum(spent) <= 900 * 1.1  # with a space behind every comma
    assert len(spent) > len(whole["hits"])
    assert brief["truncated"] is True
    rest = search(shelf, "--k", "10", "--brief", "--max-tokens", "900", "--cursor", brief["next_cursor"])
    assert not set(chunks(rest)) & set(chunks(brief))


def test_pages_within_a_budget_show_every_hit_once(shelf) -> None:  # type: ignore[no-untyped-def]
    read = list(pages(shelf, "--k", "10", "--max-tokens", "2000"))
    assert [chunk for page in read for chunk in chunks(page)] == chunks(search(shelf, "--k", "100"))
    assert all(page["truncated"] for page in read[:-1])


def test_a_budget_too_small_for_any_hit_shows_one(shelf) -> None:  # type: ignore[no-untyped-def]
    response = search(shelf, "--max-tokens", "1")
    (hit,) = response["hits"]
    assert len(hit["snippet"]) <= 60
    assert response["truncated"] is True


def test_a_budget_that_is_large_enough_changes_nothing(shelf) -> None:  # type: ignore[no-untyped-def]
    plain, within = search(shelf), search(shelf, "--max-tokens", "100000")
    assert plain["hits"] == within["hits"]
    assert (plain["truncated"], within["truncated"]) == (False, False)


@walk("cursor", ["", "nonsense", "한글", "WzEsMTAsNDEyLCIzZjFiYjA3YTkyZTQiLCI4Yzc3YTE1ZDBlMmYiXQ"])
def test_a_cursor_that_was_not_made_for_this_is_stale(cursor: str, shelf) -> None:  # type: ignore[no-untyped-def]
    done = shelf("search", QUESTION, "--json", "--cursor", cursor)
    assert (done.code, done.stdout, done.error["code"]) == (2, "", "stale_cursor")
    assert "without the cursor" in done.error["hint"]


@walk("other", [["형태소"], [QUESTION, "--lang", "ko"]])
def test_a_cursor_does_not_go_on_in_another_search(other: list[str], shelf) -> None:  # type: ignore[no-untyped-def]
    done = shelf("search", *other, "--json", "--cursor", search(shelf)["next_cursor"])
    assert (done.code, done.error["code"]) == (2, "stale_cursor")
    assert "another query" in done.error["message"]


def test_a_cursor_ends_with_the_index_that_it_was_made_for(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb = inside(kb)
    kb("ingest")
    first = kb("search", "색인 청크 deploy", "--k", "1", "--json").last
    again = ("search", "색인 청크 deploy", "--k", "1", "--cursor", first["next_cursor"], "--json")
    kb("ingest")
    assert kb(*again).code == 0
    kb.write("new.md", "# 새 글\n\n색인\n")
    kb("ingest")
    done = kb(*again)
    assert (done.code, done.error["code"]) == (2, "stale_cursor")
    assert done.error["details"]["corpus_revision"] > done.error["details"]["cursor_revision"]


def test_people_see_where_a_page_goes_on_while_they_read_by_page(shelf) -> None:  # type: ignore[no-untyped-def]
    question = ("search", QUESTION, "--k", "10")
    assert "--cursor" not in shelf(*question).stdout
    cut = shelf(*question, "--max-tokens", "1000").stdout.splitlines()
    assert "note: snippets are shortened, or passages or hits left out, to stay within --max-tokens" in cut
    cursor = cut[-1].removeprefix("more: --cursor ")
    following = shelf(*question, "--cursor", cursor).stdout.splitlines()
    shown = sum(bool(re.match(r"\d+\. ", line)) for line in cut)
    assert following[0].startswith(f"{shown + 1}. ")
    assert following[-1].startswith("more: --cursor ")
    last = shelf(*question, "--k", "100", "--cursor", cursor).stdout.splitlines()
    assert not last[-1].startswith("more:")


def test_a_trace_holds_what_each_hit_says_of_itself(shelf) -> None:  # type: ignore[no-untyped-def]
    response = search(shelf, "--trace", "--k", "5")
    trace = response["trace"]
    lexical = {found["chunk_id"]: found for found in trace["lexical"]}
    for hit, fused in zip(response["hits"], trace["rrf_inputs"], strict=False):
        assert fused["chunk_id"] == hit["chunk_id"]
        assert fused["fusion_score"] == hit["retrieval"]["fusion_score"]
        found = lexical[hit["chunk_id"]]
        assert found["rank"] == hit["retrieval"]["lexical_rank"]
        assert found["score"] == hit["retrieval"]["lexical_score"]
        assert found["doc_path"] == hit["doc_path"]
    timing = trace["timing"]
    assert timing["total_ms"] >= timing["lexical_ms"] + timing["fusion_ms"]
    assert "trace" not in search(shelf)


def test_people_can_read_a_trace(shelf) -> None:  # type: ignore[no-untyped-def]
    lines = shelf("search", "형태소 분석 zzz", "--k", "1", "--trace").stdout.splitlines()
    heads = [line for line in lines if line.startswith("trace ")]
    assert heads[:3] == ["trace terms:", "trace lexical:", "trace order:"]
    assert re.fullmatch(r"trace time: lexical \d+ ms, vector 0 ms, fusion \d+ ms, total \d+ ms", heads[3])
    assert any(re.match(r" +\d+\.\d\d  zzz  not searched: in no passage", line) for line in lines)
    placed = r"    1\. +\d+\.\d\d  [0-9a-f]{8}  글\d\d\.md  \(lexical \d+\)"
    assert any(re.fullmatch(placed, line) for line in lines)
    assert f"  and {NOTES - 10} more (--json)" in lines


def test_people_are_told_why_a_term_was_not_looked_up_and_what_ranks_by_meaning_go_by(kb) -> None:  # type: ignore[no-untyped-def]
    kb.config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
    kb.write("machines.md", "# Machines\n\nA machine that learns.")
    assert kb("ingest", "--no-embed").code == 0
    by_words = kb("search", "machine", "--mode", "lexical", "--trace").stdout.splitlines()
    assert any(line.endswith("  machine  searched by its stem") for line in by_words)
    if files() is None:
        return
    assert kb("embed").code == 0
    done = kb("search", "machine", "--mode", "vector", "--trace", "--explain").stdout.splitlines()
    assert any(line.endswith("  machine  not searched: the mode is vector") for line in done)
    told = [re.fullmatch(r"    1\. z-score +([+-]\d+\.\d\d)  cosine 0\.\d{4}  .*", line) for line in done]
    explained = [
        re.search(r"vector \(cosine\) rank 1  score 0\.\d{4}  z-score ([+-]\d+\.\d\d)$", line)
        for line in done
    ]
    (z_score,) = [found[1] for found in told if found]
    assert z_score in [found[1] for found in explained if found]


def test_a_link_opens_the_name_as_it_is_on_disk(kb, inside, terminal) -> None:  # type: ignore[no-untyped-def]
    name = unicodedata.normalize("NFD", "한글 메모.md")
    kb.write(name, "# 메모\n\n풀어쓴 이름\n")
    inside(kb)("ingest")
    shown = terminal(kb, "search", "풀어쓴").stdout
    assert f"{ESCAPE}]8;;file://{kb.notes}/{quote(name)}#L" in shown
    assert unicodedata.normalize("NFC", "한글 메모.md") in shown
