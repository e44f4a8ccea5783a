"""The file system as a source: walking a folder, ignore rules, media by name, reading with checksums.

Does not parse files, does not decide which media can be read, and keeps nothing between scans.

    >>> from kebab_source_fs import media_type_of
    >>> media_type_of("회의록.md").kind
    'markdown'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_source_fs.connector import FilesystemConnector as FilesystemConnector
    from kebab_source_fs.folder_watch import FolderWatch as FolderWatch
    from kebab_source_fs.media import (
        SNIFF_VERSION as SNIFF_VERSION,
        media_type_of as media_type_of,
        sniff_skip as sniff_skip,
    )

__getattr__, __dir__ = lazy_exports(__name__)
