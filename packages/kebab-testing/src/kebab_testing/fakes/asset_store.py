"""The bytes of files in memory."""

from __future__ import annotations

from pathlib import Path

from kebab_core import (
    AssetAudit,
    AssetId,
    CopiedStorage,
    CopyLook,
    DocumentRecord,
    FileUri,
    RawAsset,
    ReferenceStorage,
    StorageError,
    hash_bytes,
)


class InMemoryAssets:
    """The part of a document store in memory that keeps files.

    Copies are in memory; assets above the threshold are read from their own files.

    Attributes:
        records: The stored documents by source and path.
        assets: The assets of stored documents by id.
        copies: Bytes of copied assets by path.
    """

    def __init__(self, *, copy_threshold_bytes: int = 1_000_000) -> None:
        self.records: dict[tuple[str, str], DocumentRecord] = {}
        self.assets: dict[str, RawAsset] = {}
        self.copies: dict[str, bytes] = {}
        self._copy_threshold_bytes = copy_threshold_bytes

    def put_asset(self, asset: RawAsset, content: bytes) -> RawAsset:
        """Return the asset with `stored` set to the place of its bytes."""
        if len(content) > self._copy_threshold_bytes and isinstance(asset.source_uri, FileUri):
            stored = ReferenceStorage(path=asset.source_uri.path, sha=asset.checksum)
            return asset.model_copy(update={"stored": stored})
        path = f"assets/{asset.asset_id[:2]}/{asset.asset_id}"
        self.copies[path] = content
        return asset.model_copy(update={"stored": CopiedStorage(path=path)})

    def read_asset(self, asset_id: AssetId) -> bytes:
        """Return an asset's bytes.

        Raises:
            StorageError: The asset is unknown, its file is gone or has other content.
        """
        asset = self.assets.get(asset_id)
        if asset is None:
            raise StorageError("no asset has the id {asset_id!r}", _asset_id=asset_id)
        try:
            copied = asset.stored.kind == "copied"
            content = self.copies[asset.stored.path] if copied else Path(asset.stored.path).read_bytes()
        except (KeyError, OSError) as error:
            raise StorageError("the file of {asset_id!r} is gone", _asset_id=asset_id) from error
        if hash_bytes(content) != asset.checksum:
            raise StorageError("the file of {asset_id!r} has another checksum", _asset_id=asset_id)
        return content

    def audit_assets(self, look: CopyLook) -> AssetAudit:  # noqa: ARG002 - nothing is damaged here
        """Count the copies and the unreferenced ones; none is ever lost or damaged."""
        kept = self._kept_copies()
        return AssetAudit(copies=len(kept), lost=frozenset(), strays=len(self.copies.keys() - kept))

    def collect_assets(self, *, sweep: bool = True) -> int:
        """Delete assets that no document refers to.

        Returns:
            The number of copies deleted.
        """
        used = {record.asset.asset_id for record in self.records.values()}
        before = self._kept_copies()
        self.assets = {key: asset for key, asset in self.assets.items() if key in used}
        gone = (self.copies.keys() if sweep else before) - self._kept_copies()
        for path in gone:
            del self.copies[path]
        return len(gone)

    def _kept_copies(self) -> set[str]:
        return {asset.stored.path for asset in self.assets.values() if asset.stored.kind == "copied"}
