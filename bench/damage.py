"""Damages one file at a time: `python -m bench.damage [--trials 200] [--running 20] [--seed S]`, counts and exit code 1.

At rest: a bit turned over, pages exchanged, files cut off, emptied, removed or replaced, in whatever lies in the data
folder; then searches by words and by meaning, an answer, the doctor and an ingest, which must be right or say what
helps, and must be right once that has been done. Running: the same under a server for agents, which must live on and
find everything once what was damaged is mended.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from random import Random, SystemRandom

from tests.command_server import CommandServer
from tests.integration.damaged_bases import DamagedBases, draw_trial


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=200, help="of damage at rest")
    parser.add_argument("--running", type=int, default=20, help="of damage under a server")
    parser.add_argument("--seed", type=int, default=SystemRandom().getrandbits(32))
    given = parser.parse_args()
    print(f"--seed {given.seed}", flush=True)
    random = Random(given.seed)  # noqa: S311 - what breaks is no secret
    tried, failed = Counter[str](), Counter[str]()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch, closing(CommandServer({}, ["lancedb"])) as commands:
        bases = DamagedBases(Path(scratch) / "bases", commands)
        for number in range(given.trials + given.running):
            is_running, trial = number >= given.trials, draw_trial(random)
            faults = bases.find_running_faults(trial) if is_running else bases.find_faults(trial)
            kind = f"{trial.place}, running" if is_running else trial.place
            tried[kind] += 1
            failed[kind] += bool(faults)
            print(
                f"{number:3}  {trial.name}{', running' * is_running}: {'; '.join(faults) or 'ok'}", flush=True
            )
    for place, count in tried.most_common():
        print(f"{place:34} {count:4} trials, {failed[place]} failed")
    print(f"{tried.total()} trials, {failed.total()} failed, {time.perf_counter() - began:.0f} s")
    return 1 if failed.total() else 0


if __name__ == "__main__":
    sys.exit(main())
