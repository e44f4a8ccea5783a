"""`kebab ask` as people and programs meet it: grounded answers, refusals, explanations, streams."""

from __future__ import annotations

import os
import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

KO = "색인은 언제 다시 만들어지나요?"
EN = "how long does rolling back take?"
GRANDMOTHER = "할머니의 생신은 며칠인가요?"


def test_a_korean_question_is_answered_in_words_of_the_note_with_its_place(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", KO)
    assert (done.code, done.stderr) == (0, "")
    answer, rule, places = done.stdout.partition("─" * 57)
    assert "색인은 파일이 바뀌면 다시 만들어진다." in answer
    assert "[1]" in answer
    assert rule
    lines = places.strip().splitlines()
    assert re.fullmatch(r"\[1\] 한국어/색인\.md#L\d+(-L\d+)?", lines[0])
    assert lines[1].strip() == "§ 색인"
    assert re.fullmatch(r"✓ from your documents · 1 of \d passages?", lines[-1])


def test_an_english_question_is_answered_in_english(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", EN)
    assert done.code == 0
    assert done.stdout.startswith("▎ Rolling back takes one command and five minutes.\n└ [1]\n\n─")
    assert "english/deployment.md#L" in done.stdout


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (GRANDMOTHER, "근거 부족"),
        ("what is the capital of Peru?", "Not enough evidence"),
    ],
)
def test_what_no_document_answers_is_refused_in_the_language_of_the_question(
    question: str, says: str, quick
) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", question)
    assert (done.code, done.stderr) == (1, "")
    assert done.stdout.startswith(says)
    assert "✗ no answer from your documents" in done.stdout
    assert "[1]" not in done.stdout


def test_a_place_in_data_has_no_section(kb, inside) -> None:  # type: ignore[no-untyped-def]
    kb.write(
        "export.json",
        '{"issues": [\n {"key": "PAY-7",\n  "summary": "zebra crossing", "assignee": "Mina"}\n]}\n',
    )
    kb = inside(kb)
    kb("ingest")
    said = kb("ask", "assignee of the zebra crossing").stdout
    assert "export.json:" in said
    assert "§" not in said


def test_hidden_citations_leave_the_markers_and_the_footer(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", EN, "--hide-citations")
    assert "[1]" in done.stdout
    assert "deployment.md" not in done.stdout
    assert "✓ from your documents" in done.stdout


def test_an_explanation_shows_each_claim_with_its_lines_and_how_they_were_found(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", EN, "--explain")
    assert done.code == 0
    assert "▎ Rolling back takes one command and five minutes." in done.stdout
    assert "└ english/deployment.md#L7  [1]" in done.stdout
    assert "「Rolling back takes one command and five minutes.」" in done.stdout
    trace = done.stdout.partition("retrieval trace")[2]
    assert re.search(r"#1 +\d+\.\d\d  english/deployment\.md#L\d", trace)
    assert re.search(r"prompt \d+ tokens   completion \d+ tokens   latency \d+ ms", trace)


def test_an_explained_refusal_shows_what_was_found_and_claims_nothing(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", GRANDMOTHER, "--explain")
    assert done.code == 1
    assert "▎" not in done.stdout
    assert "retrieval trace" in done.stdout


def test_explained_json_carries_claims_whose_quotes_stand_in_the_file(quick) -> None:  # type: ignore[no-untyped-def]
    answer = quick("ask", KO, "--explain", "--json").last
    source = (quick.notes / "한국어/색인.md").read_text(encoding="utf-8").splitlines()
    claims = answer["claims"]
    assert claims
    assert answer["hits"]
    for claim in claims:  # type: ignore[attr-defined]
        for found in claim["sources"]:
            place = found["citation"]
            assert "\n".join(source[place["start"] - 1 : place["end"]]).strip() == found["quote"]
            assert claim["text"].replace("\n", " ") in found["quote"].replace("\n", " ")


def test_a_plain_answer_is_not_explained(quick) -> None:  # type: ignore[no-untyped-def]
    answer = quick("ask", KO, "--json").last
    assert "hits" not in answer
    assert answer["claims"]


def test_a_stream_for_people_says_the_same_once(quick) -> None:  # type: ignore[no-untyped-def]
    whole, streamed = quick("ask", KO), quick("ask", KO, "--stream")
    assert streamed.stdout == whole.stdout
    assert streamed.code == 0


def test_an_explained_stream_says_the_answer_once(quick) -> None:  # type: ignore[no-untyped-def]
    whole, streamed = quick("ask", KO, "--explain"), quick("ask", KO, "--explain", "--stream")
    assert streamed.stdout.count("\n▎") == whole.stdout.count("\n▎")
    assert streamed.stdout.splitlines()[0] == whole.stdout.splitlines()[0]
    assert streamed.code == 0


def test_an_explained_answer_without_citations_names_no_place_below_its_claims(quick) -> None:  # type: ignore[no-untyped-def]
    whole, bare = quick("ask", KO, "--explain"), quick("ask", KO, "--explain", "--hide-citations")
    assert "└" in whole.stdout
    assert "└" not in bare.stdout


@pytest.mark.parametrize("question", ["???", "   ", '"…"'])
def test_a_question_of_marks_alone_has_no_words(question: str, quick) -> None:  # type: ignore[no-untyped-def]
    assert quick("ask", question).code == 2


def test_a_streamed_refusal_says_the_same_once(quick) -> None:  # type: ignore[no-untyped-def]
    whole, streamed = quick("ask", GRANDMOTHER), quick("ask", GRANDMOTHER, "--stream")
    assert streamed.stdout == whole.stdout
    assert streamed.code == 1


def test_a_streamed_answer_that_is_not_sure_says_the_same_once(quick) -> None:  # type: ignore[no-untyped-def]
    asked = ["ask", "what is the phone number for rolling back?"]
    whole, streamed = (quick(*asked, *flag) for flag in ([], ["--stream"]))
    assert (whole.code, streamed.code) == (1, 1)
    assert whole.stdout.startswith("Not sure – this comes nearest:\n▎ ")
    assert streamed.stdout == whole.stdout


def test_a_stream_for_programs_is_events_then_the_answer(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", KO, "--stream", "--json")
    *events, answer = done.objects
    assert [event["schema_version"] for event in events] == ["answer_event.v1"] * len(events)
    kinds = [event["kind"] for event in events]
    assert kinds == ["retrieval_done", *["token"] * (len(events) - 2), "final"]
    assert "token" in kinds
    assert answer == {**events[-1]["answer"], "coverage": events[0]["coverage"]}
    text = "".join(str(event["delta"]) for event in events[1:-1])
    assert text.strip() == answer["answer"]


def test_a_streamed_refusal_for_programs_ends_with_final_too(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", GRANDMOTHER, "--stream", "--json")
    assert [value.get("kind") for value in done.objects] == ["retrieval_done", "final", None]
    assert (done.code, done.last["grounded"]) == (1, False)


def test_k_wins_over_the_configured_number_in_both_directions(quick) -> None:  # type: ignore[no-untyped-def]
    for k in ("1", "37"):
        retrieval = quick("ask", KO, "--k", k, "--json").last["retrieval"]
        assert retrieval["k"] == int(k)  # type: ignore[index]
        assert retrieval["chunks_returned"] <= int(k)  # type: ignore[index]


def test_filters_narrow_what_answers(quick) -> None:  # type: ignore[no-untyped-def]
    inside = quick("ask", KO, "--path-glob", "한국어/**", "--json")
    outside = quick("ask", KO, "--path-glob", "english/**", "--json")
    assert (inside.code, outside.code) == (0, 1)
    assert inside.last["citations"][0]["citation"]["path"] == "한국어/색인.md"  # type: ignore[index]
    assert outside.last["refusal_reason"] == "no_chunks"


def test_what_is_below_the_gate_is_named_and_not_quoted(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", KO, env={"KEBAB_RAG_SCORE_GATE": "1.0"})
    assert done.code == 1
    assert "가까운 후보(모두 임계값 1.00 미만)" in done.stdout
    assert "한국어/색인.md#L3-L7" in done.stdout
    assert "다시 만들어진다" not in done.stdout


def test_the_template_in_force_is_named(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", KO, "--json", env={"KEBAB_RAG_PROMPT_TEMPLATE_VERSION": "rag-v1"})
    assert done.last["prompt_template_version"] == "rag-v1"


def test_a_question_over_nothing_is_led_to_ingest(kb) -> None:  # type: ignore[no-untyped-def]
    done = kb("ask", KO, "--json")
    assert (done.code, done.error["code"], done.error["hint"]) == (2, "not_indexed", "kebab ingest")


def test_an_empty_index_is_a_refusal_that_says_so(kb) -> None:  # type: ignore[no-untyped-def]
    for note in kb.notes.rglob("*.md"):
        note.unlink()
    kb("ingest")
    done = kb("ask", KO, "--json")
    assert (done.code, done.last["refusal_reason"]) == (1, "no_index")
    for question, words in ((KO, "먼저 문서를 색인하세요."), (EN, "Ingest documents first.")):
        assert words in kb("ask", question).stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["ask", "  "], "invalid_input"),
        (["ask", '"'], "invalid_input"),
        (["ask", "“” ''"], "invalid_input"),
        (["ask", "raw:"], "invalid_input"),
        (["ask", "raw: title : 색인"], "invalid_input"),
        (["ask", KO, "--multi-hop"], "invalid_input"),
        (["ask", KO, "--mode", "vector"], "not_indexed"),
        (["ask", KO, "--temperature", "3"], "invalid_input"),
        (["answers", "show", "ret_0000000000000000"], "invalid_input"),
    ],
)
def test_what_cannot_be_asked_is_an_error_with_a_hint(arguments: list[str], code: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = quick(*arguments, "--json")
    assert (done.code, done.error["code"]) == (2, code)
    assert done.error["hint"]


@pytest.mark.parametrize("question", ['"', "''", " “”"])
def test_a_question_without_words_is_told_in_terms_of_asking(question: str, quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", question)
    assert done.stderr == 'error: the question has no words\nhint: kebab ask "…"\n'


def test_full_text_syntax_is_for_search(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", "raw: rolling AND back", "--json")
    assert "full-text syntax" in str(done.error["message"])
    assert done.error["hint"] == "kebab search --help"
    assert quick("answers", "list", "--json").last["answers"] == []


def test_a_question_in_single_quotes_is_a_question(quick) -> None:  # type: ignore[no-untyped-def]
    assert quick("ask", f"'{EN}'", "--json").last["grounded"] is True


def test_a_model_that_is_not_there_is_named(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", KO, "--json", env={"KEBAB_MODELS_LLM_PROVIDER": "ollama"})
    assert (done.code, done.error["code"]) == (2, "config_invalid")
    assert "ollama" in str(done.error["message"])


def without_coverage(answer: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in answer.items() if name != "coverage"}


def test_every_answer_is_kept_and_shown_again(quick) -> None:  # type: ignore[no-untyped-def]
    asked, refused = (without_coverage(quick("ask", q, "--json").last) for q in (KO, GRANDMOTHER))
    listed = quick("answers", "list", "--json").last["answers"]
    assert [(each["question"], each["answer"]) for each in listed] == [(GRANDMOTHER, refused), (KO, asked)]  # type: ignore[attr-defined]
    trace_id = asked["retrieval"]["trace_id"]  # type: ignore[index]
    assert quick("answers", "show", trace_id, "--json").last["answer"] == asked
    shown = quick("answers", "show", trace_id)
    assert shown.stdout.startswith(f"? {KO}\n")
    assert "✓ from your documents" in shown.stdout
    assert re.search(rf"✗  ret_[0-9a-f]{{16}}  {re.escape(GRANDMOTHER)}", quick("answers", "list").stdout)


def test_no_answers_yet_is_said(quick) -> None:  # type: ignore[no-untyped-def]
    assert quick("answers", "list").stdout.splitlines()[0] == "no answers yet"


def test_readonly_answers_and_keeps_nothing(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ask", KO, "--readonly", "--json")
    assert (done.code, done.last["grounded"], done.last["persisted"]) == (0, True, False)
    assert quick("answers", "list", "--json").last["answers"] == []
    assert "not stored" in quick("ask", KO, "--readonly", "--verbose").stderr
    assert quick("ask", KO, "--readonly").stderr == ""


def test_what_keeps_an_answer_from_being_all_there_is_to_say_is_noted(quick) -> None:  # type: ignore[no-untyped-def]
    (quick.notes / "english/deployment.md").write_text("gone stale", encoding="utf-8")
    done = quick("ask", "how do we deploy?", "--mode", "hybrid")
    assert "note: not searched by vector: no embedding model is configured" in done.stdout
    assert "note: 1 stale document (kebab ingest)" in done.stdout
    coverage = quick("ask", "how do we deploy?", "--mode", "hybrid", "--json").last["coverage"]
    assert (coverage["missing_legs"], coverage["documents_stale"]) == (["vector"], 1)  # type: ignore[index]


def test_citations_carry_the_score_of_their_hits(quick) -> None:  # type: ignore[no-untyped-def]
    answer = quick("ask", KO, "--json").last
    hits = {hit["score"] for hit in quick("search", KO, "--json").last["hits"]}
    assert {cited["score"] for cited in answer["citations"]} <= hits  # type: ignore[attr-defined]
    assert answer["retrieval"]["top_score"] >= 0.5  # type: ignore[index]


def test_the_same_question_gets_the_same_answer(quick) -> None:  # type: ignore[no-untyped-def]
    first, second = (quick("ask", KO, "--json").last for _ in range(2))
    assert (first["answer"], first["citations"]) == (second["answer"], second["citations"])


def test_a_list_that_is_too_long_to_quote_is_cut_and_the_rest_is_counted(quick) -> None:  # type: ignore[no-untyped-def]
    steps = [
        f"{n}. Pack crate number {n} of the archive and " + "seal it with care " * 3 for n in range(1, 16)
    ]
    note = "# Archive\n\n## Moving the archive\n\nThe steps for moving the archive:\n\n" + "\n".join(steps)
    (quick.notes / "archive.md").write_text(note, encoding="utf-8")
    quick("ingest")
    question = "what are the steps for moving the archive?"
    answer = quick("ask", question, "--json").last
    (cited,) = answer["citations"]
    quoted = answer["answer"].count("Pack crate")
    assert (answer["grounded"], cited["items_left_out"]) == (True, 15 - quoted)
    assert quoted < 15
    shown = quick("ask", question).stdout
    assert f"[1] archive.md#L5-L{6 + quoted}\n" in shown
    assert f"    cut: {15 - quoted} more of the list in the passage\n" in shown


def test_row_that_is_asked_for_is_quoted(quick) -> None:  # type: ignore[no-untyped-def]
    rows = ("식비 | 300,000원", "교통 | 100,000원", "렌터카 | 200,000원", "합계 | 600,000원")
    note = "# 제주 여행\n\n| 항목 | 금액 |\n|---|---|\n" + "".join(f"| {row} |\n" for row in rows)
    (quick.notes / "여행.md").write_text(note, encoding="utf-8")
    quick("ingest")
    for row in rows:
        shown = quick("ask", f"{row.partition(' ')[0]} 금액은 얼마야?").stdout
        assert row in shown


def test_a_changed_file_marks_its_citation_as_stale(quick) -> None:  # type: ignore[no-untyped-def]
    note = quick.notes / "한국어/색인.md"
    note.write_text(note.read_text(encoding="utf-8") + "\n새 줄\n", encoding="utf-8")
    assert re.search(r"색인\.md#L\S+  \[stale\]", quick("ask", KO).stdout)
    assert quick("ask", KO, "--json").last["citations"][0]["stale"] is True  # type: ignore[index]


def test_documents_that_differ_are_quoted_newest_first_with_the_days_that_they_state(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write(
        "old.md", "---\ndate: 2025-03-02\n---\n# Office\n\nThe password of the guest Wi-Fi is maple-22.\n"
    )
    quick.write(
        "new.md", "---\nupdated: 2026-01-15\n---\n# Net\n\nThe password of the guest Wi-Fi is cedar-71.\n"
    )
    quick("ingest")
    for language in ("en", "ko"):
        shown = quick("ask", "what is the guest Wi-Fi password", env={"KEBAB_LANG": language}).stdout
        assert shown.index("cedar-71") < shown.index("maple-22")
        assert "[1] new.md#L6  2026-01-15\n" in shown
        assert "[2] old.md#L6  2025-03-02\n" in shown
    explained = quick("ask", "what is the guest Wi-Fi password", "--explain").stdout
    assert "└ new.md#L6  [1]  2026-01-15\n" in explained
    cited = quick("ask", "what is the guest Wi-Fi password", "--json").last["citations"]
    assert [each["stated_on"] for each in cited] == ["2026-01-15", "2025-03-02"]


def test_no_day_is_printed_where_one_document_states_one_or_only_files_have_times(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("old.md", "# Office\n\nThe password of the guest Wi-Fi is maple-22.\n")
    quick.write(
        "new.md", "---\nupdated: 2026-01-15\n---\n# Net\n\nThe password of the guest Wi-Fi is cedar-71.\n"
    )
    quick("ingest")
    shown = quick("ask", "what is the guest Wi-Fi password").stdout
    assert {"new.md#L6", "old.md#L3"} <= set(shown.split())
    assert "2026" not in shown
    cited = quick("ask", "what is the guest Wi-Fi password", "--json").last["citations"]
    assert {each["citation"]["path"]: each.get("stated_on") for each in cited} == {
        "new.md": "2026-01-15",
        "old.md": None,
    }


def test_a_reader_who_leaves_a_stream_stops_it_and_what_there_is_is_kept(indexed) -> None:  # type: ignore[no-untyped-def]
    reading, writing = os.pipe()
    os.close(reading)
    with Path(os.devnull).open("r+b") as nothing:
        wait = indexed.kebab.start(
            *("ask", KO, "--stream", "--json", "--config", str(indexed.config)),
            environ=indexed.kebab.environment(),
            streams=[nothing.fileno(), writing, nothing.fileno()],
        )
        assert wait() == 130
    os.close(writing)
    (kept,) = indexed("answers", "list", "--json").last["answers"]
    assert kept["answer"]["refusal_reason"] == "llm_stream_aborted"


class _InterruptedOnWrite(StringIO):
    """A terminal whose user presses Ctrl-C as soon as the first piece of the answer shows."""

    def write(self, text: str) -> int:
        if text.strip():
            raise KeyboardInterrupt
        return super().write(text)


def test_an_interrupt_stops_the_stream_and_what_there_is_is_kept(quick) -> None:  # type: ignore[no-untyped-def]
    from kebab_cli.main import run

    with redirect_stdout(_InterruptedOnWrite()):
        code = run(["ask", KO, "--stream", "--config", str(quick.config)])
    assert code == 130
    (kept,) = quick("answers", "list", "--json").last["answers"]
    assert kept["answer"]["refusal_reason"] == "llm_stream_aborted"


def test_a_marker_that_stands_in_the_source_is_no_marker_of_the_answer(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("각주.md", "# 각주\n\n각주 번호는 `[1]` 다음에 `[2]`가 옵니다.\n")
    quick("ingest")
    (claim,) = quick("ask", "각주 번호 다음에는 무엇이 오나요?", "--k", "1", "--explain", "--json").last[
        "claims"
    ]
    assert claim["sources"][0]["quote"] == "각주 번호는 `[1]` 다음에 `[2]`가 옵니다."
