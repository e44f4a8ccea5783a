from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from kebab_store_sqlite import SCRATCH_FOLDER, list_scratch, sweep_scratch
from kebab_store_sqlite.scratch import place_file, scratch_folder


def make_leftover(data_dir: Path, *, draft: Path) -> Path:
    folder = data_dir / SCRATCH_FOLDER / "export-left"
    folder.mkdir(parents=True)
    (folder / "archive.zip").write_text("half")
    (folder / "draft").symlink_to(draft)
    return folder


def test_what_a_killed_process_left_is_swept_and_one_at_work_stays(tmp_path: Path) -> None:
    draft = tmp_path / ".b.zip.export-left"
    draft.write_text("half, on another disk")
    with scratch_folder(tmp_path, "import") as working:
        left = make_leftover(tmp_path, draft=draft)

        assert list_scratch(tmp_path) == (left,)
        assert sweep_scratch(tmp_path) == (left,)
        assert (left.exists(), draft.exists(), working.exists()) == (False, False, True)
        assert working.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_only_a_draft_of_its_own_is_swept_with_a_scratch_folder(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("mine")
    make_leftover(tmp_path, draft=note)

    sweep_scratch(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["note.md"]


def test_a_file_is_placed_whole_on_another_file_system(tmp_path: Path) -> None:
    memory = Path("/dev/shm")  # noqa: S108 - the one other file system that most machines have
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system")
    with TemporaryDirectory(dir=memory) as elsewhere, scratch_folder(tmp_path, "export") as folder:
        (folder / "archive.zip").write_bytes(b"whole")
        place_file(folder / "archive.zip", Path(elsewhere) / "b.zip")
        assert [(path.name, path.read_bytes()) for path in Path(elsewhere).iterdir()] == [("b.zip", b"whole")]
    assert not (tmp_path / SCRATCH_FOLDER).exists()


def test_an_interrupt_while_a_folder_is_deleted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rmtree, interrupts = shutil.rmtree, iter([KeyboardInterrupt])

    def interrupted(folder: Path, **options: bool) -> None:
        for interrupt in interrupts:
            raise interrupt
        rmtree(folder, **options)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), scratch_folder(tmp_path, "import"):
        pass
    assert list(tmp_path.iterdir()) == []
