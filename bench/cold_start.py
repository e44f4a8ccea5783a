"""Commands in fresh processes, each as a ratio to `python -c "import click"` measured in turn with it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 9


def wall(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=False, capture_output=True)
    return time.perf_counter() - started


def main() -> None:
    baseline = [sys.executable, "-c", "import click"]
    with tempfile.TemporaryDirectory() as scratch:
        notes = Path(scratch, "notes")
        notes.mkdir()
        (notes / "색인.md").write_text("# 색인\n\n색인은 파일이 바뀌면 다시 만들어진다.\n", encoding="utf-8")
        config = Path(scratch, "kebab.toml")
        config.write_text('[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n', encoding="utf-8")
        kebab = [sys.executable, "-m", "kebab_cli"]
        subprocess.run([*kebab, "ingest", "--config", str(config)], check=True, capture_output=True)
        commands = {
            "--help": [*kebab, "--help"],
            "search": [*kebab, "search", "색인은 언제 만들어지나요?", "--config", str(config)],
            "list docs": [*kebab, "list", "docs", "--config", str(config)],
            "python -c pass": [sys.executable, "-c", "pass"],
        }
        for name, command in commands.items():
            wall(command)
            pairs = [(wall(command), wall(baseline)) for _ in range(RUNS)]
            ratio = statistics.median(ours / theirs for ours, theirs in pairs)
            ms = statistics.median(ours for ours, _ in pairs) * 1000
            print(f"{name:16} {ms:6.0f} ms   {ratio:.2f} x import click")


if __name__ == "__main__":
    main()
