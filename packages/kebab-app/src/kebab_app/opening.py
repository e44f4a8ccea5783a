"""The program of the user that opens the file of an address at its place."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from kebab_core import Message, Remedy, StorageError, TimeCitation
from kebab_runtime import (
    build_command,
    desktop_command,
    find_editor,
    needs_terminal,
    player_command,
    viewer_command,
)

from kebab_app.attached_files import find_holder, read_attached
from kebab_app.recordings import TIMED_MEDIA, find_recording, format_clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import AttachedFile
    from kebab_documents import FoundAddress

    from kebab_app.knowledge_base import KnowledgeBase

_DEFAULT_TEMPLATE = "file://"
"""Links of this kind open the file as the desktop does, at no line."""
_STEM_CHARS = 60


class OpenCommand(NamedTuple):
    """A command line, and what the reader should know of it."""

    words: list[str]
    remark: Message | None = None


def require_file(base: KnowledgeBase, found: FoundAddress) -> Path:
    """Return the path of a document's file, or of the file that holds it.

    Raises:
        StorageError: It is not there.
    """
    file = find_file(base, found)
    if file is None:
        raise StorageError(
            "the file of {address!r} no longer exists",
            remedy=Remedy(kind="fetch_address", document=found.address, otherwise=Remedy(kind="ingest")),
            address=found.address,
        )
    return file


def find_file(base: KnowledgeBase, found: FoundAddress) -> Path | None:
    """Return the path of a document's file, or of the file that holds it; None where it no longer exists."""
    document = found.document
    file = base.open_disk_files().find_path(document.source_id, document.doc_path)
    if file is None or (not file.is_symlink() and not file.exists()):
        file = find_holder(base, document.source_id, document.doc_path)
    return file if file is not None and file.exists() else None


def find_open_command(
    base: KnowledgeBase,
    found: FoundAddress,
    *,
    environ: Mapping[str, str],
    has_terminal: bool = True,
    takes_out: bool = True,
) -> OpenCommand:
    """Find the command line that opens a file at its place: an editor for text, a viewer for a PDF, else what the desktop has.

    Args:
        base: The knowledge base.
        found: The document and the place.
        environ: Names the editor, in `VISUAL` or `EDITOR`.
        has_terminal: Whether an editor that needs a terminal can be used.
        takes_out: Whether an attached file is written to a new folder of temporary files to be opened.

    Raises:
        StorageError: The file is not there.
    """
    file = require_file(base, found)
    settings, page, line = base.loaded.settings.search, found.page or 1, found.first_line
    attached = read_attached(base, found.document.doc_id) if takes_out else None
    if attached is not None:
        file = _take_out(attached)
    if found.document.media == "pdf":
        viewer = viewer_command(settings.viewer, file, page)
        remark = None
        if viewer is None and page > 1:
            remark = Message(
                "the cited text is on page {page}; set search.viewer to open it at the page", page=page
            )
        return OpenCommand(viewer or desktop_command(str(file)), remark)
    if found.document.media in TIMED_MEDIA:
        return _play(file, found)
    if not found.document.has_file_lines:
        return OpenCommand(desktop_command(str(file)))
    editor = find_editor(environ)
    if editor and (has_terminal or not needs_terminal(editor)):
        return OpenCommand(build_command(editor, file, line))
    if not settings.link_template.startswith(_DEFAULT_TEMPLATE):
        return OpenCommand(
            desktop_command(settings.link_template.format(path=quote(bytes(file)), line=line or 1))
        )
    remark = None
    if line is not None:
        remark = Message(
            "the cited text is on line {line}; an editor set in VISUAL or EDITOR opens the file there",
            line=line,
        )
    return OpenCommand(desktop_command(str(file)), remark)


def _play(file: Path, found: FoundAddress) -> OpenCommand:
    """Return what plays a recording at its place, or the recording beside subtitles; subtitles alone are shown as a file."""
    recording = find_recording(file)
    cited = found.citation
    start_ms = cited.start_ms if isinstance(cited, TimeCitation) else 0
    command = player_command(recording, start_ms, find=shutil.which) if recording else None
    remark = None
    if command is None and start_ms:
        remark = Message(
            "the cited words are at {time}; mpv, VLC or ffplay opens recordings there",
            time=format_clock(start_ms),
        )
    return OpenCommand(command or desktop_command(str(recording or file)), remark)


def _take_out(attached: AttachedFile) -> Path:
    """Write an attached file to a new folder below that for temporary files, which only the user can read."""
    stem, suffix = Path(attached.name).stem, Path(attached.name).suffix
    file = Path(mkdtemp(prefix="kebab-")) / f"{stem[:_STEM_CHARS]}{suffix}"
    file.write_bytes(attached.content)
    return file
