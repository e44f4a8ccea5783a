"""The writer lock and the embedding lock: who waits, for how long, and who comes first."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from kebab_core import LockedError, Remedy, StorageError
from kebab_store_sqlite import (
    LockWait,
    WriterLock,
    find_embedding_process,
    find_writer,
    hold_embedding_lock,
    hold_writer_lock,
    open_database,
)
from kebab_testing.fakes.clock import FixedClock

PATIENCE_S = 60
AT_ONCE = LockWait(timeout_s=0)
RETRY = Remedy(kind="retry")


def is_free(folder: Path) -> bool:
    try:
        with hold_writer_lock(folder, wait=AT_ONCE):
            return True
    except LockedError:
        return False


class Waiter(threading.Thread):
    """Waits for the writer lock; it tries again only when `try_again` is called."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.waits, self.has_lock, self._go = (
            threading.Semaphore(0),
            threading.Event(),
            threading.Semaphore(0),
        )
        self._folder = folder

    def run(self) -> None:
        with hold_writer_lock(self._folder, wait=LockWait(timeout_s=None, pause=self._pause)):
            self.has_lock.set()

    def _pause(self, _seconds: float) -> bool:
        self.waits.release()
        self._go.acquire(timeout=PATIENCE_S)
        return False

    def try_again(self) -> None:
        self._go.release()


@pytest.mark.parametrize("hold", [hold_writer_lock, hold_embedding_lock])
def test_other_holder_is_waited_for_two_seconds_and_then_named(hold, tmp_path: Path) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    with hold(tmp_path), pytest.raises(LockedError) as caught, hold(tmp_path, wait=LockWait(pause=pause)):
        pass
    assert sum(pauses) == pytest.approx(2.0)
    assert caught.value.details["pid"] == os.getpid()


def test_wait_ends_as_soon_as_the_lock_is_free(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path, wait=AT_ONCE, remedy=RETRY)

    def pause(_seconds: float) -> bool:
        lock.release()
        return False

    with hold_writer_lock(tmp_path, wait=LockWait(pause=pause)):
        assert not lock.is_held


def test_wait_that_is_given_up_names_the_holder(tmp_path: Path) -> None:
    refusals: list[LockedError] = []
    wait = LockWait(timeout_s=None, pause=lambda _: True, notify=refusals.append)
    with hold_writer_lock(tmp_path), pytest.raises(LockedError), hold_writer_lock(tmp_path, wait=wait):
        pass
    assert [refusal.details["pid"] for refusal in refusals] == [os.getpid()]


def test_released_lock_is_free_inside_the_block_and_held_after_it(tmp_path: Path) -> None:
    with hold_writer_lock(tmp_path) as lock:
        with lock.released(LockWait()):
            assert is_free(tmp_path)
            assert find_writer(tmp_path) is None
        assert not is_free(tmp_path)
        assert find_writer(tmp_path) == os.getpid()
    assert is_free(tmp_path)


def test_lock_is_taken_again_after_a_block_that_failed(tmp_path: Path) -> None:
    with hold_writer_lock(tmp_path) as lock:
        with pytest.raises(StorageError, match="model"), lock.released(LockWait()):
            raise StorageError("model")
        assert not is_free(tmp_path)


def test_lock_that_could_not_be_taken_again_is_not_held(tmp_path: Path) -> None:
    with hold_writer_lock(tmp_path) as lock:
        other = None
        with pytest.raises(LockedError), lock.released(AT_ONCE):
            other = WriterLock(tmp_path, wait=AT_ONCE, remedy=RETRY)
        assert not lock.is_held
    assert other is not None
    assert other.is_held
    other.release()


def test_process_that_waits_comes_before_the_one_that_takes_the_lock_again(tmp_path: Path) -> None:
    waiter = Waiter(tmp_path)
    with hold_writer_lock(tmp_path) as lock:
        waiter.start()
        assert waiter.waits.acquire(timeout=PATIENCE_S)

        def pause(_seconds: float) -> bool:
            waiter.try_again()
            assert waiter.has_lock.wait(PATIENCE_S)
            waiter.join(PATIENCE_S)
            return False

        # nothing is done with the lock released, as between batches whose vectors are all known
        with lock.released(LockWait(pause=pause)):
            pass
        assert waiter.has_lock.is_set()
        assert lock.is_held


def test_process_that_waits_and_is_stopped_does_not_keep_the_lock_from_others(tmp_path: Path) -> None:
    stopped, pauses = Waiter(tmp_path), []

    def pause(seconds: float) -> bool:
        pauses.append(seconds)
        return False

    with hold_writer_lock(tmp_path) as lock:
        stopped.start()
        assert stopped.waits.acquire(timeout=PATIENCE_S)
        with lock.released(LockWait(pause=pause)):
            assert is_free(tmp_path)
        assert lock.is_held
        assert sum(pauses) == pytest.approx(1.0)
    stopped.try_again()
    stopped.join(PATIENCE_S)
    assert stopped.has_lock.is_set()


def test_embedding_lock_leaves_the_writer_lock_free_and_names_who_is_at_work(tmp_path: Path) -> None:
    with hold_embedding_lock(tmp_path):
        assert is_free(tmp_path)
        assert find_writer(tmp_path) is None
        assert find_embedding_process(tmp_path) == os.getpid()
    assert find_embedding_process(tmp_path) is None
    with hold_writer_lock(tmp_path):
        assert find_embedding_process(tmp_path) == os.getpid()


def test_wait_for_the_embedding_lock_leaves_the_writer_lock_to_its_holder(tmp_path: Path) -> None:
    release = threading.Event()

    def embed() -> None:
        with hold_embedding_lock(tmp_path):
            holds.set()
            release.wait(PATIENCE_S)
            with hold_writer_lock(tmp_path):
                pass

    holds, other = threading.Event(), threading.Thread(target=embed)
    other.start()
    assert holds.wait(PATIENCE_S)
    with hold_writer_lock(tmp_path) as lock:
        with (
            pytest.raises(LockedError, match="another process is computing embeddings"),
            lock.hold_embedding_lock(wait=AT_ONCE, remedy=RETRY),
        ):
            pass

        def pause(_seconds: float) -> bool:
            release.set()
            other.join(0.01)
            return False

        with lock.hold_embedding_lock(wait=LockWait(timeout_s=None, pause=pause), remedy=RETRY):
            assert lock.is_held
            assert not other.is_alive()


def test_a_write_that_waits_in_vain_names_who_holds_the_index(tmp_path: Path) -> None:
    clock = FixedClock()
    with (
        open_database(tmp_path, clock=clock, copy_threshold_bytes=0) as database,
        open_database(tmp_path, clock=clock, copy_threshold_bytes=0) as other,
        hold_writer_lock(tmp_path),
        other.writing(),
    ):
        with database.reading() as connection:
            connection.execute("PRAGMA busy_timeout = 0")
        with pytest.raises(LockedError) as caught, database.writing():
            pass
    assert f"(pid {os.getpid()} on " in caught.value.message
    assert caught.value.details["pid"] == os.getpid()


def test_a_file_in_place_of_the_data_folder_is_told_as_that(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    for folder in (tmp_path / "data", tmp_path / "data" / "below"):
        with pytest.raises(StorageError) as caught, hold_writer_lock(folder, wait=AT_ONCE):
            pass
        assert caught.value.message == f"the data folder {str(folder)!r} is a file, or lies below one"
        assert caught.value.remedy == Remedy(kind="set", setting="storage.data_dir")
