"""What documents say cannot drive the terminal, and decoration appears only where it is wanted."""

from __future__ import annotations

from hypothesis import given, strategies as st
from kebab_cli.render import Console, one_line, safe, safe_name

REORDERING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\u206f"


@given(st.text())
def test_no_control_character_survives_but_tab_and_line_feed(text: str) -> None:
    shown = safe(text)
    assert not {c for c in shown if (ord(c) < 32 and c not in "\t\n") or 0x7F <= ord(c) <= 0x9F}


def test_ordinary_text_is_left_as_it_is() -> None:
    assert safe("제목\t값\n둘째 줄 — é 🙂") == "제목\t값\n둘째 줄 — é 🙂"


def test_what_reorders_a_line_is_shown_as_one_replacement_character_each() -> None:
    for show in (safe, safe_name, one_line):
        assert show(f"a{REORDERING}b") == f"a{'�' * len(REORDERING)}b"


def test_joiners_and_marks_that_letters_and_emoji_are_made_of_stay() -> None:
    text = "\U0001f468\u200d\U0001f469 1\ufe0f\u20e3 می\u200cخواهم e\u0301"
    assert safe(text) == text


def test_a_name_that_separates_lines_stays_on_its_own() -> None:
    assert safe_name("a\u2028b\u2029c") == "a�b�c"
    assert one_line("a\u2028b\u2029c") == "a b c"


def test_an_escape_sequence_is_defused() -> None:
    assert "\x1b" not in safe("\x1b]8;;http://example.invalid\x1b\\click\x1b[2J")


def test_without_a_terminal_there_is_neither_colour_nor_link() -> None:
    console = Console()
    assert console.style("word", fg="red", bold=True) == "word"
    assert console.link("place", "target") == "place"


def test_on_a_terminal_a_place_can_be_clicked() -> None:
    console = Console(terminal=True)
    assert console.link("place", "target#L1") == "\x1b]8;;target#L1\x1b\\place\x1b]8;;\x1b\\"


def test_json_wins_over_everything(capsys) -> None:  # type: ignore[no-untyped-def]
    console = Console.detect(json=True, quiet=False)
    console.remark("not shown")
    assert (console.quiet, console.color, console.live) == (True, False, False)
    assert capsys.readouterr() == ("", "")
