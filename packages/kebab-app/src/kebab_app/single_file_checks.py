"""Checks of single files and texts before anything is written: where a file lies, what it holds, whether it can be ingested."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, MediaType, Remedy, StorageError, UnsupportedMediaError

from kebab_app.wiring import build_content_filter, build_processor

if TYPE_CHECKING:
    from kebab_ingest import DocumentProcessor

    from kebab_app.knowledge_base import KnowledgeBase


_BYTES_PER_MB = 1024 * 1024
_MAX_VALUE_CHARS = 4000
"""Of a title or address: the front matter that holds them has a limit too."""
_TEXT_MEDIA = frozenset({"markdown", "text"})


def require_documents(base: KnowledgeBase, paths: Sequence[Path], *, read: Callable[[Path], bytes]) -> None:
    """Require files that a run would ingest, by what they are and not by where.

    Args:
        base: The knowledge base.
        paths: The files.
        read: Reads the bytes of one.

    Raises:
        InvalidInputError: There is no such file, or it is a folder or too large.
        UnsupportedMediaError: No parser takes it.
        StorageError: It cannot be read.
    """
    processor = build_processor(base.loaded.settings.ingest, analyzer=base.analyzer)
    for path in paths:
        require_size(base, _size_of(path), what=repr(str(path)))
        _require_content(base, path, read(path), _require_media(path, processor))


def _require_media(path: Path, processor: DocumentProcessor) -> MediaType:
    from kebab_source_fs import media_type_of

    media = media_type_of(path.name)
    if not processor.supports(media):
        raise UnsupportedMediaError(
            f"no parser takes {path.name!r} ({media.kind})",
            remedy=Remedy(kind="show_media"),
            media=media.kind,
            path=str(path),
        )
    return media


def _require_content(base: KnowledgeBase, path: Path, content: bytes, media: MediaType) -> None:
    from kebab_parse_md import decode_text

    if media.kind in _TEXT_MEDIA:
        decode_text(content)
    reason = build_content_filter(base.loaded.settings.ingest.code).skip_reason(media, content)
    if reason is not None:
        raise UnsupportedMediaError(
            f"{path.name!r} would be skipped: {reason.value}",
            remedy=Remedy(kind="check_content", path=str(path)),
            media=media.kind,
            path=str(path),
        )


def _size_of(path: Path) -> int:
    try:
        status = path.stat()
    except (OSError, ValueError) as error:  # the second for a null character
        said = error.strerror if isinstance(error, OSError) else error
        raise InvalidInputError(
            f"cannot read {str(path)!r}: {said}",
            remedy=Remedy(kind="check_path", path=str(path)),
            path=str(path),
        ) from error
    if stat.S_ISDIR(status.st_mode):
        raise InvalidInputError(
            f"{str(path)!r} is a folder",
            remedy=Remedy(kind="add_source", path=str(path)),
            path=str(path),
        )
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInputError(
            f"{str(path)!r} is no regular file", remedy=Remedy(kind="ingest_text"), path=str(path)
        )
    return status.st_size


def require_size(base: KnowledgeBase, size: int, *, what: str) -> None:
    """Require a size, in bytes, that a run would not skip.

    Raises:
        InvalidInputError: It is more than `ingest.max_file_mb`.
    """
    limit_mb = base.loaded.settings.ingest.max_file_mb
    if size > limit_mb * _BYTES_PER_MB:
        raise InvalidInputError(
            f"{what} has more than {limit_mb} MB",
            remedy=Remedy(kind="raise_setting", setting="ingest.max_file_mb"),
            bytes=size,
        )


def require_line(value: str, *, name: str) -> str:
    """Put a value on one line, with single blanks between its words.

    Raises:
        InvalidInputError: It is empty or too long.
    """
    line = " ".join(value.split())
    if not line or len(line) > _MAX_VALUE_CHARS:
        raise InvalidInputError(
            f"`{name}` must have between 1 and {_MAX_VALUE_CHARS} characters",
            remedy=Remedy(kind="ingest_text"),
        )
    return line


def decode_input(content: bytes | str) -> tuple[str, str | None]:
    """Decode a text from another program.

    Returns:
        The text, and a warning about its encoding or None.

    Raises:
        InvalidInputError: There is no text in it below its front matter.
        UnsupportedMediaError: It is binary.
    """
    from kebab_parse_md import decode_text, has_body

    raw = content.encode(errors="replace") if isinstance(content, str) else content
    try:
        decoded = decode_text(raw)
    except UnsupportedMediaError as error:
        raise UnsupportedMediaError(
            "what was given is binary, not text", remedy=Remedy(kind="ingest_file")
        ) from error
    if not has_body(decoded.text):
        raise InvalidInputError("there is no text to ingest", remedy=Remedy(kind="ingest_text"))
    return decoded.text, decoded.warning


_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


def require_inside(path: Path, folders: Sequence[Path]) -> Path:
    """Resolve all links in the path of a file, and require that it lies in one of some folders.

    Args:
        path: Its absolute path; nothing needs to be there.
        folders: Where it may lie; links in their paths are resolved too.

    Raises:
        InvalidInputError: It lies in none of them, whether it exists or not.
    """
    try:
        place = Path(os.path.realpath(path))
    except ValueError as error:  # a null character
        raise InvalidInputError(
            f"cannot read {str(path)!r}: {error}", remedy=Remedy(kind="check_path", path=str(path))
        ) from error
    if not any(place.is_relative_to(os.path.realpath(folder)) for folder in folders):
        raise InvalidInputError(
            f"{str(path)!r} lies, links resolved, outside the folders that agents may ingest from: the sources and "
            "`mcp.ingest_roots`",
            remedy=Remedy(kind="add_to_setting", setting="mcp.ingest_roots", path=str(place.parent)),
            argument="path",
            setting="mcp.ingest_roots",
        )
    return place


def read_file(path: Path) -> bytes:
    """Read a file.

    Raises:
        StorageError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(
            f"cannot read {str(path)!r}: {error.strerror}",
            remedy=Remedy(kind="check_permissions", path=str(path)),
            path=str(path),
        ) from error


def read_resolved_file(path: Path) -> bytes:
    """Read the file at a resolved path; a link that has come there meanwhile is not followed.

    Raises:
        StorageError: It cannot be read, or a link or no regular file is there.
    """
    try:
        with ExitStack() as opened:
            folder = None
            for name in path.parts[:-1]:
                folder = os.open(name, _FOLDER, dir_fd=folder)
                opened.callback(os.close, folder)
            with os.fdopen(os.open(path.name, _FILE, dir_fd=folder), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise StorageError(
                        f"{str(path)!r} is no regular file",
                        remedy=Remedy(kind="check_permissions", path=str(path)),
                        path=str(path),
                    )
                return file.read()
    except OSError as error:
        raise StorageError(
            f"cannot read {str(path)!r}: {error.strerror}",
            remedy=Remedy(kind="check_permissions", path=str(path)),
            path=str(path),
        ) from error
