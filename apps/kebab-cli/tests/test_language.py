"""The language of the command line: how it is chosen, and what is printed in it."""

from __future__ import annotations

import gettext
import json

import pytest
from kebab_cli.language import localize, speak, tr
from kebab_cli.main import run
from kebab_cli.remedies import render_remedy
from kebab_cli.render import columns_of
from kebab_config import read_environment
from kebab_core import SKIP_REASONS, IngestFailure, Message, Remedy, SkipReason
from kebab_testing.tables import walk


def test_a_message_is_put_into_korean_with_the_messages_in_it() -> None:
    inner = Message("{path!r} may not be read", path="회의록.md")
    with speak("ko"):
        assert localize(inner) == "'회의록.md': 읽을 권한이 없습니다"
        assert tr("{name} is not found: {reason}", name="a", reason=inner) == (
            "a: 찾을 수 없습니다. '회의록.md': 읽을 권한이 없습니다"
        )
    assert localize(inner) == "'회의록.md' may not be read"


@walk("count", [0, 1, 2])
def test_korean_has_one_form_for_every_count(count: int) -> None:
    with speak("ko"):
        assert tr("{count} file", plural="{count} files", count=count) == f"파일 {count}개"


@walk(
    ("path", "said"),
    [
        ("회의록", "회의록을 가리키는 링크입니다"),
        ("노트", "노트를 가리키는 링크입니다"),
        ("2026", "2026을 가리키는 링크입니다"),
        ("2024", "2024를 가리키는 링크입니다"),
        ("a.md", "a.md를 가리키는 링크입니다"),
        ("페이지.html", "페이지.html을 가리키는 링크입니다"),
        ("NFS", "NFS를 가리키는 링크입니다"),
        ("CPR", "CPR을 가리키는 링크입니다"),
        ("kebab", "kebab을 가리키는 링크입니다"),
        ("list", "list를 가리키는 링크입니다"),
        ("data.json", "data.json을 가리키는 링크입니다"),
        ("table", "table을 가리키는 링크입니다"),
        ("my_tag", "my_tag를 가리키는 링크입니다"),
        ("server", "server를 가리키는 링크입니다"),
        ("socket", "socket을 가리키는 링크입니다"),
        ("source", "source를 가리키는 링크입니다"),
        ("заметка", "заметка을(를) 가리키는 링크입니다"),
        ("을(를)", "을(를)을 가리키는 링크입니다"),
        ("{path}(초안)", "{path}(초안)을 가리키는 링크입니다"),
    ],
)
def test_particles_follow_the_sound_of_what_is_filled_in(path: str, said: str) -> None:
    with speak("ko"):
        assert tr("is a link to {path}, outside of its source", path=path) == f"소스 밖의 {said}"


@walk(
    ("name", "said"),
    [
        ("서울", "서울로"),
        ("부산", "부산으로"),
        ("7", "7로"),
        ("3", "3으로"),
        ("html", "html로"),
        ("CP949", "CP949로"),
        ("tmp", "tmp로"),
        ("Main", "Main으로"),
    ],
)
def test_the_particle_of_direction_knows_rieul(name: str, said: str) -> None:
    with speak("ko"):
        assert tr("the file is not UTF-8; it was read as {encoding}", encoding=name).endswith(
            f"{said} 읽었습니다"
        )


def test_a_message_without_translation_is_english() -> None:
    with speak("ko"):
        assert tr("a sentence of a plugin about {name}", name="x") == "a sentence of a plugin about x"
        assert localize(Message("{a} {b", a=1)) == "{a} {b"


@walk("reason", ["No space left on device", "no space left on device"])
def test_what_the_system_says_about_an_error_is_korean(reason: str) -> None:
    with speak("ko"):
        assert tr("cannot write {path!r}: {reason}", path="a", reason=reason) == (
            "'a': 쓸 수 없습니다: 디스크에 남은 공간이 없습니다"
        )
        assert tr("cannot write {path!r}: {reason}", path="file exists", reason="odd") == (
            "'file exists': 쓸 수 없습니다: odd"
        )


def test_what_a_document_says_is_never_translated() -> None:
    with speak("ko"):
        assert localize("nothing was deleted") == "nothing was deleted"


def test_the_language_ends_with_the_block() -> None:
    before = read_environment().get("LANGUAGE"), gettext.textdomain()
    with speak("ko"), speak("ko"):
        pass
    assert (read_environment().get("LANGUAGE"), gettext.textdomain()) == before


def test_remedies_are_korean_with_their_steps_and_alternatives() -> None:
    remedy = Remedy(
        advice=Message("edit {path}", path="a.md"),
        then=Remedy(kind="ingest"),
        otherwise=Remedy(kind="delete_lines", line_numbers=(3, 4), path="b.md"),
    )
    with speak("ko"):
        assert (
            render_remedy(remedy)
            == "a.md 파일을 고치세요, 그다음 kebab ingest, 또는 b.md에서 지우세요: 줄 3, 4"
        )


def test_help_is_korean_and_within_the_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEBAB_LANG", "ko")
    assert run(["eval", "beir", "--help"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("사용법: kebab eval beir [옵션] FOLDER\n")
    assert "\n옵션:\n" in page
    assert "이 도움말을 보여 주고 끝냅니다." in page
    assert max(columns_of(line) for line in page.splitlines() if not line.startswith("    kebab ")) <= 80
    assert "\x00" not in page


def test_errors_about_the_command_line_are_korean(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEBAB_LANG", "ko")
    assert run(["search", "x", "--media", "pfd"]) == 2
    assert "혹시 'pdf'인가요?" in capsys.readouterr().err
    assert run(["serch"]) == 2
    assert capsys.readouterr().err.startswith("오류: 'serch': 그런 명령은 없습니다.")


def test_what_programs_read_stays_english(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEBAB_LANG", "ko")
    assert run(["fetch", "doc", "x", "--json"]) == 2
    korean = json.loads(capsys.readouterr().err)
    monkeypatch.setenv("KEBAB_LANG", "en")
    assert run(["fetch", "doc", "x", "--json"]) == 2
    assert json.loads(capsys.readouterr().err) == korean


def test_every_reason_of_a_skipped_file_has_words() -> None:
    assert set(SKIP_REASONS) == set(SkipReason)


@walk(
    "message",
    [
        Message("it is locked with a password"),
        Message("{member} in it is no XML", member="word/document.xml"),
        Message("cannot read {path!r}: {reason}", path="회의록.md", reason="permission denied"),
        Message("it has more than {members:,} members", members=50_000),
        Message("read as plain text: {reason}", reason=Message("the PDF needs a password")),
        Message(
            "read as plain text: {reason}",
            reason=Message("{count} mail is encrypted", plural="{count} mails are encrypted", count=3),
        ),
        Message("{count} mail is encrypted", plural="{count} mails are encrypted", count=1),
        Message("{count} mail is encrypted", plural="{count} mails are encrypted", count=3),
    ],
)
def test_a_message_that_was_stored_as_text_is_put_into_korean_again(message: Message) -> None:
    stored = IngestFailure.model_validate_json(
        IngestFailure(code="document_damaged", message=message).model_dump_json()
    )
    with speak("ko"):
        assert localize(stored.message) == localize(message) != str(message)


def test_texts_that_no_template_fits_stay() -> None:
    stored = IngestFailure.model_validate_json(
        '{"code": "internal", "message": "{odd} text in: nobody\'s template"}'
    )
    with speak("ko"):
        assert localize(stored.message) == "{odd} text in: nobody's template"
