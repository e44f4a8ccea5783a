"""Whether kebab can take what it is given: looked at before anything is written."""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kebab_core import InvalidInputError, MediaType, UnsupportedMediaError

from kebab_app.wiring import build_processor

if TYPE_CHECKING:
    from kebab_app.ingest.processor import DocumentProcessor
    from kebab_app.knowledge_base import KnowledgeBase

_BYTES_PER_MB = 1024 * 1024
_MAX_VALUE_CHARS = 4000
"""Of a title or address: the front matter that holds them has a limit too."""
_TEXT_MEDIA = frozenset({"markdown", "text"})


def require_documents(base: KnowledgeBase, paths: Sequence[Path], *, read: Callable[[Path], bytes]) -> None:
    """Do nothing for files that a run would ingest, going by what they are and not by where.

    Args:
        base: The knowledge base.
        paths: The files.
        read: Returns what is in one.

    Raises:
        InvalidInputError: There is no such file, or it is a folder or too large.
        UnsupportedMediaError: No parser takes it.
        StorageError: It cannot be read.
    """
    processor = build_processor(base.loaded.settings.ingest.chunking, analyzer=base.analyzer)
    for path in paths:
        require_size(base, _size_of(path), what=repr(str(path)))
        _require_content(base, path, read(path), _require_media(path, processor))


def _require_media(path: Path, processor: DocumentProcessor) -> MediaType:
    from kebab_source_fs import media_type_of

    media = media_type_of(path.name)
    if not processor.supports(media):
        raise UnsupportedMediaError(
            f"no parser takes {path.name!r} ({media.kind})",
            hint="kebab schema lists what can be read",
            media=media.kind,
            path=str(path),
        )
    return media


def _require_content(base: KnowledgeBase, path: Path, content: bytes, media: MediaType) -> None:
    from kebab_parse_md import decode_text
    from kebab_source_fs import sniff_skip

    if media.kind in _TEXT_MEDIA:
        decode_text(content)
    reason = sniff_skip(media, content, base.loaded.settings.ingest.code)
    if reason is not None:
        raise UnsupportedMediaError(
            f"{path.name!r} would be skipped: {reason.value}",
            hint="check what is in the file",
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
            hint="check its name and permissions",
            path=str(path),
        ) from error
    if stat.S_ISDIR(status.st_mode):
        raise InvalidInputError(
            f"{str(path)!r} is a folder",
            hint="kebab config add-source makes a folder a source",
            path=str(path),
        )
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInputError(
            f"{str(path)!r} is no regular file", hint="pipe it into kebab ingest-stdin", path=str(path)
        )
    return status.st_size


def require_size(base: KnowledgeBase, size: int, *, what: str) -> None:
    """Do nothing for a size, in bytes, that a run would not skip.

    Raises:
        InvalidInputError: It is more than `ingest.max_file_mb`.
    """
    limit_mb = base.loaded.settings.ingest.max_file_mb
    if size > limit_mb * _BYTES_PER_MB:
        raise InvalidInputError(
            f"{what} has more than {limit_mb} MB", hint="raise ingest.max_file_mb", bytes=size
        )


def require_line(value: str, *, name: str) -> str:
    """Return a value on one line, single blanks between its words.

    Raises:
        InvalidInputError: It is empty or too long.
    """
    line = " ".join(value.split())
    if not line or len(line) > _MAX_VALUE_CHARS:
        raise InvalidInputError(
            f"`{name}` must have between 1 and {_MAX_VALUE_CHARS} characters",
            hint="kebab ingest-stdin --help",
        )
    return line


def decode_given(content: bytes | str) -> tuple[str, str | None]:
    """Return a given text and what its sender should know about the reading, if anything.

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
            "what was given is binary, not text", hint="kebab ingest-file takes files of other kinds"
        ) from error
    if not has_body(decoded.text):
        raise InvalidInputError("there is no text to ingest", hint="kebab ingest-stdin --title TITLE < FILE")
    return decoded.text, decoded.warning
