"""Files are written whole or not at all, and a backup is the file as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from kebab_config import back_up, put_in_place, write_new
from kebab_core import InvalidInputError

CONTENT = b"\xef\xbb\xbf[storage]\r\n# \xec\xa4\x84\r\n"
KILLED = """
import os, sys
from pathlib import Path
from kebab_config import write_new
setattr(os, sys.argv[2], lambda *given, **named: os._exit(9))
write_new(Path(sys.argv[1]), "a = 1")
"""


def test_a_backup_has_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(CONTENT)
    assert back_up(file).read_bytes() == CONTENT


@pytest.mark.parametrize("call", ["fdopen", "fsync", "link"])
def test_a_killed_write_of_a_new_file_leaves_no_part_of_it(tmp_path: Path, call: str) -> None:
    file = tmp_path / "kebab.toml"
    assert subprocess.run([sys.executable, "-c", KILLED, str(file), call]).returncode == 9
    assert not file.exists()
    running = file.with_name(f".{file.name}.{os.getppid()}.new")
    running.touch()
    write_new(file, "a = 1")
    assert file.read_text() == "a = 1"
    assert set(tmp_path.iterdir()) == {file, running}


@pytest.mark.parametrize("has_links", [True, False])
def test_a_new_file_never_replaces_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not has_links:
        monkeypatch.setattr(os, "link", refuse)
    file = tmp_path / "kebab.toml"
    write_new(file, "a = 1")
    with pytest.raises(InvalidInputError, match="exists already"):
        write_new(file, "a = 2")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["a = 1"]


def test_an_error_brings_back_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "kebab.toml"
    file.write_bytes(CONTENT)
    with pytest.raises(ZeroDivisionError), put_in_place(file, b"a = 1", is_final=lambda: False):
        assert 1 / 0
    assert file.read_bytes() == CONTENT


def test_the_bytes_that_are_put_in_place_are_those_given(tmp_path: Path) -> None:
    with put_in_place(tmp_path / "kebab.toml", CONTENT, is_final=lambda: False):
        pass
    assert (tmp_path / "kebab.toml").read_bytes() == CONTENT
