"""The file system as a source: walking a folder, ignore rules, reading with checksums.

Does not parse files, does not decide which media can be read, and keeps nothing between scans.

    >>> from kebab_core import CodeIngestSettings, TextMedia
    >>> from kebab_source_fs import sniff_skip
    >>> sniff_skip(TextMedia(), b"-----BEGIN PRIVATE KEY-----", CodeIngestSettings()).value
    'secret'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_source_fs.bucket import BucketConnector as BucketConnector
    from kebab_source_fs.connector import FilesystemConnector as FilesystemConnector
    from kebab_source_fs.content import SNIFF_VERSION as SNIFF_VERSION, sniff_skip as sniff_skip
    from kebab_source_fs.folder_watch import FolderWatch as FolderWatch

__getattr__, __dir__ = lazy_exports(__name__)
