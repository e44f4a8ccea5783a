"""A backup is the file as it was."""

from __future__ import annotations

from pathlib import Path

from kebab_config import back_up


def test_a_backup_has_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(b"\xef\xbb\xbf{}\r\n// \xec\xa4\x84\r\n")
    assert back_up(file).read_bytes() == file.read_bytes()
