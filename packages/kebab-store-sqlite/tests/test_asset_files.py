"""The files of assets, read at once or opened."""

import gzip
from pathlib import Path

import pytest
from kebab_core import AssetStorage, CopiedStorage, ReferenceStorage, StorageError, hash_bytes
from kebab_store_sqlite import AssetFiles

CONTENT = b"All of it. " * 1000
CHECKSUM = hash_bytes(CONTENT)
PLACE = f"assets/ab/{'ab' * 16}"


def store(folder: Path, content: bytes) -> CopiedStorage:
    path = folder / PLACE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return CopiedStorage(path=PLACE)


def refer(folder: Path, content: bytes) -> ReferenceStorage:
    (folder / "note.md").write_bytes(content)
    return ReferenceStorage(path=str(folder / "note.md"), sha=CHECKSUM)


def open_whole(folder: Path, stored: AssetStorage) -> bytes:
    files = AssetFiles(folder, copy_threshold_bytes=0)
    with files.open(stored.kind, stored.path, byte_len=len(CONTENT), checksum=CHECKSUM) as file:
        assert file.tell() == 0
        return file.read()


def test_a_copy_packed_or_not_and_an_original_are_opened(tmp_path: Path) -> None:
    for stored in (
        store(tmp_path, CONTENT),
        store(tmp_path, gzip.compress(CONTENT)),
        refer(tmp_path, CONTENT),
    ):
        assert open_whole(tmp_path, stored) == CONTENT


@pytest.mark.parametrize(
    "damaged",
    [CONTENT[:-1], CONTENT[::-1], gzip.compress(CONTENT)[:-30], gzip.compress(CONTENT * 9), b""],
    ids=["short", "other", "cut copy", "long copy", "empty"],  # a copy has the time of its packing in it
)
def test_what_has_changed_or_is_gone_is_not_opened(tmp_path: Path, damaged: bytes) -> None:
    for stored in (store(tmp_path, damaged), refer(tmp_path, damaged)):
        with pytest.raises(StorageError, match="has changed"):
            open_whole(tmp_path, stored)
        (tmp_path / stored.path).unlink()
        with pytest.raises(StorageError, match="cannot be read"):
            open_whole(tmp_path, stored)
    with pytest.raises(StorageError, match="has changed"):
        open_whole(tmp_path, CopiedStorage(path="notes/mine.md"))
