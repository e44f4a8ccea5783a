"""Laws of `DocumentStore`: copies, references, audits and collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_core import (
    AssetAudit,
    AssetId,
    CopyLook,
    DocumentRecord,
    DocumentStore,
    ReferenceStorage,
    SourceFileStore,
    StorageError,
)

from kebab_testing.laws.stores import StoreFixtures, Stores
from kebab_testing.records import RecordSpec, build_asset, build_record

SMALL, LARGE = b"small", b"large" * 100


class AssetStoreLaws(StoreFixtures):
    """Subclass it and override the `stores` fixture."""

    def test_small_files_are_kept_and_come_back(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        record = _put(stores, tmp_path / "a.md", SMALL)
        (tmp_path / "a.md").unlink()
        assert record.asset.stored.kind == "copied"
        assert store.read_asset(record.asset.asset_id) == SMALL
        assert store.stats().asset_bytes == len(SMALL)

    def test_putting_an_asset_again_changes_nothing(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        record = _put(stores, tmp_path / "a.md", SMALL)
        assert store.put_asset(record.asset, SMALL) == record.asset
        assert store.read_asset(record.asset.asset_id) == SMALL

    def test_large_files_are_referred_to(self, stores: Stores, store: DocumentStore, tmp_path: Path) -> None:
        record = _put(stores, tmp_path / "a.md", LARGE)
        assert record.asset.stored == ReferenceStorage(path=str(tmp_path / "a.md"), sha=record.asset.checksum)
        assert store.read_asset(record.asset.asset_id) == LARGE
        assert store.stats().asset_bytes == 0

    def test_a_referred_file_that_is_gone_or_has_changed_is_an_error(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        record = _put(stores, tmp_path / "a.md", LARGE)
        (tmp_path / "a.md").write_bytes(LARGE.upper())
        with pytest.raises(StorageError):
            store.read_asset(record.asset.asset_id)
        (tmp_path / "a.md").unlink()
        with pytest.raises(StorageError):
            store.read_asset(record.asset.asset_id)

    def test_an_unknown_asset_is_an_error(self, store: DocumentStore) -> None:
        with pytest.raises(StorageError):
            store.read_asset(AssetId("0" * 32))

    def test_equal_files_are_one_asset_and_two_documents(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        first, second = (_put(stores, tmp_path / name, SMALL) for name in ("a.md", "b.md"))
        assert first.asset.asset_id == second.asset.asset_id
        assert (store.stats().asset_count, store.stats().doc_count) == (1, 2)
        assert store.remove_documents([first.document.doc_id]) == 1
        assert store.collect_assets() == 0
        assert store.read_asset(second.asset.asset_id) == SMALL
        assert store.get_asset(second.document.doc_id) == second.asset
        assert len(store.get_chunks([chunk.chunk_id for chunk in second.chunks])) == len(second.chunks)

    @pytest.mark.parametrize("copied_first", [True, False])
    def test_a_copy_outlives_references_to_equal_content(
        self,
        stores: Stores,
        store: DocumentStore,
        tmp_path: Path,
        *,
        copied_first: bool,
    ) -> None:
        referred = build_record(RecordSpec(path="b.md", disk_path=str(tmp_path / "b.md"), content=SMALL))
        if copied_first:
            _put(stores, tmp_path / "a.md", SMALL)
        store.replace_document(referred)
        if not copied_first:
            _put(stores, tmp_path / "a.md", SMALL)
        asset = store.get_asset(referred.document.doc_id)
        assert asset is not None
        assert asset.stored.kind == "copied"
        assert store.read_asset(asset.asset_id) == SMALL

    def test_a_reference_moves_to_the_twin_when_its_file_goes(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        first, second = (_put(stores, tmp_path / name, LARGE) for name in ("a.md", "b.md"))
        (tmp_path / "a.md").unlink()
        store.remove_documents([first.document.doc_id])
        assert store.read_asset(second.asset.asset_id) == LARGE
        assert store.get_asset(second.document.doc_id) == second.asset

    def test_a_reference_moves_to_the_twin_when_its_file_changes(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        for name in ("a.md", "b.md"):
            twin = _put(stores, tmp_path / name, LARGE)
        _put(stores, tmp_path / "a.md", LARGE.upper())
        assert store.read_asset(twin.asset.asset_id) == LARGE

    def test_touching_a_moved_file_moves_its_reference(
        self, stores: Stores, source_files: SourceFileStore, store: DocumentStore, tmp_path: Path
    ) -> None:
        record = _put(stores, tmp_path / "a.md", LARGE)
        moved = tmp_path / "b.md"
        (tmp_path / "a.md").rename(moved)
        stored = ReferenceStorage(path=str(moved), sha=record.asset.checksum)
        asset = record.asset.model_copy(update={"stored": stored})
        source_files.touch_file(record.document.doc_id, stamp=record.stamp, disk_path=str(moved), asset=asset)
        assert store.read_asset(record.asset.asset_id) == LARGE

    def test_collecting_deletes_what_no_document_refers_to(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        kept = _put(stores, tmp_path / "a.md", SMALL)
        gone = _put(stores, tmp_path / "b.md", b"gone")
        store.put_asset(build_asset(RecordSpec(content=b"never stored")), b"never stored")
        store.remove_documents([gone.document.doc_id])
        assert store.collect_assets() == 2
        assert store.collect_assets() == 0
        assert store.read_asset(kept.asset.asset_id) == SMALL
        with pytest.raises(StorageError):
            store.read_asset(gone.asset.asset_id)

    def test_an_audit_of_a_store_in_order_finds_nothing(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        for name, content in (("a.md", SMALL), ("b.md", SMALL), ("c.md", LARGE), ("d.md", b"other")):
            _put(stores, tmp_path / name, content)
        assert store.audit_assets(CopyLook.NAMES) == AssetAudit(copies=2, lost=frozenset(), strays=0)

    def test_an_audit_counts_files_that_no_asset_needs_and_a_sweep_deletes_them(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        _put(stores, tmp_path / "a.md", SMALL)
        store.put_asset(build_asset(RecordSpec(content=b"never stored")), b"never stored")
        assert store.collect_assets(sweep=False) == 0
        assert store.audit_assets(CopyLook.NAMES).strays == 1
        assert store.collect_assets() == 1
        assert store.audit_assets(CopyLook.NAMES).strays == 0

    def test_collecting_without_a_sweep_deletes_the_files_of_assets_that_go(
        self, stores: Stores, store: DocumentStore, tmp_path: Path
    ) -> None:
        kept = _put(stores, tmp_path / "a.md", SMALL)
        gone = [_put(stores, tmp_path / name, content) for name, content in (("b.md", b"b"), ("c.md", LARGE))]
        store.remove_documents([record.document.doc_id for record in gone])
        assert store.collect_assets(sweep=False) == 1
        assert store.audit_assets(CopyLook.NAMES) == AssetAudit(copies=1, lost=frozenset(), strays=0)
        assert store.read_asset(kept.asset.asset_id) == SMALL


def _put(stores: Stores, path: Path, content: bytes) -> DocumentRecord:
    path.write_bytes(content)
    spec = RecordSpec(path=path.name, disk_path=str(path), content=content)
    record = build_record(spec)
    record = record.model_copy(update={"asset": stores.documents.put_asset(record.asset, content)})
    stores.documents.replace_document(record)
    return record
