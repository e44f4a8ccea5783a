"""What documents say cannot drive the terminal, and decoration appears only where it is wanted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from kebab_cli.render import Console, safe


@given(st.text())
def test_no_control_character_survives_but_tab_and_line_feed(text: str) -> None:
    shown = safe(text)
    assert not {c for c in shown if (ord(c) < 32 and c not in "\t\n") or 0x7F <= ord(c) <= 0x9F}


def test_ordinary_text_is_left_as_it_is() -> None:
    assert safe("제목\t값\n둘째 줄 — é 🙂") == "제목\t값\n둘째 줄 — é 🙂"


def test_an_escape_sequence_is_defused() -> None:
    assert "\x1b" not in safe("\x1b]8;;http://example.invalid\x1b\\click\x1b[2J")


def test_without_a_terminal_there_is_neither_colour_nor_link() -> None:
    console = Console()
    assert console.style("word", fg="red", bold=True) == "word"
    assert console.link("place", "target") == "place"


def test_on_a_terminal_a_place_can_be_clicked() -> None:
    console = Console(color=True)
    assert console.link("place", "target#L1") == "\x1b]8;;target#L1\x1b\\place\x1b]8;;\x1b\\"


def test_json_wins_over_everything(capsys) -> None:  # type: ignore[no-untyped-def]
    console = Console.detect(json=True, quiet=False)
    console.remark("not shown")
    assert (console.quiet, console.color, console.live) == (True, False, False)
    assert capsys.readouterr() == ("", "")
