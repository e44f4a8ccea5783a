"""The walk over one source: every file below the root once, by name and stat only.

Names of a folder are printable, unique after NFC, and sorted.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import repeat
from operator import itemgetter

from kebab_core import (
    Message,
    Remedy,
    ScanItem,
    SkippedPath,
    SkipReason,
    SourceScope,
    StorageError,
    UnreadableFolder,
    is_utf8,
)

from kebab_source_fs.entry_filter import Child, EntryFilter
from kebab_source_fs.folder import Folder, find_mark
from kebab_source_fs.rules import ScanRules

ListedName = tuple[str, str, SkipReason | None]
"""One name of a folder: as the file system spells it, undecodable bytes as surrogates; as it is shown; why it cannot be used.

It is shown in NFC, escaped where that is not possible, marked with `~` where another name is the same: unique in its
folder. It cannot be used if it is not UTF-8, or if another name of the folder is the same after NFC and comes first.
"""


class Walk:
    """One walk; its state is the way from the root to where it is.

    Args:
        scope: What to walk.
        rules: What to leave out.
    """

    def __init__(self, scope: SourceScope, rules: ScanRules) -> None:
        self._scope = scope
        self._rules = rules
        self._under = scope.under.split("/") if scope.under else []
        self.last: Child | None = None
        """The child that was classified last."""

    def items(self) -> Iterator[ScanItem]:
        """The items of `SourceConnector.scan`.

        Yields:
            Items in order of path, compared component by component.

        Raises:
            StorageError: The root cannot be listed, or `under` does not exist.
        """
        root, children = self._open_root()
        entries = EntryFilter(self._scope, rules=self._rules, root=root)
        classify, stack = entries.classify, [children]
        while stack:
            for child in stack[-1]:
                self.last = child
                found = classify(child)
                if isinstance(found, str):
                    opened = self._open(child, real_path=found)
                    if isinstance(opened, Iterator):
                        stack.append(opened)
                        break
                    found = opened
                if self._under:
                    self._refuse_detour(child, found)
                yield found
            else:
                stack.pop()

    def _open_root(self) -> tuple[Folder, Iterator[Child]]:
        path = self._scope.root
        try:
            real_path = os.path.realpath(path, strict=True)
            root = self._rules.enter_root(path.rstrip("/"), real_path=real_path.rstrip("/"))
            return root, self._children(root)
        except OSError as error:
            message = Message(
                "cannot read source folder {path!r}: {error}", path=path, error=_describe(error)
            )
            raise StorageError(
                message,
                remedy=Remedy(
                    advice=Message(
                        "check that the drive is mounted and that the configuration names the right folder"
                    )
                ),
                path=path,
            ) from error

    def _open(self, child: Child, *, real_path: str) -> Iterator[Child] | ScanItem:
        """The children of a folder, or the item that stands for the folder as a whole."""
        try:
            if find_mark(child.disk_path, child.shown) is not None:
                return child.skipped(SkipReason.BUILTIN_BLACKLIST, is_folder=True)
            folder = self._rules.enter(
                child.folder,
                name=child.shown,
                on_disk=child.on_disk,
                real_path=real_path,
            )
            return self._children(folder)
        except OSError as error:
            return UnreadableFolder(
                workspace_path=child.path, message=_describe_folder(child.disk_path, error)
            )

    def _children(self, folder: Folder) -> Iterator[Child]:
        """The children of a folder in order, narrowed to the way to `under`.

        Raises:
            OSError: The folder cannot be listed.
            StorageError: The way to `under` ends here.
        """
        entries = list_folder(f"{folder.disk_path}/")
        children = (
            Child(folder, on_disk, shown, refusal, entries[on_disk])
            for on_disk, shown, refusal in order_names(entries)
        )
        depth = folder.prefix.count("/")
        if depth >= len(self._under):
            return children
        step = self._under[depth]
        on_the_way = [child for child in children if child.refusal is None and child.shown == step]
        if not on_the_way:
            raise self._no_such_place()
        return iter(on_the_way)

    def _refuse_detour(self, child: Child, item: ScanItem) -> None:
        """Raise if the way to `under` leads through something that is no folder."""
        stands_for_folder = isinstance(item, UnreadableFolder) or (
            isinstance(item, SkippedPath) and item.is_folder
        )
        if child.folder.prefix.count("/") + 1 < len(self._under) and not stands_for_folder:
            raise self._no_such_place()

    def _no_such_place(self) -> StorageError:
        return StorageError(
            "there is no {path!r} in {root!r}",
            remedy=Remedy(advice=Message("paths inside a source are relative to its root")),
            path=self._scope.under,
            _root=self._scope.root,
        )


def _describe_folder(disk_path: str, error: OSError) -> Message:
    """The reason why a folder could not be entered; what failed first inside it may be a mark that is not even there."""
    if os.access(disk_path, os.R_OK | os.X_OK):
        return _describe(error)
    return Message("{reason}: {path}", reason=error.strerror, path=disk_path)


def _describe(error: OSError) -> Message:
    if not error.filename:
        return Message("{reason}", reason=str(error))
    return Message("{reason}: {path}", reason=error.strerror, path=error.filename)


def list_folder(path: str) -> dict[str, os.DirEntry[str]]:
    """Entries of a folder by name.

    Raises:
        OSError: The folder cannot be listed.
    """
    with os.scandir(path) as entries:
        return {entry.name: entry for entry in entries}


def order_names(names: Iterable[str]) -> Iterable[ListedName]:
    """Names of one folder, sorted by how they are shown; to be taken once.

    Of several names that are equal after NFC, the first by code points as spelled on disk is usable; the others
    are shown as it is, with a mark. Names that are not UTF-8 are shown with backslash escapes.
    """
    ordered = sorted(names)
    if all(name.isascii() or (unicodedata.is_normalized("NFC", name) and is_utf8(name)) for name in ordered):
        return zip(ordered, ordered, repeat(None))  # a list would make the garbage collector look for cycles
    usable: dict[str, str] = {}
    others: list[str] = []
    for name in ordered:
        shown = unicodedata.normalize("NFC", name)
        if is_utf8(name) and shown not in usable:
            usable[shown] = name
        else:
            others.append(name)
    listed: list[ListedName] = [(name, shown, None) for shown, name in usable.items()]
    listed.extend(_marked(others, taken=set(usable)))
    return sorted(listed, key=itemgetter(1))


def _marked(names: Iterable[str], *, taken: set[str]) -> Iterator[ListedName]:
    for name in names:
        if is_utf8(name):
            shown, refusal = f"{unicodedata.normalize('NFC', name)}~", SkipReason.SPELLED_TWICE
        else:
            escaped = os.fsencode(name).decode("utf-8", "backslashreplace")
            shown, refusal = unicodedata.normalize("NFC", escaped), SkipReason.UNUSABLE_NAME
        while shown in taken:
            shown += "~"
        taken.add(shown)
        yield name, shown, refusal
