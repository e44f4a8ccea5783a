"""Nothing below the faces has words of a face. Words of remedies are tested in `kebab-wire` and in each face."""

from __future__ import annotations

import re

from tests.architecture.members import ROOT, read_source

NAMES = "|".join(
    sorted(
        path.stem.replace("_", "-")
        for path in (ROOT / "apps/kebab-cli/src/kebab_cli/commands").glob("[a-z]*.py")
    )
)
COMMAND = re.compile(rf"\bkebab (?:{NAMES})\b|(?<![\w-])--[a-z]|\bchmod\b|\bpip install\b|\bollama pull\b")
WORDS_OF_FACES = {
    "kebab_wire/remedies.py",
    "kebab_config/face_flags.py",
    "kebab_config/default_file.py",
    "kebab_runtime/editors.py",
}
"""Words and flags that faces share, comments of the configuration file for its reader, and flags of other programs."""


def test_no_text_below_the_faces_names_a_command_or_a_flag() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted((ROOT / "packages").glob("*/src/**/*.py"))
        if f"{path.parts[-2]}/{path.name}" not in WORDS_OF_FACES
        for line, text in read_source(path).texts
        if COMMAND.search(text)
    ]
    assert found == []
