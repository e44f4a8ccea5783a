"""Names of one folder: printable, unique after NFC, sorted."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import repeat
from operator import itemgetter

from kebab_core import SkipReason

ListedName = tuple[str, str, SkipReason | None]
"""One name of a folder: as the file system spells it, undecodable bytes as surrogates; as it is shown; why it cannot be used.

It is shown in NFC, escaped where that is not possible, marked with `~` where another name is the same: unique in its
folder. It cannot be used if it is not UTF-8, or if another name of the folder is the same after NFC and comes first.
"""


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
    if all(name.isascii() or (unicodedata.is_normalized("NFC", name) and _is_utf8(name)) for name in ordered):
        return zip(ordered, ordered, repeat(None))  # a list would make the garbage collector look for cycles
    usable: dict[str, str] = {}
    others: list[str] = []
    for name in ordered:
        shown = unicodedata.normalize("NFC", name)
        if _is_utf8(name) and shown not in usable:
            usable[shown] = name
        else:
            others.append(name)
    listed: list[ListedName] = [(name, shown, None) for shown, name in usable.items()]
    listed.extend(_marked(others, taken=set(usable)))
    return sorted(listed, key=itemgetter(1))


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _marked(names: Iterable[str], *, taken: set[str]) -> Iterator[ListedName]:
    for name in names:
        if _is_utf8(name):
            shown, refusal = f"{unicodedata.normalize('NFC', name)}~", SkipReason.SPELLED_TWICE
        else:
            escaped = os.fsencode(name).decode("utf-8", "backslashreplace")
            shown, refusal = unicodedata.normalize("NFC", escaped), SkipReason.UNUSABLE_NAME
        while shown in taken:
            shown += "~"
        taken.add(shown)
        yield name, shown, refusal
