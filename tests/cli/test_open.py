"""`kebab open`: the file of an address in the editor of the user."""

from __future__ import annotations

import sys
from email.message import EmailMessage
from pathlib import Path

import pytest
from kebab_testing.pdf_files import Line, PageSpec, write_pdf

PLACE = "english/deployment.md#L5-L7"


@pytest.fixture
def editors(tmp_path: Path) -> Path:
    """A folder of programs that print their arguments, one a line."""
    folder = tmp_path / "bin dir"
    folder.mkdir()
    for name in ("vim", "nano", "code", "hx", "kate", "unknown-editor", "xdg-open", "open"):
        program = folder / name
        program.write_text('#!/bin/sh\nprintf "%s\\n" "${0##*/}" "$@"\n', encoding="utf-8")
        program.chmod(0o755)
    return folder


@pytest.mark.parametrize(
    ("editor", "expected"),
    [
        ("vim", ["vim", "+5", "{file}"]),
        ("nano", ["nano", "+5", "{file}"]),
        ("code --wait", ["code", "--wait", "--goto", "{file}:5"]),
        ("hx", ["hx", "{file}:5"]),
        ("kate", ["kate", "--line", "5", "{file}"]),
        ("unknown-editor -x", ["unknown-editor", "-x", "{file}"]),
    ],
)
def test_an_editor_opens_the_line_as_it_is_told_to(
    editor: str, expected: list[str], indexed, editors
) -> None:  # type: ignore[no-untyped-def]
    program, *arguments = editor.split()
    visual = " ".join([f"'{editors / program}'", *arguments])
    done = indexed("open", PLACE, env={"VISUAL": visual, "EDITOR": "false"})
    file = str(indexed.notes / "english" / "deployment.md")
    assert (done.code, done.stdout.splitlines()) == (0, [each.format(file=file) for each in expected])
    whole = indexed("open", PLACE.partition("#")[0], env={"EDITOR": visual})
    assert "5" not in "".join(whole.stdout.split(file))


def test_without_an_editor_the_desktop_opens_it_or_what_the_link_template_says(indexed, editors) -> None:  # type: ignore[no-untyped-def]
    opener = "open" if sys.platform == "darwin" else "xdg-open"
    env = {"PATH": f"{editors}:/usr/bin:/bin"}
    file = str(indexed.notes / "english" / "deployment.md")
    done = indexed("open", PLACE, env=env)
    assert done.stdout.splitlines() == [opener, file]
    assert "line 5; an editor set in VISUAL or EDITOR" in done.stderr
    assert "export EDITOR=nano" in indexed("open", PLACE, env={"PATH": "/nowhere"}).stderr
    template = {**env, "KEBAB_SEARCH_LINK_TEMPLATE": "vscode://file{path}:{line}"}
    assert indexed("open", PLACE, env=template).stdout.splitlines() == [opener, f"vscode://file{file}:5"]
    if sys.platform != "darwin":
        shown = indexed("open", PLACE, "--reveal", env={**env, "EDITOR": "vim"}).stdout.splitlines()
        assert shown == [opener, str(indexed.notes / "english")]


def test_programs_are_told_the_path_and_nothing_is_opened(quick) -> None:  # type: ignore[no-untyped-def]
    report = quick("open", PLACE, "--json", env={"EDITOR": "nvim"}).last
    file = str(quick.notes / "english" / "deployment.md")
    assert report == {
        "schema_version": "open_report.v1",
        "address": PLACE,
        "file": file,
        "line": 5,
        "command": ["nvim", "+5", file],
    }


def test_a_changed_file_is_opened_with_a_note_and_a_missing_one_is_an_error(quick) -> None:  # type: ignore[no-untyped-def]
    note = quick.write("english/deployment.md", "# Other\n")
    done = quick("open", PLACE, env={"EDITOR": "true"})
    assert (done.code, done.stderr) == (
        0,
        "note: the file has changed since it was indexed; lines may have moved (kebab ingest)\n",
    )
    note.unlink()
    gone = quick("open", PLACE, env={"EDITOR": "true"})
    assert gone.code == 2
    assert gone.stderr.splitlines()[0] == f"error: the file of {PLACE!r} no longer exists"


def test_an_editor_that_fails_or_is_not_there_is_an_error(quick) -> None:  # type: ignore[no-untyped-def]
    assert "'false' ended with code 1" in quick("open", PLACE, env={"EDITOR": "false"}).stderr
    missing = quick("open", PLACE, env={"EDITOR": "no-such-editor"})
    assert (missing.code, "cannot run 'no-such-editor'" in missing.stderr) == (2, True)


def test_an_attached_file_is_opened_as_a_copy_at_its_page(indexed, editors) -> None:  # type: ignore[no-untyped-def]
    paper = write_pdf(
        PageSpec([Line(60, 100, "Nothing.")]), PageSpec([Line(60, 100, "The zebra eats grass.")])
    )
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "kim@example.kr", "Paper"
    mail.set_content("See the paper.")
    mail.add_attachment(paper, maintype="application", subtype="pdf", filename="zebra.pdf")
    indexed.write("a.eml", mail.as_bytes())
    assert indexed("ingest").code == 0
    address = indexed("search", "zebra grass", "--json").last["hits"][0]["address"]

    told = indexed("open", address, "--json").last
    assert (told["attached"], told["page"], told["file"]) == ("zebra.pdf", 2, str(indexed.notes / "a.eml"))
    viewer = f"'{editors / 'vim'}' {{page}} {{path}}"
    _, page, file = indexed("open", address, env={"KEBAB_SEARCH_VIEWER": viewer}).stdout.splitlines()
    copy = Path(file)
    assert (page, copy.name, copy.read_bytes()) == ("2", "zebra.pdf", paper)
    assert copy.parent.stat().st_mode & 0o077 == 0
