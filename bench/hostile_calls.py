"""Calls with hostile arguments to a server for agents: each is answered, and so is a ping while it is under way.

python -m bench.hostile_calls [--calls 500] [--seed S] [--ping-s 2]
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from pathlib import Path

from kebab_app import App
from kebab_config import load_settings

from tests.integration.hostile_calls import find_failures, make_traps

NOTES = 200
CONFIG = '[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\n'


def make_base(folder: Path) -> Path:
    """Return the configuration of a knowledge base of notes in deep folders."""
    notes, config = folder / "notes", folder / "kebab.toml"
    for number in range(NOTES):
        path = notes / "/".join("abcdefghijkl"[: number % 13]) / f"{number}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"# 노트 {number}\n\n색인은 {number}번째 deploy 뒤에 다시 만든다.\n", encoding="utf-8"
        )
    config.write_text(CONFIG, encoding="utf-8")
    make_traps(notes)
    with App(load_settings(config_path=config, environ={"HOME": str(folder)})) as app:
        app.ingest()
    return config


def main() -> None:
    """Make the calls, and say what went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--seed", type=int, help="which calls; without it, others each time")
    parser.add_argument("--ping-s", type=float, default=2.0, help="how long a ping may take")
    options = parser.parse_args()
    seed = secrets.randbits(32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        config = make_base(Path(folder))
        for failure in find_failures(config, calls=options.calls, seed=seed, ping_s=options.ping_s):
            failed += 1
            print(failure, flush=True)
    print(f"{options.calls} calls, {failed} failures")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
