"""With a Korean locale, or KEBAB_LANG, everything that the command prints in words is Korean."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import click
import pytest
from kebab_cli.main import cli, run
from kebab_testing.tables import walk

KOREAN = {"KEBAB_LANG": "ko"}
NOTE = "# 배포 절차\n\n배포는 금요일에 하지 않는다. 되돌리기는 3분 걸린다.\n"
_COMMAND = re.compile(
    r"^ +(?:kebab|echo|curl|eval) .*$|\bkebab(?: [a-z-]+)+|\buv pip install\b", re.MULTILINE
)
"""A command to type."""
_QUOTED = re.compile(r"`[^`]*`|'[^'\n]*'|\"[^\"\n]*\"|\[[^\]가-힣]*\]|/\S+")
"""Code, values, choices and paths."""
_SENTENCE = re.compile(r"(?<![\w-])[A-Za-z]{2,}(?: [a-z]{2,}){2,}")


def english(text: str) -> list[str]:
    """Return what looks like a part of an English sentence: three words in a row that are no command."""
    rest = _COMMAND.sub(" · ", text.replace(os.strerror(errno.ENOENT), ""))  # the system's own words
    return _SENTENCE.findall(_QUOTED.sub(" · ", rest))


def pages(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from pages(child, *path, name)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, make_inside: Any) -> Any:
    kb = make_inside(tmp_path_factory.mktemp("korean"))
    kb.kebab.environ.update(KOREAN)
    kb.write("배포.md", NOTE)
    kb.write("색인.md", "# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다.\n")
    kb.write("깨진.md", b"\x00\x01\x02")
    assert kb("ingest").code == 0
    return kb


@walk(
    ("text", "is_english"),
    [
        ("error: the question is empty", True),
        ("no document passes the filters (kebab list docs)", True),
        ("힌트: kebab ingest", False),
        ("힌트: 폴더 '/a b c d': 직접 만드세요", False),
        ("  kebab eval beir sets/tydiqa-ko --answers", False),
        ("벡터: 대목 1개 embedded from before now", True),
    ],
)
def test_english_sentences_are_noticed(text: str, is_english: bool) -> None:
    assert bool(english(text)) is is_english


@pytest.mark.parametrize("path", list(pages(cli)), ids=" ".join)
def test_help_is_korean(
    path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KEBAB_LANG", "ko")
    assert run([*path, "--help"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("사용법: kebab")
    assert english(page) == []


@walk(
    "arguments",
    [
        ("ingest",),
        ("ingest", "--force"),
        ("ingest-file", "notes/배포.md"),
        ("ingest-file", "nowhere.md"),
        ("embed",),
        ("search", "배포"),
        ("search", "배포", "--explain", "--trace"),
        ("search", "금요일 배포", "--mode", "hybrid"),
        ("search", "zzzqqq"),
        ("search", "배포", "--lang", "en", "--tag", "없음"),
        ("search", "배포", "--path-glob", "/nowhere/**"),
        ("search", "배포", "--ingested-after", "어제"),
        ("search", "배포", "--k", "0"),
        ("search", "배포", "--media", "pfd"),
        ("search", ""),
        ("search",),
        ("search", "--nope"),
        ("ask", "되돌리기는 얼마나 걸려?"),
        ("ask", "되돌리기는 얼마나 걸려?", "--explain"),
        ("ask", "화성의 날씨는?"),
        ("ask", "x", "--multi-hop"),
        ("answers", "list"),
        ("answers", "show", "ret_0000"),
        ("answers", "purge"),
        ("answers", "purge", "--all"),
        ("why", "notes/배포.md"),
        ("why", "notes/배포.md", "--query", "금요일"),
        ("why", "notes/배포.md", "--query", "zzzqqq"),
        ("why", "notes/배포.md", "--query", "배포", "--lang", "en"),
        ("why", "notes/깨진.md"),
        ("why", "/nowhere/at/all.md"),
        ("fetch", "doc", "x"),
        ("fetch", "doc", "0" * 32),
        ("fetch", "span", "0" * 32),
        ("list", "docs"),
        ("list", "docs", "--tag", "없음"),
        ("inspect", "doc", "0" * 32),
        ("doctor",),
        ("schema",),
        ("config", "show"),
        ("config", "migrate", "--dry-run"),
        ("config", "add-source", "notes"),
        ("models", "list"),
        ("models", "pull", "nothing"),
        ("mcp", "install"),
        ("mcp", "install", "cursor", "--dry-run"),
        ("mcp", "install", "goose"),
        ("eval", "list"),
        ("eval", "beir", "nowhere"),
        ("export", "backup.zip"),
        ("export", "/nowhere/backup.zip"),
        ("import", "nowhere.zip"),
        ("forget", "notes/없음.md"),
        ("forget", "배포.md"),
        ("reset",),
        ("completion",),
        ("completion", "tcsh"),
        ("nosuch",),
        ("ingest", "/nowhere"),
        ("doctor", "--config", "nowhere.toml"),
        ("ingest", "--readonly"),
        ("reset", "--all", "--data-only"),
    ],
)
def test_commands_print_korean(arguments: tuple[str, ...], base: Any) -> None:
    done = base(*arguments)
    assert english(done.stdout + done.stderr) == []


@pytest.mark.thorough  # `choose_language` is proved for all of them
@pytest.mark.parametrize(
    "environ", [{"LANG": "ko_KR.UTF-8"}, {"LC_ALL": "ko_KR.UTF-8"}, {"LC_ALL": "C", "KEBAB_LANG": "ko"}]
)
def test_the_locale_chooses_the_language_of_a_process(environ: Mapping[str, str], kebab: Any) -> None:
    done = kebab("search", "x", "--k", "0", env={"LANG": "", "LC_ALL": "", "KEBAB_LANG": "", **environ})
    assert done.code == 2
    assert done.stderr.startswith("오류: ")
    assert "\n힌트: kebab search --help" in done.stderr


@pytest.mark.thorough  # likewise
@pytest.mark.parametrize(
    "environ", [{}, {"LANG": "C"}, {"LC_ALL": "POSIX"}, {"LC_ALL": "ko_KR", "KEBAB_LANG": "en"}]
)
def test_other_locales_are_english(environ: Mapping[str, str], kebab: Any) -> None:
    done = kebab("search", "x", "--k", "0", env={"LANG": "", "LC_ALL": "", "KEBAB_LANG": "", **environ})
    assert done.stderr.startswith("error: ")


def test_wire_objects_are_the_same_in_every_language(base: Any) -> None:
    for arguments in (("doctor",), ("why", "배포.md"), ("fetch", "doc", "x"), ("search", "배포")):
        korean = base(*arguments, "--json")
        english_ = base(*arguments, "--json", env={"KEBAB_LANG": "en"})
        assert re.sub(r"\d+", "", korean.stdout + korean.stderr) == re.sub(
            r"\d+", "", english_.stdout + english_.stderr
        )


def test_a_refusal_is_in_the_language_of_the_question_and_the_rest_in_that_of_the_user(base: Any) -> None:
    done = base("ask", "what is the weather on Mars?")
    assert done.code == 1
    assert "Not enough evidence" in done.stdout
    assert "✗ 문서에서 답을 찾지 못함" in done.stdout
    stored = json.loads(base("answers", "list", "--json").stdout)
    assert stored
    base(
        "answers", "purge", "--all", "--yes"
    )  # other tests read the list, which has the question as it was asked
