"""Command lines that open a file at a line or a page, by the conventions of editors and the setting `search.viewer`."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from urllib.parse import quote

_PLUS = "+{line}", "{file}"
_COLON = ("{file}:{line}",)
_GOTO = "--goto", "{file}:{line}"
_LINE = "--line", "{line}", "{file}"
_ARGUMENTS: Mapping[tuple[str, ...], Sequence[str]] = {
    (
        "vi",
        "vim",
        "nvim",
        "gvim",
        "mvim",
        "view",
        "nano",
        "pico",
        "emacs",
        "emacsclient",
        "micro",
        "kak",
        "joe",
        "jed",
        "mg",
        "ne",
        "mcedit",
        "gedit",
        "gnome-text-editor",
        "geany",
        "bbedit",
    ): _PLUS,
    ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "positron"): _GOTO,
    ("subl", "sublime_text", "hx", "helix", "zed", "zeditor", "lapce"): _COLON,
    (
        "kate",
        "kwrite",
        "mate",
        "xed",
        "pluma",
        "idea",
        "pycharm",
        "webstorm",
        "goland",
        "clion",
        "rider",
        "rubymine",
        "phpstorm",
        "charm",
        "studio",
    ): _LINE,
}
"""Arguments by the name of the program. An editor that is not here gets the file alone."""
_FOR_TERMINALS = frozenset(
    "vi vim nvim view nano pico emacs micro kak joe jed mg ne mcedit hx helix".split()  # noqa: SIM905 - a list of names
)
_KNOWN = {name: arguments for names, arguments in _ARGUMENTS.items() for name in names}


def find_editor(environ: Mapping[str, str]) -> list[str]:
    """Return the editor of the user with its own arguments, from `VISUAL` or `EDITOR`; none where neither is set."""
    for name in ("VISUAL", "EDITOR"):
        text = environ.get(name, "").strip()
        if text:
            try:
                return shlex.split(text)
            except ValueError:  # an open quotation mark
                return [text]
    return []


def needs_terminal(editor: Sequence[str]) -> bool:
    """Return True for an editor that draws in a terminal."""
    return _name_of(editor) in _FOR_TERMINALS


def _name_of(editor: Sequence[str]) -> str:
    return PurePath(editor[0]).name.removesuffix(".exe").lower()


def build_command(editor: Sequence[str], file: Path, line: int | None) -> list[str]:
    """Return the command line that opens a file in an editor.

    Args:
        editor: The program and its own arguments.
        file: An absolute path.
        line: Counted from 1; None opens the file as the editor does.
    """
    arguments = _KNOWN.get(_name_of(editor), ("{file}",)) if line is not None else ("{file}",)
    # One replacement, so that a name with {line} in it stays as it is.
    values = {
        "{file}": str(file),
        "{line}": str(line),
        "+{line}": f"+{line}",
        "{file}:{line}": f"{file}:{line}",
    }
    return [*editor, *(values.get(each, each) for each in arguments)]


_LINK = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""How links begin; commands begin with the name of a program."""
_FILE_LINK = "file:"


def page_link(viewer: str, file: Path, page: int) -> str:
    """Return a link to a page; one to the file with `#page=`, as browsers take it, where the viewer is a command.

    Args:
        viewer: The setting `search.viewer`.
        file: An absolute path.
        page: Counted from 1.
    """
    template = viewer if _LINK.match(viewer) else "file://{path}#page={page}"
    return template.format(path=quote(bytes(file)), page=page)


def viewer_command(viewer: str, file: Path, page: int) -> list[str] | None:
    """Return the command line that opens a PDF at a page; None where the desktop is to open it, which knows no pages.

    Args:
        viewer: The setting `search.viewer`.
        file: An absolute path.
        page: Counted from 1.
    """
    if not _LINK.match(viewer):
        return [word.format(path=str(file), page=page) for word in shlex.split(viewer)]
    return None if viewer.startswith(_FILE_LINK) else desktop_command(page_link(viewer, file, page))


def player_command(file: Path, start_ms: int, *, find: Callable[[str], str | None]) -> list[str] | None:
    """Return the command line that plays a recording from a time: by mpv, VLC or ffplay; None where none of them is installed.

    Args:
        file: An absolute path.
        start_ms: Milliseconds from the start of the recording.
        find: Returns the path of a program; None where it is not installed.
    """
    seconds = f"{start_ms / 1000:.3f}"
    for player, *options in (
        ("mpv", f"--start={seconds}"),
        ("vlc", f"--start-time={seconds}"),
        ("ffplay", "-autoexit", "-ss", seconds),
    ):
        if found := find(player):
            return [found, *options, str(file)]
    return None


def desktop_command(target: str) -> list[str]:
    """Return the command line that opens a file, a folder or an address as the desktop does."""
    return ["open" if sys.platform == "darwin" else "xdg-open", target]


def reveal_command(file: Path) -> list[str]:
    """Return the command line that shows a file in its folder."""
    if sys.platform == "darwin":
        return ["open", "-R", str(file)]
    return desktop_command(str(file.parent))
