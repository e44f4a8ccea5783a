"""Commands of an installed kebab that needs the plugin `acme_kebab_srt`; `.ci/wheels` runs them.

Usage: python installed_plugin.py PATH_OF_THE_COMMAND
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SUBTITLES = """1
00:00:01,000 --> 00:00:04,500
Welcome to the talk about backups.

2
00:01:02,250 --> 00:01:07,000
Restore a backup with the command rewind.
"""
CONFIG = """[workspace]
root = "notes"
[storage]
data_dir = "data"
[models.embedding]
provider = "none"
[models.llm]
provider = "acme-parrot"
model = "polly"
[ingest.extractors.sub]
min_chars = 5
"""
PLACE = "talk.sub#t=00:01:02.250,00:01:07.000"
QUOTED = "talk.sub#t=00:00:01.000,00:00:04.500"


@dataclass
class Kebab:
    """The command, in a folder with a configuration."""

    command: str
    folder: Path

    def run(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [self.command, "--config", str(self.folder / "kebab.toml"), *arguments],
            env={"HOME": str(self.folder), "PYTHONUTF8": "1"},
            cwd=self.folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, (arguments, done.returncode, done.stdout, done.stderr)
        return done

    def read(self, *arguments: str) -> dict[str, Any]:
        """The last object that a command prints."""
        found: dict[str, Any] = json.loads(self.run("--json", *arguments).stdout.splitlines()[-1])
        return found


def check_all(kebab: Kebab) -> None:
    """Ingest a file of subtitles, then find, fetch, cite and ask about it.

    Raises:
        AssertionError: A command does something else.
    """
    report = kebab.read("ingest")
    assert (report["new"], report["errors"]) == (1, 0), report

    (hit,) = kebab.read("search", "rewind")["hits"]
    assert hit["citation"]["uri"] == PLACE, hit
    assert (hit["citation"]["start_ms"], hit["citation"]["end_ms"]) == (62_250, 67_000), hit
    chunk = kebab.read("fetch", "chunk", hit["chunk_id"])["chunk"]
    assert "with the command rewind." in chunk["text"], chunk
    span = kebab.read("fetch", "span", hit["doc_id"], "--time", "1:02", "1:07")
    assert span["text"] == "Restore a backup with the command rewind.", span

    answer = kebab.read("ask", "backups talk")
    assert (answer["grounded"], answer["model"]["id"]) == (True, "polly"), answer
    assert [each["citation"]["uri"] for each in answer["citations"]] == [QUOTED], answer

    plugins = [(each["name"], each["distribution"]) for each in kebab.read("schema")["plugins"]]
    assert plugins == [("sub", "acme-kebab-srt"), ("acme-parrot", "acme-kebab-srt")], plugins
    checks = {each["name"]: each for each in kebab.read("doctor")["checks"]}
    assert "kebab.extractors sub (acme-kebab-srt)" in checks["plugins"]["detail"], checks

    config = kebab.folder / "kebab.toml"
    config.write_text(CONFIG.replace("min_chars = 5", "min_chars = -5"), encoding="utf-8")
    refused = kebab.run("ingest", code=2).stderr
    assert "ingest.extractors.sub.min_chars: must be from 0 to 1000" in refused, refused
    assert "acme-kebab-srt" in refused, refused


if __name__ == "__main__":
    with TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "notes").mkdir()
        (folder / "notes" / "talk.sub").write_text(SUBTITLES, encoding="utf-8")
        (folder / "kebab.toml").write_text(CONFIG, encoding="utf-8")
        check_all(Kebab(sys.argv[1], folder))
