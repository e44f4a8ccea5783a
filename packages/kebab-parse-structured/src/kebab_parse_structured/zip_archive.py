"""The extractor `zip-v2` of archives: a list of what is in one, and its files as documents of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from kebab_core import (
    AttachedFile,
    DocumentDamagedError,
    DocumentEncryptedError,
    DocumentError,
    InvalidInputError,
    LinkInline,
    Message,
    ParserVersion,
    WorkspacePath,
    media_type_of,
)
from kebab_parse import IsolatedExtractor, Item, TextWriter, open_archive

from kebab_parse_structured.structured_extractor import AGENT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kebab_core import CanonicalDocument, ExtractContext
    from kebab_parse import ArchiveMembers

ZIP_VERSION = ParserVersion("zip-v2")
_BYTES_PER_MB = 1024 * 1024
_MOST_NAMED = 5
MAX_FILES, MAX_FILE_BYTES = 300, 50 * _BYTES_PER_MB
"""Files of an archive that become documents, and their bytes in all: it has the time and memory of one file."""
MAX_NAMES = 2000
"""Files of an archive that are listed."""
_NEVER_CONTENT = frozenset({"__MACOSX", "node_modules", "__pycache__", "Thumbs.db"})


class ZipExtractor(IsolatedExtractor):
    """Extractor of archives (`.zip`). Implements `AttachmentExtractor`."""

    kind = "archive"
    version = ZIP_VERSION
    agent = AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """List the files of an archive. Spans are `LineSpan`s of the list.

        Raises:
            DocumentDamagedError: It is no archive.
            DocumentTooLargeError: It has too many members.
        """
        return self.extract_attached(context, content, reads=lambda _name: False)[0]

    def extract_attached(
        self, context: ExtractContext, content: bytes, *, reads: Callable[[str], bool]
    ) -> tuple[CanonicalDocument, tuple[AttachedFile, ...]]:
        """List the files of an archive as `extract` does, and take out those that become documents.

        Hidden files and folders, and what systems and tools put beside files, are left out. Files of an archive in it have the path of
        that before theirs; archives in such an archive are listed only.

        Returns:
            The document, and at most `MAX_FILES` files of `MAX_FILE_BYTES` in all, those in few folders first.

        Raises:
            DocumentDamagedError: It is no archive.
            DocumentTooLargeError: It has too many members, or unpacks to too much.
        """
        members = open_archive(content)
        warnings = list(members.warnings)
        places = _list_places(members, warnings)
        files = _take_files(places, warnings, reads)
        taken = {file.name for file in files}
        holder = context.asset.workspace_path.name
        writer = TextWriter(self._identify(context))
        paths = sorted(places)
        if len(paths) > MAX_NAMES:
            warnings.append(
                Message("only the first {names:,} files of the archive are listed", names=MAX_NAMES)
            )
        writer.items([_item_of(path, holder, is_taken=path in taken) for path in paths[:MAX_NAMES]])
        return self._build(context, writer.blocks, writer.finish(), values={}, warnings=warnings), tuple(
            files
        )


def _path_of(name: str) -> str | None:
    """Return the path of a member; None for one that is no content, or whose path leads out of the archive."""
    try:
        path = WorkspacePath(name.replace("\\", "/"))
    except InvalidInputError:
        return None
    parts = path.split("/")
    return None if any(part.startswith(".") or part in _NEVER_CONTENT for part in parts) else str(path)


class _Place(NamedTuple):
    members: ArchiveMembers
    name: str


def _list_places(members: ArchiveMembers, warnings: list[Message]) -> dict[str, _Place]:
    """Return where each file is, by its path, those of archives among the members included."""
    places: dict[str, _Place] = {}
    left = MAX_FILE_BYTES
    for name in members:
        path = _path_of(name)
        if path is None or path in places:
            continue
        inner = _open_inner(members, name, left) if media_type_of(path).kind == "archive" else None
        if inner is None:
            places[path] = _Place(members, name)
            continue
        left -= inner.byte_len
        warnings += inner.warnings
        inside = ((each, _path_of(each)) for each in inner)
        places |= {f"{path}/{within}": _Place(inner, each) for each, within in inside if within}
    return places


def _open_inner(members: ArchiveMembers, name: str, most: int) -> ArchiveMembers | None:
    """Open an archive among the members; None for one that cannot be read, or has more bytes than are left for such archives."""
    try:
        content, _ = members.salvage(name)
        return open_archive(content) if len(content) <= most else None
    except DocumentError:
        return None


def _take_files(
    places: Mapping[str, _Place], warnings: list[Message], reads: Callable[[str], bool]
) -> list[AttachedFile]:
    files: dict[str, bytes] = {}
    size = over = encrypted = 0
    damaged: list[str] = []
    for path, (members, name) in sorted(places.items(), key=lambda pair: (pair[0].count("/"), pair[0])):
        if not reads(path.rpartition("/")[2]):
            continue
        if len(files) >= MAX_FILES or size >= MAX_FILE_BYTES:
            over += 1
            continue
        try:
            content, is_whole = members.salvage(name)
        except DocumentEncryptedError:
            encrypted += 1
            continue
        except DocumentDamagedError:
            damaged.append(path)
            continue
        if not is_whole:
            damaged.append(path)
        if size + len(content) > MAX_FILE_BYTES:
            over += 1
            continue
        files[path], size = content, size + len(content)
    warnings += _describe(over=over, encrypted=encrypted, damaged=damaged)
    return [AttachedFile(path, content) for path, content in files.items() if content]


def _describe(*, over: int, encrypted: int, damaged: Sequence[str]) -> list[Message]:
    found: list[Message] = []
    if over:
        found.append(
            Message(
                "{count} file of the archive was not read: only {files} files of {megabytes} MB in all are",
                plural="{count} files of the archive were not read: only {files} files of {megabytes} MB in all are",
                count=over,
                files=MAX_FILES,
                megabytes=MAX_FILE_BYTES // _BYTES_PER_MB,
            )
        )
    if encrypted:
        found.append(
            Message(
                "{count} file of the archive needs a password",
                plural="{count} files of the archive need a password",
                count=encrypted,
            )
        )
    if damaged:
        found.append(
            Message(
                "{count} file of the archive is damaged: {names}",
                plural="{count} files of the archive are damaged: {names}",
                count=len(damaged),
                names=", ".join(damaged[:_MOST_NAMED]) + (", …" if len(damaged) > _MOST_NAMED else ""),
            )
        )
    return found


def _item_of(path: str, holder: str, *, is_taken: bool) -> Item:
    return Item(path, inlines=(LinkInline(text=path, href=quote(f"{holder}/{path}")),) if is_taken else ())
