"""`kebab ask --session`, `kebab sessions` and `kebab chat`: questions that go on from one another."""

import json

import pytest

NOTE = """# Releases

## Rolling back

Run `deploy rollback` to roll back a release. A rollback takes about ten minutes.

## Windows

On Windows a release is rolled back with `deploy.exe rollback`.
"""
FIRST = "how do I roll back a release?"


@pytest.fixture
def releases(quick):  # type: ignore[no-untyped-def]
    quick.write("release.md", NOTE)
    quick("ingest")
    return quick


def ask(kb, question, *flags):  # type: ignore[no-untyped-def]
    return kb("ask", question, "--session", "r", "--json", *flags).last


def test_a_follow_up_is_answered_behind_the_question_before_it(releases) -> None:  # type: ignore[no-untyped-def]
    first, second = ask(releases, FIRST), ask(releases, "how long does it take?")
    assert (first["conversation_id"], first["turn_index"], second["turn_index"]) == ("r", 0, 1)
    assert "question" not in first["retrieval"]
    assert second["retrieval"]["question"] == f"{FIRST} how long does it take?"
    assert "about ten minutes" in second["answer"]
    assert "asked as: how do I" in releases("ask", "how long does it take?", "--session", "r").stdout


def test_the_same_question_alone_belongs_to_no_conversation(releases) -> None:  # type: ignore[no-untyped-def]
    ask(releases, FIRST)
    alone = releases("ask", "how long does it take?", "--json").last
    assert not {"conversation_id", "turn_index"} & alone.keys()
    assert len(releases("sessions", "show", "r", "--json").last["turns"]) == 1


def test_conversations_are_listed_shown_and_deleted_with_their_answers(releases) -> None:  # type: ignore[no-untyped-def]
    assert releases("sessions", "list").stdout.startswith("no conversations yet")
    answer = ask(releases, FIRST)
    listed = releases("sessions", "list", "--json").last["sessions"]
    assert [(each["session_id"], each["title"]) for each in listed] == [("r", FIRST)]
    assert f"? {FIRST}" in releases("sessions", "show", "r").stdout
    (turn,) = releases("sessions", "show", "r", "--json").last["turns"]
    assert (turn["question"], turn["answer"]) == (FIRST, answer["answer"])
    report = releases("sessions", "delete", "r", "--yes", "--json").last
    assert (report["sessions"], report["answers"]) == (["r"], [answer["retrieval"]["trace_id"]])
    assert releases("answers", "list", "--json").last["answers"] == []
    assert releases("sessions", "list", "--json").last["sessions"] == []


def test_deleting_an_answer_deletes_its_turn(releases) -> None:  # type: ignore[no-untyped-def]
    ask(releases, FIRST)
    ask(releases, "how long does it take?")
    newest = releases("answers", "list", "--json").last["answers"][0]["answer"]["retrieval"]["trace_id"]
    releases("answers", "delete", newest, "--yes")
    assert [each["question"] for each in releases("sessions", "show", "r", "--json").last["turns"]] == [FIRST]
    assert ask(releases, "and on Windows?")["turn_index"] == 1


@pytest.mark.parametrize("command", [["sessions", "show", "no"], ["sessions", "delete", "no", "--yes"]])
def test_a_conversation_that_is_not_there_is_an_error_with_its_next_step(command, releases) -> None:  # type: ignore[no-untyped-def]
    error = releases(*command, "--json").error
    assert (error["code"], error["hint"]) == ("invalid_input", "kebab sessions list")


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 65])
def test_a_name_is_one_line_of_at_most_64_characters(name, releases) -> None:  # type: ignore[no-untyped-def]
    done = releases("ask", FIRST, "--session", name, "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")


def test_read_only_a_conversation_goes_on_and_is_not_kept(releases) -> None:  # type: ignore[no-untyped-def]
    ask(releases, FIRST)
    answer = ask(releases, "how long does it take?", "--readonly")
    assert (answer["persisted"], "about ten minutes" in answer["answer"]) == (False, True)
    assert len(releases("sessions", "show", "r", "--json").last["turns"]) == 1
    assert releases("chat", "--readonly", "--json", stdin=FIRST).error["code"] == "readonly_mode"


def test_a_chat_answers_each_line_and_goes_on_after_an_error(releases) -> None:  # type: ignore[no-untyped-def]
    lines = f"/why\n{FIRST}\n\n/why\nhow long does it take?\n/open 7\n/what\n/quit\nnever asked\n"
    done = releases("chat", "--session", "r", stdin=lines)
    assert done.code == 2
    assert "about ten minutes" in done.stdout
    assert "retrieval trace" in done.stdout
    for said in ("there is no answer yet", "the answer has no citation [7]", "there is no /what"):
        assert said in done.stderr
    turns = releases("sessions", "show", "r", "--json").last["turns"]
    assert [each["question"] for each in turns] == [FIRST, "how long does it take?"]


def test_a_chat_for_programs_prints_events_of_each_answer(releases) -> None:  # type: ignore[no-untyped-def]
    done = releases("chat", "--json", stdin=f"{FIRST}\nhow long does it take?\n")
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    answers = [each for each in objects if each["schema_version"] == "answer.v1"]
    assert [each["turn_index"] for each in answers] == [0, 1]
    assert answers[0]["conversation_id"].startswith("chat-")
