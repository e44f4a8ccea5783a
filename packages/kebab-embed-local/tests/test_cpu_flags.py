from pathlib import Path

import pytest
from kebab_embed_local import cpu_flags

XEON = """processor\t: 0
vendor_id\t: GenuineIntel
flags\t\t: fpu vme avx2 avx512_vnni
vmx flags\t: vnmi

processor\t: 1
flags\t\t: fpu
"""
ARM = """processor\t: 0
Features\t: fp asimd asimddp i8mm
"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [(XEON, {"fpu", "vme", "avx2", "avx512_vnni"}), (ARM, set()), ("", set()), ("flags\t:\n", set())],
)
def test_flags_are_those_of_the_first_cpu(tmp_path: Path, content: str, expected: set[str]) -> None:
    file = tmp_path / "cpuinfo"
    file.write_text(content, "utf-8")
    assert cpu_flags(file) == expected


def test_no_flags_are_known_where_linux_does_not_list_them(tmp_path: Path) -> None:
    assert cpu_flags(tmp_path / "cpuinfo") == frozenset()
