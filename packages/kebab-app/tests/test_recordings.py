"""Recordings, from the file to the answer: found by name, and by what is heard where something hears."""

from __future__ import annotations

import shutil
import wave
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_core import (
    AnswerFinal,
    FetchAddress,
    OcrPageFinished,
    OcrStarted,
    SearchMode,
    SearchQuery,
    say_origin,
)
from kebab_testing.fakes.hearing import FakeHearingRecipe, find_fake_hearing

if TYPE_CHECKING:
    from conftest import Base

SAID = "The orchard keeps ninety crates of quince.\n?The cellar is locked at night.\nThank you all.\nGoodbye then."
needs_names_only = pytest.mark.skipif(
    find_spec("av") is not None,
    reason="the extra kebab-cli[audio] is installed, and these files are no recordings",
)


@pytest.fixture
def hearing(base: Base, monkeypatch: pytest.MonkeyPatch) -> Base:
    """A knowledge base in which something hears."""
    monkeypatch.setattr("kebab_app.ingest_wiring.find_transcriber", find_fake_hearing)
    monkeypatch.setattr("kebab_app.ingest_wiring.SpeechReaderRecipe", FakeHearingRecipe)
    return base


def find(base: Base, text: str) -> list[str]:
    query = SearchQuery(text=text, mode=SearchMode.LEXICAL)
    found = [hit.citation for hit in base.app.search(query).hits]
    assert all(say_origin(each) is None for each in found)
    return [each.to_address() for each in found]


@needs_names_only
def test_without_the_extra_a_recording_is_found_by_its_name_and_counts_as_waiting(base: Base) -> None:
    base.write("harvest meeting.m4a", SAID)
    report = base.ingest().report
    assert report.asr is not None
    assert (report.asr.waiting, report.asr.engine) == (1, None)
    assert report.asr.missing is not None
    assert report.asr.missing.code == "dependency_missing"
    address = "harvest meeting.m4a#t=00:00:00.000,00:00:00.000"
    assert find(base, "harvest") == [address]
    assert base.app.fetch(FetchAddress(address=address)).kind == "time"
    why = base.app.why("harvest meeting.m4a")
    assert any("it is not listened to: speech in recordings" in str(step.detail) for step in why.steps)
    check = next(each for each in base.app.doctor().checks if each.name == "recordings_heard")
    assert "1 recording is found by its name only" in str(check.detail)


@needs_names_only
def test_what_is_heard_is_found_quoted_and_cited_by_its_time_and_heard_once(hearing: Base) -> None:
    hearing.write("meeting.m4a", SAID)
    hearing.write("copy.m4a", SAID)
    run = hearing.ingest()
    assert run.report.asr is not None
    assert (run.report.asr.read, run.report.asr.documents, run.report.asr.waiting) == (1, 2, 0)
    assert [event.parts for event in run.events if isinstance(event, OcrStarted)] == [1]
    assert sum(isinstance(event, OcrPageFinished) for event in run.events) == 1
    *_, last = hearing.app.ask_stream(
        AskRequest(question="How many crates of quince?", mode=SearchMode.LEXICAL)
    )
    assert isinstance(last, AnswerFinal)
    assert "The orchard keeps ninety crates of quince. [1]" in last.answer.answer
    cited = last.answer.citations[0].citation
    assert cited.to_uri().endswith(".m4a#t=00:00:00.000,00:00:09.000")
    assert str(say_origin(cited)) == "heard in a recording"
    unsure = hearing.app.fetch(FetchAddress(address="meeting.m4a#t=0:12"))
    assert str(unsure.text).strip() == "(?) The cellar is locked at night."
    assert hearing.ingest().report.asr is None

    hearing.write("again.mp3", SAID)
    again = hearing.ingest().report.asr
    assert again is None or again.read == 0
    assert "ninety crates" in str(hearing.app.fetch(FetchAddress(address="again.mp3")).text)


@needs_names_only
def test_subtitles_beside_a_recording_stand_for_it(hearing: Base) -> None:
    hearing.write("talks/talk.m4a", SAID)
    hearing.write("talks/talk.srt", "1\n00:00:01,000 --> 00:00:04,000\nThe zebra crossed the river.\n")
    assert hearing.ingest().report.asr is None
    assert find(hearing, "zebra") == ["talks/talk.srt#t=00:00:01.000,00:00:04.000"]
    assert not find(hearing, "quince")
    (hearing.root / "talks" / "talk.srt").unlink()
    report = hearing.ingest().report
    assert report.asr is not None
    assert report.asr.read == 1


@pytest.mark.skipif(
    find_spec("faster_whisper") is None or find_spec("kebab_model_whisper_base") is None,
    reason="the extra kebab-cli[audio] is not installed",
)
@pytest.mark.usefixtures("one_process")
def test_each_part_of_recordings_is_heard_from_their_files_by_workers(base: Base) -> None:
    base.configure("storage", copy_threshold_mb=0)
    for name, minutes in (("long.wav", 6), ("short.wav", 1)):
        with wave.open(str(base.root / name), "wb") as made:
            made.setnchannels(1)
            made.setsampwidth(2)
            made.setframerate(8000)
            made.writeframes(bytes(2 * 8000 * 60 * minutes))
    report = base.ingest().report
    assert report.asr is not None
    assert (report.asr.read, report.asr.failures) == (4, ())


def test_recordings_are_left_alone_where_the_settings_say_so(hearing: Base) -> None:
    hearing.configure("ingest.asr", recordings="off")
    hearing.write("meeting.srt", "1\n00:00:01,000 --> 00:00:04,000\nHello there.\n")
    if find_spec("av") is None:
        hearing.write("other.m4a", SAID)
    assert hearing.ingest().report.asr is None


def test_a_recording_opens_in_a_player_at_the_second_also_from_subtitles(
    base: Base, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kebab_app import find_open_command

    monkeypatch.setenv("PATH", str(tmp_path))
    base.write("talk.srt", "1\n00:01:02,250 --> 00:01:04,000\nThe zebra crossed the river.\n")
    recording = base.root / "talk.m4a"
    recording.write_bytes(b"no sound")
    base.configure("ingest.asr", recordings="off")
    base.ingest()
    found = base.app.find_address("talk.srt#t=1:02.250")
    command = find_open_command(base.app.base, found, environ={})
    assert command.words[1:] == [str(recording)]
    assert "1:02" in str(command.remark)
    for player, options in (
        ("ffplay", ["-autoexit", "-ss", "62.250"]),
        ("vlc", ["--start-time=62.250"]),
        ("mpv", ["--start=62.250"]),
    ):
        (tmp_path / player).write_text("#!/bin/sh\n")
        (tmp_path / player).chmod(0o755)
        words = find_open_command(base.app.base, found, environ={}).words
        assert words == [shutil.which(player), *options, str(recording)]
