"""FuzzReport documents of every format: `python -m bench.fuzz_formats [FORMAT...] [--trials N] [--seed S] [--bombs]`.

Damaged, nested, lying and hostile documents are ingested by the product itself, with its workers and its limits, 200 at
a time. Prints what came of them by format; exit code 1 if one ended without a word or in a bug. A trial
is the same with the same seed: name, mutation and seed stand in the name of its file.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
from collections import Counter
from itertools import cycle, islice
from pathlib import Path

from tests.integration.format_mutations import BOMBS, MUTATIONS, Trial
from tests.integration.format_samples import WRITERS
from tests.integration.fuzzed_formats import ingest_trials

BATCH = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("formats", nargs="*", default=list(WRITERS), help="extensions; all without any")
    parser.add_argument("--trials", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--mutation", choices=[*MUTATIONS, *BOMBS], help="only this one")
    parser.add_argument(
        "--bombs", action="store_true", help="also documents that unpack to 600 MB, one of each format"
    )
    parser.add_argument("--keep", type=Path, help="folder for documents and knowledge bases")
    asked = parser.parse_args()
    logging.disable()  # a line for each failure
    outcomes: Counter[tuple[str, str]] = Counter()
    faults: list[str] = []
    slow: list[str] = []
    seconds = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        trials = list_trials(asked)
        for number in range(0, len(trials), BATCH):
            found = ingest_trials(
                trials[number : number + BATCH], (asked.keep or Path(scratch)) / str(number)
            )
            outcomes += found.outcomes
            faults += found.faults
            slow += found.slow
            seconds += found.seconds
            print(f"{number + BATCH} of {len(trials)}: {len(faults)} faults", file=sys.stderr, flush=True)
    report(outcomes, faults)
    print(*(f"{name}: ended at its limit" for name in slow), sep="\n")
    print(f"{len(trials)} documents in {seconds:.0f} s, {len(faults)} faults")
    return int(bool(faults))


def list_trials(asked: argparse.Namespace) -> list[Trial]:
    kinds = [asked.mutation] if asked.mutation else list(MUTATIONS)
    pairs = cycle([(extension, kind) for kind in kinds for extension in asked.formats])
    count = len(kinds) * len(asked.formats)
    trials = [
        Trial(extension, kind, asked.seed + number // count)
        for number, (extension, kind) in enumerate(islice(pairs, asked.trials))
    ]
    bombs = [Trial(extension, kind, asked.seed) for kind in BOMBS for extension in asked.formats]
    return [*trials, *(bombs if asked.bombs else [])]


def report(outcomes: Counter[tuple[str, str]], faults: list[str]) -> None:
    columns = sorted({outcome for _, outcome in outcomes})
    print("| format |", " | ".join(columns), "|")
    print("|---" * (len(columns) + 1) + "|")
    for extension in sorted({extension for extension, _ in outcomes}):
        print(f"| {extension} |", " | ".join(str(outcomes[extension, column]) for column in columns), "|")
    for fault in faults:
        print(fault)


if __name__ == "__main__":
    sys.exit(main())
