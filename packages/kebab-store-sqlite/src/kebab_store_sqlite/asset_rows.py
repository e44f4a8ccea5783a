"""Rows of `assets`: one for each content, shared by the documents that hold it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import chain

from kebab_core import AssetStorage, CopiedStorage, RawAsset, ReferenceStorage

from kebab_store_sqlite.asset_damage import KeptCopy
from kebab_store_sqlite.json_fields import media_type_type, source_uri_type
from kebab_store_sqlite.timestamps import timestamp

ASSET_QUERY = """
    SELECT a.asset_id, a.byte_len, a.checksum, a.storage_kind, a.storage_path, a.discovered_at,
           d.source_uri, d.workspace_path, d.media_json
    FROM documents d JOIN assets a USING (asset_id) WHERE d.doc_id = ?
"""

_INSERT = """
    INSERT INTO assets (asset_id, media_type, byte_len, checksum, storage_kind, storage_path, discovered_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (asset_id) DO UPDATE SET storage_kind = 'copied', storage_path = excluded.storage_path
    WHERE excluded.storage_kind = 'copied' AND assets.storage_kind = 'reference'
"""

_REPOINT = """
    UPDATE assets SET storage_path = (SELECT min(disk_path) FROM documents d WHERE d.asset_id = assets.asset_id)
    WHERE asset_id = ? AND storage_kind = 'reference'
      AND EXISTS (SELECT 1 FROM documents d WHERE d.asset_id = assets.asset_id)
      AND NOT EXISTS (
        SELECT 1 FROM documents d WHERE d.asset_id = assets.asset_id AND d.disk_path = assets.storage_path
      )
"""


AssetRow = tuple[str, str, int, str, str, str, str]


def asset_row(asset: RawAsset) -> AssetRow:
    """Return an asset's row of `assets`."""
    return (
        str(asset.asset_id),
        asset.media_type.kind,
        asset.byte_len,
        asset.checksum,
        asset.stored.kind,
        asset.stored.path,
        timestamp(asset.discovered_at),
    )


def insert_asset(connection: sqlite3.Connection, row: AssetRow) -> None:
    """Store an asset; one that is there changes only from a reference to a copy."""
    connection.execute(_INSERT, row)


def repoint_references(connection: sqlite3.Connection, asset_ids: Iterable[str]) -> None:
    """Let references whose file belongs to no document any more refer to the file of a remaining twin."""
    connection.executemany(_REPOINT, [(asset_id,) for asset_id in asset_ids])


def copied_assets(connection: sqlite3.Connection) -> set[str]:
    """Return the ids of assets of which there is a copy."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return set(
        chain.from_iterable(cursor.execute("SELECT asset_id FROM assets WHERE storage_kind = 'copied'"))
    )


def kept_copies(connection: sqlite3.Connection) -> list[KeptCopy]:
    """Return what every copy should be, by asset id."""
    rows = connection.execute(
        "SELECT storage_path, byte_len, checksum FROM assets WHERE storage_kind = 'copied' ORDER BY asset_id"
    )
    return [KeptCopy(*row) for row in rows]


def checksums_of(connection: sqlite3.Connection, asset_ids: Iterable[str]) -> frozenset[str]:
    """Return the checksums of assets."""
    query = "SELECT checksum FROM assets WHERE asset_id = ?"
    return frozenset(connection.execute(query, (asset_id,)).fetchone()[0] for asset_id in asset_ids)


def delete_unused_assets(connection: sqlite3.Connection) -> list[str]:
    """Delete assets that no document refers to.

    Returns:
        The ids of those that had a copy.
    """
    # Found first, in two indexes: a DELETE would read every row for it.
    rows = connection.execute(
        "SELECT asset_id FROM assets WHERE asset_id NOT IN (SELECT asset_id FROM documents)"
    ).fetchall()
    kinds = [
        (asset_id, kind)
        for (asset_id,) in rows
        for (kind,) in connection.execute(
            "DELETE FROM assets WHERE asset_id = ? RETURNING storage_kind", (asset_id,)
        ).fetchall()
    ]
    return [asset_id for asset_id, kind in kinds if kind == "copied"]


def asset_of(row: sqlite3.Row) -> RawAsset:
    """Return the asset in a row of `ASSET_QUERY`, as its document found it."""
    return RawAsset(
        asset_id=row["asset_id"],
        source_uri=source_uri_type().validate_json(row["source_uri"]),
        workspace_path=row["workspace_path"],
        media_type=media_type_type().validate_json(row["media_json"]),
        byte_len=row["byte_len"],
        checksum=row["checksum"],
        discovered_at=row["discovered_at"],
        stored=storage_of(row),
    )


def storage_of(row: sqlite3.Row) -> AssetStorage:
    """Return where the bytes of an asset are."""
    if row["storage_kind"] == "copied":
        return CopiedStorage(path=row["storage_path"])
    return ReferenceStorage(path=row["storage_path"], sha=row["checksum"])
