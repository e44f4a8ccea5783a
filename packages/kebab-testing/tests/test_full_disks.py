"""A limit on files must not outlive the process it was set for, in what Python compiles either."""

import sys
from pathlib import Path

import pytest
from kebab_testing.full_disks import run_with_small_files, small_files

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
import imported
with open(sys.argv[2], "wb") as file:
    file.write(b"x" * 10_000)
"""


@pytest.mark.parametrize("max_bytes", [0, 300, 1000])
def test_no_module_is_compiled_to_a_file_that_is_cut_short(max_bytes: int, tmp_path: Path) -> None:
    (tmp_path / "imported.py").write_text(f"values = {list(range(500))}\n", encoding="utf-8")
    command = [sys.executable, "-c", PROGRAM, str(tmp_path), str(tmp_path / "grown")]
    done = run_with_small_files(command, max_bytes=max_bytes, env={})
    assert (done.returncode, (tmp_path / "grown").stat().st_size) == (1, max_bytes)
    assert list(tmp_path.rglob("*.pyc")) == []


def test_the_limit_and_the_way_of_compiling_end_with_the_block(tmp_path: Path) -> None:
    before = sys.dont_write_bytecode
    with pytest.raises(OSError, match="File too large"), small_files(100):
        (tmp_path / "grown").write_bytes(b"x" * 10_000)
    (tmp_path / "grown").write_bytes(b"x" * 10_000)
    assert sys.dont_write_bytecode is before
