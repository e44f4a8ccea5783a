"""Keys: one table for bindings, hints, help and palette."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kebab_words import Phrases
from textual.binding import Binding, BindingType

import kebab_tui.phrases as say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kebab_core import Message


class Key(NamedTuple):
    """A key and what it does."""

    codes: str
    """As Textual names them, with commas between them."""
    shown: str
    action: str
    label: Message
    short: Message | None = None
    """For the hints at the bottom; None where it is no hint."""


OPEN = Key("enter", "Enter", "open", say.OPEN_FILE, say.OPEN)
PICK = Key("enter", "Enter", "open", say.PICK, say.PICK_SHORT)
ASK = Key("enter", "Enter", "open", say.ASK_ABOUT, say.ASK)
CHOOSE = Key("enter", "Enter", "open", say.CHOOSE, say.CHOOSE_SHORT)
EXPLAIN = Key("enter", "Enter", "open", say.EXPLAIN, say.EXPLAIN_SHORT)
START = Key("enter", "Enter", "open", say.START, say.START_SHORT)
EDIT = Key("ctrl+o", "Ctrl+O", "edit", say.OPEN_FILE, say.OPEN)
COMMON = (
    Key("tab", "Tab", "pane", say.OTHER_PANE, say.OTHER_PANE_SHORT),
    Key("ctrl+y", "Ctrl+Y", "copy", say.COPY_ADDRESS, say.COPY),
    Key("f2,ctrl+j", "F2", "ask", say.ASK_ABOUT, say.ASK),
    Key("f3", "F3", "go('library')", say.LIBRARY, say.LIBRARY_SHORT),
    Key("f4", "F4", "inspect", say.WHY_FOUND),
    Key("f5", "F5", "go('work')", say.WORK),
    Key("ctrl+r", "Ctrl+R", "related", say.RELATED),
    Key("ctrl+down", "Ctrl+↓", "place(1)", say.NEXT_PLACE),
    Key("ctrl+up", "Ctrl+↑", "place(-1)", say.PREVIOUS_PLACE),
    Key("ctrl+d", "Ctrl+D", "read(1)", say.TEXT_DOWN),
    Key("ctrl+u", "Ctrl+U", "read(-1)", say.TEXT_UP),
    Key("down", "↓", "move(1)", say.NEXT),
    Key("up", "↑", "move(-1)", say.PREVIOUS),
    Key("pagedown", "PgDn", "move(5)", say.NEXT_FEW),
    Key("pageup", "PgUp", "move(-5)", say.PREVIOUS_FEW),
    Key("escape", "Esc", "cancel", say.ONE_STEP_BACK),
    Key("ctrl+q,ctrl+c", "Ctrl+Q", "leave", say.QUIT),
    Key("ctrl+p", "Ctrl+P", "palette", say.PALETTE, say.ALL_ACTIONS),
    Key("f1", "F1", "help", Phrases.KEYS, say.HELP),
)
"""Keys of every screen; the last one is the last hint to go."""


def bind(keys: Sequence[Key]) -> list[BindingType]:
    """Return the bindings of keys; they come before those of the box."""
    return [Binding(each.codes, each.action, show=False, priority=True) for each in keys]
