"""The weights of `kebab_rag/claim_model.json`, fitted on claims that are right or wrong (`bench/questions/claims`).

    python -m bench.claim_model --corpora FOLDER [--keep FOLDER] [--write]

A logistic regression over the features of `kebab_rag.claim_features`. Printed are, of claims about each folder by weights
that were fitted without it, the area under the curve and what thresholds let through, and the same without each feature;
`--write` fits all but the part *report* and writes the weights.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from kebab_rag import WrittenClaim
from numpy.typing import NDArray

from bench.claims import checker_of, read_cases
from bench.question_sets import FOLDERS, JudgedClaim

MODEL = Path(__file__).parents[1] / "packages/kebab-rag/src/kebab_rag/claim_model.json"
PENALTY = 10.0
"""Of the squares of the weights, over features of unit variance; from 1 to 100 the area under the curve is the same within .005."""
STEPS = 30
SHARES = (0.02, 0.05, 0.1, 0.35)
Matrix = NDArray[np.float64]


class Rows(NamedTuple):
    """Claims with their features."""

    claims: Sequence[JudgedClaim]
    names: Sequence[str]
    features: Matrix
    right: NDArray[np.bool_]


def read_rows(corpora: Path, home: Path) -> Rows:
    """Return the claims whose cited sentences were compared, with their features."""
    cases, app = read_cases(corpora, home)
    claims, rows = [], []
    with app:
        for case in cases:
            found = checker_of(case, app, None).read_features(WrittenClaim(case.claim.text, case.numbers))
            if found:
                claims.append(case.claim)
                rows.append(found)
    names = sorted(rows[0])
    features = np.array([[row[name] for name in names] for row in rows], dtype=float)
    return Rows(claims, names, features, np.array([claim.is_right for claim in claims]))


def fit(features: Matrix, right: NDArray[np.bool_]) -> Matrix:
    """Return the weights of the features, then the constant, by Newton's method."""
    mean, scale = features.mean(0), features.std(0) + 1e-9
    rows = np.hstack([(features - mean) / scale, np.ones((len(features), 1))])
    penalty = np.diag([PENALTY] * features.shape[1] + [0.0])
    weights = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (right - likely) - penalty @ weights
        bend = rows.T @ (rows * (likely * (1 - likely))[:, None]) + penalty
        weights += np.linalg.solve(bend, slope)
    own = weights[:-1] / scale
    return np.append(own, weights[-1] - own @ mean)


def estimate(weights: Matrix, features: Matrix) -> Matrix:
    """Return the probabilities of rows."""
    return 1 / (1 + np.exp(-(features @ weights[:-1] + weights[-1])))


def area(likely: Matrix, right: NDArray[np.bool_]) -> float:
    """Return the share of pairs of a right and a wrong claim of which the right one is more probable."""
    wrong = np.sort(likely[~right])
    return float(np.mean(np.searchsorted(wrong, likely[right]) / max(1, len(wrong))))


def estimate_apart(features: Matrix, right: NDArray[np.bool_], folders: NDArray[np.str_]) -> Matrix:
    """Return the probability of each claim by weights that were fitted without its folder."""
    likely = np.zeros(len(features))
    for folder in set(folders):
        inside = folders == folder
        likely[inside] = estimate(fit(features[~inside], right[~inside]), features[inside])
    return likely


def report(name: str, likely: Matrix, right: NDArray[np.bool_]) -> None:
    """Print how right claims are told from wrong ones."""
    cells = []
    for share in SHARES:
        least = np.quantile(likely[~right], 1 - share)
        cells.append(f"{(likely[right] > least).mean():.2f} at {least:.2f}")
    print(f"| {name} | {len(right)} | {area(likely, right):.3f} | {' | '.join(cells)} |")


def main() -> None:
    """Fit, print and perhaps write the weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="folder for the index, used again where it is there")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = read_rows(options.corpora, options.keep or Path(tempfile.mkdtemp(prefix="claims-")))
    folders = np.array([
        claim.cited.corpus if FOLDERS.get(claim.cited.corpus) else "older" for claim in rows.claims
    ])
    print(
        f"| claims | | area | {' | '.join(f'right at {share:.2f} wrong' for share in SHARES)} |\n{'|---' * 7}|"
    )
    likely = estimate_apart(rows.features, rows.right, folders)
    for folder in sorted(set(folders)):
        report(folder, likely[folders == folder], rows.right[folders == folder])
    report("all", likely, rows.right)
    fitted = np.array([claim.part != "report" for claim in rows.claims])
    likely = estimate_apart(rows.features[fitted], rows.right[fitted], folders[fitted])
    report("all but *report*", likely, rows.right[fitted])
    for at, name in enumerate(rows.names):
        fewer = np.delete(rows.features[fitted], at, axis=1)
        report(
            f"without `{name}`",
            estimate_apart(fewer, rows.right[fitted], folders[fitted]),
            rows.right[fitted],
        )
    weights = fit(rows.features[fitted], rows.right[fitted])
    report("part report", estimate(weights, rows.features[~fitted]), rows.right[~fitted])
    if options.write:
        names = [*rows.names, "constant"]
        lines = [f' "{name}": {float(f"{value:.4g}")}' for name, value in zip(names, weights, strict=True)]
        MODEL.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
