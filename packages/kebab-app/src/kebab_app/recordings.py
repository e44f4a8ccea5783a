"""Recordings on disk: the file of one, and the one beside subtitles."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_documents import FoundAddress

    from kebab_app.knowledge_base import KnowledgeBase

TIMED_MEDIA = frozenset({"audio", "subtitles"})
"""Kinds of documents that are cited by time."""
SOUND_TYPES = {
    ".m4a": "audio/mp4",
    ".m4b": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".ogg": "audio/ogg",
    ".oga": "audio/ogg",
    ".opus": "audio/ogg",
}
"""Media types of recordings, by the end of a name."""
_FILMS = (".mp4", ".mkv", ".webm", ".mov", ".avi")


def find_recording(file: Path) -> Path | None:
    """Return a recording itself, or the recording or film beside subtitles that has their name; None where there is none."""
    if file.suffix.lower() in SOUND_TYPES:
        return file
    beside = (file.with_suffix(end) for end in (*_FILMS, *SOUND_TYPES))
    return next((each for each in beside if each.is_file()), None)


def find_sound(base: KnowledgeBase, found: FoundAddress) -> Path | None:
    """Return the file of the indexed recording that a document is, or that has the name of subtitles beside it; None without one."""
    document = found.document
    stem = document.doc_path.rpartition(".")[0]
    own = document.media == "audio"
    paths = [document.doc_path] if own else [f"{stem}{end}" for end in SOUND_TYPES]
    disk = base.open_disk_files()
    for each in base.index.documents.find_documents([(document.source_id, path) for path in paths]):
        file = disk.find_path(each.source_id, each.doc_path) if each.media == "audio" else None
        if file is not None and file.is_file() and file.suffix.lower() in SOUND_TYPES:
            return file
    return None


def format_clock(milliseconds: int) -> str:
    """Return a time as players show it: `1:02`, `1:00:05`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
