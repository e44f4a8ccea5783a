"""`kebab watch` as a process: signals, what it prints, its settings, and the service that runs it."""

from __future__ import annotations

import queue
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from kebab_wire import WatchNoticeV1, parse_wire

from tests.command_server import ForkedProcess

PATIENCE_S = 60


class Running:
    """A process and the lines that it prints."""

    def __init__(self, process: ForkedProcess) -> None:
        self.process = process
        self.lines: list[str] = []
        self._unread: queue.Queue[str] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read, args=(stream,)) for stream in (process.stdout, process.stderr)
        ]
        for thread in self._threads:
            thread.start()

    def _read(self, stream) -> None:  # type: ignore[no-untyped-def]
        for line in stream:
            self.lines.append(line)
            self._unread.put(line)

    def line(self, part: str) -> str:
        """Wait for the next line that holds a text."""
        while part not in (line := self._unread.get(timeout=PATIENCE_S)):
            pass
        return line

    def end(self, number: int) -> int:
        """Send a signal and return the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(timeout=PATIENCE_S)
        for thread in self._threads:
            thread.join()
        return code


@contextmanager
def watching(kb, *flags: str) -> Iterator[Running]:  # type: ignore[no-untyped-def]
    with kb.kebab.begin("watch", *flags, "--config", str(kb.config)) as process:
        running = Running(process)
        try:
            yield running
        finally:
            if process.poll() is None:
                process.kill()


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    pause = threading.Event()
    while not is_so():
        assert time.monotonic() < deadline
        pause.wait(0.1)


def paths(kb) -> set[str]:  # type: ignore[no-untyped-def]
    documents = kb("list", "docs", "--json").last["documents"]
    assert isinstance(documents, list)
    return {document["doc_path"] for document in documents}


def test_what_is_saved_is_found_and_ctrl_c_ends_it(kb, inside) -> None:  # type: ignore[no-untyped-def]
    with watching(kb) as watch:
        assert str(kb.notes) in watch.line("watching ")
        assert "2 new: " in watch.line(" new")
        kb.write("수달.md", "# 수달\n\n수달은 강가에 산다.\n")
        assert "1 new: 수달.md" in watch.line(" new")
        assert "수달.md" in inside(kb)("search", "수달", "--mode", "lexical").stdout
        assert watch.end(signal.SIGINT) == 130
    assert watch.lines[-1] == "stopping; Ctrl-C again stops at once\n"
    assert "Traceback" not in "".join(watch.lines)


def test_a_service_manager_ends_it_with_success_and_quiet_is_quiet(kb, inside) -> None:  # type: ignore[no-untyped-def]
    quick = inside(kb)
    with watching(kb, "--quiet") as watch:
        until(lambda: quick("search", "rollback").code == 0)
        kb.write("new.md", "An otter.\n")
        until(lambda: quick("search", "otter").code == 0)
        assert watch.end(signal.SIGTERM) == 0
    assert watch.lines == []


def test_for_programs_every_line_is_an_object(kb) -> None:  # type: ignore[no-untyped-def]
    with watching(kb, "--json") as watch:
        watch.line('"watch_notice.v1"')
        watch.line('"ingest_report.v1"')
        kb.write("new.md", "An otter.\n")
        watch.line('"ingest_report.v1"')
        assert watch.end(signal.SIGTERM) == 0
    objects = [parse_wire(line) for line in watch.lines]
    assert any(isinstance(each, WatchNoticeV1) and each.kind == "watching" for each in objects)


def test_nothing_is_missed_or_doubled_by_a_process_that_was_stopped(kb, inside) -> None:  # type: ignore[no-untyped-def]
    quick = inside(kb)
    with watching(kb) as watch:
        watch.line(" new")
        watch.process.send_signal(signal.SIGSTOP)
        for n in range(300):
            kb.write(f"stopped/{n}.md", f"note {n}\n")
        shutil.move(kb.notes / "english", kb.notes / "englisch")
        watch.process.send_signal(signal.SIGCONT)
        wanted = {f"stopped/{n}.md" for n in range(300)} | {"englisch/deployment.md", "한국어/색인.md"}
        until(lambda: paths(quick) == wanted)
        assert watch.end(signal.SIGINT) == 130
    report = quick("ingest", "--json", "--summary-only").last
    assert (report["unchanged"], report["new"], report["removed"]) == (302, 0, 0)


def test_a_change_of_the_configuration_is_taken_over_and_a_mistake_in_it_is_not(kb, inside) -> None:  # type: ignore[no-untyped-def]
    quick = inside(kb)
    more = kb.folder / "more"
    more.mkdir()
    (more / "otter.md").write_text("An otter.\n", encoding="utf-8")
    valid = kb.config.read_text(encoding="utf-8")
    with watching(kb) as watch:
        watch.line(" new")
        kb.config.write_text("[nonsense]\n", encoding="utf-8")
        watch.line("the settings from before stay in force")
        kb.write("still.md", "A weasel.\n")
        watch.line("still.md")
        kb.config.write_text(
            valid.replace(
                '[workspace]\nroot = "notes"\n',
                f'[[workspace.sources]]\nid = "default"\nroot = "notes"\n'
                f'[[workspace.sources]]\nid = "more"\nroot = "{more}"\n',
            ),
            encoding="utf-8",
        )
        watch.line("is in force")
        watch.line("otter.md")
        assert watch.end(signal.SIGINT) == 130
    assert quick("search", "otter").code == 0


def test_a_second_one_is_told_of_the_first(kb) -> None:  # type: ignore[no-untyped-def]
    with watching(kb) as watch:
        watch.line("watching ")
        second = kb("watch")
        assert second.code == 2
        assert f"(pid {watch.process.pid} on " in second.stderr
        assert "hint: leave it running, or end it first" in second.stderr
        assert watch.end(signal.SIGINT) == 130


def test_one_that_is_asked_for_read_only_is_refused(kb) -> None:  # type: ignore[no-untyped-def]
    assert kb("watch", "--readonly").code == 2


def test_a_service_is_written_told_of_and_removed(kb, inside) -> None:  # type: ignore[no-untyped-def]
    quick = inside(kb)
    done = quick("watch", "--install", "--json").last
    unit = Path(str(done["path"]))
    assert unit.is_file()
    assert unit.is_relative_to(kb.kebab.home)
    assert str(done["command"]).endswith(f"systemctl --user enable --now {unit.name}")
    assert quick("watch", "--install", "--json").last == done
    assert quick("watch", "--uninstall", "--json").last["status"] == "removed"
    assert quick("watch", "--uninstall", "--json").last["status"] == "missing"
    assert not unit.exists()


def test_a_service_is_not_installed_and_removed_at_once(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("watch", "--install", "--uninstall")
    assert (done.code, "--uninstall" in done.stderr) == (2, True)
